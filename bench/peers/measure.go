package main

import (
	"fmt"
	"math"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/kerf-ml/kerf/bench/peer"
)

// A result is what one contender did of a work.
type result struct {
	Who     string    `json:"who"`
	Seconds []float64 `json:"seconds"` // of each run that counts
	Median  float64   `json:"median"`
	Value   float64   `json:"value"`
	Peak    int64     `json:"peak_bytes,omitempty"` // most memory of its process, in all works on the set
	Failed  string    `json:"failed,omitempty"`
	Above   bool      `json:"above,omitempty"` // it is that of the line above
}

// spread returns the range of the runs relative to the median.
func (r result) spread() float64 {
	return (slices.Max(r.Seconds) - slices.Min(r.Seconds)) / r.Median
}

// A line is a work with what all contenders did of it, kerf first.
type line struct {
	Group     string   `json:"group"`
	Work      string   `json:"work"`
	Title     string   `json:"title"`
	Rows      int      `json:"rows"`
	Precision string   `json:"precision"`
	Value     string   `json:"value"`
	Within    float64  `json:"within"`
	Results   []result `json:"results"`
}

const (
	shortReps, quickShortReps = 9, 5
	// patience is how many seconds a run may take before the contender is left out.
	patience, quickPatience = 900 * time.Second, 240 * time.Second
	// Of a run that takes long the median of repeats is left for the full measurement.
	longRun, quickLongRun = 400.0, 4.0
	// least is how many seconds a run takes: what takes less is done again and again, in one process, and counts by the
	// mean.
	least = 0.05
)

// size returns how many rows a work has.
func (b *bench) size(rows [2]int) int {
	if b.quick {
		return rows[1]
	}
	return rows[0]
}

// contender is a process that does works, nil where it cannot.
type contender struct {
	name   string
	peer   *peer.Peer
	failed string
}

func (b *bench) start(name string) *contender {
	var p *peer.Peer
	var err error
	if name == ourselves {
		p, err = peer.StartProgram(os.Args[0], serveArgument)
	} else {
		p, err = peer.StartProgram(b.python(), "-W", "ignore", "bench/peers/contender.py", name)
	}
	c := &contender{name: name, peer: p}
	if err != nil {
		c.failed = err.Error()
	}
	return c
}

// ready returns the contenders of the names, those that are not there started, when all have prepared a job. They do
// so side by side, as nothing is timed meanwhile.
func (b *bench) ready(names []string, there map[string]*contender, job map[string]any) []*contender {
	all := make([]*contender, len(names))
	only := map[string]any{"ready": true}
	for key, value := range job {
		only[key] = value
	}
	var wait sync.WaitGroup
	for k, name := range names {
		all[k] = there[name]
		wait.Go(func() {
			if all[k] == nil {
				all[k] = b.start(name)
			}
			all[k].run(only, patience)
		})
	}
	wait.Wait()
	for k, name := range names {
		there[name] = all[k]
	}
	return all
}

// run does a job once. A contender that fails or takes too long is ended.
func (c *contender) run(job map[string]any, limit time.Duration) (seconds, value float64) {
	if c.failed != "" {
		return 0, 0
	}
	late := false
	timer := time.AfterFunc(limit, func() { late = true; c.peer.Kill() })
	seconds, answer, err := c.peer.RunResult(job)
	if !timer.Stop() && late {
		c.failed = fmt.Sprintf("more than %.0f s", limit.Seconds())
	} else if err != nil {
		c.failed = err.Error()
	}
	value, _ = answer["value"].(float64)
	return seconds, value
}

// measure does works that share processes.
func (b *bench) measure(of []work) error {
	rows := b.size(of[0].rows)
	if rows == 0 {
		return nil
	}
	dir, err := b.set(of[0].Set, rows)
	if err != nil {
		return err
	}
	contenders := map[string]*contender{}
	var lines []line
	for i, w := range of {
		if w.above && b.quick && i > 0 {
			lines = append(lines, b.below(w, rows, dir, contenders, lines[i-1]))
			continue
		}
		lines = append(lines, b.line(w, rows, dir, contenders))
	}
	peaks := map[string]int64{}
	for name, c := range contenders {
		peaks[name] = c.close()
	}
	for _, l := range lines {
		for k := range l.Results {
			l.Results[k].Peak = peaks[l.Results[k].Who]
		}
		b.put(l)
	}
	return nil
}

// below does our side of a work whose peers do what they did for the line above, and takes their results.
func (b *bench) below(w work, rows int, dir string, contenders map[string]*contender, above line) line {
	w.Peers = nil
	l := b.line(w, rows, dir, contenders)
	for _, r := range above.Results[1:] {
		r.Above = true
		l.Results = append(l.Results, r)
	}
	return l
}

// close ends the process and returns the most memory that it had.
func (c *contender) close() int64 {
	if c.peer == nil {
		return 0
	}
	_ = c.peer.Close() // what it has to say it said in its answers
	return c.peer.Peak()
}

// line does a work in turns.
func (b *bench) line(w work, rows int, dir string, contenders map[string]*contender) line {
	l := line{Group: w.Group, Work: w.id(), Title: fmt.Sprintf(w.Title, rows), Rows: rows, Precision: w.precision(),
		Value: w.Value, Within: w.Within}
	who := append([]string{ourselves}, w.Peers...)
	job := w.job(dir)
	turn := b.ready(who, contenders, job)
	for _, name := range who {
		l.Results = append(l.Results, result{Who: name})
	}
	reps, limit, long := b.reps, patience, longRun
	short := shortReps
	if b.quick {
		limit, long, short = quickPatience, quickLongRun, quickShortReps
	}
	if w.short {
		reps = max(reps, short)
	}
	for i := range reps + 1 { // one to warm up, which says what it came to
		if job["check"] = i == 0; i > 0 {
			job["least"] = least
		}
		for k, c := range turn {
			r := &l.Results[k]
			if i > 1 && r.Seconds != nil && r.Seconds[0] > long || c.failed != "" {
				continue
			}
			seconds, value := c.run(job, limit)
			switch {
			case c.failed != "":
			case i == 0:
				r.Value = value
				if seconds > long { // the first run stands for all
					r.Seconds = append(r.Seconds, seconds)
				}
			default:
				if len(r.Seconds) == 1 && r.Seconds[0] > long {
					continue
				}
				r.Seconds = append(r.Seconds, seconds)
			}
		}
	}
	for k, c := range turn {
		r := &l.Results[k]
		if r.Failed = c.failed; len(r.Seconds) > 0 {
			r.Median = peer.Median(r.Seconds)
		}
	}
	l.tell()
	return l
}

// tell writes a line to standard error, where work is seen to go on.
func (l line) tell() {
	fmt.Fprintf(os.Stderr, "%s %s, %s\n", l.Title, l.Precision, time.Now().UTC().Format(time.TimeOnly))
	for _, r := range l.Results {
		fmt.Fprintf(os.Stderr, "    %-22s %10.4g s  %s %.7g  %s\n", r.Who, r.Median, l.Value, r.Value, r.Failed)
	}
}

// judge says of a peer's value whether it is as good as ours, better or worse. A
// value that must agree is worse wherever it differs.
func (l line) judge(r result) string {
	ours := l.Results[0].Value
	away := (r.Value - ours) / math.Max(math.Abs(ours), 1e-300)
	switch {
	case math.Abs(away) <= l.Within:
		return "as good"
	case away < 0:
		return "better"
	}
	return "worse"
}

// best returns the fastest peer that comes to as much as we do, and how many times
// faster we are; nil where there is none.
func (l line) best() (*result, float64) {
	var best *result
	for k := range l.Results {
		r := &l.Results[k]
		if k == 0 || len(r.Seconds) == 0 || l.judge(*r) == "worse" {
			continue
		}
		if best == nil || r.Median < best.Median {
			best = r
		}
	}
	if best == nil || l.Results[0].Median == 0 {
		return nil, 0
	}
	return best, best.Median / l.Results[0].Median
}
