package cli

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/kerf-ml/kerf/run"
)

// limit makes --max-memory, by default three quarters of what is free, the budget
// of the process. What needs much asks for it before; should the sum of what did not
// ask be too much, the run ends with an error in the place of the system's.
func (a *app) limit() error {
	if a.memory == 0 {
		a.memory = byteSize(max(run.Control{}.Budget(), run.LeastMemory))
	}
	undo, err := run.LimitProcess(int64(a.memory))
	if err != nil {
		return err
	}
	done := make(chan struct{})
	var ended sync.WaitGroup
	ended.Go(func() { a.watch(done) })
	a.unlimit = func() {
		close(done)
		ended.Wait()
		undo()
	}
	return nil
}

// watchEvery is how often the memory of the process is looked at.
const watchEvery = 20 * time.Millisecond

// watch ends the run when what is in use exceeds the budget by more than a 16th.
func (a *app) watch(done <-chan struct{}) {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case <-tick.C:
		}
		if held, exceeds := run.Exceeds(int64(a.memory + a.memory/16)); exceeds {
			a.stop(&run.MemoryError{What: "the run", Need: float64(held), Budget: int64(a.memory),
				Advice: "use a larger --max-memory, fewer rows, or a smaller dimension"})
			return
		}
	}
}

// outOfMemory returns why watch ended a run, or the error of one that asked for more
// memory than there was, with what the command line can do about it; nil for others.
func outOfMemory(ctx context.Context, err error) error {
	var memory *run.MemoryError
	switch {
	case errors.As(context.Cause(ctx), &memory):
		return memory
	case errors.As(err, &memory) && !strings.Contains(err.Error(), "--max-memory"):
		return wrapf("%w, or use a larger --max-memory", err)
	}
	return nil
}
