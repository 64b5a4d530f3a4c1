package calibrate

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/run"
)

// Curve is the function 1/(1 + exp(-(Slope·s + Offset))) of a score s. The
// slope is not negative.
type Curve struct {
	Slope  float64 `json:"slope"`
	Offset float64 `json:"offset"`
}

// At returns the value at s, in [0, 1].
func (c Curve) At(s float64) float64 {
	_, p := c.both(bounded(s))
	return p
}

// both returns 1-p and p, each to full precision. The larger of the two is on
// the side that Slope·s + Offset has the sign of, and they are equal where that
// is 0 or too small to tell.
func (c Curve) both(s float64) (rest, p float64) {
	t := c.Slope*s + c.Offset
	e := math.Exp(-math.Abs(t))
	rest, p = e/(1+e), 1/(1+e)
	if t < 0 {
		return p, rest
	}
	return rest, p
}

func (c Curve) validate() error {
	if !(c.Slope >= 0) || math.IsInf(c.Slope, 0) || math.IsNaN(c.Offset) || math.IsInf(c.Offset, 0) {
		return fmt.Errorf("calibration: slope is %v and offset %v; they must be numbers, and the slope not negative",
			c.Slope, c.Offset)
	}
	return nil
}

// Platt is logistic regression on a score,
//
//	p(s) = 1/(1 + exp(-(a·s + b)))
//	min_{a≥0, b}  -Σ t·ln p(s) + (1-t)·ln(1 - p(s))
//
// with the targets t = (n₊+1)/(n₊+2) for the n₊ rows of the class and 1/(n₋+2)
// for the n₋ others, each row counted as often as its weight says, which keep a
// and b finite where a threshold separates the two. A slope that the rows would
// have below 0 becomes 0: then the scores say nothing and p is the constant that
// fits best.
//
// It is solved by Newton's method with step halving, O(n) a step and about ten
// steps for each class.
//
// Reference: Platt 1999; Lin, Lin and Weng 2007.
type Platt struct {
	Tolerance float64   // largest derivative a row at the end, positive; default 1e-10
	MaxSteps  int       // at least 1; default 100
	Weight    []float64 // of each row, not negative: a row of weight k counts as k rows; nil for 1
	Run       run.Control
}

// NewPlatt returns the recipe with its defaults.
func NewPlatt() Platt { return Platt{Tolerance: 1e-10, MaxSteps: 100} }

// Validate reports every field that is out of range.
func (p Platt) Validate() error {
	var faults []error
	if !(p.Tolerance > 0) || math.IsInf(p.Tolerance, 0) {
		faults = append(faults, fmt.Errorf("platt: tolerance is %v and must be positive", p.Tolerance))
	}
	if p.MaxSteps < 1 {
		faults = append(faults, fmt.Errorf("platt: max steps is %d and must be at least 1", p.MaxSteps))
	}
	return errors.Join(faults...)
}

// Fit finds the curves for the scores of held-out rows and their classes, from
// 0 to scores.Cols-1. A class without rows has a constant probability.
func (p Platt) Fit(ctx context.Context, scores *data.Matrix, y []int) (*Calibration, error) {
	if err := errors.Join(p.Validate(), check(scores, y), learn.CheckWeights(len(y), p.Weight)); err != nil {
		return nil, err
	}
	c := &Calibration{Method: Sigmoid, Classes: scores.Cols, Logistic: make([]Curve, learn.Separators(scores.Cols))}
	err := par.For(ctx, p.Run, "calibrating", len(c.Logistic), func(m int) error {
		s, positive := column(scores, y, m)
		var err error
		c.Logistic[m], err = p.curve(ctx, s, positive)
		return err
	})
	if err != nil {
		return nil, err
	}
	return c, nil
}

// curve fits one curve.
func (p Platt) curve(ctx context.Context, s []float64, positive []bool) (Curve, error) {
	fit := &logistic{x: make([]float64, len(s)), positive: positive, weight: p.Weight}
	n, up := 0.0, 0.0
	for i, is := range positive {
		n += fit.weigh(i)
		if is {
			up += fit.weigh(i)
		}
	}
	fit.high, fit.low = (up+1)/(up+2), 1/(n-up+2)
	// The constant that fits best is the logarithm of the odds of the mean target.
	mean := (up*fit.high + (n-up)*fit.low) / n
	constant := Curve{Offset: math.Log(mean / (1 - mean))}
	// Newton's method does not depend on the scale of the scores, but its sums do.
	centre, spread := centred(fit.x, s)
	if spread < 1e-290 || up == 0 || up == n {
		return constant, nil
	}
	a, b, err := fit.solve(ctx, constant.Offset, p.Tolerance*n, p.MaxSteps)
	if err != nil || a <= 0 {
		return constant, err
	}
	found := Curve{Slope: a / spread, Offset: b - a*(centre/spread)}
	if found.validate() != nil {
		return constant, nil
	}
	return found, nil
}

// centred writes (s - centre)/spread into x: the middle of the range of s and
// half of its length, so that x is in [-1, 1].
func centred(x, s []float64) (centre, spread float64) {
	lo, hi := s[0], s[0]
	for _, v := range s {
		lo, hi = min(lo, v), max(hi, v)
	}
	centre, spread = lo/2+hi/2, hi/2-lo/2
	if spread == 0 {
		return centre, 0
	}
	for i, v := range s {
		x[i] = (v - centre) / spread
	}
	return centre, spread
}

// logistic is the problem of one curve, in scores x.
type logistic struct {
	x         []float64
	positive  []bool
	weight    []float64 // nil for 1
	high, low float64   // targets of the positive rows and of the others
}

func (l *logistic) weigh(i int) float64 {
	if l.weight == nil {
		return 1
	}
	return l.weight[i]
}

func (l *logistic) target(i int) float64 {
	if l.positive[i] {
		return l.high
	}
	return l.low
}

// value is the objective at a, b: for z = a·x + b each row has the loss
// ln(1 + exp(z)) - t·z, computed without overflow.
func (l *logistic) value(a, b float64) float64 {
	sum := 0.0
	for i, x := range l.x {
		z := a*x + b
		sum += l.weigh(i) * (max(z, 0) + math.Log1p(math.Exp(-math.Abs(z))) - l.target(i)*z)
	}
	return sum
}

// derivatives are the gradient and the Hessian at a, b.
func (l *logistic) derivatives(a, b float64) (ga, gb, haa, hab, hbb float64) {
	for i, x := range l.x {
		rest, p := Curve{Slope: a, Offset: b}.both(x)
		d := l.weigh(i) * (p - l.target(i))
		ga += d * x
		gb += d
		h := l.weigh(i) * p * rest
		haa += h * x * x
		hab += h * x
		hbb += h
	}
	return ga, gb, haa, hab, hbb
}

// solve minimises from a = 0 and the given b until both derivatives are within
// tolerance. A step is halved until it lowers the objective by a part of what
// its first-order model says; where none does, the point is as good as rounding
// allows.
func (l *logistic) solve(ctx context.Context, b, tolerance float64, steps int) (float64, float64, error) {
	const ridge = 1e-12 // keeps the Hessian definite where all x are nearly alike
	const flat = 1e-9   // of the objective: so near, whole steps converge and its rounding could refuse them
	a, value := 0.0, l.value(0, b)
	for range steps {
		if err := ctx.Err(); err != nil {
			return 0, 0, err
		}
		ga, gb, haa, hab, hbb := l.derivatives(a, b)
		if math.Abs(ga) <= tolerance && math.Abs(gb) <= tolerance {
			break
		}
		haa, hbb = haa+ridge, hbb+ridge
		det := haa*hbb - hab*hab
		da, db := -(hbb*ga-hab*gb)/det, -(haa*gb-hab*ga)/det
		slope := ga*da + gb*db
		if !(slope < 0) {
			break
		}
		t := 1.0
		for ; -slope > flat*value; t /= 2 {
			if t < 1e-10 {
				return a, b, nil
			}
			if v := l.value(a+t*da, b+t*db); v <= value+1e-4*t*slope {
				value = v
				break
			}
		}
		a, b = a+t*da, b+t*db
	}
	return a, b, nil
}
