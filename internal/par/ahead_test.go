package par_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/run"
)

// count hands over the numbers up to n, and then ends with an error.
func count(n int, end error) func(context.Context, func(int) error) error {
	return func(_ context.Context, hand func(int) error) error {
		for i := range n {
			if err := hand(i); err != nil {
				return err
			}
		}
		return end
	}
}

// What is used, and the error, are the same as if values were used as they are made.
func TestAheadIsInOrder(t *testing.T) {
	broken, full := errors.New("broken"), errors.New("full")
	for _, workers := range workerCounts {
		for _, n := range []int{0, 1, 2, 50} {
			for _, c := range []struct {
				end  error
				last int // value that use fails at
				want error
				used int
			}{
				{nil, -1, nil, n}, {broken, -1, broken, n}, {broken, 0, full, min(n, 1)}, {nil, 30, full, min(n, 31)},
			} {
				var used []int
				err := par.Ahead(t.Context(), run.Control{Workers: workers}, count(n, c.end), func(i int) error {
					if used = append(used, i); i == c.last {
						return full
					}
					return nil
				})
				want := c.want
				if c.last >= n || n == 0 {
					want = c.end
				}
				if err != want || len(used) != c.used || !slices.IsSorted(used) {
					t.Errorf("%d workers, %d values, %v: %v after %v", workers, n, c, err, used)
				}
			}
		}
	}
}

func TestAheadEnds(t *testing.T) {
	ctl := run.Control{Workers: 2}
	full := errors.New("full")
	waits := func(ctx context.Context, hand func(int) error) error {
		if err := hand(1); err != nil {
			return err
		}
		<-ctx.Done() // as one who waits for a pipe
		return ctx.Err()
	}
	if err := par.Ahead(t.Context(), ctl, waits, func(int) error { return full }); err != full {
		t.Errorf("use fails: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	err := par.Ahead(ctx, ctl, waits, func(int) error { cancel(); return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	panics := func(context.Context, func(int) error) error { panic("oh") }
	err = par.Ahead(t.Context(), ctl, panics, func(int) error { return nil })
	if err == nil || !strings.Contains(err.Error(), "oh") {
		t.Errorf("a panic: %v", err)
	}
}
