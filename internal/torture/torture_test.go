//go:build unix

// Package torture attacks the whole program: arguments and files that are mutated
// together, kills at random moments, and models that are damaged on purpose.
//
//	make torture TIME=20m SEED=7 KILLS=1000 MODELS=5000
//
// Its tests alone do a little of each in a few seconds. Every fault is written to a
// folder of its own, with the files and a script that repeats it.
package torture

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

var (
	seconds = flag.Duration("time", 2*time.Second, "how long the whole program is fuzzed")
	seed    = flag.Uint64("seed", 1, "seed of all that is random")
	kills   = flag.Int("kills", 10, "how many runs are killed")
	models  = flag.Int("models", 60, "how many models are damaged")
	workers = flag.Int("jobs", 2, "how many runs go on at a time")
	folder  = flag.String("faults", "", "folder for what is found (default: a new one)")
	program = flag.String("kerf", "", "the program to attack (default: built from here)")
)

// kerf is the program, and home a folder for the test's files.
var kerf, home string

func TestMain(m *testing.M) {
	flag.Parse()
	var err error
	if home, err = os.MkdirTemp("", "kerf-torture-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if *folder == "" {
		*folder = filepath.Join(os.TempDir(), "kerf-faults")
	}
	if kerf = *program; kerf == "" {
		kerf = filepath.Join(home, "kerf")
		build := exec.Command("go", "build", "-o", kerf, "github.com/kerf-ml/kerf/cmd/kerf")
		if out, err := build.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "%s%v\n", out, err)
			os.Exit(1)
		}
	}
	status := m.Run()
	_ = os.RemoveAll(home)
	os.Exit(status)
}

// guard is how long a run may take before it is interrupted, and patience how long
// after that before it hangs: generous, as other programs may have the machine.
const (
	guard    = 20 * time.Second
	patience = 30 * time.Second
)

// result is what a run of the program came to.
type result struct {
	status         int  // -1 where a signal ended it
	long           bool // it was interrupted
	hangs          bool // it did not end then
	stdout, stderr []byte
}

// run runs the program in a folder, with little address space.
func run(dir string, stdin []byte, args ...string) result { return runFor(guard, dir, stdin, args...) }

// runFor is run with another guard.
func runFor(guard time.Duration, dir string, stdin []byte, args ...string) result {
	cmd, out, err := command(context.Background(), dir, args...)
	cmd.Stdin = bytes.NewReader(stdin)
	var r result
	if cmd.Start() != nil {
		return result{status: -1}
	}
	interrupt := time.AfterFunc(guard, func() { r.long = true; _ = cmd.Process.Signal(syscall.SIGINT) })
	end := time.AfterFunc(guard+patience, func() { r.hangs = true; _ = cmd.Process.Kill() })
	fault := cmd.Wait()
	interrupt.Stop()
	end.Stop()
	r.stdout, r.stderr = out.Bytes(), err.Bytes()
	var exit *exec.ExitError
	if errors.As(fault, &exit) {
		r.status = exit.ExitCode()
	}
	return r
}

// command is a run that has not begun.
func command(ctx context.Context, dir string, args ...string) (cmd *exec.Cmd, out, err *bytes.Buffer) {
	const limit = `ulimit -v 8000000; exec "$0" "$@"`
	cmd = exec.CommandContext(ctx, "sh", append([]string{"-c", limit, kerf}, args...)...)
	out, err = &bytes.Buffer{}, &bytes.Buffer{}
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = dir, out, err, patience
	return cmd, out, err
}

// files are the contents of a folder, by name.
type files map[string][]byte

// write puts files into a new folder.
func (f files) write() (string, error) {
	dir, err := os.MkdirTemp(home, "run-")
	for name, b := range f {
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), b, 0o600)
		}
	}
	return dir, err
}

// read returns the files of a folder.
func read(dir string) files {
	f := files{}
	entries, _ := os.ReadDir(dir) // a folder that is gone holds nothing
	for _, e := range entries {
		f[e.Name()], _ = os.ReadFile(filepath.Join(dir, e.Name()))
	}
	return f
}

// ledger counts runs by what became of them and keeps each kind of fault once.
type ledger struct {
	t     *testing.T
	mu    sync.Mutex
	runs  int
	count map[string]int
	seen  map[string]string // one message of each kind
}

func newLedger(t *testing.T) *ledger {
	return &ledger{t: t, count: map[string]int{}, seen: map[string]string{}}
}

// varying are the parts of a message by which faults of one kind differ.
var varying = regexp.MustCompile(`"[^"]*"|0x[0-9a-f]+|-?[0-9][0-9.e+]*|run-\d+`)

// note counts a run.
func (l *ledger) note(kind string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.runs++
	l.count[kind]++
}

// fault keeps a fault, with what repeats it.
func (l *ledger) fault(what string, before files, args []string, r result) {
	l.mu.Lock()
	defer l.mu.Unlock()
	kind := varying.ReplaceAllString(what+": "+args[0]+": "+tail(r.stderr, 300), "N")
	l.count["fault: "+what]++
	if _, ok := l.seen[kind]; ok {
		return
	}
	sum := sha256.Sum256([]byte(kind))
	dir := filepath.Join(*folder, fmt.Sprintf("%s-%x", args[0], sum[:4]))
	l.seen[kind] = dir
	err := os.MkdirAll(dir, 0o755)
	for name, b := range before {
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, name), b, 0o600))
	}
	var words []string
	for _, a := range args {
		words = append(words, "'"+strings.ReplaceAll(a, "'", `'\''`)+"'")
	}
	if _, ok := before["stdin"]; ok {
		words = append(words, "< stdin")
	}
	script := fmt.Sprintf("# %s; status %d\n# %s\nkerf %s\n", what, r.status,
		strings.ReplaceAll(tail(r.stderr, 500), "\n", "\n# "), strings.Join(words, " "))
	err = errors.Join(err, os.WriteFile(filepath.Join(dir, "repeat.sh"), []byte(script), 0o600))
	l.t.Errorf("%s: kerf %s: status %d, %.300q; see %s (%v)", what, strings.Join(args, " "), r.status, tail(r.stderr, 300),
		dir, err)
}

// report logs what became of the runs.
func (l *ledger) report() {
	for _, kind := range slices.Sorted(maps.Keys(l.count)) {
		l.t.Logf("%7d  %s", l.count[kind], kind)
	}
	l.t.Logf("%7d  runs, %d kinds of faults", l.runs, len(l.seen))
}

func tail(b []byte, n int) string { return string(b[max(0, len(b)-n):]) }

// each calls f with 0, 1, … from several goroutines until it returns false.
func each(f func(i uint64) bool) {
	var wait sync.WaitGroup
	var mu sync.Mutex
	next := uint64(0)
	for range *workers {
		wait.Go(func() {
			for {
				mu.Lock()
				i := next
				next++
				mu.Unlock()
				if !f(i) {
					return
				}
			}
		})
	}
	wait.Wait()
}
