package repro

import (
	"context"
	"fmt"
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/gen"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/kernel"
)

// noKernel measures similarities that are no kernels.
func noKernel() Experiment {
	return Experiment{
		Name:  "no-kernel",
		Title: "Similarities that are no kernels",
		Claim: "F1 can be applied to any similarity function, also one that is no inner product. F2 needs a kernel, " +
			"or a repair of the eigenvalues below 0.",
		Where: "Blum 2006, sections 4.1 and 5",
		Method: "Moons with a tenth of wrong labels. The linear SVM on F1, and on F2 whose spectrum is clipped, " +
			"flipped or shifted; the error counts true labels. Nothing is promised of the comparison.",
		Takes: []Parameter{{Dim, "landmarks, up to 400"}},
		Full:  Params{Dim: []int{10, 30, 100, 200}},
		Quick: Params{Dim: []int{10, 60}},
		Limit: func(p Params) error {
			for _, v := range p.Dim {
				if v > 400 {
					return fmt.Errorf("--dim is %d and must be at most 400", v)
				}
			}
			return nil
		},
		Run: runNoKernel,
	}
}

func runNoKernel(ctx context.Context, p Params) (*Result, error) {
	r := &Result{}
	for part, s := range []struct {
		name string
		of   kernel.Kernel[data.Vector]
	}{
		{"sigmoid(gamma=2,coef=-1)", kernel.Sigmoid{Gamma: 2, Coef: -1}},
		{"1 - |x-y|²", kernel.Func[data.Vector](func(x, y data.Vector) float64 { return 1 - x.Distance2(y) })},
		{"linear 1 - |x-y|/2, at least 0", kernel.Func[data.Vector](func(x, y data.Vector) float64 {
			return max(0, 1-math.Sqrt(x.Distance2(y))/2)
		})},
		{"rbf(gamma=4), a kernel", kernel.Gaussian{Gamma: 4}},
	} {
		if err := similarity(ctx, p, r, part, s.name, s.of); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// similarity measures one similarity.
func similarity(
	ctx context.Context, p Params, r *Result, part int, name string, k kernel.Kernel[data.Vector],
) error {
	rows, count := p.pick(800, 300), p.pick(8, 3)
	x, _, err := gen.Make(ctx, "moons", gen.Options{N: 200, Seed: p.seedOf(part, 1<<20)})
	if err != nil {
		return err
	}
	v, err := gram.Check(ctx, p.single(), k, data.Source[data.Vector](x), gram.NewCheckOptions())
	if err != nil {
		return err
	}
	r.Rows = append(r.Rows, show("least eigenvalue, over the largest in size",
		exact(v.MinEigenvalue()/max(v.MaxEigenvalue(), -v.MinEigenvalue()), 1), in("similarity", name)))
	figure := Figure{
		Title: "F1 against repaired F2: " + name,
		X:     Axis{Label: "landmarks", Log: true}, Y: Axis{Label: "error on new rows", Zero: true, Percent: true},
		Note: "The error counts true labels; a tenth of those to learn from are wrong.",
	}
	for _, how := range append([]feature.Repair{""}, feature.Repairs...) {
		called := "f1"
		if how != "" {
			called = "f2, " + string(how)
		}
		var points []Point
		for _, d := range p.Dim {
			errs, err := trials(ctx, p, "similarities", count, func(trial int) (float64, error) {
				seed := p.seedOf(part, trial)
				x, labels, err := gen.Make(ctx, "moons", gen.Options{N: rows, Noise: 0.1, Seed: seed})
				if err != nil {
					return 0, err
				}
				fresh, truth, err := gen.Make(ctx, "moons", gen.Options{N: rows, Seed: seed + 1})
				if err != nil {
					return 0, err
				}
				m, err := repairedMap(ctx, p, k, x, d, how, seed)
				if err != nil {
					return 0, err
				}
				return svmError(ctx, p, m, labelled{X: x, Y: signed(labels)}, labelled{X: fresh, Y: signed(truth)})
			})
			if err != nil {
				return err
			}
			m := between(mean(errs), 0, 1)
			r.Rows = append(r.Rows, show("error of the SVM", m, in("similarity", name), in("map", called),
				at("landmarks", float64(d))))
			points = append(points, bare(float64(d), m.Value))
		}
		figure.Series = append(figure.Series, Series{Name: called, Points: points, Joined: true})
	}
	r.Figures = append(r.Figures, figure)
	return nil
}

// repairedMap fits F1 where there is nothing to repair, else a repaired F2.
func repairedMap(
	ctx context.Context, p Params, k kernel.Kernel[data.Vector], x data.Source[data.Vector], d int, how feature.Repair,
	seed uint64,
) (feature.Map[data.Vector], error) {
	if how == "" {
		return feature.F1[data.Vector]{Kernel: k, Size: d, Seed: seed, Run: p.single()}.Fit(ctx, x)
	}
	f2 := feature.NewF2(k, d)
	f2.Seed, f2.Run = seed, p.single()
	return feature.Repaired[data.Vector]{F2: f2, Repair: how}.Fit(ctx, x)
}
