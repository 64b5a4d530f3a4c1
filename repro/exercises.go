package repro

import (
	"context"
	"fmt"
	"math"

	"github.com/kerf-ml/kerf/bound"
	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/gen"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/kernel/set"
	"github.com/kerf-ml/kerf/kernel/text"
	"github.com/kerf-ml/kerf/learn/kernelized"
)

// exercises measures what the exercises of chapter 16 ask to prove.
func exercises() Experiment {
	return Experiment{
		Name:  "exercises",
		Title: "The exercises of chapter 16",
		Claim: "The substring kernel counts common substrings, and \"contains the word\" is a separator of norm 1 that " +
			"keeps its classes 1 apart. Ridge regression and the nearest centroid are the same by kernels as by " +
			"features. min(i, j) is a positive definite kernel. Baskets of s items of which k decide are learnt with " +
			"(4k+1)(s+1) mistakes, whatever the number of items.",
		Where: "Shalev-Shwartz and Ben-David 2014, section 16.2.1 and exercises 16.1 to 16.6",
		Method: "Kernels against features that are written down; substrings one by one; the least eigenvalue by " +
			"factorisation; baskets with k = 5 and s = 10, shown to the kernel perceptron until a pass is right.",
		Takes:   []Parameter{{Dim, "items of the shop, more than 5, up to 10,000,000"}},
		Full:    Params{Dim: []int{100, 1000, 10_000, 300_000}},
		Quick:   Params{Dim: []int{100, 10_000}},
		Limit:   limitExercises,
		Run:     runExercises,
		falsify: 0.02,
	}
}

func limitExercises(p Params) error {
	for _, v := range p.Dim {
		if v <= 5 || v > 10_000_000 {
			return fmt.Errorf("--dim is %d and must be more than 5, up to 10,000,000", v)
		}
	}
	return nil
}

func runExercises(ctx context.Context, p Params) (*Result, error) {
	r := &Result{}
	for _, part := range []func(context.Context, Params, *Result) error{
		substrings, ridgeBothWays, minimumKernel, baskets, centroids,
	} {
		if err := part(ctx, p, r); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// substrings is exercise 1.
func substrings(ctx context.Context, p Params, r *Result) error {
	g := gen.NewSignatures()
	g.N, g.Length, g.Seed = p.pick(100, 40), 60, p.seedOf(0, 0)
	x, labels, err := g.Make(ctx)
	if err != nil {
		return err
	}
	k, word := text.Substring{}, g.Hidden()
	sets := make([]map[string]bool, len(x))
	for i, s := range x {
		sets[i] = map[string]bool{}
		for a := range s {
			for b := a + 1; b <= len(s); b++ {
				sets[i][s[a:b]] = true
			}
		}
	}
	wrong, square := 0, 0.0
	inside, outside := math.Inf(1), math.Inf(-1) // ⟨e_v, ψ(x)⟩ of the two classes
	for i, y := range signed(labels) {
		for j := range i + 1 {
			common := 0
			for s := range sets[i] {
				if sets[j][s] {
					common++
				}
			}
			if k.Eval(x[i], x[j]) != float64(common) {
				wrong++
			}
		}
		square = max(square, k.Diag(x[i]))
		contains := 0.0
		if k.Eval(word, x[i]) == k.Diag(word) { // all substrings of the word, and so itself
			contains = 1
		}
		if y > 0 {
			inside = min(inside, contains)
		} else {
			outside = max(outside, contains)
		}
	}
	most, err := bound.SubstringSquare(g.Length)
	if err != nil {
		return err
	}
	where := at("letters", float64(g.Length))
	pairs := len(x) * (len(x) + 1) / 2
	r.Rows = append(r.Rows,
		equal("16.1: pairs whose K is not the count of common substrings", exact(float64(wrong), pairs), 0, where),
		equal("16.1: distance of the classes along a separator of norm 1", exact(inside-outside, len(x)), 1, where),
		atMost("16.2.1: largest |ψ(x)|²", exact(square, len(x)), most, where))
	r.Notes = append(r.Notes, "Exercise 16.1 asks for norm 1 and margin 1. With the threshold in the middle, 1/2, "+
		"the classes are 1/2 away from the separator on either side at norm 1, or 1 at norm 2: the 1 is the "+
		"distance between them.")
	return nil
}

// ridgeBothWays is exercise 3.
func ridgeBothWays(ctx context.Context, p Params, r *Result) error {
	const n, lambda = 60, 0.01
	rng := p.rng(1, 0)
	x, y := data.NewMatrix(n, 2), make([]float64, n)
	for i := range n {
		x.Row(i)[0], x.Row(i)[1] = rng.NormFloat64(), rng.NormFloat64()
		y[i] = x.Row(i)[0]*x.Row(i)[1] + 0.1*rng.NormFloat64()
	}
	poly := kernel.NewPolynomial(2)
	m, err := feature.NewMonomials(ctx, p.single(), poly, 2)
	if err != nil {
		return err
	}
	phi, err := feature.Apply[data.Vector](ctx, p.single(), m, x)
	if err != nil {
		return err
	}
	// f' = 0: (ΦᵀΦ + 2λm·I)·w = Φᵀy.
	d := m.Dim()
	a, b := make([][]float64, d), make([]float64, d)
	for j := range d {
		a[j] = make([]float64, d)
		a[j][j] = 2 * lambda * n
		for i := range n {
			b[j] += phi.Row(i)[j] * y[i]
			for k := range d {
				a[j][k] += phi.Row(i)[j] * phi.Row(i)[k]
			}
		}
	}
	w := eliminate(a, b)
	recipe := kernelized.NewRidge[data.Vector](poly)
	recipe.Lambda, recipe.Run = lambda, p.single()
	f, _, err := recipe.Fit(ctx, data.Labeled[data.Vector, float64]{X: x, Y: y})
	if err != nil {
		return err
	}
	diff := 0.0
	for i := range n {
		diff = max(diff, math.Abs(dot(w, phi.Row(i))-f.Score(x.At(i))))
	}
	r.Rows = append(r.Rows, about("16.3: largest difference of ridge by kernels and by features", exact(diff, n), 0, 1e-9,
		at("λ", lambda)))
	return nil
}

// eliminate solves a·w = b for a positive definite a, which it destroys.
func eliminate(a [][]float64, b []float64) []float64 {
	n := len(b)
	for k := range n {
		for i := k + 1; i < n; i++ {
			f := a[i][k] / a[k][k]
			for j := k; j < n; j++ {
				a[i][j] -= f * a[k][j]
			}
			b[i] -= f * b[k]
		}
	}
	for k := n - 1; k >= 0; k-- {
		for j := k + 1; j < n; j++ {
			b[k] -= a[k][j] * b[j]
		}
		b[k] /= a[k][k]
	}
	return b
}

// minimumKernel is exercise 4.
func minimumKernel(ctx context.Context, p Params, r *Result) error {
	for _, n := range []int{10, 100, p.pick(500, 200)} {
		x := data.NewMatrix(n, 1)
		for i := range n {
			x.Row(i)[0] = float64(i + 1)
		}
		v, err := gram.Check[data.Vector](ctx, p.single(), kernel.Minimum{}, x, gram.NewCheckOptions())
		if err != nil {
			return err
		}
		want, err := bound.MinimumEigenvalue(n)
		if err != nil {
			return err
		}
		// The largest eigenvalue is about 0.4·n², and each is known to its rounding.
		r.Rows = append(r.Rows, about("16.4: least eigenvalue of min(i, j)", exact(v.MinEigenvalue(), 1), want,
			1e-14*float64(n)*float64(n), at("N", float64(n))))
	}
	return nil
}

// baskets is exercise 5.
func baskets(ctx context.Context, p Params, r *Result) error {
	const k, s = 5, 10
	margin, err := bound.BasketMargin(k, s)
	if err != nil {
		return err
	}
	most := p.promised(1 / (margin * margin))
	var measured, line []Point
	for _, items := range p.Dim {
		g := gen.NewBaskets()
		g.N, g.Items, g.Most, g.Relevant, g.Seed = p.pick(2310, 600), items, s, k, p.seedOf(3, items)
		x, labels, err := g.Make(ctx)
		if err != nil {
			return err
		}
		one := kernel.Kernel[data.Set](kernel.Constant[data.Set]{Value: 1})
		recipe := kernelized.NewPerceptron(kernel.Sum(kernel.Kernel[data.Set](set.Intersection{}), one))
		recipe.MaxPasses, recipe.Shuffle, recipe.Run = 10_000, false, p.single()
		_, report, err := recipe.Fit(ctx, data.Labeled[data.Set, float64]{X: x, Y: signed(labels)})
		if err != nil {
			return err
		}
		m := exact(float64(report.Mistakes), 1)
		r.Rows = append(r.Rows, atMost("16.5: mistakes on baskets", m, most, at("items", float64(items)),
			at("baskets", float64(g.N))))
		measured, line = append(measured, m.point(float64(items))), append(line, bare(float64(items), most))
	}
	r.Figures = append(r.Figures, Figure{
		Title: "Exercise 16.5: mistakes on baskets",
		X:     Axis{Label: "items of the shop", Log: true}, Y: Axis{Label: "mistakes", Zero: true},
		Series: []Series{{Name: "kernel perceptron", Points: measured, Joined: true},
			{Name: "(4k+1)(s+1)", Points: line, Bound: true}},
		Note: "The bound does not know the number of items. More items make it easier: baskets share fewer by chance.",
	})
	return nil
}

// centroids is exercise 6.
func centroids(ctx context.Context, p Params, r *Result) error {
	n := p.pick(1000, 300)
	x, labels, err := gen.Make(ctx, "moons", gen.Options{N: n, Seed: p.seedOf(4, 0)})
	if err != nil {
		return err
	}
	y, poly := signed(labels), kernel.NewPolynomial(3)
	m, err := feature.NewMonomials(ctx, p.single(), poly, 2)
	if err != nil {
		return err
	}
	phi, err := feature.Apply[data.Vector](ctx, p.single(), m, x)
	if err != nil {
		return err
	}
	centre := map[float64][]float64{1: make([]float64, m.Dim()), -1: make([]float64, m.Dim())}
	count := map[float64]float64{}
	for i := range n {
		count[y[i]]++
		for j, v := range phi.Row(i) {
			centre[y[i]][j] += v
		}
	}
	for label, c := range centre {
		for j := range c {
			c[j] /= count[label]
		}
	}
	recipe := kernelized.NewCentroid[data.Vector](poly)
	recipe.Run = p.single()
	e, _, err := recipe.Fit(ctx, data.Labeled[data.Vector, float64]{X: x, Y: y})
	if err != nil {
		return err
	}
	other := 0
	for i := range n {
		near, far := 0.0, 0.0
		for j, v := range phi.Row(i) {
			near += (v - centre[1][j]) * (v - centre[1][j])
			far += (v - centre[-1][j]) * (v - centre[-1][j])
		}
		if (near <= far) != (e.Score(x.At(i)) >= 0) && math.Abs(near-far) > 1e-10*(near+far) {
			other++
		}
	}
	r.Rows = append(r.Rows, equal("16.6: points that the two nearest centroids tell apart", exact(float64(other), n), 0,
		at("points", float64(n))))
	return nil
}
