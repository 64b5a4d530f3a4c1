package repro

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// oblivious compares maps that do not look at the data with F2.
func oblivious() Experiment {
	return Experiment{
		Name:  "oblivious",
		Title: "Maps that do not look at the data",
		Claim: "An open question: do natural kernels have good maps that are drawn without examples of the " +
			"distribution? Random Fourier features, orthogonal ones and tensor sketches are such maps.",
		Where: "Blum 2006, section 5; Balcan, Blum and Vempala 2004, section 6",
		Method: "Unit vectors of 20 coordinates: near a plane, where the kernel's eigenvalues fall fast, and " +
			"uniform, where they do not. Each map at the same number of features: how far inner products are from the " +
			"kernel, and the error of a linear SVM on a label of two coordinates' product. Nothing is promised of " +
			"the comparison.",
		Takes:   []Parameter{{Dim, "features, even, from 2 to 2000"}},
		Full:    Params{Dim: []int{10, 20, 50, 100, 200, 400}},
		Quick:   Params{Dim: []int{20, 100}},
		Limit:   limitOblivious,
		Run:     runOblivious,
		falsify: 0,
	}
}

func limitOblivious(p Params) error {
	for _, v := range p.Dim {
		if v%2 != 0 || v > 2000 {
			return fmt.Errorf("--dim is %d and must be even, up to 2000", v)
		}
	}
	return nil
}

// nearPlane is a unit vector of dim coordinates, all but two of which are small.
func nearPlane(rng *rand.Rand, dim int, rest float64) ([]float64, float64) {
	x, length := make([]float64, dim), 0.0
	for j := range x {
		x[j] = rng.NormFloat64()
		if j >= 2 {
			x[j] *= rest
		}
		length += x[j] * x[j]
	}
	for j := range x {
		x[j] /= math.Sqrt(length)
	}
	if x[0]*x[1] > 0 {
		return x, 1
	}
	return x, -1
}

// way is a map by name, of so many features.
type way struct {
	name string
	fit  func(ctx context.Context, ctl run.Control, x data.Source[data.Vector], d int, seed uint64) (
		feature.Map[data.Vector], error)
}

// landmarksOf is F2 of a kernel, by a selection.
func landmarksOf(name string, k kernel.Kernel[data.Vector], s feature.Selection) way {
	return way{name, func(ctx context.Context, ctl run.Control, x data.Source[data.Vector], d int, seed uint64) (
		feature.Map[data.Vector], error,
	) {
		f2 := feature.NewF2(k, d)
		f2.Select, f2.Seed, f2.Run = s, seed, ctl
		return f2.Fit(ctx, x)
	}}
}

// drawn is a map that does not look at the data.
func drawn(name, kind string, k kernel.Kernel[data.Vector]) way {
	return way{name, func(ctx context.Context, ctl run.Control, x data.Source[data.Vector], d int, seed uint64) (
		feature.Map[data.Vector], error,
	) {
		return feature.RecallOblivious(ctx, ctl, feature.Oblivious{Kind: kind, Kernel: k, Dim: d, Width: data.Dim(x),
			Seed: seed})
	}}
}

func runOblivious(ctx context.Context, p Params) (*Result, error) {
	const dim = 20
	r := &Result{}
	rbf, poly := kernel.Kernel[data.Vector](kernel.Gaussian{Gamma: 1}), kernel.Kernel[data.Vector](kernel.NewPolynomial(3))
	part := 0
	for _, spread := range []struct {
		name string
		rest float64
	}{{"fast decay", 0.05}, {"slow decay", 1}} {
		v := world{dim: dim, draw: func(rng *rand.Rand, _ int) ([]float64, float64) {
			return nearPlane(rng, dim, spread.rest)
		}}
		for _, c := range []struct {
			kernel kernel.Kernel[data.Vector]
			name   string
			ways   []way
		}{
			{rbf, "rbf", []way{landmarksOf("f2", rbf, feature.Uniform), drawn("fourier", feature.KindFourier, rbf),
				drawn("orf", feature.KindOrthogonalFourier, rbf)}},
			{poly, "poly", []way{landmarksOf("f2", poly, feature.Uniform), drawn("sketch", feature.KindTensorSketch, poly)}},
		} {
			part++
			off, err := compareWays(ctx, p, r, part, v, c.kernel, c.ways, []Setting{in("spectrum", spread.name),
				in("kernel", c.name)})
			if err != nil {
				return nil, err
			}
			r.Figures = append(r.Figures, Figure{
				Title: fmt.Sprintf("Oblivious maps of %s against F2, %s", c.name, spread.name),
				X:     Axis{Label: "features", Log: true}, Y: Axis{Label: "root mean square of φ(x)·φ(y) - K", Log: true},
				Series: off,
				Note:   "Where eigenvalues fall fast, landmarks win by far; where they do not, maps that are drawn come close.",
			})
		}
	}
	return r, nil
}

// compareWays measures all maps at all numbers of features.
func compareWays(
	ctx context.Context, p Params, r *Result, part int, v world, k kernel.Kernel[data.Vector], ways []way, where []Setting,
) ([]Series, error) {
	count, rows := p.pick(8, 3), p.pick(800, 300)
	var out []Series
	for _, w := range ways {
		var points []Point
		for _, d := range p.Dim {
			errs, err := trials(ctx, p, "maps", count, func(trial int) ([]float64, error) {
				rng := p.rng(part, trial) // the same data for all maps
				train, test := v.sample(rng, rows), v.sample(rng, rows)
				m, err := w.fit(ctx, p.single(), train.X, d, p.seedOf(part, trial))
				if err != nil {
					return nil, err
				}
				off, err := offBy(ctx, p, m, k, test.X)
				if err != nil {
					return nil, err
				}
				wrong, err := svmError(ctx, p, m, train, test)
				return []float64{off, wrong}, err
			})
			if err != nil {
				return nil, err
			}
			here := append([]Setting{in("map", w.name)}, append(where, at("features", float64(d)))...)
			off, wrong := mean(column(errs, 0)), between(mean(column(errs, 1)), 0, 1)
			r.Rows = append(r.Rows, show("off from K", off, here...), show("error of the SVM", wrong, here...))
			points = append(points, bare(float64(d), max(off.Value, 1e-16)))
		}
		out = append(out, Series{Name: w.name, Points: points, Joined: true})
	}
	return out, nil
}
