package lab

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/internal/linalg"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/linear"
	"github.com/kerf-ml/kerf/margin"
	"github.com/kerf-ml/kerf/run"
)

// Side is what F1 or F2 makes of the landmarks: how wide an angle it leaves between the
// classes, how many mistakes that costs a perceptron, and how its features share their
// length. With more than two classes it is the last of them against the rest. Separators
// go through the origin, as in the papers.
type Side struct {
	Dim       int     `json:"dim"`
	Separable bool    `json:"separable"`
	Margin    float64 `json:"margin"` // largest least margin; not positive where there is none
	Bound     float64 `json:"bound"`  // that no separator's least margin exceeds
	Degrees   number  `json:"degrees"`
	At        number  `json:"at"`    // the margin of all points but Noise
	Noise     float64 `json:"noise"` // of the plan; 0 where the classes can be told apart

	Mistakes  int    `json:"mistakes"`
	Finished  bool   `json:"finished"` // a pass had no mistake
	Passes    int    `json:"passes"`
	Limit     number `json:"limit"`     // 1/γ² of Margin
	LimitHard number `json:"limit_low"` // 1/γ² of Bound: what a larger margin could have promised

	Share    []float64      `json:"share"` // of the features' squared length along their principal directions
	Curve    []margin.Point `json:"curve"`
	curve    margin.Curve
	features *data.Matrix
}

// Limits of what is computed for a Side.
const (
	hardTolerance = 0.01 // of the largest margin, relative
	hardPasses    = 100
	mistakePasses = 300
	draftPasses   = 25
	allDirections = 64 // columns of which all principal directions are computed
	curvePoints   = 60
)

func (q *problem) compareF1(ctx context.Context) error {
	s, err := recall(q.lab, q.sideKey("f1"), func() (*Side, error) { return q.side(ctx, q.f1) })
	q.answer.F1 = s
	return err
}

func (q *problem) compareF2(ctx context.Context) error {
	if q.f2 == nil {
		return errors.New(q.answer.Faults["f2"])
	}
	s, err := recall(q.lab, q.sideKey("f2"), func() (*Side, error) { return q.side(ctx, q.f2) })
	q.answer.F2 = s
	return err
}

// side maps the points and looks at them.
func (q *problem) side(ctx context.Context, m feature.Map[data.Vector]) (*Side, error) {
	image, err := feature.Apply(ctx, q.run, m, q.x)
	if err != nil {
		return nil, err
	}
	y := q.signs(len(q.classes) - 1)
	s := &Side{Dim: m.Dim(), features: image}
	separators, err := s.separate(ctx, q, y)
	if err != nil {
		return nil, err
	}
	all := make([]margin.Margins, len(separators))
	for i, w := range separators {
		if all[i], err = margin.Sample(ctx, q.run, w, image, y); err != nil {
			return nil, err
		}
	}
	if s.curve, err = margin.NewCurve(all...); err != nil {
		return nil, err
	}
	s.Curve = s.curve.Points(curvePoints)
	if err := s.perceive(ctx, q, y); err != nil {
		return nil, err
	}
	s.Share, err = shares(ctx, q.run, image)
	s.features = nil // it is kept, and they are large
	return s, err
}

// separate finds the largest margin, with the proof that there is no larger one, and
// returns separators that are good at some margin: that one, and two of least squares. A
// draft has the first alone where there is one.
func (s *Side) separate(ctx context.Context, q *problem, y []float64) ([][]float64, error) {
	hard, ctl := linear.NewHardMargin(), q.run
	hard.Unit, hard.Normalize, hard.Tolerance, hard.MaxPasses, hard.Run = 0, true, hardTolerance, hardPasses, ctl
	d := data.Labeled[data.Vector, float64]{X: s.features, Y: y}
	w, proof, report, err := hard.Prove(ctx, d)
	if err != nil {
		return nil, err
	}
	s.Margin, s.Bound = proof.Margin, proof.Bound
	s.Separable = proof.Margin > 0 && (report.Status == learn.Converged || proof.Margin > 1e-9)
	s.Degrees, s.Limit, s.LimitHard = number(math.NaN()), number(math.NaN()), number(math.NaN())
	if s.Separable {
		s.Degrees = number(math.Asin(min(1, s.Margin)) * 180 / math.Pi)
		s.Limit, s.LimitHard = number(1/(s.Margin*s.Margin)), number(1/(s.Bound*s.Bound))
	}
	out := [][]float64{w.W}
	if q.Draft && s.Separable {
		return out, nil
	}
	square := 0.0
	for _, v := range s.features.Data {
		square += v * v
	}
	for _, part := range []float64{1e-6, 1e-3} {
		ridge := linear.NewRidge()
		ridge.Intercept, ridge.Lambda, ridge.Run = false, max(part*square, math.SmallestNonzeroFloat64), ctl
		w, _, err := ridge.Fit(ctx, d)
		if err != nil {
			return nil, err
		}
		if out = append(out, w.W); q.Draft {
			break
		}
	}
	return out, nil
}

// perceive counts the mistakes of the papers' perceptron.
func (s *Side) perceive(ctx context.Context, q *problem, y []float64) error {
	p := linear.NewPerceptron()
	p.Unit, p.Normalize, p.MaxPasses, p.Seed, p.Run = 0, true, mistakePasses, uint64(q.Seed), q.run
	if q.Draft {
		p.MaxPasses = draftPasses
	}
	_, report, err := p.Fit(ctx, data.Labeled[data.Vector, float64]{X: s.features, Y: y})
	s.Mistakes, s.Passes, s.Finished = report.Mistakes, report.Iterations, report.Status == learn.Converged
	return err
}

// settled returns the side with the margin at the noise that is planned with.
func (s *Side) settled(noise float64) *Side {
	out := *s
	out.Noise, out.At = noise, number(math.NaN())
	if at, ok := s.curve.MarginAt(noise); ok {
		out.At = number(at)
	}
	return &out
}

// shares returns the parts of the squared length of rows along their principal directions
// through the origin, the largest first: the eigenvalues of XᵀX over their sum. Of many
// columns there are the mostShown first.
func shares(ctx context.Context, ctl run.Control, x *data.Matrix) ([]float64, error) {
	products := data.NewMatrix(x.Cols, x.Cols)
	if err := linalg.SymRankT(ctx, ctl, 1, x, 0, products); err != nil {
		return nil, err
	}
	sum := 0.0
	for i := range x.Cols {
		sum += products.Row(i)[i]
		for j := range i {
			products.Row(j)[i] = products.Row(i)[j]
		}
	}
	var values []float64
	var err error
	if x.Cols <= allDirections {
		if values, _, err = linalg.Eigen(ctx, ctl, products); err == nil {
			slices.Reverse(values)
		}
	} else {
		values, _, err = top(ctx, mostShown, x.Cols, 4, func(dst, basis *data.Matrix) error {
			return linalg.Mul(ctx, ctl, 1, basis, products, 0, dst)
		})
	}
	if err != nil || sum == 0 {
		return nil, err
	}
	for i, v := range values {
		values[i] = max(0, v/sum)
	}
	return values, nil
}

// Growth is the largest margins of F1 and F2 on the first landmarks.
type Growth struct {
	Landmarks int     `json:"landmarks"`
	F1        float64 `json:"f1"` // not positive where the classes cannot be told apart
	F2        number  `json:"f2"`
}

// grow measures margins by the number of landmarks.
func (q *problem) grow(ctx context.Context) error {
	all, err := recall(q.lab, q.sideKey("growth"), func() ([]Growth, error) { return q.growth(ctx) })
	q.answer.Growth = all
	return err
}

func (q *problem) growth(ctx context.Context) ([]Growth, error) {
	var out []Growth
	y := q.signs(len(q.classes) - 1)
	most := max(min(64, len(q.marks)), min(q.Dim, len(q.marks)))
	for d := min(4, most); ; d = min(most, d*2) {
		z := q.marks[:d]
		g := Growth{Landmarks: d, F2: number(math.NaN())}
		first := feature.NewLandmarks[data.Vector](q.kernel, z, run.Float64)
		m, err := q.largest(ctx, first, y)
		if err != nil {
			return nil, err
		}
		g.F1 = m
		recipe := feature.NewF2[data.Vector](q.kernel, d)
		recipe.Run = q.run
		if second, err := recipe.FitTo(ctx, z); err == nil {
			m, err := q.largest(ctx, second, y)
			if err != nil {
				return nil, err
			}
			g.F2 = number(m)
		}
		out = append(out, g)
		if d == most {
			return out, nil
		}
	}
}

// largest returns the largest margin under a map.
func (q *problem) largest(ctx context.Context, m feature.Map[data.Vector], y []float64) (float64, error) {
	image, err := feature.Apply(ctx, q.run, m, q.x)
	if err != nil {
		return 0, err
	}
	hard := linear.NewHardMargin()
	hard.Unit, hard.Normalize, hard.Tolerance, hard.MaxPasses, hard.Run = 0, true, hardTolerance, hardPasses, q.run
	_, proof, _, err := hard.Prove(ctx, data.Labeled[data.Vector, float64]{X: image, Y: y})
	return proof.Margin, err
}
