package run_test

import (
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/kerf-ml/kerf/run"
)

func TestBytes(t *testing.T) {
	for _, c := range []struct {
		n    float64
		want string
	}{
		{0, "0 B"}, {1, "1 B"}, {1023, "1023 B"}, {1024, "1 KiB"}, {1536, "1.5 KiB"},
		{1023.7, "1 KiB"}, {1<<20 - 1, "1 MiB"}, {1 << 20, "1 MiB"}, {1.25 * (1 << 20), "1.3 MiB"},
		{1000 << 20, "1000 MiB"}, {1<<30 - 1, "1 GiB"}, {1 << 30, "1 GiB"}, {2.5 * (1 << 30), "2.5 GiB"},
		{1 << 40, "1 TiB"}, {1 << 50, "1 PiB"}, {1 << 60, "1 EiB"}, {1 << 70, "1024 EiB"},
	} {
		if got := run.Bytes(c.n); got != c.want {
			t.Errorf("Bytes(%v) = %q, want %q", c.n, got, c.want)
		}
	}
}

func TestReserve(t *testing.T) {
	ctl := run.Control{Memory: 1000}
	for _, bytes := range []float64{0, 1, 1000} {
		if err := ctl.Reserve("it", bytes, ""); err != nil {
			t.Errorf("%v of 1000 bytes: %v", bytes, err)
		}
	}
	err := ctl.Reserve("a Gram matrix", 3<<30, "use a smaller --dim")
	var memory *run.MemoryError
	if !errors.As(err, &memory) {
		t.Fatalf("error is %v", err)
	}
	if memory.Budget != 1000 || memory.Need != 3<<30 {
		t.Errorf("need %v of a budget of %d", memory.Need, memory.Budget)
	}
	for _, part := range []string{"a Gram matrix", "3 GiB", "1000 B", "use a smaller --dim"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not say %q", err, part)
		}
	}
	// A size that overflowed must not pass.
	var inf float64
	for _, bytes := range []float64{1 / inf, inf / inf} {
		if err := ctl.Reserve("it", bytes, ""); err == nil {
			t.Errorf("%v bytes are within the budget", bytes)
		}
	}
}

func TestBudget(t *testing.T) {
	if got := (run.Control{Memory: 5}).Budget(); got != 5 {
		t.Errorf("a budget of 5 is %d", got)
	}
	free, budget := run.FreeMemory(), run.Control{}.Budget()
	if free <= 0 || budget <= 0 || budget > run.FreeMemory() {
		t.Errorf("%d bytes are free and the budget is %d", free, budget)
	}
	if err := (run.Control{}).Reserve("a page", 4096, ""); err != nil {
		t.Error(err)
	}
	if err := (run.Control{}).Reserve("too much", 1e18, ""); err == nil {
		t.Error("an exabyte is within the budget")
	}
}

func TestCores(t *testing.T) {
	if got := (run.Control{Workers: 3}).Cores(); got != 3 {
		t.Errorf("3 workers are %d", got)
	}
	if got := (run.Control{}).Cores(); got != runtime.GOMAXPROCS(0) {
		t.Errorf("no choice of workers gives %d", got)
	}
}

func TestCounter(t *testing.T) {
	var none *run.Counter
	none.Add(3)
	if none.Count() != 0 {
		t.Error("a nil counter counts")
	}
	var c run.Counter
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for range 1000 {
				c.Add(2)
			}
		})
	}
	wait.Wait()
	if c.Count() != 16_000 {
		t.Errorf("16000 evaluations count as %d", c.Count())
	}
}

func TestProgress(t *testing.T) {
	var silent run.Progress
	silent.Begin("work", 1)
	silent.Advance(1)
	silent.End()

	var told []string
	ctl := run.Control{Workers: 2, Memory: 7, Progress: run.Progress{
		Start:  func(task string, _ int64) { told = append(told, task) },
		Step:   func(int64) { told = append(told, "step") },
		Finish: func() { told = append(told, "end") },
	}}
	ctl.Progress.Begin("work", 1)
	ctl.Progress.Advance(1)
	ctl.Progress.End()
	quiet := ctl.Quiet()
	quiet.Progress.Begin("more", 1)
	quiet.Progress.Advance(1)
	quiet.Progress.End()
	if got := strings.Join(told, " "); got != "work step end" {
		t.Errorf("progress was told %q", got)
	}
	if quiet.Workers != 2 || quiet.Memory != 7 {
		t.Errorf("Quiet changed other controls: %+v", quiet)
	}
}
