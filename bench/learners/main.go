// Command learners measures kerf's learners beside scikit-learn's, LIBLINEAR and
// Falkon's scheme in numpy, on the same data and in one run: make
// bench-learners. With JSON=1 it writes one object a line. Arguments name the
// works to measure; without any it measures all. Where the environment variables
// LIBSVM and THUNDERSVM name folders with the programs of these, they too are
// measured on what they can do.
package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/kerf-ml/kerf/bench/peer"
	"github.com/kerf-ml/kerf/run"
)

var ctx = context.Background()

// workers is how many threads either side may use.
const workers = 2

func main() {
	if err := measure(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench/learners:", err)
		os.Exit(1)
	}
}

// measure runs the named works, or all, and prints the comparison.
func measure(names []string) error {
	chosen, err := choose(names)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "kerf-bench-learners-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	p, err := peer.Start("bench/learners/peer.py")
	if err != nil {
		return err
	}
	var table []peer.Row
	for i := 0; i < len(chosen); {
		j := i + 1
		for j < len(chosen) && chosen[j].set == chosen[i].set {
			j++
		}
		rows, err := measureOn(p, dir, chosen[i].set, chosen[i:j])
		if err != nil {
			return err
		}
		table, i = append(table, rows...), j
	}
	if err := p.Close(); err != nil {
		return err
	}
	return peer.Print(os.Stdout, table, os.Getenv("JSON") == "1")
}

// choose returns the works with the given names in the order of the table.
func choose(names []string) ([]work, error) {
	if len(names) == 0 {
		return works, nil
	}
	var chosen []work
	var known []string
	for _, w := range works {
		known = append(known, w.name)
		if slices.Contains(names, w.name) {
			chosen = append(chosen, w)
		}
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("there is no work %q; there are %s", name, strings.Join(known, ", "))
		}
	}
	return chosen, nil
}

// measureOn makes a set of data, measures the works on it, and lets go of it:
// memory holds one set at a time.
func measureOn(p *peer.Peer, dir string, s set, of []work) (table []peer.Row, err error) {
	dir = filepath.Join(dir, s.name)
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	if _, err := p.Run(map[string]any{"work": "make", "set": s.name, "rows": s.rows, "dir": dir}); err != nil {
		return nil, err
	}
	sample, err := read(dir, s)
	if err != nil {
		return nil, err
	}
	other, name := p, "scikit-learn"
	if s.eps > 0 {
		native, err := startLiblinear(dir, s)
		if err != nil {
			fmt.Fprintln(os.Stderr, "bench/learners: scikit-learn stands in for LIBLINEAR:", err)
		} else {
			other, name = native, "LIBLINEAR"
			defer func() { err = errors.Join(err, native.Close()) }()
			if _, err := p.Run(map[string]any{"work": "forget"}); err != nil {
				return nil, err
			}
		}
	}
	if err := os.RemoveAll(dir); err != nil {
		return nil, err
	}
	var beside []*program
	if slices.ContainsFunc(of, func(w work) bool { return byProgram[w.name] != nil }) {
		if beside, err = programs(dir, sample); err != nil {
			return nil, err
		}
	}
	for _, w := range of {
		row := peer.Row{Work: w.title, Precision: w.precision.String(), Workers: workers, Target: w.target, PeerName: name,
			Unit: "s"}
		if w.peer != "" {
			row.PeerName = w.peer
		}
		row, err := w.measure(w.asked(other), sample, row)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", w.name, err)
		}
		table = append(table, row)
		more, err := w.measureBeside(beside, sample, row)
		if err != nil {
			return nil, err
		}
		table = append(table, more...)
	}
	_, err = p.Run(map[string]any{"work": "forget"})
	debug.FreeOSMemory()
	return table, err
}

// measureBeside measures the work beside each of the programs, if they can do it.
// The rows are as the given one but for what is measured.
func (w work) measureBeside(programs []*program, s *sample, row peer.Row) (table []peer.Row, err error) {
	do := byProgram[w.name]
	if do == nil {
		return nil, nil
	}
	for _, p := range programs {
		row.PeerName = p.name
		row, err := w.measure(func(bool) (float64, float64, error) { return do(p) }, s, row)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", w.name, p.name, err)
		}
		row.Note += "; " + p.how()
		table = append(table, row)
	}
	return table, nil
}

// asked returns the peer's side of the work: the seconds a run took and, if it is
// the last one, what it came to.
func (w work) asked(p *peer.Peer) func(last bool) (seconds, value float64, err error) {
	job := map[string]any{"work": w.name, "precision": w.precision.String(), "threads": workers,
		"dual": w.set.solver != primal, "hinge": w.set.solver == dualHinge, "eps": w.set.eps}
	for key, value := range w.job {
		job[key] = value
	}
	return func(last bool) (float64, float64, error) {
		job["check"] = last
		seconds, result, err := p.RunResult(job)
		if err != nil || !last {
			return seconds, 0, err
		}
		value, ok := result["value"].(float64)
		if !ok {
			return 0, 0, errors.New("the peer does not say what it came to")
		}
		return seconds, value, nil
	}
}

// measure runs both sides in turn, first warm times and then reps times, fills
// the row with the medians of the latter, and notes what both came to.
func (w work) measure(
	theirs func(last bool) (seconds, value float64, err error), s *sample, row peer.Row,
) (peer.Row, error) {
	fit, value, err := w.ours(run.Control{Workers: workers, Precision: w.precision}, s)
	if err != nil {
		return row, err
	}
	var mine, others []float64
	var b float64
	for i := range w.warm + w.reps {
		debug.FreeOSMemory() // what the run before left is not this one's to clear
		begun := time.Now()
		if err := fit(); err != nil {
			return row, err
		}
		spent := time.Since(begun).Seconds()
		seconds, reached, err := theirs(i == w.warm+w.reps-1)
		if err != nil {
			return row, err
		}
		if b = reached; i >= w.warm {
			mine, others = append(mine, spent), append(others, seconds)
		}
	}
	row.Ours, row.Peer = peer.Median(mine), peer.Median(others)
	row.Ratio = row.Peer / row.Ours
	a, err := value()
	if err != nil {
		return row, err
	}
	row.Note = fmt.Sprintf("%s %.7g, peer %.7g", w.value, a, b)
	if !(math.Abs(a-b) <= w.within*math.Abs(b)) {
		row.Note += fmt.Sprintf(": they differ by more than %g", w.within)
	}
	return row, nil
}
