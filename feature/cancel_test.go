package feature_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// wide is a map of many features that counts the rows it has mapped.
type wide struct {
	dim  int
	rows *atomic.Int64
}

func (w wide) Dim() int                           { return w.dim }
func (w wide) MapTo(dst []float64, _ data.Vector) { w.rows.Add(1); clear(dst) }

// TestApplyCancelled: mapping to very many features ends within about a million
// features of each worker after the context has ended.
func TestApplyCancelled(t *testing.T) {
	const dim, n, workers = 1 << 17, 168, 2
	x := make(data.Slice[data.Vector], n)
	ctx, cancel := context.WithCancel(t.Context())
	m := wide{dim, new(atomic.Int64)}
	ctl := run.Control{Workers: workers, Progress: run.Progress{Step: func(int64) { cancel() }}}
	if _, err := feature.Apply(ctx, ctl, m, x); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	// A worker may have begun two blocks before it sees that the context has ended, and
	// the step is told by a goroutine of its own, for which it may go on for one more.
	if got, most := m.rows.Load(), int64(3*workers*feature.BlockRows(dim)); got > most {
		t.Errorf("%d rows were mapped, more than %d", got, most)
	}
	for dim, want := range map[int]int{0: 84, 1: 84, 1 << 20 / 84: 84, 1 << 19: 2, 1 << 20: 1, 1 << 30: 1} {
		if got := feature.BlockRows(dim); got != want {
			t.Errorf("%d rows of %d features together, want %d", got, dim, want)
		}
	}
}

// ending is a context that ends after it was looked at so many times.
type ending struct {
	context.Context
	left atomic.Int64
}

func (e *ending) Err() error {
	if e.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestFitLooks: drawing frequencies and hashes looks at the context at least once in
// so many numbers.
func TestFitLooks(t *testing.T) {
	const width = 1 << 18
	for name, c := range map[string]struct {
		fit   func(ctx context.Context) error
		looks int64
	}{
		"fourier": {func(ctx context.Context) error { // 16 frequencies: one group, then their lengths
			_, err := feature.NewFourier(kernel.Gaussian{Gamma: 1}, 32).Fit(ctx, width)
			return err
		}, 1 + 16/4},
		"sketch": {func(ctx context.Context) error {
			_, err := feature.NewTensorSketch(kernel.Polynomial{Degree: 2, Gamma: 1}, 8).Fit(ctx, width)
			return err
		}, 2 * width >> 16},
	} {
		for looks := range c.looks {
			ctx := &ending{Context: t.Context()}
			ctx.left.Store(looks)
			if err := c.fit(ctx); !errors.Is(err, context.Canceled) {
				t.Errorf("%s looks at the context %d times, fewer than %d", name, looks, c.looks)
				break
			}
		}
	}
}
