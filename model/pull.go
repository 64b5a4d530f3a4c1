package model

import (
	"context"
	"fmt"
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/run"
)

// Pull is what a landmark does to the score of an instance. Landmarks are those of the
// map, or the support vectors of a kernel machine.
type Pull struct {
	Part       int     // of a blend, from 0
	Index      int     // of the landmark in its map, from 0
	Similarity float64 // K(x, z)/√(K(x, x)·K(z, z)), a cosine; 0 where one of them is 0
	Pull       float64 // its coefficient times K(x, z); 0 where the separators are not linear in K
}

// Pulls are a score as a sum over landmarks,
//
//	Score = Bias + Rest + Σ Pull
//
// to rounding. A separator w of features F(x) = B·F1(x), where F1(x) are the
// similarities to the landmarks, is w·F(x) = Σ (Bᵀw)_i·K(x, z_i): of F1 B is the
// identity, of F2 L⁻¹, of F3 that and the projection.
type Pulls struct {
	Class     int     // whose score it is; -1 of a model of numbers
	Score     float64 // of the class; where pairs of classes vote, the sum of the scores of its pairs
	Bias      float64
	Rest      float64 // of parts that have no landmarks, or whose separators are not linear in K
	Landmarks []Pull  // of all parts, in their order
	Linear    bool    // at least one part is a sum over landmarks
}

// Pulls returns the score of one of the outputs for an instance, as a sum over
// landmarks. The cost is that of one score, and the square of the landmarks where they
// are made orthogonal.
func (p *Pipeline[T]) Pulls(ctx context.Context, x T, output int) (*Pulls, error) {
	if output < 0 || output >= p.Outputs() {
		return nil, fmt.Errorf("there is no output %d; the model has %d", output, p.Outputs())
	}
	out, u := &Pulls{Class: output}, p.shares(output)
	if p.Regresses() {
		out.Class = -1
	}
	raw := make([]float64, len(p.Bias))
	p.raw(raw, x)
	for s, c := range u {
		out.Bias += c * p.Bias[s] * p.Unit
		out.Score += c * (raw[s] + p.Bias[s]*p.Unit)
	}
	parts := p.Parts
	if parts == nil {
		parts = []Part[T]{{1, p}}
	}
	for i, part := range parts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := part.pulls(out, i, u, x); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// shares returns what the score of an output is of the separators' scores.
func (p *Head) shares(output int) []float64 {
	u, k := make([]float64, len(p.Bias)), p.Classes.Len()
	switch {
	case p.Regresses():
		u[0] = 1
	case p.Pairs != nil:
		for s := range u {
			switch i, j := learn.PairAt(s, k); output {
			case i:
				u[s] = 1
			case j:
				u[s] = -1
			}
		}
	case k == 2:
		u[0] = float64(2*output - 1)
	default:
		u[output] = 1
	}
	return u
}

// pulls adds the landmarks of one part.
func (p Part[T]) pulls(out *Pulls, number int, u []float64, x T) error {
	w := make([]float64, p.Map.Dim())
	for s, c := range u {
		vmath.Axpy(w, c*p.Weight, p.Separators.Row(s))
	}
	m, linear := p.Map, true
	if v, ok := m.(Votes[T]); ok {
		m, linear = v.Inner, false
	}
	landmarks, alpha, constant := span(m, w, linear)
	if landmarks == nil || !linear {
		raw := make([]float64, len(u))
		p.raw(raw, x)
		for s, c := range u {
			out.Rest += c * p.Weight * raw[s]
		}
	}
	if landmarks == nil {
		return nil
	}
	out.Linear = out.Linear || linear
	out.Rest += constant
	k := make([]float64, landmarks.Dim())
	if err := landmarks.MapBlock(run.Control{}, k, data.Slice[T]{x}, 0); err != nil {
		return err
	}
	self := kernel.Diag(landmarks.Kernel(), x)
	for i, v := range k {
		one := Pull{Part: number, Index: i}
		one.Similarity = cosine(v, self, kernel.Diag(landmarks.Kernel(), landmarks.Instances().At(i)))
		if linear {
			one.Pull = alpha[i] * v
		}
		out.Landmarks = append(out.Landmarks, one)
	}
	return nil
}

// cosine returns v/√(a·b), within -1 and 1, and 0 where there is no direction.
func cosine(v, a, b float64) float64 {
	length := math.Sqrt(a) * math.Sqrt(b)
	if !(length > 0) || math.IsInf(length, 0) {
		return 0
	}
	return min(max(v/length, -1), 1)
}

// span returns the coefficients of K(·, z) of the weights w of a map's features, with
// the landmarks z, and what is constant. Landmarks are nil where the map has none; with
// linear false the coefficients are not looked for.
func span[T any](m feature.Map[T], w []float64, linear bool) (*feature.Landmarks[T], []float64, float64) {
	if !linear {
		return landmarksOf(m), nil, 0
	}
	switch m := m.(type) {
	case *feature.Landmarks[T]:
		return m, w, 0
	case *feature.Orthogonal[T]:
		return m.Landmarks(), transposed(m.Inverse(), w), 0
	case *feature.Spectral[T]:
		return m.Landmarks(), transposed(m.Matrix(), w), 0
	case *feature.Compressed[T]:
		a := m.Projection().Matrix()
		wide := make([]float64, a.Rows)
		for i := range wide {
			wide[i] = vmath.Dot(a.Row(i), w)
		}
		return m.Landmarks(), transposed(m.Orthogonal().Inverse(), wide), 0
	case *feature.Lift[T]:
		d, length := m.Inner().Dim(), math.Hypot(1, m.Unit())
		inner := make([]float64, d)
		vmath.Axpy(inner, 1/length, w[:d])
		landmarks, alpha, constant := span(m.Inner(), inner, true)
		return landmarks, alpha, constant + w[d]*m.Unit()/length
	}
	return nil, nil, 0
}

// transposed returns Bᵀ·w.
func transposed(b *data.Matrix, w []float64) []float64 {
	out := make([]float64, b.Cols)
	for i, v := range w {
		vmath.Axpy(out, v, b.Row(i))
	}
	return out
}
