package linear

import (
	"context"
	"fmt"
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/learn"
)

// FromSums fits all Lambdas, or Lambda where there are none, from sums alone:
// rows that are long gone, or that several machines have summed. The sums have
// no leave-one-out error; LOO and Errors are GCV here.
//
// The mean is taken off the sums, not off the rows: coordinates whose mean is k
// times their spread lose about 2·log₁₀ k digits. Cost: O(d³).
func (r Ridge) FromSums(ctx context.Context, sums *Sums) ([]RidgeStep, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	if sums.Rows == 0 {
		return nil, learn.ErrNoRows
	}
	if !(sums.Weight > 0) || math.IsInf(sums.Weight, 0) {
		return nil, fmt.Errorf("ridge: the sum of the weights is %v and must be a number above 0", sums.Weight)
	}
	d := sums.Dim
	need := 8 * (4*float64(d)*float64(d) + float64(d)*float64(len(r.lambdas())))
	if err := r.Run.Reserve("the products of coordinates", need, "use fewer coordinates"); err != nil {
		return nil, err
	}
	g, b, mean, yy := r.centredSums(sums)
	if vmath.Finite(g.Data) >= 0 || vmath.Finite(b) >= 0 || yy-yy != 0 {
		return nil, fmt.Errorf("ridge: a sum is not finite; scale the data down")
	}
	values, v, err := eigen(ctx, r.Run, g)
	if err != nil {
		return nil, err
	}
	turned := make([]float64, d)
	for j, a := range b {
		vmath.Axpy(turned, a, v.Row(j))
	}
	var steps []RidgeStep
	for _, lambda := range r.lambdas() {
		steps = append(steps, r.sumsStep(sums, lambda, values, v, turned, mean, yy))
	}
	return steps, nil
}

// centredSums returns Gram, XY and YY about the means, and the mean of x.
func (r Ridge) centredSums(sums *Sums) (g *data.Matrix, b, mean []float64, yy float64) {
	d := sums.Dim
	g, b, mean = data.NewMatrix(d, d), make([]float64, d), make([]float64, d)
	copy(g.Data, sums.Gram.Data)
	copy(b, sums.XY)
	if !r.Intercept {
		return g, b, mean, sums.YY
	}
	vmath.Axpy(mean, 1/sums.Weight, sums.X)
	vmath.Axpy(b, -sums.Y, mean)
	for j := range d {
		vmath.Axpy(g.Row(j)[:j+1], -sums.X[j], mean[:j+1])
	}
	return g, b, mean, max(0, sums.YY-sums.Y*(sums.Y/sums.Weight))
}

// sumsStep is the fit for one λ, in the basis of the eigenvectors v; turned is
// Vᵀb.
func (r Ridge) sumsStep(
	sums *Sums, lambda float64, values []float64, v *data.Matrix, turned, mean []float64, yy float64,
) RidgeStep {
	coefficient := make([]float64, len(turned))
	rss, length, freedom := yy, 0.0, 0.0
	for j, s := range values {
		if s == 0 {
			continue
		}
		a := turned[j] / (s + lambda)
		coefficient[j] = a
		rss += a * (s*a - 2*turned[j])
		length += a * a
		freedom += s / (s + lambda)
	}
	rss = max(0, rss)
	m := &Regressor{W: make([]float64, len(turned))}
	for j := range m.W {
		m.W[j] = vmath.Dot(v.Row(j), coefficient)
	}
	if r.Intercept {
		freedom++
		m.Bias = sums.Y/sums.Weight - vmath.Dot(mean, m.W)
	}
	step := RidgeStep{Lambda: lambda, GCV: math.Inf(1), Freedom: freedom, Objective: rss + lambda*length,
		Models: []*Regressor{m}}
	if free := 1 - freedom/float64(sums.Rows); free > freeLeverage {
		step.GCV = rss / sums.Weight / (free * free)
	}
	step.LOO, step.Errors = step.GCV, []float64{step.GCV}
	return step
}
