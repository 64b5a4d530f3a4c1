// Package par runs loops over blocks on several cores. It is the only place in
// kerf that starts goroutines, and none of them outlives the call.
package par

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/kerf-ml/kerf/run"
)

// For calls body(i) for every i in [0, n), on as many goroutines as ctl allows,
// and reports one step of progress a call under the given task; with an empty
// task it reports nothing. The indices are blocks of work: whatever body
// computes may depend on i and on nothing else, so that the result is the same
// for any number of workers.
//
// For returns the context's error if it was cancelled before all was done, and
// otherwise the error of the smallest failing index it saw. A panic of body
// comes back as an error.
func For(ctx context.Context, ctl run.Control, task string, n int, body func(i int) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	progress := ctl.Progress
	if task == "" {
		progress = run.Progress{}
	}
	progress.Begin(task, int64(n))
	defer progress.End()

	workers := min(ctl.Cores(), n)
	if workers <= 1 {
		for i := range n {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := guarded(body, i); err != nil {
				return err
			}
			progress.Advance(int64(i + 1))
		}
		return nil
	}
	return spread(ctx, progress, workers, n, body)
}

// spread is For on two or more workers, which take indices from a common counter.
// The calling goroutine alone speaks to progress. Where nobody listens it is itself
// one of the workers: small loops are then half as dear, as nobody is woken for
// every index.
func spread(ctx context.Context, progress run.Progress, workers, n int, body func(i int) error) error {
	l := &loop{ctx: ctx, n: n, body: body, where: n}
	if progress.Step == nil {
		for range workers - 1 {
			l.wait.Go(func() { l.work(func() {}) })
		}
		l.work(func() {})
		l.wait.Wait()
		return l.outcome()
	}
	finished := make(chan struct{}, workers)
	for range workers {
		l.wait.Go(func() { l.work(func() { finished <- struct{}{} }) })
	}
	go func() {
		l.wait.Wait()
		close(finished)
	}()
	done := int64(0)
	for range finished {
		done++
		progress.Advance(done)
	}
	return l.outcome()
}

// loop is what the workers of a loop share.
type loop struct {
	ctx    context.Context
	n      int
	body   func(i int) error
	next   atomic.Int64
	done   atomic.Int64
	failed atomic.Bool
	wait   sync.WaitGroup
	mu     sync.Mutex
	first  error // of the smallest index that failed, which is where
	where  int
}

// work takes indices until there are none left, one has failed or the context has
// ended, and calls tell after each.
func (l *loop) work(tell func()) {
	for l.ctx.Err() == nil && !l.failed.Load() {
		i := int(l.next.Add(1)) - 1
		if i >= l.n {
			return
		}
		if err := guarded(l.body, i); err != nil {
			l.fail(i, err)
			return
		}
		l.done.Add(1)
		tell()
	}
}

func (l *loop) fail(i int, err error) {
	l.mu.Lock()
	if i < l.where {
		l.first, l.where = err, i
	}
	l.mu.Unlock()
	l.failed.Store(true)
}

// outcome is what For returns when all workers have.
func (l *loop) outcome() error {
	if l.first != nil {
		return l.first
	}
	if l.done.Load() < int64(l.n) {
		return l.ctx.Err()
	}
	return nil
}

// guarded calls body(i) and turns a panic into an error, because a kernel that
// the user wrote must not take the process down from inside a worker.
func guarded(body func(i int) error, i int) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic in a worker: %v", p)
		}
	}()
	return body(i)
}

// Blocks returns how many blocks of the given size cover n.
func Blocks(n, size int) int { return (n + size - 1) / size }

// Range returns the half-open range of block i of the given size in [0, n).
func Range(i, n, size int) (lo, hi int) { return i * size, min((i+1)*size, n) }
