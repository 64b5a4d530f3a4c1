package kerftest

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/compute"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// Solver checks that a back end whose Bound is a compute.Solver solves problems to the
// conditions of the formula, in one precision; budget is as in Backend. It does nothing for
// other back ends.
func Solver(t *testing.T, b compute.Backend, p run.Precision, budget float64) {
	for _, form := range []kernel.Form{
		{Pair: kernel.Distance2, Map: kernel.Scalar{Op: kernel.Exp, A: -0.4}},
		{Pair: kernel.L1, Map: kernel.Scalar{Op: kernel.Exp, A: -0.2}},
		{Map: kernel.Scalar{Op: kernel.Power, A: 0.5, B: 1, P: 2}, Normalized: true},
	} {
		for _, c := range []struct{ n, d, each, size int }{{3, 1, 1, 128}, {130, 5, 1, 128}, {500, 20, 1, 256},
			{300, 3, 2, 200}, {700, 3, 1, 300}} {
			if testing.Short() && c.n > 300 {
				continue
			}
			t.Run(fmt.Sprintf("%v/%dx%d", form, c.n, c.d), func(t *testing.T) {
				rng := rand.New(rand.NewPCG(11, uint64(c.n)))
				x := vectors(rng, c.n, c.d, "dense")
				bound, err := b.Bind(form, x, p)
				if err != nil {
					t.Fatal(err)
				}
				solver, ok := bound.(compute.Solver)
				if !ok {
					t.Skip("not run: this back end solves nothing")
				}
				solve(t, solver, form, x, c.each, c.size, budget)
			})
		}
	}
}

// solve solves a problem twice, for the same bits, and checks the solution.
func solve(
	t *testing.T, s compute.Solver, form kernel.Form, x data.Source[data.Vector], each, size int, budget float64,
) {
	t.Helper()
	const tolerance = 1e-3
	d := compute.Descent{Tolerance: tolerance, Steps: 1 << 22,
		Size:  func(inside int) int { return min(size, max(64, 2*inside)) },
		Round: func(_, _ float64, _ func() error) error { return nil }}
	q, again := quadratic(x.Len(), each), quadratic(x.Len(), each)
	for _, q := range []*compute.Quadratic{q, again} {
		if err := s.Minimise(context.Background(), run.Control{}, q, d); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(q.B, again.B) || !slices.Equal(q.Scores, again.Scores) {
		t.Fatal("other bits when it is solved again")
	}
	n, sum, size1 := x.Len(), 0.0, 0.0
	for _, b := range q.B {
		sum += b
		size1 += math.Abs(b)
	}
	// A score is a sum over all variables, brought up to date in each round.
	slack := 64 * budget * (1 + size1) * float64(1+q.Rounds)
	up, down := math.Inf(-1), math.Inf(1)
	for i := range n {
		score := 0.0
		for v, b := range q.B {
			if b != 0 {
				k, _ := value(form, x.At(i), x.At(v%n), budget)
				score += b * k
			}
		}
		if !(math.Abs(q.Scores[i]-score) <= slack) {
			t.Fatalf("score %d is %v, want %v within %g", i, q.Scores[i], score, slack)
		}
		for v := i; v < len(q.B); v += n {
			b, f := q.B[v], -score-q.E[v]
			if !(b >= q.Lo[v] && b <= q.Hi[v]) {
				t.Fatalf("variable %d is %v and not from %v to %v", v, b, q.Lo[v], q.Hi[v])
			}
			if b < q.Hi[v] {
				up = max(up, f)
			}
			if b > q.Lo[v] {
				down = min(down, f)
			}
		}
	}
	if !(up-down <= tolerance+2*slack) || !(math.Abs(sum) <= 1e-9*(1+size1)) {
		t.Errorf("after %d rounds the violation is %g and the sum %g; slack %g", q.Rounds, up-down, sum, slack)
	}
}

// quadratic returns the dual of a classifier whose labels are drawn, with so many variables
// for each instance.
func quadratic(n, each int) *compute.Quadratic {
	rng := rand.New(rand.NewPCG(3, uint64(n)))
	v := n * each
	q := &compute.Quadratic{E: make([]float64, v), Lo: make([]float64, v), Hi: make([]float64, v),
		B: make([]float64, v), Scores: make([]float64, n)}
	for i := range v {
		if i%2 == 0 {
			q.E[i], q.Hi[i] = -1, 0.5+rng.Float64()
		} else {
			q.E[i], q.Lo[i] = 1+0.1*rng.Float64(), -0.5-rng.Float64()
		}
	}
	return q
}
