// Package kerftest holds conformance suites: one call checks that a kernel, a
// map, a learner or a back end keeps the contract of its interface. kerf's own
// tests use them, and whoever brings an implementation of their own can too:
//
//	func TestMine(t *testing.T) { kerftest.Kernel(t, MyKernel{}, samples) }
package kerftest

import (
	"context"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// Similarity checks what every similarity function must be on the sample x:
// finite, symmetric, the same in blocks as pair by pair, and with a diagonal
// that agrees with Eval.
func Similarity[T any](t *testing.T, k kernel.Kernel[T], x []T) {
	t.Helper()
	ctx := context.Background()
	src := data.Slice[T](x)
	block, err := gram.Bind(k, src).Block(ctx, run.Control{}, src)
	if err != nil {
		t.Fatalf("block: %v", err)
	}
	top := 0.0
	for i := range x {
		top = max(top, math.Abs(k.Eval(x[i], x[i])))
	}
	for i := range x {
		for j := range x {
			v := k.Eval(x[i], x[j])
			if v-v != 0 {
				t.Fatalf("K(%d,%d) is %v", i, j, v)
			}
			if w := k.Eval(x[j], x[i]); math.Abs(v-w) > 1e-14*max(math.Abs(v), top) {
				t.Fatalf("not symmetric: K(%d,%d) = %v, K(%d,%d) = %v", i, j, v, j, i, w)
			}
			// A tile takes squared distances from inner products, whose
			// rounding is of the size of the norms, so the budget is wide.
			if got := block.Data[i*len(x)+j]; math.Abs(got-v) > 1e-9*max(math.Abs(v), top) {
				t.Fatalf("block has %v at (%d,%d), Eval gives %v", got, i, j, v)
			}
		}
		if d, v := kernel.Diag(k, x[i]), k.Eval(x[i], x[i]); math.Abs(d-v) > 1e-12*max(math.Abs(v), 1e-300) {
			t.Fatalf("Diag is %v and K(x,x) is %v at %d", d, v, i)
		}
	}
}

// Kernel checks Similarity, and that the Gram matrix of x is positive
// semidefinite (Shalev-Shwartz and Ben-David 2014, lemma 16.2). A computed
// eigenvalue of an n×n matrix is off by at most about n·2⁻⁵² of the largest
// one, times the error of the entries.
func Kernel[T any](t *testing.T, k kernel.Kernel[T], x []T) {
	t.Helper()
	Similarity(t, k, x)
	n := len(x)
	if n == 0 {
		return
	}
	g, err := gram.Symmetric(context.Background(), run.Control{}, k, data.Slice[T](x))
	if err != nil {
		t.Fatalf("Gram matrix: %v", err)
	}
	var eig mat.EigenSym
	if !eig.Factorize(mat.NewSymDense(n, slices.Clone(g.Data)), false) {
		t.Fatal("eigenvalues did not converge")
	}
	values := eig.Values(nil)
	if low, high := values[0], values[n-1]; low < -1e-12*float64(n)*max(high, 1e-300) {
		t.Fatalf("not positive semidefinite: smallest eigenvalue %v, largest %v", low, high)
	}
}

// Map checks that a fitted map fills all of its output, gives the same bits one
// by one, in blocks and for any number of workers, writes nowhere else, and
// finds no fault with an empty sample.
func Map[T any](t *testing.T, m feature.Map[T], x []T) {
	t.Helper()
	ctx := context.Background()
	d := m.Dim()
	if d < 1 {
		t.Fatalf("Dim is %d", d)
	}
	want, err := feature.Apply(ctx, run.Control{Workers: 1}, m, data.Slice[T](x))
	if err != nil {
		t.Fatalf("Apply: %v", err)
	}
	for i := range x {
		row, check := guarded(t, d)
		m.MapTo(row, x[i])
		check()
		for j, v := range row {
			if v-v != 0 {
				t.Fatalf("feature %d of instance %d is %v", j, i, v)
			}
			if v != want.Row(i)[j] {
				t.Fatalf("feature %d of instance %d is %v alone and %v in a block", j, i, v, want.Row(i)[j])
			}
		}
	}
	for _, workers := range []int{2, 3, 8} {
		got, err := feature.Apply(ctx, run.Control{Workers: workers}, m, data.Slice[T](x))
		if err != nil {
			t.Fatalf("Apply with %d workers: %v", workers, err)
		}
		if !slices.Equal(got.Data, want.Data) {
			t.Fatalf("%d workers give other bits than one", workers)
		}
	}
	if empty, err := feature.Apply(ctx, run.Control{}, m, data.Slice[T](nil)); err != nil || empty.Rows != 0 {
		t.Fatalf("Apply of nothing: %v, %v", empty, err)
	}
	cancelled, stop := context.WithCancel(ctx)
	stop()
	if _, err := feature.Apply(cancelled, run.Control{}, m, data.Slice[T](x)); err != context.Canceled {
		t.Fatalf("Apply with a cancelled context returns %v", err)
	}
}
