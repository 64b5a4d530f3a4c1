package cli_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
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
	status, err := os.ReadFile("/proc/self/status")
	if path == "" || err != nil { // nobody asks, or the system does not say
		return
	}
	if err := os.WriteFile(path, highWater.FindSubmatch(status)[1], 0o600); err != nil {
		panic(err)
	}
}

// measured is a run of the program.
type measured struct {
	peak   float64 // bytes of resident memory; 0 where the system does not say
	status int
	out    string // on standard output
	said   string // on standard error
}

// measure runs the program, this test binary, and notes its peak.
func measure(t *testing.T, stdin io.Reader, args ...string) measured {
	t.Helper()
	program, err := exec.LookPath("kerf") // this test binary, by TestMain
	if err != nil {
		t.Fatal(err)
	}
	peak := filepath.Join(t.TempDir(), "peak")
	var out, said bytes.Buffer
	c := exec.CommandContext(t.Context(), program, args...)
	c.Env = append(os.Environ(), peakFile+"="+peak)
	c.Stdout, c.Stderr = &out, &said
	c.Stdin = stdin
	if err := c.Run(); err != nil && c.ProcessState == nil {
		t.Fatal(err)
	}
	m := measured{status: c.ProcessState.ExitCode(), out: out.String(), said: strings.TrimSpace(said.String())}
	if text, err := os.ReadFile(peak); err == nil {
		kib, _ := strconv.ParseFloat(string(text), 64)
		m.peak = 1024 * kib
	}
	return m
}

// wide writes a table of numbers.
func (g *grid) wide(t *testing.T, rows, cols int) string {
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
func (g *grid) sparse(t *testing.T, rows, cols, each int) string {
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
func (g *grid) texts(t *testing.T, rows int) string {
	t.Helper()
	path := filepath.Join(g.dir, "texts.txt")
	mustRun(t, "gen", "signatures", "--n", strconv.Itoa(rows), "-o", path)
	return path
}

// wholeGrid asks, in the environment, for all of the grid and a log of it: half an
// hour of work.
const wholeGrid = "KERF_TEST_MEMORY_GRID"

// TestMemoryBudget measures peaks of resident memory against budgets: a run stays
// within a tenth of its budget, or says in one line that it cannot.
func TestMemoryBudget(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts the program many times")
	}
	g := grid{dir: t.TempDir(), out: filepath.Join(t.TempDir(), "o.npy")}
	if os.Getenv(wholeGrid) != "" {
		g.whole(t)
		return
	}
	wide, sparse, texts := g.wide(t, 400, 1000), g.sparse(t, 4000, 20_000, 60), g.texts(t, 500)
	for _, c := range []struct {
		mib  int
		path string
		args []string
	}{
		{50, wide, []string{"train", "--kernel", "linear", "--C", "1"}},
		{50, wide, []string{"train", "--learner", "boost(rounds=5)"}},
		{60, sparse, []string{"map", "--fit", "--map", "f1", "--dim", "1000", "--kernel", "rbf(gamma=1)"}},
		{60, sparse, []string{"train", "--learner", "kernel-ridge(lambda=1)", "--kernel", "linear"}},
		{40, texts, []string{"train", "--as", "strings", "--learner", "kernel-ridge(lambda=1)"}},
		{40, wide, []string{"train"}},
	} {
		g.measure(t, c.mib, c.path, c.args)
	}
	if g.runs == g.refused {
		t.Error("no run had memory enough")
	}
}

// grid is runs of the program whose peaks are measured.
type grid struct {
	dir, out      string // folder of the data, and file to write features to
	runs, refused int
	above         int // runs that took more than 1.1 of their budget
	worst         float64
}

// measure checks one run.
func (g *grid) measure(t *testing.T, mib int, path string, command []string) {
	t.Helper()
	args := append([]string{command[0], path, "-q", "--max-memory", fmt.Sprint(mib, "MiB")}, command[1:]...)
	if command[0] == "map" {
		args = append(args, "-o", g.out)
	}
	begun := time.Now()
	m := measure(t, nil, args...)
	ratio := m.peak / float64(mib<<20)
	g.runs++
	if m.status != 0 {
		g.refused++
		if !strings.HasPrefix(m.said, "kerf: ") || strings.Contains(m.said, "\n") {
			t.Errorf("kerf %s said %q", strings.Join(args, " "), m.said)
		}
	} else if g.worst = max(g.worst, ratio); ratio > 1.1 {
		g.above++
		t.Errorf("kerf %s took %.2f of its budget", strings.Join(args, " "), ratio)
	}
	t.Logf("%5.2f %4d MiB status %d %5.1fs %s %s: %.200s", ratio, mib, m.status, time.Since(begun).Seconds(),
		filepath.Base(path), strings.Join(command, " "), m.said)
}

// whole measures maps and learners on data of all kinds.
func (g *grid) whole(t *testing.T) {
	files := []string{g.wide(t, 1000, 1500), g.sparse(t, 10_000, 100_000, 60), g.texts(t, 2000),
		dataSet(t, "ijcnn1.libsvm")}
	var commands [][]string
	for _, m := range []string{"f1", "f2", "f3", "fourier"} {
		commands = append(commands, []string{"map", "--fit", "--map", m, "--dim", "200"})
	}
	commands = append(commands, []string{"map", "--fit", "--map", "none"})
	for _, l := range []string{"svm", "ridge", "boost", "kernel-svm", "kernel-ridge", "falkon", "kernel-sgd"} {
		commands = append(commands, []string{"train", "--time", "3s", "--learner", l})
	}
	commands = append(commands, []string{"train", "--time", "3s", "--map", "f2", "--dim", "300"},
		[]string{"train", "--time", "3s", "--kernel", "linear"}, []string{"train", "--time", "3s"})
	for _, path := range files {
		for _, c := range commands {
			if strings.HasSuffix(path, ".txt") {
				c = append(slices.Clone(c), "--as", "strings")
			}
			for _, mib := range []int{50, 150, 300, 600} {
				g.measure(t, mib, path, c)
			}
		}
	}
	t.Logf("%d runs, %d refused, %d above 1.1, worst %.2f", g.runs, g.refused, g.above, g.worst)
}

// endless is a stream that ends nowhere.
type endless string

func (e endless) Read(p []byte) (n int, err error) {
	for n+len(e) <= len(p) {
		n += copy(p[n:], e)
	}
	return n, nil
}

// TestMemoryReading: whatever takes more memory than there may be stops in one line
// that says where, and not in the system's way.
func TestMemoryReading(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts the program many times")
	}
	dir := t.TempDir()
	bomb := packed(t, filepath.Join(dir, "bomb.csv.gz"), strings.Repeat("1,2\n", 3_000_000))
	array := writeFile(t, filepath.Join(dir, "a.npy"), []byte("\x93NUMPY\x01\x00\x46\x00"+
		"{'descr': '<f8', 'fortran_order': False, 'shape': (500000, 1000), }"+"  \n"))
	for _, c := range []struct {
		stdin io.Reader
		args  []string
		says  []string
	}{
		{nil, []string{"train", bomb, "--learner", "kernel-svm"}, []string{"bomb.csv.gz: line ", "unpacked from",
			"times as much", "budget is 64 MiB", "larger --max-memory", "fewer rows"}},
		{endless("1,2,3\n"), []string{"train", "-", "--learner", "kernel-svm"},
			[]string{"standard input: line ", "budget is 64 MiB"}},
		{endless("1 1:1 3:2\n"), []string{"train", "-", "--learner", "kernel-svm"},
			[]string{"standard input: line ", "budget is 64 MiB"}},
		{endless("a\tbcd efg\n"), []string{"train", "-", "--as", "strings", "--learner", "kernel-svm"},
			[]string{"standard input: line "}},
		{nil, []string{"map", "--fit", array, "-o", "x.csv"}, []string{"a.npy: an array of 500000000 values", "3.7 GiB"}},
		{nil, []string{"gen", "halfspace", "--dim", "500000000", "--n", "1"}, []string{"--dim", "64 MiB"}},
		{nil, []string{"gen", "baskets", "--dim", "500000000"}, []string{"--dim", "64 MiB"}},
		{nil, []string{"gen", "circle", "--n", "5000000000"}, []string{"--n", "64 MiB"}},
	} {
		m := measure(t, c.stdin, append(c.args, "--max-memory", "64MiB", "-q")...)
		if m.status != 1 || strings.Contains(m.said, "\n") || m.peak > 1.1*(64<<20) {
			t.Errorf("kerf %s: status %d, %.0f MiB: %.300s", strings.Join(c.args, " "), m.status, m.peak/(1<<20), m.said)
		}
		for _, part := range c.says {
			if !strings.Contains(m.said, part) {
				t.Errorf("kerf %s does not say %q: %s", strings.Join(c.args, " "), part, m.said)
			}
		}
	}
}

// packed writes a gzip file.
func packed(t *testing.T, path, content string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := io.WriteString(z, content); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return writeFile(t, path, b.Bytes())
}
