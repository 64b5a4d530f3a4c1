package cli

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/kerf-ml/kerf/run"
)

// newProgress returns the progress of long work: a bar on a terminal, a line
// every few seconds elsewhere. Short tasks show nothing.
func newProgress(w io.Writer) run.Progress {
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return barProgress(w)
	}
	return lineProgress(w, time.Now)
}

// quickly is how long a task may run before anything is shown of it.
const quickly = 500 * time.Millisecond

// barProgress shows a bar with the time left.
func barProgress(w io.Writer) run.Progress {
	var (
		bar   *progressbar.ProgressBar
		task  string
		total int64
		begun time.Time
	)
	return run.Progress{
		Start: func(t string, n int64) { task, total, begun, bar = t, n, time.Now(), nil },
		Step: func(done int64) {
			if bar == nil {
				if time.Since(begun) < quickly {
					return
				}
				n := total
				if n == 0 {
					n = -1
				}
				bar = progressbar.NewOptions64(n,
					progressbar.OptionSetWriter(w),
					progressbar.OptionSetDescription(task),
					progressbar.OptionThrottle(100*time.Millisecond),
					progressbar.OptionSetWidth(30),
					progressbar.OptionSetPredictTime(true),
					progressbar.OptionClearOnFinish())
			}
			_ = bar.Set64(done)
		},
		Finish: func() {
			if bar != nil {
				_ = bar.Finish()
				_ = bar.Clear()
			}
			bar = nil
		},
	}
}

// every is how often a line is written where there is no terminal.
const every = 3 * time.Second

// lineProgress writes a line every few seconds.
func lineProgress(w io.Writer, now func() time.Time) run.Progress {
	var (
		task        string
		total       int64
		begun, last time.Time
	)
	return run.Progress{
		Start: func(t string, n int64) {
			task, total, begun = t, n, now()
			last = begun
		},
		Step: func(done int64) {
			t := now()
			if t.Sub(last) < every {
				return
			}
			last = t
			if total <= 0 {
				fmt.Fprintf(w, "kerf: %s: %d done in %s\n", task, done, t.Sub(begun).Round(time.Second))
				return
			}
			left := time.Duration(float64(t.Sub(begun)) * float64(total-done) / float64(max(done, 1)))
			fmt.Fprintf(w, "kerf: %s: %.0f%%, about %s left\n", task, 100*float64(done)/float64(total), left.Round(time.Second))
		},
	}
}
