package par_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/run"
)

var workerCounts = []int{1, 2, 3, 8, 0}

func TestForVisitsEveryIndexOnce(t *testing.T) {
	for _, workers := range workerCounts {
		for _, n := range []int{0, 1, 2, 7, 8, 9, 1000} {
			visits := make([]atomic.Int32, n)
			err := par.For(t.Context(), run.Control{Workers: workers}, "", n, func(i int) error {
				visits[i].Add(1)
				return nil
			})
			if err != nil {
				t.Fatalf("workers %d, n %d: %v", workers, n, err)
			}
			for i := range visits {
				if v := visits[i].Load(); v != 1 {
					t.Fatalf("workers %d, n %d: index %d visited %d times", workers, n, i, v)
				}
			}
		}
	}
}

// TestForReportsTheSmallestFailingIndex relies on indices being handed out in
// order: whoever fails later has a larger index or was started earlier.
func TestForReportsTheSmallestFailingIndex(t *testing.T) {
	for _, workers := range workerCounts {
		for range 50 {
			err := par.For(t.Context(), run.Control{Workers: workers}, "", 100, func(i int) error {
				if i == 17 {
					time.Sleep(100 * time.Microsecond) // let 18 and the like fail first
				}
				if i >= 17 {
					return fmt.Errorf("index %d", i)
				}
				return nil
			})
			if err == nil || err.Error() != "index 17" {
				t.Fatalf("workers %d: error is %v, want index 17", workers, err)
			}
		}
	}
}

func TestForStopsAfterAnError(t *testing.T) {
	for _, workers := range workerCounts {
		var calls atomic.Int64
		want := errors.New("no")
		err := par.For(t.Context(), run.Control{Workers: workers}, "", 1_000_000, func(i int) error {
			calls.Add(1)
			return want
		})
		if !errors.Is(err, want) {
			t.Errorf("workers %d: error is %v", workers, err)
		}
		if c := calls.Load(); c > 1000 {
			t.Errorf("workers %d: %d calls after the first error", workers, c)
		}
	}
}

func TestForTurnsPanicsIntoErrors(t *testing.T) {
	for _, workers := range workerCounts {
		err := par.For(t.Context(), run.Control{Workers: workers}, "", 20, func(i int) error {
			if i == 3 {
				panic("a kernel went wrong")
			}
			return nil
		})
		if err == nil || !strings.Contains(err.Error(), "a kernel went wrong") {
			t.Errorf("workers %d: error is %v", workers, err)
		}
		if err != nil && strings.Contains(err.Error(), "goroutine") {
			t.Errorf("workers %d: the error carries a stack: %v", workers, err)
		}
	}
}

func TestForCancelled(t *testing.T) {
	for _, workers := range workerCounts {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		err := par.For(ctx, run.Control{Workers: workers}, "", 10, func(int) error {
			t.Error("the body was called after the context had ended")
			return nil
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("workers %d, cancelled before: error is %v", workers, err)
		}

		ctx, cancel = context.WithCancel(t.Context())
		var calls atomic.Int64
		err = par.For(ctx, run.Control{Workers: workers}, "", 1_000_000, func(int) error {
			if calls.Add(1) == 5 {
				cancel()
			}
			return nil
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("workers %d, cancelled in between: error is %v", workers, err)
		}
		if c := calls.Load(); c > 1000 {
			t.Errorf("workers %d: %d calls after cancellation", workers, c)
		}
		cancel()
	}
}

func TestForLeavesNoGoroutineBehind(t *testing.T) {
	var running atomic.Int64
	for range 100 {
		_ = par.For(t.Context(), run.Control{Workers: 4}, "", 8, func(i int) error {
			running.Add(1)
			defer running.Add(-1)
			time.Sleep(10 * time.Microsecond)
			if i == 0 {
				return errors.New("stop")
			}
			return nil
		})
		if r := running.Load(); r != 0 {
			t.Fatalf("%d bodies run after For returned", r)
		}
	}
}

func TestForProgress(t *testing.T) {
	for _, workers := range workerCounts {
		const n = 500
		var (
			busy           atomic.Int32
			task           string
			total, last    int64
			steps, endings int
		)
		alone := func(f func()) {
			if busy.Add(1) != 1 {
				t.Error("two goroutines speak to progress at once")
			}
			f()
			busy.Add(-1)
		}
		ctl := run.Control{Workers: workers, Progress: run.Progress{
			Start: func(name string, of int64) { alone(func() { task, total = name, of }) },
			Step: func(done int64) {
				alone(func() {
					if done <= last {
						t.Errorf("step %d after step %d", done, last)
					}
					last = done
					steps++
				})
			},
			Finish: func() { alone(func() { endings++ }) },
		}}
		if err := par.For(t.Context(), ctl, "work", n, func(int) error { return nil }); err != nil {
			t.Fatal(err)
		}
		if task != "work" || total != n || last != n || steps != n || endings != 1 {
			t.Errorf("workers %d: task %q of %d, %d steps up to %d, %d endings", workers, task, total, steps, last, endings)
		}

		task, endings = "", 0
		if err := par.For(t.Context(), ctl, "", 10, func(int) error { return nil }); err != nil {
			t.Fatal(err)
		}
		if task != "" || endings != 0 {
			t.Errorf("workers %d: a loop without a task reported progress", workers)
		}

		if err := par.For(t.Context(), ctl, "fails", 10, func(int) error { return errors.New("no") }); err == nil {
			t.Error("no error")
		}
		if endings != 1 {
			t.Errorf("workers %d: a task that failed ended %d times", workers, endings)
		}
	}
}

func TestBlocksAndRange(t *testing.T) {
	for _, size := range []int{1, 2, 7, 64} {
		for n := range 200 {
			next := 0
			for i := range par.Blocks(n, size) {
				lo, hi := par.Range(i, n, size)
				if lo != next || hi <= lo || hi-lo > size || hi > n {
					t.Fatalf("n %d, size %d: block %d is [%d, %d) after %d", n, size, i, lo, hi, next)
				}
				next = hi
			}
			if next != n {
				t.Fatalf("n %d, size %d: blocks end at %d", n, size, next)
			}
		}
	}
}
