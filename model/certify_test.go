package model_test

import (
	"bytes"
	"math"
	"testing"

	"github.com/kerf-ml/kerf/certificate"
	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/gen"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/project"
)

// ringsOf returns two rings, one around the other.
func ringsOf(t *testing.T, n int) labeled {
	t.Helper()
	o := gen.Defaults()
	o.N = n
	x, y := gen.Rings(o)
	return labeled{X: x, Y: y}
}

// claiming returns a recipe that is to certify its map.
func claiming(margin, err float64) recipe {
	r := model.NewRecipe[data.Vector](kernel.Gaussian{Gamma: 1.5}, 10)
	r.Claim = &model.Claim{Claim: certificate.NewClaim(margin, err, 0.95)}
	r.Learner, r.Choose, r.Calibrate = learnerOf[data.Vector](model.LearnerSVM, args{"C": 10}), false, ""
	return r
}

// TestCertifiedMap: a map is grown until it is certified, with far fewer
// landmarks than the theorem asks for, and what the certificate says is true of
// a target on rows that it has not seen.
func TestCertifiedMap(t *testing.T) {
	all := ringsOf(t, 3000)
	fresh := data.Range[data.Vector]{Of: all.X, Lo: 2000, Hi: 3000}
	train := labeled{X: data.Range[data.Vector]{Of: all.X, Lo: 0, Hi: 2000}, Y: all.Y[:2000]}
	r := claiming(0.12, 0.1)
	p, training, err := r.Fit(t.Context(), train)
	if err != nil {
		t.Fatal(err)
	}
	e := training.Earned
	if e == nil || !e.Holds || e.Outcome != certificate.Certified || e.Choice != nil ||
		e.Bound > 0.1 || e.Margin != 0.12 || e.Confidence < 0.95 {
		t.Fatalf("earned is %+v", e)
	}
	if e.Used < 1 || e.Promised < 5*e.Used || e.Features != p.Map.Dim() {
		t.Errorf("%d landmarks were used of %d promised; %d features of %d", e.Used, e.Promised, e.Features, p.Map.Dim())
	}
	inSpace, mapped := meanSeparator(r.Kernel, p, train, fresh, all.Y[2000:])
	lost, least := 0, 0
	for i, m := range inSpace {
		if m < e.Margin {
			least++
		}
		if mapped[i] < e.Kept {
			lost++
		}
	}
	if least > 100 {
		t.Fatalf("the target has the margin %v on %d of 1000 rows only", e.Margin, 1000-least)
	}
	if float64(lost)/1000 > float64(least)/1000+e.Bound {
		t.Errorf("%d of 1000 rows are below the margin %v, and among the features %d below %v",
			least, e.Margin, lost, e.Kept)
	}
}

// meanSeparator returns the margins of rows under the target w = Σ a·φ(z), by
// the definition, with weights a of the sign of the label, and those of its image
// Σ a·F(z) among the features.
func meanSeparator(k kernel.Kernel[data.Vector], p *pipeline, train labeled,
	x data.Source[data.Vector], y []string) (inSpace, mapped []float64) {
	sign := map[string]float64{"1": 1, "-1": -1}
	pull := map[string]float64{"1": 1, "-1": -2} // the outer ring is twice as long
	const n = 200
	square := 0.0
	image := make([]float64, p.Map.Dim())
	f := make([]float64, p.Map.Dim())
	for i := range n {
		a := pull[train.Y[i]]
		for j := range n {
			square += a * pull[train.Y[j]] * k.Eval(train.X.At(i), train.X.At(j))
		}
		p.Map.MapTo(f, train.X.At(i))
		for c, v := range f {
			image[c] += a * v
		}
	}
	dot := func(a, b []float64) float64 {
		sum := 0.0
		for i := range a {
			sum += a[i] * b[i]
		}
		return sum
	}
	for i := range x.Len() {
		score := 0.0
		for j := range n {
			score += pull[train.Y[j]] * k.Eval(train.X.At(j), x.At(i))
		}
		inSpace = append(inSpace, sign[y[i]]*score/math.Sqrt(square*k.Eval(x.At(i), x.At(i))))
		p.Map.MapTo(f, x.At(i))
		mapped = append(mapped, sign[y[i]]*dot(image, f)/math.Sqrt(dot(image, image)*dot(f, f)))
	}
	return inSpace, mapped
}

// TestChosenMargin: without a margin one is chosen, and told.
func TestChosenMargin(t *testing.T) {
	r := claiming(0, 0.2)
	p, training, err := r.Fit(t.Context(), ringsOf(t, 2000))
	if err != nil {
		t.Fatal(err)
	}
	e := training.Earned
	if e == nil || e.Choice == nil || e.Choice.Margin != e.Margin || !(e.Margin > 0 && e.Margin <= 1) {
		t.Fatalf("earned is %+v", e)
	}
	if e.Used < 1 || e.Used < p.Map.Dim() {
		t.Errorf("%d landmarks for %d features", e.Used, p.Map.Dim())
	}
}

// TestCertifiedProjection: F3 shares the error and the confidence between the
// landmarks and the projection, or says that F2 is smaller.
func TestCertifiedProjection(t *testing.T) {
	r := claiming(0.5, 0.3)
	r.Map = model.NewF3[data.Vector](10)
	p, training, err := r.Fit(t.Context(), ringsOf(t, 2000))
	if err != nil {
		t.Logf("refused: %v", err)
		return
	}
	e := training.Earned
	if !e.Projected || e.Bound > 0.3 != !e.Holds || e.Confidence < 0.95-1e-12 || e.Features != p.Map.Dim() {
		t.Errorf("earned is %+v", e)
	}
}

// TestCertificateIsTheSame for any number of workers, and the map with it.
func TestCertificateIsTheSame(t *testing.T) {
	var first []byte
	var earned model.Earned
	for _, workers := range []int{1, 2, 3} {
		r := claiming(0.3, 0.2)
		r.Run.Workers = workers
		p, training, err := r.Fit(t.Context(), ringsOf(t, 1000))
		if err != nil {
			t.Fatal(err)
		}
		b := encode(t, p)
		if workers == 1 {
			first, earned = b, *training.Earned
		}
		if !bytes.Equal(b, first) || *training.Earned != earned {
			t.Errorf("by %d workers: %+v, by one %+v", workers, *training.Earned, earned)
		}
	}
}

func TestClaimsRefused(t *testing.T) {
	type vector = data.Vector
	d := ringsOf(t, 300)
	for name, change := range map[string]func(*recipe){
		"map f1":           func(r *recipe) { r.Map = model.NewF1[vector](10) },
		"no map":           func(r *recipe) { r.Map = model.None[vector]{} },
		"a kernel machine": func(r *recipe) { r.Map, r.Learner = model.None[vector]{}, model.NewKernelSVM[vector]() },
		"repair":           func(r *recipe) { r.Map = model.F2[vector]{Dim: 10, Repair: "clip"} },
		"sparse":           func(r *recipe) { r.Map = model.F3[vector]{Dim: 10, Projection: project.KindSparse} },
		"hadamard":         func(r *recipe) { r.Map = model.F3[vector]{Dim: 10, Projection: project.KindHadamard} },
		"margin 2":         func(r *recipe) { r.Claim.Margin = 2 },
		"margin -1":        func(r *recipe) { r.Claim.Margin = -1 },
		"no error":         func(r *recipe) { r.Claim.Error = 0 },
		"error 1":          func(r *recipe) { r.Claim.Error = 1 },
		"NaN":              func(r *recipe) { r.Claim.Error = math.NaN() },
		"a row too far":    func(r *recipe) { r.Claim.Fresh = []int{0, 300} },
		"a row before all": func(r *recipe) { r.Claim.Fresh = []int{-1} },
		"confidence 1":     func(r *recipe) { r.Claim.Confidence = 1 },
	} {
		r := claiming(0.2, 0.1)
		change(&r)
		if _, _, err := r.Fit(t.Context(), d); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
	// Too few rows to certify anything: no certificate, and no false one.
	r := claiming(0.2, 0.01)
	for _, n := range []int{2, 5, 20} {
		if _, training, err := r.Fit(t.Context(), blobsOf(n, 2, true)); err == nil && training.Earned.Holds {
			t.Errorf("%d rows certify %+v", n, training.Earned)
		}
	}
}
