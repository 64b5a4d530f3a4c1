package model_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/run"
)

// scored are jobs of every form that a model has, with hyperparameters.
func scored() map[string]struct {
	job
	args
} {
	all := map[string]struct {
		job
		args
	}{}
	add := func(learner, kind string, classes int, a args) {
		for _, dense := range []bool{true, false} {
			j := job{learner, kind, model.Classify, classes, dense}
			if classes == 0 {
				j.task = model.Regress
			}
			all[fmt.Sprint(j, a)] = struct {
				job
				args
			}{j, a}
		}
	}
	for _, classes := range []int{2, 3} {
		for _, kind := range []string{model.MapF1, model.MapF2, model.MapF3, model.MapFourier, model.MapORF, model.MapNone} {
			for _, l := range []string{model.LearnerSVM, model.LearnerBoost, model.LearnerBoostHalfspace} {
				add(l, kind, classes, args{"dim": 42, "landmarks": 60})
			}
		}
		for _, l := range []string{model.LearnerKernelRidge, model.LearnerFalkon, model.LearnerCentroid} {
			add(l, model.MapNone, classes, nil)
		}
		for _, pairs := range []bool{true, false} {
			add(model.LearnerKernelSVM, model.MapNone, classes, args{"pairs": pairs})
		}
	}
	add(model.LearnerOneClass, model.MapNone, 2, nil)
	for _, kind := range []string{model.MapF1, model.MapF2, model.MapF3, model.MapFourier, model.MapNone} {
		add(model.LearnerRidge, kind, 0, args{"dim": 42, "landmarks": 60})
	}
	for _, l := range []string{model.LearnerSVR, model.LearnerNuSVR, model.LearnerKernelRidge, model.LearnerFalkon} {
		add(l, model.MapNone, 0, nil)
	}
	return all
}

// TestTrainingScores: the scores that a training tells are those of its rows of
// positive weight, in their order: bit by bit, and of maps that the separators are folded
// into to rounding. The rows are more than two blocks.
func TestTrainingScores(t *testing.T) {
	const n = 180
	zeros, ones := slices.Repeat([]float64{1, 0, 2, 0.5}, n/4), slices.Repeat([]float64{3, 1}, n/2)
	for name, c := range scored() {
		for _, conformal := range []float64{0, 0.3} {
			for _, weight := range [][]float64{nil, ones, zeros} {
				r := c.recipe(c.args)
				r.Conformal = conformal
				s := c.sample(n, weight)
				p, training, err := r.FitSample(t.Context(), s)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				var live []int
				for i := range n {
					if weight == nil || weight[i] > 0 {
						live = append(live, i)
					}
				}
				want := scoresOf(t, p, 2, s.Select(live).X)
				got := training.Scores
				if got == nil || got.Rows != len(live) || got.Cols != p.Outputs() || !sameScores(p.Map, got.Data, want.Data) {
					t.Errorf("%s, conformal %v, weights %v: other scores", name, conformal, weight != nil)
				}
			}
		}
	}
}

// foldedTolerance is for the products of a separator with features and, folded, with
// similarities: 2e-11 of |w|·|φ(x)|, where |w| is below 5 and |φ(x)| is 1.
const foldedTolerance = 1e-10

// sameScores reports whether scores are the same bits, or by a map that separators are folded
// into, F2 and F3, the same to rounding.
func sameScores[T any](m feature.Map[T], a, b []float64) bool {
	if _, ok := m.(feature.Rotation[T]); !ok {
		return slices.Equal(a, b)
	}
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Abs(x-y) <= foldedTolerance*(1+math.Abs(x)) })
}

// TestScoreMargins: scores are those of ScoreAll, bit by bit, and margins those of
// the definition, -1 for rows of unknown class.
func TestScoreMargins(t *testing.T) {
	for name, c := range scored() {
		if c.task == model.Regress {
			continue
		}
		p, training, err := c.recipe(c.args).FitSample(t.Context(), c.sample(90, nil))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		s := c.sample(100, nil)
		y := slices.Clone(s.Y)
		for i := range y {
			if i%5 == 3 {
				y[i] = -1
			}
		}
		for _, workers := range []int{1, 2} {
			scores, margins, err := p.ScoreMargins(t.Context(), run.Control{Workers: workers}, s.X, y)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if !slices.Equal(scores.Data, scoresOf(t, p, 1, s.X).Data) {
				t.Errorf("%s: the scores are others", name)
			}
			wantMargins(t, name, p, s.X, y, margins)
		}
		if !c.traits().Unsupervised {
			fitted := c.sample(90, nil)
			wantMargins(t, name+", training", p, fitted.X, fitted.Y, training.Margins)
		}
	}
}

// wantMargins checks margins, which are sorted, against those of the definition. A
// few hundred products are summed, each of about 1e-16 relative error; lengths of
// kernel machines come from sums of coefficients that cancel.
func wantMargins(t *testing.T, name string, p *pipeline, x data.Source[data.Vector], y []int, got []float64) {
	t.Helper()
	var want []float64
	o := newOracle(p)
	for i, c := range y {
		if c < 0 {
			want = append(want, -1)
			continue
		}
		want = append(want, o.margin(x.At(i), c))
	}
	slices.Sort(want)
	got = slices.Sorted(slices.Values(got))
	if len(got) != len(want) {
		t.Errorf("%s: %d margins of %d rows", name, len(got), len(want))
		return
	}
	for i, m := range want {
		if !(math.Abs(got[i]-m) <= 1e-9) {
			t.Errorf("%s: margin %d is %v, want %v", name, i, got[i], m)
			return
		}
	}
}

// oracle tells margins by definition 1: the smallest y(w·φ(x))/(|w||φ(x)|) over the
// separators w that tell a class from another, where φ has the constant
// coordinate, and of a machine is that of the kernel.
type oracle struct {
	*pipeline
	gram *data.Matrix // of the support of a machine, else nil
}

func newOracle(p *pipeline) oracle {
	traits, _ := model.TraitsOf(p.Learner)
	m, ok := p.Map.(*feature.Landmarks[data.Vector])
	if !ok || !traits.Kernel {
		return oracle{pipeline: p}
	}
	z := m.Instances()
	gram := data.NewMatrix(z.Len(), z.Len())
	for i := range z.Len() {
		for j := range z.Len() {
			gram.Row(i)[j] = p.Kernel.Eval(z.At(i), z.At(j))
		}
	}
	return oracle{p, gram}
}

// margin is that of x of class c.
func (o oracle) margin(x data.Vector, c int) float64 {
	least, k := math.Inf(1), o.Classes.Len()
	take := func(sign float64, s, e int) { least = min(least, sign*o.cosine(s, e, x)) }
	switch {
	case o.Pairs != nil:
		for s := range o.Separators.Rows {
			switch i, j := learn.PairAt(s, k); c {
			case i:
				take(1, s, -1)
			case j:
				take(-1, s, -1)
			}
		}
	case k == 2:
		take(float64(2*c-1), 0, -1)
	default:
		for e := range k {
			if e != c {
				take(1, c, e)
			}
		}
	}
	return least
}

// cosine is that of the angle between x and separator s, less separator e unless
// that is -1.
func (o oracle) cosine(s, e int, x data.Vector) float64 {
	w, bias := slices.Clone(o.Separators.Row(s)), o.Bias[s]
	if e >= 0 {
		bias -= o.Bias[e]
		for i, v := range o.Separators.Row(e) {
			w[i] -= v
		}
	}
	if o.Unit == 0 {
		bias = 0
	}
	f := make([]float64, o.Map.Dim())
	o.Map.MapTo(f, x)
	score, length, square := bias*o.Unit, bias*bias, o.Unit*o.Unit
	for i, v := range f {
		score += w[i] * v
		if o.gram == nil {
			length += w[i] * w[i]
			square += v * v
			continue
		}
		for j, u := range w {
			length += w[i] * u * o.gram.Row(i)[j]
		}
	}
	if o.gram != nil {
		square += kernel.Diag(o.Kernel, x)
	}
	if length <= 0 || square <= 0 {
		return 0
	}
	return score / math.Sqrt(length*square)
}
