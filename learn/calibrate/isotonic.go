package calibrate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/run"
)

// Points is a function of one number that never falls: through the points
// (X, Y), straight lines between them, and constant outside. X increases.
type Points struct {
	X []float64 `json:"x"`
	Y []float64 `json:"y"`
}

// At returns the value at x, in O(log of the number of points). Below the first
// point and for what is not a number it is the first value.
func (p Points) At(x float64) float64 {
	i, _ := slices.BinarySearch(p.X, x) // the first with X ≥ x; NaN sorts first
	switch {
	case i == 0:
		return p.Y[0]
	case i == len(p.X):
		return p.Y[i-1]
	case p.X[i] == x || p.Y[i] == p.Y[i-1]:
		return p.Y[i]
	}
	part := (x - p.X[i-1]) / (p.X[i] - p.X[i-1])
	return min(p.Y[i-1]+part*(p.Y[i]-p.Y[i-1]), p.Y[i])
}

func (p Points) validate() error {
	if len(p.X) == 0 || len(p.X) != len(p.Y) {
		const fault = "calibration: an isotonic map has %d places and %d values; there must be as many, and one at least"
		return fmt.Errorf(fault, len(p.X), len(p.Y))
	}
	for i, x := range p.X {
		if !(math.Abs(x) <= limit) || i > 0 && !(x > p.X[i-1]) {
			return fmt.Errorf("calibration: place %d of an isotonic map is %v; places must increase and be at most 1e300",
				i+1, x)
		}
		if y := p.Y[i]; !(y >= 0 && y <= 1) || i > 0 && y < p.Y[i-1] {
			return fmt.Errorf("calibration: value %d of an isotonic map is %v; values must be from 0 to 1 and never fall",
				i+1, y)
		}
	}
	return nil
}

// Isotonic fits to the score of each class the function that never falls and
// is nearest in squares to 1 on the rows of the class and 0 on the others, by
// pool adjacent violators: O(n log n). Rows of the same score have one value.
// Between the scores of the sample the function is a straight line, and
// outside it is constant.
//
// It supposes nothing about the shape and needs more rows than Platt, some
// thousand. At its ends it may say 0 or 1, which log loss punishes without
// bound where they are wrong.
//
// Reference: Ayer et al. 1955; Zadrozny and Elkan 2002.
type Isotonic struct {
	Weight []float64 // of each row, not negative; nil for 1
	Run    run.Control
}

// Fit finds the functions for the scores of held-out rows and their classes,
// from 0 to scores.Cols-1. A class without rows has the constant probability
// 1/(n+2), and one that has all of them (n+1)/(n+2).
func (o Isotonic) Fit(ctx context.Context, scores *data.Matrix, y []int) (*Calibration, error) {
	if err := errors.Join(check(scores, y), learn.CheckWeights(len(y), o.Weight)); err != nil {
		return nil, err
	}
	c := &Calibration{Method: Steps, Classes: scores.Cols, Isotonic: make([]Points, learn.Separators(scores.Cols))}
	err := par.For(ctx, o.Run, "calibrating", len(c.Isotonic), func(m int) error {
		s, positive := column(scores, y, m)
		target, up, down := make([]float64, len(s)), 0, 0
		for i, is := range positive {
			switch {
			case is:
				target[i] = 1
				if o.Weight == nil || o.Weight[i] > 0 {
					up++
				}
			case o.Weight == nil || o.Weight[i] > 0:
				down++
			}
		}
		if up == 0 || down == 0 {
			c.Isotonic[m] = Points{X: []float64{0}, Y: []float64{float64(up+1) / float64(up+down+2)}}
			return nil
		}
		var err error
		c.Isotonic[m], err = Increasing(s, target, o.Weight)
		return err
	})
	if err != nil {
		return nil, err
	}
	return c, nil
}

// block is a run of places that have one value.
type block struct {
	first, last float64 // places
	sum, weight float64 // of weighted values, and of weights
}

func (b block) value() float64 { return b.sum / b.weight }

// Increasing returns the isotonic regression of y on x: of all functions that
// never fall, the one with the least Σ weight·(y - f(x))². Places that coincide
// become one, of the mean value; rows of weight 0 are left out. Each run of
// places with one value keeps its two ends. Weight nil is 1 for all. Places are
// numbers of at most 1e300 and values of at most 1e150. It costs O(n log n).
func Increasing(x, y, weight []float64) (Points, error) {
	if len(x) != len(y) {
		return Points{}, fmt.Errorf("there are %d places and %d values; each place needs one", len(x), len(y))
	}
	if len(x) == 0 {
		return Points{}, learn.ErrNoRows
	}
	if err := learn.CheckWeights(len(x), weight); err != nil {
		return Points{}, err
	}
	order := make([]int, 0, len(x))
	for i := range x {
		if !(math.Abs(x[i]) <= limit) || !(math.Abs(y[i]) <= 1e150) {
			return Points{}, &learn.DataError{Row: i,
				Problem: fmt.Sprintf("place %v and value %v must be numbers of at most 1e300 and 1e150", x[i], y[i])}
		}
		if weight == nil || weight[i] > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(x[i], x[j]) })
	return corners(pool(x, y, weight, order)), nil
}

// pool is pool adjacent violators over rows in the order of x. The invariant is
// that the values of the blocks so far increase strictly.
func pool(x, y, weight []float64, order []int) []block {
	var blocks []block
	for at := 0; at < len(order); {
		next := block{first: x[order[at]], last: x[order[at]]}
		for ; at < len(order) && x[order[at]] == next.first; at++ {
			w := 1.0
			if weight != nil {
				w = weight[order[at]]
			}
			next.sum += w * y[order[at]]
			next.weight += w
		}
		for len(blocks) > 0 && blocks[len(blocks)-1].value() >= next.value() {
			before := blocks[len(blocks)-1]
			blocks = blocks[:len(blocks)-1]
			next.first, next.sum, next.weight = before.first, before.sum+next.sum, before.weight+next.weight
		}
		blocks = append(blocks, next)
	}
	return blocks
}

// corners returns the ends of the blocks.
func corners(blocks []block) Points {
	var p Points
	for _, b := range blocks {
		v := b.value()
		p.X, p.Y = append(p.X, b.first), append(p.Y, v)
		if b.last > b.first {
			p.X, p.Y = append(p.X, b.last), append(p.Y, v)
		}
	}
	return p
}
