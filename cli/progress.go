package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/kerf-ml/kerf/run"
)

// How often the display of long work changes.
const (
	quickly  = 500 * time.Millisecond  // that a task may run before a bar is shown of it
	barEvery = 200 * time.Millisecond  // on a terminal
	few      = 5 * time.Second         // that are left: how many is not known to a factor of two
	known    = 4.1                     // times the least that the most may be: a factor of two to both sides
	every    = 1800 * time.Millisecond // a line elsewhere: never two seconds without one
)

// display shows how far long work is: a bar on a terminal, a line every few seconds
// elsewhere, whether the work has something to report or not. Short work shows
// nothing.
type display struct {
	name  string // of the program
	w     io.Writer
	bar   bool
	now   func() time.Time
	meter *run.Meter

	mu    sync.Mutex
	drawn bool      // there is a bar on the last line
	last  time.Time // that a line was written, or that work began
}

// newDisplay returns the display of a stream.
func newDisplay(name string, w io.Writer, now func() time.Time) *display {
	f, ok := w.(*os.File)
	return &display{name: name, w: w, bar: ok && term.IsTerminal(int(f.Fd())), now: now, meter: run.NewMeter(now),
		last: now()}
}

// start draws from now on until the function it returns is called.
func (d *display) start() (stop func()) {
	ticker, done := time.NewTicker(barEvery), make(chan struct{})
	var wait sync.WaitGroup
	wait.Go(func() {
		for {
			select {
			case <-ticker.C:
				d.draw()
			case <-done:
				return
			}
		}
	})
	return sync.OnceFunc(func() {
		ticker.Stop()
		close(done)
		wait.Wait()
		d.clear()
	})
}

// progress returns what tells the display. The bar goes when the work has ended.
func (d *display) progress() run.Progress {
	p := d.meter.Progress()
	finish := p.Finish
	p.Finish = func() {
		finish()
		if d.meter.Look().Task == "" {
			d.clear()
		}
	}
	return p
}

// draw shows what is under way, where that is due.
func (d *display) draw() {
	d.mu.Lock()
	defer d.mu.Unlock()
	s, now := d.meter.Look(), d.now()
	switch {
	case s.Task == "":
	case d.bar && s.Elapsed >= quickly:
		d.drawn = true
		fmt.Fprintf(d.w, "\r\x1b[K%s %s", barOf(s.Part), words(s))
	case !d.bar && now.Sub(d.last) >= every:
		d.last = now
		fmt.Fprintln(d.w, d.name+": "+words(s))
	}
}

// clear takes the bar away.
func (d *display) clear() { d.say("") }

// say writes text in the place of the bar, which comes back when it is due.
func (d *display) say(text string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.drawn {
		text = "\r\x1b[K" + text
		d.drawn = false
	}
	_, _ = io.WriteString(d.w, text)
}

// words say what is under way, how much of a file is read, and how long it will take
// where that is known.
func words(s run.Sight) string {
	text := s.Within
	if s.Task != s.Within {
		text += ": " + s.Task
	}
	if s.Read > 0 {
		text += ", " + run.Bytes(float64(s.Read))
	}
	if s.Size > 0 {
		text += " of " + run.Bytes(float64(s.Size))
	}
	if s.Left < 0 {
		return fmt.Sprintf("%s, %s so far", text, s.Elapsed.Round(time.Second))
	}
	return fmt.Sprintf("%s, %.0f%% in %s, %s left", text, 100*s.Part, s.Elapsed.Round(time.Second), left(s))
}

// left says how long it will take, about, or from where to where that is where nobody knows
// it better.
func left(s run.Sight) string {
	least, most := s.Least.Round(time.Second), s.Most.Round(time.Second)
	switch {
	case s.Most < 2*few:
		return "a few seconds"
	case float64(s.Most) <= known*float64(s.Least):
		return "about " + s.Left.Round(time.Second).String()
	case least == 0:
		return "up to " + most.String()
	}
	return fmt.Sprintf("%s to %s", least, most)
}

// barOf draws a part of one.
func barOf(part float64) string {
	const width = 30
	full := int(width*part + 0.5)
	return "|" + strings.Repeat("█", full) + strings.Repeat(" ", width-full) + "|"
}
