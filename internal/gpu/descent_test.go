package gpu

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/compute"
	"github.com/kerf-ml/kerf/internal/cuda"
	"github.com/kerf-ml/kerf/run"
)

// hinge returns the dual of a classifier of so many variables for each instance.
func hinge(x *data.Matrix, each int, c float64) *compute.Quadratic {
	rng := rand.New(rand.NewPCG(5, uint64(x.Rows)))
	v := each * x.Rows
	q := &compute.Quadratic{E: make([]float64, v), Lo: make([]float64, v), Hi: make([]float64, v),
		B: make([]float64, v), Scores: make([]float64, x.Rows)}
	for t := range v {
		row := x.Row(t % x.Rows)
		s := math.Copysign(1, row[0]*row[1]+0.3*rng.NormFloat64())
		if t >= x.Rows {
			s = -s
		}
		if q.E[t] = -s; s > 0 {
			q.Hi[t] = c
		} else {
			q.Lo[t] = -c
		}
	}
	return q
}

func descent(most int) compute.Descent {
	return compute.Descent{Tolerance: 1e-3, Unit: 0x1p-53, Steps: 1 << 30,
		Size:  func(inside int) int { return min(most, max(128, 2*inside)) },
		Round: func(_, _ float64, _ func() error) error { return nil }}
}

func minimise(t *testing.T, b *Backend, x *data.Matrix, q *compute.Quadratic, d compute.Descent) error {
	t.Helper()
	bound, err := b.Bind(gaussian, x, run.Float64)
	if err != nil {
		return err
	}
	return bound.(compute.Solver).Minimise(ctx, run.Control{}, q, d)
}

// checkSolution computes the conditions by the formula.
func checkSolution(t *testing.T, x *data.Matrix, q *compute.Quadratic, tolerance float64) {
	t.Helper()
	n, sum := x.Rows, 0.0
	up, down := math.Inf(-1), math.Inf(1)
	for i := range n {
		score := 0.0
		for s, b := range q.B {
			if b != 0 {
				score += b * gaussian.Map.At(x.At(i).Distance2(x.At(s%n)))
			}
		}
		if !(math.Abs(score-q.Scores[i]) <= 1e-10) { // some hundred terms below 10, brought up to date in some rounds
			t.Fatalf("score %d is %v, want %v", i, q.Scores[i], score)
		}
		for s := i; s < len(q.B); s += n {
			b := q.B[s]
			if sum += b; b < q.Lo[s] || b > q.Hi[s] {
				t.Fatalf("variable %d is %v, outside of [%v, %v]", s, b, q.Lo[s], q.Hi[s])
			}
			if b < q.Hi[s] {
				up = max(up, -score-q.E[s])
			}
			if b > q.Lo[s] {
				down = min(down, -score-q.E[s])
			}
		}
	}
	if !(up-down <= tolerance+1e-9) || math.Abs(sum) > 1e-9 {
		t.Errorf("violation %g, sum %g", up-down, sum)
	}
}

// TestMinimise: the conditions hold in the end, for sizes about those of blocks, also where
// an instance has two variables.
func TestMinimise(t *testing.T) {
	for _, c := range []struct{ n, each int }{{2, 1}, {127, 1}, {300, 1}, {300, 2}, {1025, 1}} {
		b, d := OnDouble(1 << 28)
		x := points(c.n, 3)
		q := hinge(x, c.each, 10)
		if err := minimise(t, b, x, q, descent(256)); err != nil {
			t.Fatal(err)
		}
		checkSolution(t, x, q, 1e-3)
		if c.n > 2 && (q.Rounds == 0 || q.Steps < q.Rounds || q.Values == 0 || q.Largest != 1) {
			t.Errorf("n=%d: %d rounds, %d steps, %d values, largest %v", c.n, q.Rounds, q.Steps, q.Values, q.Largest)
		}
		if err := b.Drain(); err != nil {
			t.Fatal(err)
		}
		if d.Calls("Launch") < 8*q.Rounds {
			t.Error("rounds without kernels")
		}
	}
}

// TestMinimiseResumed: a call that goes on from any round ends in the same bits.
func TestMinimiseResumed(t *testing.T) {
	b, _ := OnDouble(1 << 28)
	x := points(700, 3)
	want := hinge(x, 1, 10)
	if err := minimise(t, b, x, want, descent(128)); err != nil {
		t.Fatal(err)
	}
	for _, at := range []int{1, 2, want.Rounds - 1} {
		q, d := hinge(x, 1, 10), descent(128)
		stop := errors.New("stop")
		d.Round = func(violation, tolerance float64, fetch func() error) error {
			if !(violation >= 0) || !(tolerance >= 1e-3) {
				t.Errorf("violation %v, tolerance %v", violation, tolerance)
			}
			if q.Rounds < at {
				return nil
			}
			if err := fetch(); err != nil {
				return err
			}
			return stop
		}
		if err := minimise(t, b, x, q, d); err != stop || q.Rounds != at {
			t.Fatal(err, q.Rounds)
		}
		if err := minimise(t, b, x, q, descent(128)); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(q.B, want.B) || !slices.Equal(q.Scores, want.Scores) || !slices.Equal(q.Set, want.Set) ||
			q.Steps != want.Steps || q.Rounds != want.Rounds {
			t.Errorf("resumed after round %d it ends elsewhere", at)
		}
	}
}

// TestMinimiseStopped: a context that ends, and steps that are used up, leave what was reached.
func TestMinimiseStopped(t *testing.T) {
	b, _ := OnDouble(1 << 28)
	x := points(500, 3)
	bound, err := b.Bind(gaussian, x, run.Float64)
	if err != nil {
		t.Fatal(err)
	}
	ended, stop := context.WithCancel(ctx)
	q, d := hinge(x, 1, 10), descent(128)
	d.Round = func(_, _ float64, _ func() error) error {
		stop()
		return nil
	}
	err = bound.(compute.Solver).Minimise(ended, run.Control{}, q, d)
	if err != context.Canceled || q.Rounds != 1 || slices.Max(q.B) == 0 {
		t.Errorf("%v after %d rounds, b up to %v", err, q.Rounds, slices.Max(q.B))
	}
	q, d = hinge(x, 1, 10), descent(128)
	d.Steps = 5
	if err := minimise(t, b, x, q, d); err != nil || q.Steps != 5 || slices.Max(q.B) == 0 {
		t.Errorf("%v after %d steps", err, q.Steps)
	}
}

// TestMinimiseFaults: whatever call of the driver fails, the error comes back, and the
// problem is where it was.
func TestMinimiseFaults(t *testing.T) {
	x := points(300, 4)
	for _, method := range []string{"Alloc", "AllocHost", "CopyIn", "CopyOut", "NewStream", "Launch", "Wait", "MemInfo"} {
		for at := 1; at < 40; at++ {
			b, d := OnDouble(1 << 28)
			d.Fail(method, at, at, cuda.InvalidValue)
			q := hinge(x, 1, 10)
			err := minimise(t, b, x, q, descent(128))
			if d.Calls(method) < at {
				break
			}
			var fault *cuda.Error
			if !errors.As(err, &fault) {
				t.Errorf("call %d of %s fails: %v", at, method, err)
			}
			if slices.Max(q.B) != 0 { // it came back before the call failed
				checkSolution(t, x, q, 1e-3)
			}
		}
	}
	for memory := uint64(1 << 20); memory > 1<<14; memory = memory * 3 / 4 {
		b, _ := OnDouble(memory)
		q := hinge(x, 1, 10)
		err := minimise(t, b, x, q, descent(256))
		if err != nil && !errors.Is(err, compute.ErrNoRoom) && !cuda.IsOutOfMemory(err) {
			t.Errorf("%d bytes: %v", memory, err)
		}
		if err != nil && memory > 1<<16 && !strings.Contains(err.Error(), "half of the free memory") {
			t.Errorf("%d bytes: %v", memory, err)
		}
	}
}
