package cli_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// peakFile names, in the environment of a program that a test starts, the file to
// which it writes its peak of resident memory.
const peakFile = "KERF_TEST_PEAK"

var highWater = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)

// writePeak writes the peak of this process in bytes to where peakFile says.
func writePeak() {
	path := os.Getenv(peakFile)
	if path == "" {
		return
	}
	status, err := os.ReadFile("/proc/self/status")
	if err == nil {
		err = os.WriteFile(path, highWater.FindSubmatch(status)[1], 0o600)
	}
	if err != nil {
		panic(err)
	}
}

// measured is a run of the program.
type measured struct {
	peak   float64 // bytes
	status int
	said   string // on standard error
}

// measure runs the program, this test binary, and notes its peak.
func measure(t *testing.T, stdin *bytes.Reader, args ...string) measured {
	t.Helper()
	program, err := exec.LookPath("kerf") // this test binary, by TestMain
	if err != nil {
		t.Fatal(err)
	}
	peak := filepath.Join(t.TempDir(), "peak")
	var said bytes.Buffer
	c := exec.CommandContext(t.Context(), program, args...)
	c.Env = append(os.Environ(), peakFile+"="+peak)
	c.Stderr = &said
	if stdin != nil {
		c.Stdin = stdin
	}
	if err := c.Run(); err != nil && c.ProcessState == nil {
		t.Fatal(err)
	}
	m := measured{status: c.ProcessState.ExitCode(), said: strings.TrimSpace(said.String())}
	if text, err := os.ReadFile(peak); err == nil {
		kib, _ := strconv.ParseFloat(string(text), 64)
		m.peak = 1024 * kib
	}
	return m
}

// grid is the commands and data whose peaks are measured.
type grid struct{ dir string }

// wide writes a table of numbers.
func (g grid) wide(t *testing.T, rows, cols int) string {
	t.Helper()
	var b bytes.Buffer
	r := rand.New(rand.NewPCG(1, 2))
	for i := range rows {
		for range cols {
			fmt.Fprintf(&b, "%.4f,", r.NormFloat64()+float64(i%2)/10)
		}
		fmt.Fprintf(&b, "c%d\n", i%2)
	}
	return writeFile(t, filepath.Join(g.dir, "wide.csv"), b.Bytes())
}

// sparse writes LIBSVM data.
func (g grid) sparse(t *testing.T, rows, cols, each int) string {
	t.Helper()
	var b bytes.Buffer
	r := rand.New(rand.NewPCG(1, 3))
	for i := range rows {
		fmt.Fprint(&b, 1-2*(i%2))
		for at, k := 0, 0; k < each; k++ {
			at += 1 + r.IntN(cols/each)
			fmt.Fprintf(&b, " %d:%.3f", at, r.Float64()+float64(i%2)/10)
		}
		b.WriteByte('\n')
	}
	return writeFile(t, filepath.Join(g.dir, "sparse.libsvm"), b.Bytes())
}

// texts writes strings with labels.
func (g grid) texts(t *testing.T, rows int) string {
	t.Helper()
	path := filepath.Join(g.dir, "texts.txt")
	mustRun(t, "gen", "signatures", "--n", strconv.Itoa(rows), "-o", path)
	return path
}

// full asks for all of the grid, whose table is logged: minutes of work.
const full = "KERF_TEST_MEMORY_GRID"

// TestMemoryGrid measures peaks of resident memory against budgets: a run stays
// within a tenth of its budget, or says in one line that it cannot.
func TestMemoryGrid(t *testing.T) {
	if os.Getenv(full) == "" {
		t.Skip("set " + full + "=1 to run the whole grid")
	}
	g := grid{t.TempDir()}
	files := []string{g.wide(t, 1000, 1500), g.sparse(t, 10_000, 100_000, 60), g.texts(t, 2000),
		dataSet(t, "ijcnn1.libsvm")}
	out := filepath.Join(g.dir, "o.npy")
	var commands [][]string
	for _, m := range []string{"f1", "f2", "f3", "fourier", "none"} {
		commands = append(commands, []string{"map", "--fit", "--map", m, "--dim", "200", "-o", out})
	}
	for _, l := range []string{"svm", "ridge", "boost", "kernel-svm", "kernel-ridge", "falkon", "kernel-sgd"} {
		commands = append(commands, []string{"train", "--learner", l, "--time", "3s"})
	}
	commands = append(commands, []string{"train", "--map", "f2", "--dim", "300", "--time", "3s"},
		[]string{"train", "--kernel", "linear", "--time", "3s"}, []string{"train", "--time", "3s"})
	runs, above, worst, refused := 0, 0, 0.0, 0
	for _, path := range files {
		for _, c := range commands {
			for _, mib := range []int{50, 150, 300, 600} {
				args := append(append([]string{c[0], path}, c[1:]...), "--max-memory", fmt.Sprint(mib, "MiB"), "-q")
				if strings.HasSuffix(path, ".txt") {
					args = append(args, "--as", "strings")
				}
				begun := time.Now()
				m := measure(t, nil, args...)
				ratio := m.peak / float64(mib<<20)
				name := filepath.Base(path) + " " + strings.Join(c, " ")
				t.Logf("%5.2f %4d MiB status %d %5.1fs %s: %.100s", ratio, mib, m.status, time.Since(begun).Seconds(), name, m.said)
				switch runs++; {
				case m.status != 0:
					refused++
				case ratio > 1.1:
					above++
				}
				if m.status == 0 {
					worst = max(worst, ratio)
				}
			}
		}
	}
	t.Logf("%d runs, %d refused, %d above 1.1, worst %.2f", runs, refused, above, worst)
	if above > 0 {
		t.Errorf("%d runs took more than 1.1 of their budget", above)
	}
}

// packed writes a gzip file.
func packed(t *testing.T, path string, fill func(w *bufio.Writer)) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := bufio.NewWriter(z)
	fill(w)
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return writeFile(t, path, b.Bytes())
}
