package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// playing says that the test binary is to be the program itself.
const playing = "KERF_TEST_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(playing) != "" {
		main()
	}
	os.Exit(m.Run())
}

// TestStreams runs the program with streams that cannot be written to: whatever
// becomes of the words, the exit status is right, and what was not written to
// standard output was not done.
func TestStreams(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("there is no sh here")
	}
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("there is no full device here")
	}
	dir := t.TempDir()
	none := filepath.Join(dir, "none.csv")
	for _, c := range []struct {
		name string
		args []string
		want int // with a standard output that takes everything
	}{
		{"result", []string{"plan", "--margin", "0.1", "--error", "0.1", "--confidence", "0.9"}, 0},
		{"object", []string{"version", "--json"}, 0},
		{"rows", []string{"gen", "circle", "--n", "5000"}, 0},
		{"help", []string{"--help"}, 0},
		{"help of a command", []string{"help", "train"}, 0},
		{"input", []string{"train", none}, 3},
		{"usage", []string{"train", none, "--nosuch"}, 2},
		{"command", []string{"nosuch"}, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			for redirect, lost := range map[string]bool{
				"2>&-":                          false,
				">/dev/null 2>&-":               false,
				"2>/dev/full":                   false,
				"2>&1 >/dev/null | sleep 0":     false,
				">/dev/full":                    true,
				">/dev/full 2>/dev/full":        true,
				">/dev/full 2>&-":               true,
				"2>/dev/null | sleep 0":         true,
				"< /dev/null > /dev/full 2>&1":  true,
				"2>/dev/full | cat > /dev/null": false,
			} {
				want := c.want
				if lost && want == 0 {
					want = 1
				}
				if got := status(t, redirect, c.args); got != want {
					t.Errorf("kerf … %s: exit status %d, want %d", redirect, got, want)
				}
			}
		})
	}
}

// TestInterrupted interrupts the program while a kernel does not answer, which has
// half a minute for it: it ends long before, and leaves no file behind.
func TestInterrupted(t *testing.T) {
	if _, err := exec.LookPath("sleep"); err != nil {
		t.Skip("there is no sleep here")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	table := filepath.Join(dir, "t.csv")
	if err := os.WriteFile(table, []byte("x,label\n1,a\n2,b\n3,a\n4,b\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "out.csv")
	cmd := exec.Command(self, "map", "--fit", table, "--kernel", "exec:sleep 20", "-q", "-o", out)
	cmd.Env = append(os.Environ(), playing+"=1")
	var said strings.Builder
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(300 * time.Millisecond)
	begun := time.Now()
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // the status tells
	if got := cmd.ProcessState.ExitCode(); got != 130 || said.String() != "kerf: interrupted\n" {
		t.Errorf("exit status %d: %q", got, said.String())
	}
	if took := time.Since(begun); took > 15*time.Second {
		t.Errorf("it took %v to stop", took)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("%v is left behind (%v)", left, err)
	}
}

// TestNoRoom has a file that may not grow: one line that names it, and nothing left.
func TestNoRoom(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("there is no sh here")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cmd := exec.Command("sh", "-c", `ulimit -f 1; exec "$0" gen circle --n 50000 -o out.csv`, self)
	cmd.Env, cmd.Dir = append(os.Environ(), playing+"=1"), dir
	said, _ := cmd.CombinedOutput() // the status tells
	if got := cmd.ProcessState.ExitCode(); got != 1 || string(said) != "kerf: write out.csv: file too large\n" {
		t.Errorf("exit status %d: %q", got, said)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("%v is left behind (%v)", left, err)
	}
}

// TestAddressSpace has little address space, which the machine's free memory does
// not tell: one line, and no dump of the runtime.
func TestAddressSpace(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector, which runs with -short, takes more address space by itself")
	}
	if _, err := os.Stat("/proc/self/limits"); err != nil {
		t.Skip("the system does not say what the limits of a process are")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-c", `ulimit -v 3000000; exec "$0" gen circle --n 2147483647`, self)
	cmd.Env, cmd.Dir = append(os.Environ(), playing+"=1"), t.TempDir()
	said, _ := cmd.CombinedOutput() // the status tells
	if got := cmd.ProcessState.ExitCode(); got != 1 || strings.Count(string(said), "\n") != 1 {
		t.Errorf("exit status %d: %.300q", got, said)
	}
}

// status runs the program in a shell, with its streams led elsewhere, and returns
// its exit status. A reader behind a pipe is gone before the program starts.
func status(t *testing.T, redirect string, args []string) int {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "status")
	script := `{ case "$REDIRECT" in *sleep*) sleep 0.1;; esac; "$0" "$@"; echo $? >"$FILE"; } ` + redirect
	cmd := exec.Command("sh", append([]string{"-c", script, self}, args...)...)
	cmd.Env = append(os.Environ(), playing+"=1", "FILE="+file, "REDIRECT="+redirect)
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, c := range b {
		if c >= '0' && c <= '9' {
			n = 10*n + int(c-'0')
		}
	}
	return n
}
