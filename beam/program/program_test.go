package program_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kerf-ml/kerf/beam/engine"
	"github.com/kerf-ml/kerf/beam/flink"
	"github.com/kerf-ml/kerf/beam/program"
	"github.com/kerf-ml/kerf/cli"
)

// The test binary is the worker that Flink starts, too.
func TestMain(m *testing.M) {
	if os.Getenv(engine.WorkerVariable) != "" {
		if err := engine.Process(context.Background(), os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// kerf runs kerf on this machine, and beam on an engine.
func kerf(t *testing.T, args ...string) string {
	t.Helper()
	var out, faults bytes.Buffer
	if status := cli.Exec(context.Background(), args, nil, &out, &faults); status != 0 {
		t.Fatalf("kerf %v: %s", args, faults.String())
	}
	return out.String()
}

func beam(ctx context.Context, args ...string) (status int, out, faults string) {
	var a, b bytes.Buffer
	status = cli.ExecProgram(ctx, program.New(&a), args, nil, &a, &b)
	return status, a.String(), b.String()
}

func mustBeam(t *testing.T, args ...string) string {
	t.Helper()
	status, out, faults := beam(context.Background(), args...)
	if status != 0 {
		t.Fatalf("kerf-beam %v: %s", args, faults)
	}
	return out
}

// kinds are data of each kind, in files of several sizes, with the words to train on them.
var kinds = []struct {
	name, ending string
	header       string
	row          func(rng *rand.Rand, i int) string
	words        []string
}{
	{"vectors", ".csv", "a,b,y\n", func(rng *rand.Rand, i int) string {
		return fmt.Sprintf("%.4f,%.4f,%c\n", rng.NormFloat64()+2*float64(i%3), rng.NormFloat64(), 'p'+rune(i%3))
	}, []string{"--kernel", "rbf(gamma=0.5)", "--map", "f2", "--dim", "30", "--learner", "svm", "--C", "1"}},
	{"sparse", ".libsvm", "", func(rng *rand.Rand, i int) string {
		return fmt.Sprintf("%d %d:%.4f %d:1\n", 1-2*(i%2), 1+rng.IntN(10), rng.NormFloat64()+float64(i%2), 20+rng.IntN(20))
	}, []string{"--kernel", "rbf(gamma=0.1)", "--map", "f2", "--dim", "30", "--learner", "ridge"}},
	{"strings", ".txt", "", func(rng *rand.Rand, i int) string {
		text := []byte{"pq"[i%2], '\t'}
		for range 10 {
			text = append(text, "abcd"[rng.IntN(3)+i%2])
		}
		return string(append(text, '\n'))
	}, []string{"--kernel", "normalize(spectrum(k=2))", "--map", "f2", "--dim", "30", "--learner", "ridge"}},
}

// writeData writes files of a kind.
func writeData(t *testing.T, kind int, sizes ...int) string {
	t.Helper()
	dir, rng := t.TempDir(), rand.New(rand.NewPCG(7, 8))
	for k, n := range sizes {
		var b strings.Builder
		b.WriteString(kinds[kind].header)
		for i := range n {
			b.WriteString(kinds[kind].row(rng, i))
		}
		name := filepath.Join(dir, fmt.Sprintf("part-%d%s", k, kinds[kind].ending))
		if err := os.WriteFile(name, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// onFlink starts a cluster for the time of a test; where there is no Java it skips it.
func onFlink(t *testing.T, managers, slots int) *flink.Cluster {
	t.Helper()
	if testing.Short() {
		t.Skip("Flink is not for short tests")
	}
	if _, err := exec.LookPath("java"); err != nil {
		t.Skip("there is no java: Flink is not tested")
	}
	c, err := flink.Up(context.Background(), flink.Plan{Folder: filepath.Join(t.TempDir(), "cluster"),
		TaskManagers: managers, Slots: slots, Memory: 768}, func(text string) { t.Log(text) })
	if err != nil && strings.Contains(err.Error(), "mvn") {
		t.Skipf("Flink is not tested: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Down(); err != nil {
			t.Log(err)
		}
	})
	return c
}

func TestPrism(t *testing.T) {
	for kind := range kinds {
		t.Run(kinds[kind].name, func(t *testing.T) { compare(t, kind) })
	}
}

func TestFlink(t *testing.T) {
	c := onFlink(t, 0, 1)
	for kind := range kinds {
		t.Run(kinds[kind].name, func(t *testing.T) {
			compare(t, kind, "--runner", "flink", "--endpoint", c.Endpoint, "--parallelism", "2")
		})
	}
}

// compare does all that an engine does and what one machine does of the same data. The
// data of a single unit give the same bytes; those of several the same on any engine.
func compare(t *testing.T, kind int, on ...string) {
	out := t.TempDir()
	at := func(name string) string { return filepath.Join(out, name) }
	with := func(args ...string) []string { return append(args, on...) }
	one := writeData(t, kind, 600)
	words := append([]string{"train", one, "--holdout", "0.2", "-q"}, kinds[kind].words...)
	if len(on) == 0 {
		kerf(t, append(words, "--stream", "-o", at("one.kerf"))...)
		mustBeam(t, append(words, "-o", at("beam.kerf"))...)
		same(t, "the model of one unit", at("one.kerf"), at("beam.kerf"))
	}
	many := writeData(t, kind, 900, 40, 300)
	words[1] = many
	mustBeam(t, with(append(words, "--span", "100", "-o", at("many.kerf"))...)...)
	if len(on) > 0 {
		mustBeam(t, append(words, "--span", "100", "-o", at("prism.kerf"))...)
		same(t, "the model of many units", at("prism.kerf"), at("many.kerf"))
	}
	m := at("many.kerf")
	if a, b := kerf(t, "eval", m, many), mustBeam(t, with("eval", m, many, "--span", "100")...); a != b {
		t.Errorf("eval:\n%s\non the engine:\n%s", a, b)
	}
	kerf(t, "predict", m, many, "--scores", "-o", at("labels.txt"))
	mustBeam(t, with("predict", m, many, "--scores", "--span", "100", "-o", at("labels"))...)
	if a, b := content(t, at("labels.txt")), joined(t, at("labels")); a != b {
		t.Errorf("predictions differ: %d bytes, on the engine %d", len(a), len(b))
	}
	kerf(t, "map", m, many, "-o", at("features.libsvm"))
	mustBeam(t, with("map", m, many, "--span", "100", "-o", at("parts.libsvm"))...)
	if a, b := content(t, at("features.libsvm")), joined(t, at("parts.libsvm")); a != b {
		t.Errorf("features differ: %d bytes, on the engine %d", len(a), len(b))
	}
}

func content(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// joined returns the files of a folder one after the other.
func joined(t *testing.T, folder string) string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(folder, "part-*"))
	if err != nil || len(names) == 0 {
		t.Fatal(folder, err)
	}
	all := ""
	for _, name := range names {
		all += content(t, name)
	}
	return all
}

func same(t *testing.T, what, a, b string) {
	t.Helper()
	if content(t, a) != content(t, b) {
		t.Errorf("%s is another one", what)
	}
}

// A task manager is killed when some units are done, and the job ends with the same bytes.
func TestTaskManagerIsKilled(t *testing.T) {
	c := onFlink(t, 2, 2)
	data, out := writeData(t, 0, 6000, 6000), t.TempDir()
	words := []string{"train", data, "-q", "--span", "300", "--kernel", "rbf(gamma=0.5)", "--map", "f2", "--dim", "30",
		"--learner", "ridge"}
	mustBeam(t, append(words, "-o", filepath.Join(out, "prism.kerf"))...)
	staging := filepath.Join(out, "staging")
	ended := make(chan string, 1)
	go func() {
		status, _, faults := beam(context.Background(), append(words, "-o", filepath.Join(out, "flink.kerf"), "--staging",
			staging, "--runner", "flink", "--endpoint", c.Endpoint, "--parallelism", "2")...)
		ended <- fmt.Sprintf("%d %s", status, faults)
	}()
	killed := false
	for result := ""; result == ""; {
		select {
		case result = <-ended:
			if result != "0 " {
				t.Fatal(result)
			}
		case <-time.After(20 * time.Millisecond):
			done, _ := filepath.Glob(filepath.Join(staging, "survey-*", "unit-*.json"))
			if !killed && len(done) > 2 {
				killed = true
				if err := syscall.Kill(c.Processes[1].PID, syscall.SIGKILL); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if !killed {
		t.Error("the job was over before a task manager could be killed")
	}
	same(t, "the model", filepath.Join(out, "prism.kerf"), filepath.Join(out, "flink.kerf"))
	if left, _ := filepath.Glob(filepath.Join(staging, "*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestFaultsAreOneLine(t *testing.T) {
	data, out := writeData(t, 0, 100), t.TempDir()
	if err := os.WriteFile(filepath.Join(data, "part-1.csv"), []byte("a,b,y\n1,2\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	full := filepath.Join(out, "full")
	if err := os.MkdirAll(filepath.Join(full, "x"), 0o755); err != nil {
		t.Fatal(err)
	}
	model := filepath.Join(out, "m.kerf")
	kerf(t, append([]string{"train", filepath.Join(data, "part-0.csv"), "-q", "--stream", "-o", model},
		kinds[0].words...)...)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"train", data}, "part-1.csv:2"},
		{[]string{"train", filepath.Join(data, "none.csv")}, "there is no such file"},
		{[]string{"train", filepath.Join(data, "*.none")}, "no file matches"},
		{[]string{"train", "-"}, "pipe"},
		{[]string{"train", data, "--runner", "flink"}, "--endpoint"},
		{[]string{"train", data, "--runner", "moon"}, "moon"},
		{[]string{"train", data, "--endpoint", "localhost:1"}, "--endpoint"},
		{[]string{"train", data, "--learner", "kernel-svm"}, "ridge, svm, logistic and falkon"},
		{[]string{"predict", model, data}, "-o"},
		{[]string{"predict", model, data, "-o", full}, "there already"},
		{[]string{"predict", model, data, "-o", filepath.Join(out, "new")}, "part-1.csv:2"},
		{[]string{"map", "--fit", data, "-o", filepath.Join(out, "new")}, "--fit"},
		{[]string{"map", model, data, "-o", filepath.Join(out, "new.xyz")}, ".xyz"},
		{[]string{"cluster", "down", "--dir", out}, "no cluster"},
	} {
		status, _, faults := beam(context.Background(), append(c.args, "-q")...)
		if status == 0 || !strings.Contains(faults, c.want) || strings.Count(faults, "\n") != 1 {
			t.Errorf("%v: %d %q, want %q", c.args, status, faults, c.want)
		}
		if ofFlags := strings.Contains(faults, "--") && strings.Contains(fmt.Sprint(c.args), "--runner") ||
			strings.Contains(fmt.Sprint(c.args), "--endpoint"); ofFlags && status != 2 {
			t.Errorf("%v: %d %q, want status 2", c.args, status, faults)
		}
	}
	if _, err := os.Stat(filepath.Join(out, "new")); err == nil {
		t.Error("something was written")
	}
	status, text, faults := beam(context.Background(), "predict", model, data, "-o", filepath.Join(out, "new"),
		"--skip-bad", "1")
	if status != 0 || !strings.Contains(text, "100 rows in 1 files") || !strings.Contains(faults, "part-1.csv:2") {
		t.Errorf("%d %q %q", status, text, faults)
	}
}

// What was done before an interruption is there for the same command.
func TestInterruptedJobsGoOn(t *testing.T) {
	data, out := writeData(t, 0, 3000), t.TempDir()
	staging := filepath.Join(out, "staging")
	words := append([]string{"train", data, "-q", "--span", "100", "--staging", staging}, kinds[0].words...)
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		for {
			if done, _ := filepath.Glob(filepath.Join(staging, "survey-*", "unit-*.json")); len(done) > 0 {
				cancel()
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
	}()
	if status, _, faults := beam(ctx, append(words, "-o", filepath.Join(out, "never.kerf"))...); status != 130 {
		t.Fatalf("%d %s", status, faults)
	}
	mustBeam(t, append(words, "-o", filepath.Join(out, "again.kerf"))...)
	words = append(words[:5:5], kinds[0].words...)
	mustBeam(t, append(words, "-o", filepath.Join(out, "whole.kerf"))...)
	same(t, "the model", filepath.Join(out, "whole.kerf"), filepath.Join(out, "again.kerf"))
}
