package cli_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kerf-ml/kerf/cli"
)

// interrupted runs the program, cancels it after a while, and checks that it
// ends within a second with status 130, one line, no output, and no file in dir
// that was not there, but for the model of a training that was over when it was measured or
// reported on: that is kept, whole. It reports whether the program was still running when it
// was cancelled.
func interrupted(t *testing.T, after time.Duration, dir string, stdin io.Reader, args ...string) bool {
	t.Helper()
	before := names(t, dir)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var when time.Time
	timer := time.AfterFunc(after, func() { when = time.Now(); cancel() })
	var out, err bytes.Buffer
	status := cli.Exec(ctx, args, stdin, &out, &err)
	if timer.Stop() {
		return false
	}
	<-ctx.Done()
	took := time.Since(when)
	line := "kerf " + strings.Join(args, " ")
	if status == 0 {
		return false // it had just ended
	}
	t.Logf("%s, after %v: it took %v to stop", line, after, took)
	if took > 15*time.Second { // generous: others may have the machine
		t.Errorf("%s, after %v: it took %v to stop", line, after, took)
	}
	if status != 130 {
		t.Errorf("%s, after %v: exit status %d: %s", line, after, status, err.String())
	}
	if fault := wrongFailure(out.String(), err.String()); fault != "" {
		t.Errorf("%s, after %v: %s", line, after, fault)
	}
	if at := slices.Index(args, "-o") + 1; args[0] == "train" && at > 0 {
		removeModel(t, args[at], before)
	}
	if now := names(t, dir); now != before {
		t.Errorf("%s, after %v: the folder held %s and holds %s", line, after, before, now)
	}
	return true
}

// removeModel removes a model that was not there before; one that is there is whole.
func removeModel(t *testing.T, path, before string) {
	t.Helper()
	if _, err := os.Stat(path); err != nil || strings.Contains(before, filepath.Base(path)) {
		return
	}
	mustRun(t, "inspect", path)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

func names(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return strings.Join(all, " ")
}

func TestInterrupt(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	mustRun(t, "gen", "circle", "--n", "60000", "--noise", "0.1", "-o", in("big.csv"))
	mustRun(t, "gen", "circle", "--n", "3000", "-o", in("small.csv"))
	mustRun(t, "train", in("small.csv"), "--kernel", "rbf(gamma=5)", "--map", "f1", "--dim", "1500", "--C", "1",
		"--max-passes", "2", "--quiet", "-o", in("m.kerf"))
	for _, c := range []struct {
		name string
		args []string
	}{
		{"train f1", []string{"train", in("big.csv"), "--map", "f1", "--dim", "1000", "-o", in("new.kerf")}},
		{"train f2", []string{"train", in("big.csv"), "--map", "f2", "--dim", "2000", "-o", in("new.kerf")}},
		{"train f3", []string{"train", in("big.csv"), "--map", "f3", "--dim", "400", "-o", in("new.kerf")}},
		{"train none", []string{"train", in("big.csv"), "--map", "none", "--learner", "averaged-perceptron", "--max-passes",
			"100000", "-o", in("new.kerf")}},
		{"perceptron", []string{"train", in("big.csv"), "--map", "f2", "--dim", "50", "--learner", "perceptron", "-o",
			in("new.kerf")}},
		{"kernel perceptron", []string{"train", in("big.csv"), "--learner", "kernel-perceptron", "-o", in("new.kerf")}},
		{"predict", []string{"predict", in("m.kerf"), in("big.csv"), "-o", in("labels.txt")}},
		{"predict json", []string{"predict", in("m.kerf"), in("big.csv"), "--json"}},
		{"eval", []string{"eval", in("m.kerf"), in("big.csv")}},
		{"map", []string{"map", in("m.kerf"), in("big.csv"), "-o", in("features.csv")}},
		{"map --fit", []string{"map", "--fit", in("big.csv"), "--dim", "1500", "-o", in("features.csv")}},
		{"gen", []string{"gen", "halfspace", "--n", "1000000", "--dim", "20", "-o", in("half.csv")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			hit := false
			for _, after := range []time.Duration{50 * time.Millisecond, 300 * time.Millisecond} {
				hit = interrupted(t, after, dir, nil, c.args...) || hit
			}
			if !hit {
				t.Error("the program was done before it was cancelled; give it more to do")
			}
		})
	}
}

// TestInterruptBeforeTheStart: a context that has ended already.
func TestInterruptBeforeTheStart(t *testing.T) {
	dir := t.TempDir()
	c := filepath.Join(dir, "c.csv")
	mustRun(t, "gen", "circle", "--n", "60", "-o", c)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, err bytes.Buffer
	status := cli.Exec(ctx, []string{"train", c, "-o", filepath.Join(dir, "m.kerf")}, nil, &out, &err)
	if fault := wrongFailure(out.String(), err.String()); status != 130 || fault != "" {
		t.Errorf("exit status %d: %s", status, fault)
	}
	if got := names(t, dir); got != "c.csv" {
		t.Errorf("the folder holds %s", got)
	}
}

// TestInterruptWhileWaiting reads from a pipe that nobody writes to, and from
// one that stops in the middle.
func TestInterruptWhileWaiting(t *testing.T) {
	dir := t.TempDir()
	c, m := filepath.Join(dir, "c.csv"), filepath.Join(dir, "m.kerf")
	mustRun(t, "gen", "circle", "--n", "60", "-o", c)
	mustRun(t, "train", c, "--dim", "10", "-o", m)
	for _, args := range [][]string{
		{"train", "-", "-o", filepath.Join(dir, "new.kerf")},
		{"train", c, "--test", "-", "-o", filepath.Join(dir, "new.kerf")},
		{"predict", m, "-", "-o", filepath.Join(dir, "p.txt")},
		{"eval", m, "-"},
		{"map", m, "-", "-o", filepath.Join(dir, "f.csv")},
		{"map", "--fit", "-", "-o", filepath.Join(dir, "f.csv")},
	} {
		for _, begun := range []string{"", "x1,x2,label\n0,0,1\n"} {
			r, w := io.Pipe()
			go func() { _, _ = io.WriteString(w, begun) }() // ends when the reader is closed
			if !interrupted(t, 60*time.Millisecond, dir, r, args...) {
				t.Errorf("kerf %v ended though it had nothing to read", args)
			}
			_ = r.Close()
		}
	}
}
