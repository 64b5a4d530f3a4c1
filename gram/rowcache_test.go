package gram_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

func gaussianRows(n, d int) *data.Matrix {
	rng := seed.Stream(3, seed.Generator, 0)
	m := data.NewMatrix(n, d)
	for i := range m.Data {
		m.Data[i] = rng.NormFloat64()
	}
	return m
}

// TestRowCache asks for rows in many orders from caches that hold all of them,
// a few, or only those of one call: the values are those of the kernel and the
// bits always the same.
func TestRowCache(t *testing.T) {
	k := kernel.Gaussian{Gamma: 0.3}
	kernels := map[string]kernel.Kernel[data.Vector]{"form": k, "black box": kernel.Func[data.Vector](k.Eval)}
	for name, kern := range kernels {
		for _, n := range []int{1, 7, 64, 65, 300} {
			x := gaussianRows(n, 5)
			t.Run(name, func(t *testing.T) {
				rowCache[float64](t, kern, x, 1e-13)
				rowCache[float32](t, kern, x, 1e-5)
			})
		}
	}
}

func rowCache[F float32 | float64](t *testing.T, k kernel.Kernel[data.Vector], x *data.Matrix, within float64) {
	t.Helper()
	n := x.Len()
	ask := min(n, 5)
	first := map[int][]F{}
	for _, memory := range []int64{1 << 30, int64(16 * n * (ask + 3)), int64(8 * n * ask)} {
		c, err := gram.NewRowCache[data.Vector, F](run.Control{Memory: memory, Workers: 2}, k, x, ask)
		if err != nil {
			t.Fatal(err)
		}
		if c.Len() != n || c.Limit() < ask || c.Limit() > n {
			t.Fatalf("length %d, limit %d", c.Len(), c.Limit())
		}
		rng := seed.Stream(5, seed.Shuffle, 0)
		rows, square := make([][]F, ask), make([]F, 4*ask*ask)
		for range 40 {
			index := rng.Perm(n)[:ask]
			if err := c.Rows(t.Context(), rows, index); err != nil {
				t.Fatal(err)
			}
			for r, i := range index {
				if first[i] == nil {
					first[i] = append([]F(nil), rows[r]...)
					for j, v := range rows[r] {
						if want := k.Eval(x.At(i), x.At(j)); math.Abs(float64(v)-want) > within {
							t.Fatalf("K(%d, %d) is %v, want %v", i, j, v, want)
						}
					}
				}
				for j, v := range rows[r] {
					if v != first[i][j] {
						t.Fatalf("K(%d, %d) is %v, and was %v", i, j, v, first[i][j])
					}
				}
			}
			wide := rng.Perm(n)[:min(n, 2*ask)]
			wide[0] = wide[len(wide)-1]
			if err := c.Square(t.Context(), square[:len(wide)*len(wide)], wide); err != nil {
				t.Fatal(err)
			}
			for a, i := range wide {
				for b, j := range wide {
					got, want := float64(square[a*len(wide)+b]), k.Eval(x.At(i), x.At(j))
					if math.Abs(got-want) > within {
						t.Fatalf("K(%d, %d) is %v, want %v", i, j, got, want)
					}
				}
			}
		}
	}
}

// TestRowCacheFaults: errors name the row, and leave the cache usable.
func TestRowCacheFaults(t *testing.T) {
	x := gaussianRows(20, 2)
	broken := true
	k := kernel.Func[data.Vector](func(a, b data.Vector) float64 {
		if broken && (a.Value[0] == x.Row(13)[0]) {
			return math.NaN()
		}
		return a.Dot(b)
	})
	c, err := gram.NewRowCache[data.Vector, float64](run.Control{}, k, x, 3)
	if err != nil {
		t.Fatal(err)
	}
	rows := make([][]float64, 3)
	var fault *gram.ValueError
	if err := c.Rows(t.Context(), rows, []int{2, 13, 5}); !errors.As(err, &fault) || fault.Row != 13 {
		t.Errorf("%v", err)
	}
	broken = false
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.Rows(ctx, rows, []int{2, 13, 5}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if row, err := c.Row(ctx, 13); row != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v, %v", row, err)
	}
	if err := c.Rows(t.Context(), rows, []int{2, 13, 5}); err != nil || rows[1][2] != x.At(13).Dot(x.At(2)) {
		t.Errorf("%v, %v", err, rows[1])
	}
	var memory *run.MemoryError
	if _, err := gram.NewRowCache[data.Vector, float64](run.Control{Memory: 100}, k, x, 3); !errors.As(err, &memory) {
		t.Errorf("no memory: %v", err)
	}
}

// TestRowCacheDrops: the row that was used longest ago goes first.
func TestRowCacheDrops(t *testing.T) {
	n := 600
	x := points(n, 4)
	k := kernel.Gaussian{Gamma: 0.3}
	// Room for two rows: the third drops the one used longest ago.
	var counter run.Counter
	ctl := run.Control{Memory: int64(4 * 8 * n), Counter: &counter}
	rows, err := gram.NewRowCache[data.Vector, float64](ctl, k, x, 1)
	if err != nil {
		t.Fatal(err)
	}
	var _ gram.Operator = rows
	read := func(i int) {
		t.Helper()
		row, err := rows.Row(ctx, i)
		if err != nil {
			t.Fatal(err)
		}
		for j := range row {
			near(t, "row", row[j], k.Eval(x.At(i), x.At(j)), 1e-13)
		}
	}
	for _, i := range []int{5, 6, 5, 7, 5, 6} {
		read(i)
	}
	if got := counter.Count(); got != int64(4*n) { // 5, 6, 7, and 6 again
		t.Fatalf("computed %d values, want %d", got, 4*n)
	}
}
