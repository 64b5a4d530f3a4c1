package cli_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kerf-ml/kerf/internal/seed"
)

// lettersFile writes a table of n rows of many classes that overlap.
func lettersFile(t *testing.T, path string, n, classes int) {
	t.Helper()
	rng := seed.Stream(11, seed.Generator, 0)
	var b bytes.Buffer
	b.WriteString("a,b,c,d,label\n")
	for i := range n {
		c := i % classes
		for j := range 4 {
			fmt.Fprintf(&b, "%.4f,", float64(c>>j&1)+0.6*rng.NormFloat64())
		}
		fmt.Fprintf(&b, "%c\n", 'A'+c)
	}
	writeFile(t, path, b.Bytes())
}

// stateOf returns what is in the file of a state, nil where there is none.
func stateOf(path string) []byte {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	return b
}

// killedAt starts the program, and ends it as nothing but the system can once it
// has written another state than before. It reports whether it was still running.
func killedAt(t *testing.T, state string, args ...string) bool {
	t.Helper()
	program, err := exec.LookPath("kerf") // this test binary, by TestMain
	if err != nil {
		t.Fatal(err)
	}
	before := stateOf(state)
	var said bytes.Buffer
	c := exec.Command(program, args...)
	c.Stdout, c.Stderr = io.Discard, &said
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- c.Wait() }()
	for begun := time.Now(); time.Since(begun) < 20*time.Second; time.Sleep(time.Millisecond) {
		select {
		case err := <-done:
			if err != nil {
				t.Fatalf("kerf %s: %v: %s", strings.Join(args, " "), err, said.String())
			}
			return false
		default:
		}
		if now := stateOf(state); now != nil && !bytes.Equal(now, before) {
			break
		}
	}
	_ = c.Process.Kill()
	<-done
	return true
}

// TestTuneCheckpoint kills a search several times, and gives the same command
// again; the learner of the second keeps no state of its own.
func TestTuneCheckpoint(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts processes")
	}
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	lettersFile(t, in("letters.csv"), 240, 3)
	for _, learner := range []string{"kernel-svm", "svm"} {
		state := in(learner + ".state")
		args := func(out string, more ...string) []string {
			return slices.Concat([]string{"tune", in("letters.csv"), "--quiet", "--trials", "6", "--time", "10m", "--learner",
				learner, "-o", in(out)}, more)
		}
		mustRun(t, args("whole.kerf")...)
		for range 3 {
			_ = os.Remove(in("part.kerf"))
			t.Log(killedAt(t, state, args("part.kerf", "--checkpoint", state)...))
		}
		o := mustObject(t, args("part.kerf", "--checkpoint", state, "--workers", "1")...)
		again := mustObject(t, args("part.kerf", "--checkpoint", state)...) // all is known
		for _, key := range []string{"best", "trials"} {
			if a, b := fmt.Sprint(o[key]), fmt.Sprint(again[key]); a != b {
				t.Errorf("%s: the %s are %s and %s", learner, key, a, b)
			}
		}
		want, err := os.ReadFile(in("whole.kerf"))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(in("part.kerf")); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: the model is another (%v)", learner, err)
		}
		wantFailure(t, 3, "another", args("part.kerf", "--checkpoint", state, "--folds", "4")...)
		wantFailure(t, 3, "another", args("part.kerf", "--checkpoint", state, "--seed", "4")...)
	}
}

// TestTuneCheckpointOfPenalty: trials at one penalty are none at another.
func TestTuneCheckpointOfPenalty(t *testing.T) {
	dir := t.TempDir()
	table, state := filepath.Join(dir, "letters.csv"), filepath.Join(dir, "state")
	lettersFile(t, table, 90, 3)
	args := func(lambda string) []string {
		return []string{"tune", table, "--quiet", "--trials", "3", "--learner", "kernel-ridge", "--lambda", lambda,
			"--checkpoint", state}
	}
	mustRun(t, args("1")...)
	mustRun(t, args("1")...)
	wantFailure(t, 3, "another", args("1e-6")...)
}

// TestCheckpointAfterKills kills trainings of all kinds several times, each time
// after a new state, and gives the same command again.
func TestCheckpointAfterKills(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts processes")
	}
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	lettersFile(t, in("letters.csv"), 600, 6)
	for _, c := range []struct {
		name string
		args []string
	}{
		{"pairs", []string{"--learner", "kernel-svm", "--kernel", "rbf(gamma=1)", "--C", "300", "--tolerance", "1e-5",
			"--calibrate", "none"}},
		{"pairs with choices", []string{"--learner", "kernel-svm", "--kernel", "rbf(gamma=1)"}},
		{"boost", []string{"--learner", "boost", "--kernel", "rbf(gamma=1)", "--dim", "100", "--rounds", "200",
			"--calibrate", "none"}},
		{"boost-halfspace", []string{"--learner", "boost-halfspace", "--kernel", "rbf(gamma=1)", "--dim", "100", "--rounds",
			"30", "--calibrate", "none"}},
		{"falkon", []string{"--learner", "falkon", "--kernel", "rbf(gamma=1)", "--dim", "300", "--lambda", "1e-7",
			"--calibrate", "none"}},
		{"kernel-sgd", []string{"--learner", "kernel-sgd", "--kernel", "rbf(gamma=1)", "--lambda", "1e-4", "--calibrate",
			"none"}},
		{"pegasos", []string{"--learner", "pegasos", "--kernel", "rbf(gamma=1)", "--dim", "100", "--C", "10", "--calibrate",
			"none"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			state := in(c.name + ".state")
			args := func(out string, more ...string) []string {
				return slices.Concat([]string{"train", in("letters.csv"), "--quiet", "-o", in(out)}, c.args, more)
			}
			mustRun(t, args("whole.kerf")...)
			kills := 0
			for range 3 {
				_ = os.Remove(in("part.kerf"))
				if killedAt(t, state, args("part.kerf", "--checkpoint", state)...) {
					kills++
				}
			}
			t.Logf("%d kills", kills)
			if stateOf(state) == nil {
				t.Fatal("there is no state")
			}
			mustRun(t, args("part.kerf", "--checkpoint", state, "--workers", "1")...)
			want, err := os.ReadFile(in("whole.kerf"))
			if err != nil {
				t.Fatal(err)
			}
			if got, err := os.ReadFile(in("part.kerf")); err != nil || !bytes.Equal(got, want) {
				t.Errorf("the model is another (%v)", err)
			}
			wantFailure(t, 3, "another", args("part.kerf", "--checkpoint", state, "--seed", "2")...)
		})
	}
}

// TestStreamCheckpoint kills a training from sums twenty times, and gives the same command
// again each time: the model is the same bytes as of one that was left alone.
func TestStreamCheckpoint(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts processes")
	}
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	lettersFile(t, in("letters.csv"), 9000, 3)
	for _, learner := range []string{"ridge", "svm"} {
		state := in(learner + ".state")
		args := func(out string, more ...string) []string {
			return slices.Concat([]string{"train", in("letters.csv"), "--quiet", "--stream", "--learner", learner, "--kernel",
				"rbf(gamma=1)", "--map", "f2", "--dim", "40", "-o", in(out)}, more)
		}
		mustRun(t, args("whole.kerf")...)
		want, err := os.ReadFile(in("whole.kerf"))
		if err != nil {
			t.Fatal(err)
		}
		killed := 0
		for range 10 {
			_ = os.Remove(in("part.kerf"))
			if killedAt(t, state, args("part.kerf", "--checkpoint", state)...) {
				killed++
			}
		}
		mustRun(t, args("part.kerf", "--checkpoint", state, "--workers", "1")...)
		if got, err := os.ReadFile(in("part.kerf")); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: the model is another after %d kills (%v)", learner, killed, err)
		}
		if killed == 0 {
			t.Errorf("%s was never killed", learner)
		}
		wantFailure(t, 3, "another", args("part.kerf", "--checkpoint", state, "--seed", "4")...)
	}
}
