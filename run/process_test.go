package run_test

import (
	"errors"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/run"
)

const mib = 1 << 20

// TestProcessReserve: what a process holds counts, what it held does not.
func TestProcessReserve(t *testing.T) {
	runtime.GC()
	ctl := run.Control{Memory: run.Held() + 100*mib, Process: true}
	if err := ctl.Reserve("it", 75*mib, ""); err != nil {
		t.Error(err)
	}
	if got := ctl.Budget(); got < 75*mib || got > 100*mib {
		t.Errorf("%d MiB of 100 are left", got/mib)
	}
	held := make([]byte, 50*mib)
	err := ctl.Reserve("it", 75*mib, "take less")
	var memory *run.MemoryError
	if !errors.As(err, &memory) || memory.Budget != ctl.Memory || memory.Free > 50*mib {
		t.Errorf("75 MiB beside 50 of 100: %v", err)
	} else if !strings.Contains(err.Error(), "are left; take less") {
		t.Error(err)
	}
	if share := ctl.Share(2); share.Process || share.Budget() > 25*mib {
		t.Errorf("half of 50 MiB is %d", share.Budget()/mib)
	}
	runtime.KeepAlive(held)
	if err := ctl.Reserve("it", 75*mib, ""); err != nil {
		t.Errorf("garbage counts: %v", err)
	}
}

// TestGauge grows a list until it is told to stop, in a budget of its own and in
// that of the process.
func TestGauge(t *testing.T) {
	for _, process := range []bool{false, true} {
		runtime.GC()
		ctl := run.Control{Memory: 64 * mib, Process: process}
		if process {
			ctl.Memory += run.Held()
		}
		m := ctl.Gauge()
		var list [][]byte
		var err error
		for err == nil && len(list) < 100 {
			list = append(list, make([]byte, mib))
			_, err = m.Left()
		}
		var memory *run.MemoryError
		if !errors.As(err, &memory) || memory.Budget != ctl.Memory || !(memory.Need > float64(memory.Budget)) {
			t.Errorf("process %v: %v", process, err)
		}
		if n := len(list); n < 25 || n > 64 {
			t.Errorf("process %v: stopped after %d MiB of 64", process, n)
		}
	}
}

func TestLimitProcess(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	var memory *run.MemoryError
	if _, err := run.LimitProcess(run.LeastMemory - 1); !errors.As(err, &memory) || memory.Need != run.LeastMemory {
		t.Errorf("too little memory: %v", err)
	}
	undo, err := run.LimitProcess(1 << 40)
	if err != nil {
		t.Fatal(err)
	}
	if got := debug.SetMemoryLimit(-1); got >= 1<<40 || got < 1<<39 {
		t.Errorf("the limit is %d", got)
	}
	inner, err := run.LimitProcess(1 << 41)
	if got := debug.SetMemoryLimit(-1); err != nil || got >= 1<<40 {
		t.Errorf("a limit was raised to %d: %v", got, err)
	}
	inner()
	undo()
	if got := debug.SetMemoryLimit(-1); got != before {
		t.Errorf("the limit is %d and was %d", got, before)
	}
	for limit, want := range map[int64]bool{1: true, 1 << 50: false} {
		if held, exceeds := run.Exceeds(limit); exceeds != want || held < 1 {
			t.Errorf("%d bytes exceed %d: %v", held, limit, exceeds)
		}
	}
}
