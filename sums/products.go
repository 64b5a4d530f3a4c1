package sums

import (
	"context"
	"fmt"
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/linalg"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/run"
)

// Products are the sums over rows x with targets y and weights c that least squares
// needs, about a point (Shift, Level) that is chosen before:
//
//	Gram = Σ c·(x-s)(x-s)ᵀ   Cross = Σ c·(x-s)(y-l)ᵀ   X = Σ c·(x-s)
//	Squares = Σ c·(y-l)²     Y = Σ c·(y-l)             Weight = Σ c
//
// A point near the mean keeps the digits that a large mean would take.
type Products struct {
	Rows    int
	Weight  float64
	Gram    *data.Matrix // the lower triangle; what is above the diagonal is zero
	Cross   *data.Matrix // a row a coordinate, a column a target
	X       []float64
	Squares []float64 // of each target
	Y       []float64
	Shift   []float64
	Level   []float64
}

// NewProducts returns the sums over no rows of dim coordinates and so many targets. The
// shift and the level are nil for 0.
func NewProducts(dim, targets int, shift, level []float64) *Products {
	p := &Products{
		Gram: data.NewMatrix(dim, dim), Cross: data.NewMatrix(dim, targets), X: make([]float64, dim),
		Squares: make([]float64, targets), Y: make([]float64, targets), Shift: make([]float64, dim),
		Level: make([]float64, targets),
	}
	copy(p.Shift, shift)
	copy(p.Level, level)
	return p
}

// ProductsBytes returns how much memory Products of so many coordinates and targets take.
func ProductsBytes(dim, targets int) float64 {
	return 8 * float64(dim) * (float64(dim) + float64(targets) + 2)
}

// Dim returns the number of coordinates.
func (p *Products) Dim() int { return len(p.X) }

// Targets returns the number of targets.
func (p *Products) Targets() int { return len(p.Y) }

// Leading returns the sums of the first dim coordinates alone, in memory of their own.
func (p *Products) Leading(dim int) *Products {
	out := NewProducts(dim, p.Targets(), p.Shift, p.Level)
	for i := range dim {
		copy(out.Gram.Row(i)[:i+1], p.Gram.Row(i))
		copy(out.Cross.Row(i), p.Cross.Row(i))
	}
	copy(out.X, p.X)
	copy(out.Squares, p.Squares)
	copy(out.Y, p.Y)
	out.Rows, out.Weight = p.Rows, p.Weight
	return out
}

// Add adds rows with their targets, a row each, and weights, nil for 1 each. It writes
// to x and to y: what it leaves there is of no use. All rows are added, or none where
// ctx ends.
func (p *Products) Add(ctx context.Context, ctl run.Control, x, y *data.Matrix, weight []float64) error {
	d, k := p.Dim(), p.Targets()
	if x.Cols != d || y.Cols != k || x.Rows != y.Rows || weight != nil && len(weight) != x.Rows {
		panic("sums: rows, targets and weights do not fit the products")
	}
	if err := ctx.Err(); err != nil || x.Rows == 0 {
		return err
	}
	ctx, ctl = context.WithoutCancel(ctx), ctl.Quiet()
	for i := range x.Rows {
		c := 1.0
		if weight != nil {
			c = weight[i]
		}
		row, target := x.Row(i), y.Row(i)
		vmath.Axpy(row, -1, p.Shift)
		vmath.Axpy(p.X, c, row)
		root := math.Sqrt(c)
		vmath.Scale(row, root)
		for j := range target {
			target[j] -= p.Level[j]
			p.Y[j] += c * target[j]
			target[j] *= root
			p.Squares[j] += target[j] * target[j]
		}
		p.Weight += c
	}
	p.Rows += x.Rows
	if d == 0 {
		return nil
	}
	if err := linalg.SymRankT(ctx, ctl, 1, x, 1, p.Gram); err != nil {
		return err
	}
	return linalg.TMul(ctx, ctl, 1, x, y, 1, p.Cross)
}

// Merge adds the sums over other rows, which must be about the same point.
func (p *Products) Merge(other *Products) error {
	if p.Dim() != other.Dim() || p.Targets() != other.Targets() {
		return fmt.Errorf("products of %d coordinates and %d targets cannot be merged with those of %d and %d", p.Dim(),
			p.Targets(), other.Dim(), other.Targets())
	}
	for j, v := range p.Shift {
		if v != other.Shift[j] {
			return fmt.Errorf("products about different points cannot be merged: coordinate %d is %v and %v", j, v,
				other.Shift[j])
		}
	}
	for j, v := range p.Level {
		if v != other.Level[j] {
			return fmt.Errorf("products about different points cannot be merged: target %d is %v and %v", j, v, other.Level[j])
		}
	}
	for _, part := range [][2][]float64{
		{p.Gram.Data, other.Gram.Data}, {p.Cross.Data, other.Cross.Data}, {p.X, other.X}, {p.Squares, other.Squares},
		{p.Y, other.Y},
	} {
		vmath.Axpy(part[0], 1, part[1])
	}
	p.Weight += other.Weight
	p.Rows += other.Rows
	return nil
}

// Residual returns Σ c·(w·x + b - y)² over the rows for target k.
func (p *Products) Residual(k int, w []float64, bias float64) float64 {
	// In shifted terms the residual is w·(x-s) - (y-l) + e.
	e := bias + vmath.Dot(w, p.Shift) - p.Level[k]
	sum := p.Squares[k] + p.Weight*e*e + 2*e*(vmath.Dot(w, p.X)-p.Y[k])
	for i := range w {
		row := p.Gram.Row(i)
		sum += w[i] * (2*vmath.Dot(row[:i], w[:i]) + row[i]*w[i] - 2*p.Cross.Row(i)[k])
	}
	return max(0, sum)
}

// AppendBinary adds the binary form to b.
func (p *Products) AppendBinary(b []byte) ([]byte, error) {
	d := p.Dim()
	b = putCount(putCount(putCount(append(b, tagProducts), d), p.Targets()), p.Rows)
	b = putNumbers(b, p.Weight)
	for i := range d {
		b = putNumbers(b, p.Gram.Row(i)[:i+1]...)
	}
	for _, part := range [][]float64{p.Cross.Data, p.X, p.Squares, p.Y, p.Shift, p.Level} {
		b = putNumbers(b, part...)
	}
	return b, nil
}

// UnmarshalBinary reads what AppendBinary wrote.
func (p *Products) UnmarshalBinary(b []byte) error {
	r := read(b, tagProducts)
	dim, targets, rows := r.count(8), r.count(8), r.count(0)
	d, k := float64(dim), float64(targets)
	if !r.room(1 + d*(d+1)/2 + d*k + 2*d + 3*k) {
		return r.end("products")
	}
	one := NewProducts(dim, targets, nil, nil)
	one.Rows, one.Weight = rows, r.number()
	for i := range dim {
		r.numbers(one.Gram.Row(i)[:i+1])
	}
	for _, part := range [][]float64{one.Cross.Data, one.X, one.Squares, one.Y, one.Shift, one.Level} {
		r.numbers(part)
	}
	if one.Weight < 0 {
		r.bad = true
	}
	if err := r.end("products"); err != nil {
		return err
	}
	*p = *one
	return nil
}
