//go:build unix

package torture

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// writers are the commands that write files, all kinds of them; the slow ones are
// last, which few kills leave out.
var writers = []string{
	"gen moons --n 20000 -o out.csv", "gen halfspace --n 5000 --dim 8 -o out.libsvm",
	"train many.csv --map f2 --dim 40 -q -o out.kerf", "train many.csv --map f2 --dim 40 -q -o out.kerf --report out.html",
	"map --fit many.csv --kernel rbf --map f2 --dim 60 -q -o out.csv", "map model.kerf many.csv -q -o out.npy",
	"map model.kerf many.csv -q -o out.parquet", "map model.kerf many.csv -q -o out.arrow",
	"map model.kerf many.csv -q -o out.libsvm",
	"predict model.kerf many.csv --scores -o out.txt",
	"tune some.csv --trials 8 -q --checkpoint out.state -o out.kerf --report out.html",
	"train lots.csv --learner kernel-svm -q --checkpoint out.state -o out.kerf",
	"train lots.csv --stream --map f2 --dim 60 --learner svm -q --checkpoint out.state -o out.kerf",
	"train lots.csv --map f2 --dim 200 --learner pegasos --max-passes 60 -q --checkpoint out.state -o out.kerf",
	"demo -q -o out.html",
}

// writer is a command that writes, and what it writes if it is left alone.
type writer struct {
	args    []string
	took    time.Duration
	outputs []string
	want    files // of the outputs that are the same each time
}

// prepare runs each writer twice, to learn what it writes and how long it takes.
func prepare(t *testing.T) (files, []writer) {
	t.Helper()
	dir, err := files{}.write()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"gen moons --n 1500 -o many.csv", "gen circle --n 150 -o some.csv",
		"gen moons --n 4000 --noise 0.3 -o lots.csv",
		"train many.csv --map f2 --dim 40 -q -o model.kerf"} {
		if r := run(dir, nil, strings.Fields(line)...); r.status != 0 {
			t.Fatalf("kerf %s: %s", line, r.stderr)
		}
	}
	before := read(dir)
	var all []writer
	for _, line := range writers[:min(len(writers), *kills)] {
		w := writer{args: strings.Fields(line), want: files{}}
		for _, word := range w.args {
			if strings.HasPrefix(word, "out.") {
				w.outputs = append(w.outputs, word)
			}
		}
		for i := range 2 {
			begun := time.Now()
			after, r := w.finish(before)
			w.took = max(w.took, time.Since(begun))
			if r.status != 0 {
				t.Fatalf("kerf %s: %s", line, r.stderr)
			}
			for _, name := range w.outputs {
				if i == 0 {
					w.want[name] = after[name]
				} else if !bytes.Equal(w.want[name], after[name]) || filepath.Ext(name) == ".html" {
					delete(w.want, name) // it tells the time
				}
			}
		}
		all = append(all, w)
	}
	return before, all
}

// finish runs a writer to its end.
func (w *writer) finish(before files) (files, result) {
	dir, err := before.write()
	if err != nil {
		return nil, result{status: -1}
	}
	defer os.RemoveAll(dir)
	r := runFor(10*time.Minute, dir, nil, w.args...)
	return read(dir), r
}

// kill starts a writer, kills it after a while and returns what is there then.
func (w *writer) kill(before files, after time.Duration) (files, error) {
	dir, err := before.write()
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	cmd, _, _ := command(ctx, dir, w.args...) // the end of a context kills
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	time.AfterFunc(after, cancel)
	_ = cmd.Wait() // killed or done
	return read(dir), nil
}

// wrong returns what is wrong with the files of a run that was killed: each output
// is missing, the old one, or whole, and the inputs are as they were.
func (w *writer) wrong(before, after files) string {
	for name, b := range after {
		old, there := before[name]
		switch {
		case there && bytes.Equal(old, b):
		case slices.Contains(w.outputs, name):
			if want, ok := w.want[name]; ok && filepath.Ext(name) != ".state" {
				if !bytes.Equal(want, b) {
					return "half of " + name
				}
			} else if !whole(name, b) {
				return "half of " + name
			}
		case there:
			return "an input was changed"
		case !strings.HasPrefix(name, ".out."): // what atomicfile writes to has such a name until it is whole
			return "a file left behind: " + name
		}
	}
	for name := range before {
		if _, ok := after[name]; !ok {
			return "a file is gone: " + name
		}
	}
	return ""
}

// TestKill kills commands that write, at random moments, more often near their end;
// those with a checkpoint then go on from it.
func TestKill(t *testing.T) {
	start, all := prepare(t)
	l := newLedger(t)
	each(func(i uint64) bool {
		if i >= uint64(*kills) {
			return false
		}
		r := rand.New(rand.NewPCG(*seed, i))
		w, before := &all[int(i)%len(all)], files{}
		for name, b := range start {
			if slices.Contains(w.args, name) {
				before[name] = b
			}
		}
		if r.IntN(2) == 0 {
			before[w.outputs[len(w.outputs)-1]] = []byte("what was there\n")
		}
		share := r.Float64()
		if r.IntN(2) == 0 {
			share = 0.7 + 0.4*share
		}
		after, err := w.kill(before, time.Duration(share*float64(w.took)))
		if err != nil {
			t.Error(err)
			return false
		}
		fault, kind := w.wrong(before, after), w.args[0]
		if fault == "" && slices.Contains(w.outputs, "out.state") {
			if after["out.state"] != nil {
				kind += ", resumed"
			}
			done, end := w.finish(after)
			if end.status != 0 || w.wrong(before, done) != "" || done["out.kerf"] == nil {
				fault, after = fmt.Sprintf("it does not go on: %s %s", w.wrong(before, done), end.stderr), done
			}
		}
		if fault != "" {
			l.fault(fault, after, w.args, result{status: -1})
		}
		l.note(kind)
		return true
	})
	l.report()
}
