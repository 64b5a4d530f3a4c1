package linear_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/linear"
)

type sample = data.Labeled[data.Vector, float64]

// Recipes are learners.
var (
	_ learn.Learner[data.Vector, float64, *linear.Separator] = linear.SVM{}
	_ learn.Learner[data.Vector, float64, *linear.Separator] = linear.Perceptron{}
	_ learn.Separator[data.Vector]                           = (*linear.Separator)(nil)
)

// sizes straddle the edges of blocks and of checks of the context.
var sizes = []int{2, 7, 8, 9, 31, 32, 33, 63, 64, 65, 511, 512, 513}

// noisy returns n dense rows of d normal coordinates and the side of a random
// separator they are on, with a fraction of the labels turned round. Both
// labels occur.
func noisy(n, d int, flip float64, s uint64) sample {
	rng := seed.Stream(s, seed.Generator, 0)
	u := make([]float64, d)
	for j := range u {
		u[j] = rng.NormFloat64()
	}
	m, y := data.NewMatrix(n, d), make([]float64, n)
	for i := range n {
		for j := range m.Row(i) {
			m.Row(i)[j] = rng.NormFloat64()
		}
		y[i] = -1
		if m.At(i).DotWith(u) > 0 != (rng.Float64() < flip) {
			y[i] = 1
		}
	}
	if n > 1 && !slices.Contains(y[1:], -y[0]) {
		y[0] = -y[0]
	}
	return sample{X: m, Y: y}
}

// sparse returns the rows of d as sparse vectors, zeros left out.
func sparse(d sample) sample {
	m := &data.CSR{Ptr: []int{0}}
	for i := range d.X.Len() {
		index, value := []int32{}, []float64{}
		for j, v := range d.X.At(i).Value {
			if v != 0 {
				index, value = append(index, int32(j)), append(value, v)
			}
		}
		m.Append(index, value)
	}
	return sample{X: m, Y: d.Y, Weight: d.Weight}
}

// permuted returns the rows of d in another order.
func permuted(d sample, rng *rand.Rand) sample { return d.Select(rng.Perm(d.X.Len())) }

// primal is P(w) from its formula.
func primal(d sample, s *linear.Separator, c float64) float64 {
	loss := 0.0
	for i, y := range d.Y {
		loss += max(0, 1-y*s.Score(d.X.At(i)))
	}
	norm := s.Bias * s.Bias
	for _, a := range s.W {
		norm += a * a
	}
	return norm/2 + c*loss
}

// combined is w = Σ α·y·x with the weight of the constant coordinate.
func combined(d sample, alpha []float64, unit float64) *linear.Separator {
	s := &linear.Separator{W: make([]float64, data.Dim(d.X)), Unit: unit}
	for i, a := range alpha {
		d.X.At(i).AddTo(s.W, a*d.Y[i])
		s.Bias += a * d.Y[i] * unit
	}
	return s
}

// dual is D(α) from its formula.
func dual(d sample, alpha []float64, unit float64) float64 {
	s := combined(d, alpha, unit)
	norm, sum := s.Bias*s.Bias, 0.0
	for _, a := range s.W {
		norm += a * a
	}
	for _, a := range alpha {
		sum += a
	}
	return sum - norm/2
}

// oracle solves the dual by projected gradient ascent with the matrix of all
// inner products and the step 1/trace, and returns P and D where it ends.
func oracle(d sample, c, unit float64, steps int) (p, q float64) {
	n := len(d.Y)
	gram, trace := make([]float64, n*n), 0.0
	for i := range n {
		for j := range n {
			gram[i*n+j] = d.Y[i] * d.Y[j] * (d.X.At(i).Dot(d.X.At(j)) + unit*unit)
		}
		trace += gram[i*n+i]
	}
	alpha, next := make([]float64, n), make([]float64, n)
	for range steps {
		for i := range n {
			g := 1.0
			for j, a := range alpha {
				g -= gram[i*n+j] * a
			}
			next[i] = min(max(alpha[i]+g/trace, 0), c)
		}
		alpha, next = next, alpha
	}
	return primal(d, combined(d, alpha, unit), c), dual(d, alpha, unit)
}

// near fails unless a and b differ by at most tol relative to the larger.
func near(t testing.TB, what string, a, b, tol float64) {
	t.Helper()
	if !(math.Abs(a-b) <= tol*max(math.Abs(a), math.Abs(b), 1e-300)) {
		t.Errorf("%s: %v and %v differ by more than %v", what, a, b, tol)
	}
}

// exact returns an SVM that runs to a gap of the given size.
func exact(c, tolerance float64) linear.SVM {
	s := linear.NewSVM()
	s.C, s.Tolerance, s.MaxPasses = c, tolerance, 200000
	return s
}
