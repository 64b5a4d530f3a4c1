package sums_test

import (
	"bytes"
	"encoding"
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/run"
	"github.com/kerf-ml/kerf/sums"
)

// form is what has a binary form.
type form interface {
	encoding.BinaryAppender
	encoding.BinaryUnmarshaler
}

// forms returns one of each with something in it.
func forms(t testing.TB) []form {
	t.Helper()
	m := &sums.Moments{}
	m.Add([]float64{1, 2, 4})
	c := sums.NewCounts(2)
	for _, name := range []string{"a", "b", "c", "a"} {
		c.Add(name, 1)
	}
	r := sums.NewReservoir(1<<63+5, 4)
	for i := range 20 {
		r.Offer(i)
	}
	x, y, weight := sample(9, 3, 2)
	p := sums.NewProducts(3, 2, []float64{1, 2, 3}, []float64{4, 5})
	if err := p.Add(t.Context(), run.Control{}, clone(x), y, weight); err != nil {
		t.Fatal(err)
	}
	q := sums.NewQuadratic(3, 2)
	if err := errors.Join(q.Slopes(t.Context(), run.Control{}, x, weight), q.Bend(t.Context(), run.Control{}, x,
		weight)); err != nil {
		t.Fatal(err)
	}
	q.Value, q.Ahead[1] = 3, 4
	g := sums.NewGradient(2, 3, 1)
	if err := g.Add(t.Context(), run.Control{}, x, y); err != nil {
		t.Fatal(err)
	}
	g.Value, g.Ahead[0] = 5, 6
	quantiles := sums.NewQuantiles(4)
	quantiles.Add([]float64{3, 1, 2, 5, 4, 8, 7})
	return []form{m, c, r, p, q, g, quantiles}
}

// empty returns one of each to decode into.
func empty() []form {
	return []form{&sums.Moments{}, &sums.Counts{}, &sums.Reservoir{}, &sums.Products{}, &sums.Quadratic{},
		&sums.Gradient{}, &sums.Quantiles{}}
}

func TestBinaryForms(t *testing.T) {
	into := empty()
	for k, one := range forms(t) {
		b, err := one.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := into[k].UnmarshalBinary(b); err != nil {
			t.Fatal(err)
		}
		again, err := into[k].AppendBinary([]byte("x"))
		if err != nil || !bytes.Equal(again[1:], b) {
			t.Errorf("%T: %x, want %x; %v", one, again, b, err)
		}
		for cut := range b {
			if err := into[k].UnmarshalBinary(b[:cut]); !errors.Is(err, sums.ErrDamaged) {
				t.Errorf("%T cut at %d: %v", one, cut, err)
			}
		}
		if err := into[k].UnmarshalBinary(append(slices.Clone(b), 0)); !errors.Is(err, sums.ErrDamaged) {
			t.Errorf("%T with a byte too many: %v", one, err)
		}
	}
}

// Whatever the bytes, a decoder reports an error and changes nothing, or what it has read
// is what it writes.
func FuzzSums(f *testing.F) {
	for _, one := range forms(f) {
		b, err := one.AppendBinary(nil)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, one := range empty() {
			if err := one.UnmarshalBinary(b); err != nil {
				if !errors.Is(err, sums.ErrDamaged) {
					t.Errorf("%T: %v", one, err)
				}
				continue
			}
			first, err := one.AppendBinary(nil)
			if err != nil {
				t.Fatal(err)
			}
			again := reflect.New(reflect.TypeOf(one).Elem()).Interface().(form)
			if err := again.UnmarshalBinary(first); err != nil {
				t.Fatalf("%T: what was written is not read: %v", one, err)
			}
			if second, err := again.AppendBinary(nil); err != nil || !bytes.Equal(first, second) {
				t.Fatalf("%T: %x and then %x; %v", one, first, second, err)
			}
		}
	})
}

func TestBlocks(t *testing.T) {
	for _, n := range sizes {
		x, _, weight := sample(n, 3, 1)
		var rows int
		blocks := sums.NewBlocks(3, true, true, func(b *sums.Block) error {
			if b.First != rows || b.Rows() > sums.BlockRows || len(b.Y) != b.Rows() || len(b.Weight) != b.Rows() ||
				b.Values != nil {
				t.Fatalf("n=%d: a block of %d rows from %d on", n, b.Rows(), b.First)
			}
			for i := range b.Rows() {
				if !slices.Equal(b.X.Row(i), x.Row(rows+i)) || b.Y[i] != rows+i || b.Weight[i] != weight[rows+i] {
					t.Fatalf("n=%d: row %d is another", n, rows+i)
				}
			}
			rows += b.Rows()
			for i := range b.X.Data {
				b.X.Data[i] = -1 // may be written to
			}
			return nil
		})
		for i := range n {
			if err := blocks.Add(data.Dense(x.Row(i)...), i, 0, weight[i]); err != nil {
				t.Fatal(err)
			}
		}
		if err := blocks.End(); err != nil || rows != n {
			t.Errorf("n=%d: %d rows, %v", n, rows, err)
		}
	}
}

func TestQuadratic(t *testing.T) {
	for _, n := range sizes {
		for _, d := range []int{1, 7, 33} {
			x, _, weight := sample(n, d, 1)
			var first *sums.Quadratic
			for _, workers := range []int{1, 2, 3} {
				q := sums.NewQuadratic(d, 1)
				ctl := run.Control{Workers: workers}
				if err := errors.Join(q.Slopes(t.Context(), ctl, x, weight), q.Bend(t.Context(), ctl, clone(x),
					weight)); err != nil {
					t.Fatal(err)
				}
				if first == nil {
					first = q
				}
				if !reflect.DeepEqual(q, first) {
					t.Fatalf("n=%d d=%d: %d workers give other bits", n, d, workers)
				}
			}
			want := sums.NewQuadratic(d, 1)
			for i := range n {
				for j, u := range x.Row(i) {
					want.Gradient[j] += weight[i] * u
					for l, v := range x.Row(i)[:j+1] {
						want.Hessian.Row(j)[l] += weight[i] * u * v
					}
				}
			}
			if first.Rows != n {
				t.Errorf("n=%d: %d rows", n, first.Rows)
			}
			same(t, first.Gradient, want.Gradient, n)
			same(t, first.Hessian.Data, want.Hessian.Data, n)
			half := sums.NewQuadratic(d, 1)
			if err := errors.Join(half.Merge(first), half.Merge(first)); err != nil || half.Rows != 2*n ||
				half.Gradient[0] != 2*first.Gradient[0] {
				t.Errorf("n=%d: merged %+v, %v", n, half.Gradient, err)
			}
			if half.Merge(sums.NewQuadratic(d+1, 1)) == nil {
				t.Error("sums over other coordinates were merged")
			}
		}
	}
}

func TestGradient(t *testing.T) {
	for _, n := range sizes {
		for _, d := range []int{1, 7, 33} {
			x, slope, _ := sample(n, d, 3)
			var first *sums.Gradient
			for _, workers := range []int{1, 2, 3} {
				g := sums.NewGradient(3, d, 1)
				if err := g.Add(t.Context(), run.Control{Workers: workers}, x, slope); err != nil {
					t.Fatal(err)
				}
				if first == nil {
					first = g
				}
				if !reflect.DeepEqual(g, first) {
					t.Fatalf("n=%d d=%d: %d workers give other bits", n, d, workers)
				}
			}
			want := data.NewMatrix(3, d)
			for i := range n {
				for k, a := range slope.Row(i) {
					for j, u := range x.Row(i) {
						want.Row(k)[j] += a * u
					}
				}
			}
			same(t, first.Slope.Data, want.Data, n)
			half := sums.NewGradient(3, d, 1)
			if err := errors.Join(half.Merge(first), half.Merge(first)); err != nil || half.Rows != 2*n ||
				half.Slope.Data[0] != 2*first.Slope.Data[0] {
				t.Errorf("n=%d: merged %d rows, %v", n, half.Rows, err)
			}
			if half.Merge(sums.NewGradient(2, d, 1)) == nil || half.Merge(sums.NewGradient(3, d, 2)) == nil {
				t.Error("sums over other scores were merged")
			}
		}
	}
}
