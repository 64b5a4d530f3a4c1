package metric

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kernel"
)

// rotated are rows of which the targets depend on two directions alone, neither
// along a coordinate, or along the first two.
func rotated(n, d, targets int, along bool, seed uint64) (*data.Matrix, *data.Matrix) {
	r := rand.New(rand.NewPCG(seed, 1))
	x, y := data.NewMatrix(n, d), data.NewMatrix(n, targets)
	for i := range n {
		row := x.Row(i)
		for j := range row {
			row[j] = r.NormFloat64()
		}
		a, b := row[0], row[1]
		if !along {
			a, b = (row[0]+row[2])/math.Sqrt2, (row[1]-row[3])/math.Sqrt2
		}
		for t := range targets {
			y.Row(i)[t] = math.Sin(2*a+float64(t)) * b
		}
	}
	return x, y
}

// fitted returns a learning with a model, as it is before its first turn.
func fitted(t *testing.T, r Recipe, x, y *data.Matrix) (*learning, place) {
	t.Helper()
	l := newLearning(r, x, y)
	at, err := l.look(context.Background(), r.Length, r.Penalty)
	if err != nil {
		t.Fatal(err)
	}
	return l, at
}

// TestGradients compares the mean of ∇f·∇fᵀ with that of difference quotients of f,
// before and after a turn, whose metric is part of f.
func TestGradients(t *testing.T) {
	ctx := context.Background()
	recipes := map[string]Recipe{
		"gaussian full":      {Q: 2, Full: true},
		"gaussian diagonal":  {Q: 2},
		"stretched full":     {Q: 1.4, Full: true},
		"stretched diagonal": {Q: 1},
		"taxi":               {Q: 1, Taxi: true},
	}
	for name, r := range recipes {
		r.Length, r.Penalty, r.Rounds, r.Rows, r.Seed = 1, 0.1, 2, 200, 1
		x, y := rotated(180, 5, 2, false, 3)
		l, at := fitted(t, r, x, y)
		for turn := range 2 {
			rows := l.fit[:129] // past a block's edge
			got, err := l.gradients(ctx, at, rows)
			if err != nil {
				t.Fatal(err)
			}
			want := quotients(l, at, rows)
			scale, unit := 0.0, 0.0
			for j := range l.x.Cols {
				scale += want.Row(j)[j]
				unit += diagonal(got, j)
			}
			for i := range l.x.Cols {
				for j := range l.x.Cols {
					if got.Rows == 1 && i != j {
						continue
					}
					g := diagonal(got, j)
					if got.Rows > 1 {
						g = got.Row(i)[j]
					}
					if d := math.Abs(g/unit - want.Row(i)[j]/scale); d > 2e-3 {
						t.Errorf("%s, turn %d: (%d, %d) is %v of the trace and must be %v", name, turn, i, j, g/unit,
							want.Row(i)[j]/scale)
					}
				}
			}
			if ok, err := l.turn(ctx, at); err != nil || !ok {
				t.Fatal(ok, err)
			}
			if at, err = l.look(ctx, at.length, at.penalty); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func diagonal(g *data.Matrix, j int) float64 {
	if g.Rows == 1 {
		return g.Data[j]
	}
	return g.Row(j)[j]
}

// quotients is the mean of ∇f·∇fᵀ by central differences of f itself. At rows that
// are in the model a kernel with a kink has no derivative; theirs from both sides
// cancel, as leaving the row out does.
func quotients(l *learning, at place, rows []int) *data.Matrix {
	f := func(x []float64, k int) float64 {
		u := data.Vector{Value: x}
		if l.metric != nil {
			u = l.metric.Of(u)
		}
		sum := 0.0
		for j := range at.model.Support.Len() {
			sum += at.model.Weight.Row(j)[k] * at.model.Kernel.Eval(u, at.model.Support.At(j))
		}
		return sum
	}
	const h = 1e-6
	out := data.NewMatrix(l.x.Cols, l.x.Cols)
	for _, i := range rows {
		for k := range l.y.Cols {
			grad := make([]float64, l.x.Cols)
			for j := range grad {
				x := append([]float64(nil), l.x.Row(i)...)
				x[j] += h
				up := f(x, k)
				x[j] -= 2 * h
				grad[j] = (up - f(x, k)) / 2 / h
			}
			for a := range grad {
				for b := range grad {
					out.Row(a)[b] += grad[a] * grad[b]
				}
			}
		}
	}
	return out
}

// TestLearn sees that what matters is found and that it pays, the same for any
// number of workers.
func TestLearn(t *testing.T) {
	for name, c := range map[string]struct {
		r     Recipe
		along bool
	}{
		"full":     {New(), false},
		"diagonal": {Recipe{Q: 1, Length: 1, Penalty: 0.01, Rounds: 4, Rows: 500, Seed: 1}, true},
		"taxi":     {Recipe{Q: 1, Taxi: true, Length: 1, Penalty: 0.01, Rounds: 4, Rows: 500, Seed: 1}, true},
	} {
		x, y := rotated(400, 8, 1, c.along, 5)
		got, err := c.r.Learn(context.Background(), x, y)
		if err != nil {
			t.Fatal(name, err)
		}
		if got.Best == 0 || got.Losses[got.Best] > 0.5*got.Losses[0] {
			t.Errorf("%s: round %d of losses %v; a metric must save half", name, got.Best, got.Losses)
		}
		k := got.Kernel.(kernel.Learned)
		used, other := 0.0, 0.0
		for j, v := range k.Metric.Importance() {
			if j < 4 && !c.along || j < 2 {
				used += v
			} else {
				other += v
			}
		}
		if used < 5*other {
			t.Errorf("%s: what matters has %v, the rest %v", name, used, other)
		}
		again := c.r
		again.Run.Workers = 3
		same, err := again.Learn(context.Background(), x, y)
		if err != nil || same.Kernel.(kernel.Learned).String() != k.String() {
			t.Errorf("%s: another number of workers gives another metric (%v)", name, err)
		}
	}
}

// TestConstant has nothing to learn.
func TestConstant(t *testing.T) {
	x, _ := rotated(40, 3, 1, true, 1)
	got, err := New().Learn(context.Background(), x, data.NewMatrix(40, 1))
	if err != nil || got.Best != 0 {
		t.Fatal(got, err)
	}
	if _, plain := got.Kernel.(kernel.Gaussian); !plain {
		t.Errorf("the kernel is %v and must be the plain one", got.Kernel)
	}
}

// TestFaults are refused in one line.
func TestFaults(t *testing.T) {
	x, y := rotated(40, 3, 1, true, 1)
	for _, r := range []Recipe{{}, {Q: 3, Length: 1, Penalty: 1, Rounds: 1, Rows: 1},
		{Q: 1, Taxi: true, Full: true, Length: 1, Penalty: 1, Rounds: 1, Rows: 1}} {
		if _, err := r.Learn(context.Background(), x, y); err == nil {
			t.Errorf("%+v is accepted", r)
		}
	}
	if _, err := New().Learn(context.Background(), x, data.NewMatrix(3, 1)); err == nil {
		t.Error("fewer targets than rows are accepted")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := New().Learn(ctx, x, y); err == nil {
		t.Error("a context that has ended is not noticed")
	}
}

// TestSigned compares with the formula, of differences that are zero, tiny and of either sign.
func TestSigned(t *testing.T) {
	a := []float64{3, -2, 0.5, 7, 1, -4}
	z := []float64{1, 2, 1, 1 + 0x1p-52, -1e308, 5e-324}
	for _, v := range []float64{1, 0, math.Copysign(0, -1), 1e308} {
		out := make([]float64, len(a))
		signed(out, a, z, v)
		for i, got := range out {
			want := 0.0
			if v > z[i] {
				want = a[i]
			} else if v < z[i] {
				want = -a[i]
			}
			if got != want {
				t.Errorf("%v times the sign of %v - %v is %v, want %v", a[i], v, z[i], got, want)
			}
		}
	}
}
