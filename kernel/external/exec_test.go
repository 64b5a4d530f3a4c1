package external_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/kernel/external"
	"github.com/kerf-ml/kerf/run"
)

var (
	_ kernel.Kernel[string]      = (*external.Exec[string])(nil)
	_ kernel.Blocks[data.Vector] = (*external.Exec[data.Vector])(nil)
	_ kernel.Blocks[data.Set]    = (*external.Wasm[data.Set])(nil)
)

// mode names the program that the test binary plays instead of running tests.
const mode = "KERF_EXTERNAL_TEST"

func TestMain(m *testing.M) {
	if name := os.Getenv(mode); name != "" {
		play(name)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// play is a program that speaks the protocol, or fails to in some way.
func play(name string) {
	if name == "dead" {
		fmt.Fprintln(os.Stderr, "first words\nno module named kernels")
		os.Exit(3)
	}
	if name == "greeting" {
		fmt.Println("ready to serve")
	}
	in := bufio.NewReader(os.Stdin)
	for request := 1; ; request++ {
		line, err := in.ReadBytes('\n')
		if err != nil {
			if name == "stays" {
				time.Sleep(time.Minute)
			}
			return
		}
		values, err := answer(line)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		misbehave(name, request, len(values))
		out, err := json.Marshal(values)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println(string(out))
		if name == "twice" {
			fmt.Println(string(out))
		}
	}
}

// misbehave does what the mode says instead of, or before, the right answer.
func misbehave(name string, request, pairs int) {
	switch {
	case name == "slow":
		time.Sleep(time.Minute)
	case name == "dies later" && request == 2:
		fmt.Fprintln(os.Stderr, "out of luck")
		os.Exit(1)
	case name == "quits" && request == 2:
		os.Exit(0)
	case name == "count":
		fmt.Println("[" + strings.Repeat("1,", pairs) + "1]")
		os.Exit(0)
	case name == "words":
		fmt.Println("one, two")
	case name == "text":
		fmt.Println(`["1"]`)
	case name == "nan":
		fmt.Println("[NaN]")
	case name == "null":
		fmt.Println("[null]")
	case name == "huge":
		fmt.Println("[1e999]")
	case name == "babbles":
		for {
			fmt.Print("1,1,1,1,1,1,1,1,")
		}
	case name == "closes":
		_ = os.Stdout.Close()
	}
}

// answer computes the values of a request: inner products of vectors, equal
// letters of strings at equal places, common items of sets.
func answer(line []byte) ([]float64, error) {
	var pairs [][2]json.RawMessage
	if err := json.Unmarshal(line, &pairs); err != nil {
		return nil, err
	}
	values := make([]float64, len(pairs))
	for i, p := range pairs {
		var s, t string
		var v, w []float64
		var a, b []string
		switch {
		case json.Unmarshal(p[0], &s) == nil && json.Unmarshal(p[1], &t) == nil:
			values[i] = equalLetters(s, t)
		case json.Unmarshal(p[0], &v) == nil && json.Unmarshal(p[1], &w) == nil:
			values[i] = data.Dense(v...).Dot(data.Dense(w...))
		case json.Unmarshal(p[0], &a) == nil && json.Unmarshal(p[1], &b) == nil:
			values[i] = float64(data.Set(a).Shared(data.Set(b)))
		default:
			return nil, fmt.Errorf("bad pair %s %s", p[0], p[1])
		}
	}
	return values, nil
}

func equalLetters(s, t string) float64 {
	n := 0.0
	for i := range min(len(s), len(t)) {
		if s[i] == t[i] {
			n++
		}
	}
	return n
}

// startMode starts the test binary as a program.
func startMode[T external.Instance](
	t *testing.T, ctx context.Context, name string, o external.ExecOptions,
) *external.Exec[T] {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(mode, name)
	k, err := external.NewExec[T](ctx, "'"+self+"'", o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = k.Close() })
	return k
}

// checkBlocks compares blocks of several sizes and single values with a function.
func checkBlocks[T any](t *testing.T, k interface {
	kernel.Kernel[T]
	kernel.Blocks[T]
	Err() error
}, x []T, want func(x, y T) float64) {
	t.Helper()
	for _, n := range []int{0, 1, 3, len(x)} {
		for _, m := range []int{0, 1, 2, len(x)} {
			dst := make([]float64, n*m)
			for i := range dst {
				dst[i] = math.NaN()
			}
			if err := k.EvalBlock(dst, x[:n], x[len(x)-m:]); err != nil {
				t.Fatal(err)
			}
			for i := range n {
				for j := range m {
					if got, want := dst[i*m+j], want(x[i], x[len(x)-m+j]); got != want {
						t.Fatalf("%d × %d: K(%v, %v) = %v, want %v", n, m, x[i], x[len(x)-m+j], got, want)
					}
				}
			}
		}
	}
	for i := range x {
		if got, want := k.Eval(x[i], x[0]), want(x[i], x[0]); got != want {
			t.Fatalf("K(%v, %v) = %v, want %v", x[i], x[0], got, want)
		}
	}
	if err := k.Err(); err != nil {
		t.Errorf("fault %v", err)
	}
}

func someVectors() []data.Vector {
	x := []data.Vector{
		{}, data.Dense(0), data.Dense(1, 2, 3), data.Dense(-1e-300, 0.1, 1e100, 7), {Index: []int32{}}, {Index: []int32{2, 5},
			Value: []float64{4, -0.5}},
	}
	for i := range 40 {
		x = append(x, data.Dense(float64(i), float64(-i), 0.25))
	}
	return x
}

func someStrings() []string {
	return []string{"", "a", "ACGT", "ACCT", "line\nend\ttab", `"quoted" \ <&>`, "café \U0001f600", "\x00\x1f"}
}

func someSets() []data.Set {
	return []data.Set{nil, data.NewSet("a"), data.NewSet("milk", "whole bread", "a"), data.NewSet("", `"`, "a"),
		data.NewSet("whole bread", "é")}
}

func TestExec(t *testing.T) {
	t.Run("vectors", func(t *testing.T) {
		checkBlocks(t, startMode[data.Vector](t, t.Context(), "good", external.ExecOptions{}), someVectors(), data.Vector.Dot)
	})
	t.Run("strings", func(t *testing.T) {
		checkBlocks(t, startMode[string](t, t.Context(), "good", external.ExecOptions{}), someStrings(), equalLetters)
	})
	t.Run("sets", func(t *testing.T) {
		checkBlocks(t, startMode[data.Set](t, t.Context(), "good", external.ExecOptions{}), someSets(),
			func(x, y data.Set) float64 { return float64(x.Shared(y)) })
	})
}

// TestExecManyRequests has blocks of more than one request, by pairs and by bytes.
func TestExecManyRequests(t *testing.T) {
	k := startMode[string](t, t.Context(), "good", external.ExecOptions{})
	x := make([]string, 50)
	for i := range x {
		x[i] = strings.Repeat("ab"[i%2:i%2+1], 1+i*20)
	}
	long := []string{strings.Repeat("a", 1<<20), strings.Repeat("b", 1<<20), "ab"}
	for _, block := range [][]string{x, long} {
		dst := make([]float64, len(block)*len(block))
		if err := k.EvalBlock(dst, block, block); err != nil {
			t.Fatal(err)
		}
		for i := range block {
			for j := range block {
				if got, want := dst[i*len(block)+j], equalLetters(block[i], block[j]); got != want {
					t.Fatalf("value %d, %d is %v, want %v", i, j, got, want)
				}
			}
		}
	}
	if err := k.Close(); err != nil {
		t.Error(err)
	}
}

func TestExecConcurrent(t *testing.T) {
	k := startMode[string](t, t.Context(), "good", external.ExecOptions{})
	x := someStrings()
	err := par.For(t.Context(), run.Control{Workers: 4}, "", 200, func(i int) error {
		dst := make([]float64, len(x))
		if err := k.EvalBlock(dst, x[i%len(x):i%len(x)+1], x); err != nil {
			return err
		}
		for j := range x {
			if want := equalLetters(x[i%len(x)], x[j]); dst[j] != want || k.Eval(x[j], x[0]) != equalLetters(x[j], x[0]) {
				return fmt.Errorf("K = %v, want %v", dst[j], want)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestExecFaults(t *testing.T) {
	for _, c := range []struct {
		mode string
		want []string
	}{
		{"dead", []string{"ended without an answer: exit status 3", "no module named kernels"}},
		{"dies later", []string{"exit status 1", "out of luck"}},
		{"quits", []string{"exit status 0"}},
		{"greeting", []string{`answered "ready to serve", which is no array of numbers`}},
		{"words", []string{`answered "one, two", which is no array`}},
		{"count", []string{"answered 2 numbers for 1 pairs"}},
		{"text", []string{`answered "\"1\"" as value 1, which is no finite number`}},
		{"nan", []string{`"NaN" as value 1`}},
		{"null", []string{`"null" as value 1`}},
		{"huge", []string{`"1e999" as value 1`}},
		{"babbles", []string{"much longer"}},
		{"slow", []string{"gave no answer to 1 pairs within 300ms"}},
		{"twice", []string{"more than one line"}},
	} {
		t.Run(c.mode, func(t *testing.T) {
			o := external.ExecOptions{}
			if c.mode == "slow" {
				o.Timeout = 300 * time.Millisecond
			}
			k := startMode[string](t, t.Context(), c.mode, o)
			begun := time.Now()
			var value float64
			for range 5 { // some fault at the second request, or a little later
				value = k.Eval("a", "a")
				time.Sleep(time.Millisecond)
			}
			err := k.Err()
			if !math.IsNaN(value) || err == nil {
				t.Fatalf("value %v, error %v", value, err)
			}
			var input *data.InputError
			if !errors.As(err, &input) || input.File != k.String() || !strings.HasPrefix(input.File, "exec:") {
				t.Errorf("error %v names %q", err, k)
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %v lacks %s", err, want)
				}
			}
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("error of several lines: %q", err)
			}
			if again := k.EvalBlock(make([]float64, 1), []string{"a"}, []string{"a"}); again != err {
				t.Errorf("error %v, then %v", err, again)
			}
			if k.Close() != err {
				t.Errorf("Close does not return the fault")
			}
			if took := time.Since(begun); took > 3*time.Second {
				t.Errorf("it took %v", took)
			}
		})
	}
}

// TestExecMoreThanAsked has a program that answers twice, but too late for the
// second answer to be seen before the kernel is closed.
func TestExecMoreThanAsked(t *testing.T) {
	k := startMode[string](t, t.Context(), "twice", external.ExecOptions{})
	_ = k.Eval("a", "a")
	if err := k.Close(); err == nil || !strings.Contains(err.Error(), "more than one line") {
		t.Errorf("error %v", err)
	}
}

func TestExecClose(t *testing.T) {
	for _, name := range []string{"good", "stays"} {
		k := startMode[string](t, t.Context(), name, external.ExecOptions{})
		if v := k.Eval("a", "a"); v != 1 {
			t.Errorf("value %v, %v", v, k.Err())
		}
		begun := time.Now()
		for range 2 {
			if err := k.Close(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if took := time.Since(begun); took > 4*time.Second {
			t.Errorf("%s: it took %v", name, took)
		}
		if v := k.Eval("a", "a"); !math.IsNaN(v) || k.Err() == nil {
			t.Errorf("%s: a closed kernel gives %v, %v", name, v, k.Err())
		}
	}
}

func TestExecCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	k := startMode[string](t, ctx, "slow", external.ExecOptions{})
	time.AfterFunc(50*time.Millisecond, cancel)
	begun := time.Now()
	err := k.EvalBlock(make([]float64, 1), []string{"a"}, []string{"a"})
	if !errors.Is(err, context.Canceled) || !errors.Is(k.Err(), context.Canceled) || !math.IsNaN(k.Eval("a", "a")) {
		t.Errorf("error %v, %v", err, k.Err())
	}
	if took := time.Since(begun); took > time.Second {
		t.Errorf("it took %v", took)
	}
	if _, err := external.NewExec[string](ctx, "sh", external.ExecOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestExecCannotStart(t *testing.T) {
	for command, want := range map[string]string{
		"":                        "names no program",
		"'open":                   "never closed",
		"no-such-program-of-kerf": "cannot be started",
		"./no-such-file":          "cannot be started",
	} {
		k, err := external.NewExec[string](t.Context(), command, external.ExecOptions{})
		var input *data.InputError
		if !errors.As(err, &input) || !strings.Contains(err.Error(), want) || input.File != "exec:"+command ||
			input.Advice == "" {
			t.Errorf("%q: %v, %v", command, k, err)
		}
	}
}

// TestExecBadInstance has a vector that JSON cannot hold; the kernel goes on.
func TestExecBadInstance(t *testing.T) {
	k := startMode[data.Vector](t, t.Context(), "good", external.ExecOptions{})
	if v := k.Eval(data.Dense(math.NaN()), data.Dense(1)); !math.IsNaN(v) {
		t.Errorf("value %v", v)
	}
	if err := k.EvalBlock(make([]float64, 1), []data.Vector{data.Dense(1)},
		[]data.Vector{data.Dense(math.Inf(1))}); err == nil {
		t.Error("no error")
	}
	if v := k.Eval(data.Dense(2), data.Dense(3)); v != 6 || k.Err() != nil {
		t.Errorf("value %v, %v", v, k.Err())
	}
	defer func() {
		if recover() == nil {
			t.Error("no panic for a block of the wrong size")
		}
	}()
	_ = k.EvalBlock(make([]float64, 2), someVectors()[:1], someVectors()[:1])
}

// TestExecStartedPrograms has a shell that starts another program and ends with
// it: a timeout must not wait for the one that was started.
func TestExecStartedPrograms(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("there is no sh here")
	}
	k, err := external.NewExec[string](t.Context(), `sh -c 'sleep 60; echo "[1]"'`,
		external.ExecOptions{Timeout: 100 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	if v := k.Eval("a", "a"); !math.IsNaN(v) || !strings.Contains(k.Err().Error(), "within 100ms") {
		t.Errorf("value %v, %v", v, k.Err())
	}
	_ = k.Close()
	if took := time.Since(begun); took > 1500*time.Millisecond {
		t.Errorf("it took %v", took)
	}
}

// TestExamples runs the programs of the guide.
func TestExamples(t *testing.T) {
	folder := filepath.Join("..", "..", "docs", "guide", "external")
	x := []data.Vector{data.Dense(1, 2), data.Dense(0.5, -1.25, 3), data.Dense(0),
		{Index: []int32{1, 2}, Value: []float64{2, 2}}}
	for _, c := range []struct {
		program, command string
		want             func(x, y data.Vector) float64
	}{
		{"python3", "python3 " + filepath.Join(folder, "kernel.py") + " 0.5", kernel.Gaussian{Gamma: 0.5}.Eval},
		{"sh", "sh " + filepath.Join(folder, "kernel.sh"), data.Vector.Dot},
	} {
		t.Run(c.program, func(t *testing.T) {
			if _, err := exec.LookPath(c.program); err != nil {
				t.Skipf("there is no %s here", c.program)
			}
			if c.program == "sh" {
				if _, err := exec.LookPath("awk"); err != nil {
					t.Skip("there is no awk here")
				}
			}
			k, err := external.NewExec[data.Vector](t.Context(), c.command, external.ExecOptions{})
			if err != nil {
				t.Fatal(err)
			}
			dst := make([]float64, len(x)*len(x))
			for range 2 {
				if err := k.EvalBlock(dst, x, x); err != nil {
					t.Fatal(err)
				}
			}
			for i := range x {
				for j := range x {
					// Python's exp may differ in the last bit.
					if got, want := dst[i*len(x)+j], c.want(x[i], x[j]); math.Abs(got-want) > 1e-15*math.Max(1, math.Abs(want)) {
						t.Errorf("K(%v, %v) = %v, want %v", x[i], x[j], got, want)
					}
				}
			}
			if err := k.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestSplitCommand(t *testing.T) {
	for _, c := range []struct {
		command string
		want    []string // nil for an error
	}{
		{"python3 kernel.py", []string{"python3", "kernel.py"}},
		{"  a \t b  ", []string{"a", "b"}},
		{`'a b' "c d"e f\ g`, []string{"a b", "c de", "f g"}},
		{`a '' ""`, []string{"a", "", ""}},
		{`a '\' "\"\\"`, []string{"a", `\`, `"\`}},
		{"'' a", nil}, {"", nil}, {"  ", nil}, {"a 'b", nil}, {`a "b`, nil}, {`a\`, nil},
	} {
		got, err := external.SplitCommand(c.command)
		if !slices.Equal(got, c.want) || (err == nil) != (c.want != nil) {
			t.Errorf("%q: %q, %v", c.command, got, err)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringMatching(`[a-z'"\\ $é]{0,5}`), 1, 4).Draw(t, "words")
		words[0] += "x"
		var quoted []string
		for _, w := range words {
			quoted = append(quoted, `"`+strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(w)+`"`)
		}
		got, err := external.SplitCommand(strings.Join(quoted, " "))
		if err != nil || !slices.Equal(got, words) {
			t.Fatalf("%q: %q, %v", quoted, got, err)
		}
	})
}

func BenchmarkExec(b *testing.B) {
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	b.Setenv(mode, "good")
	k, err := external.NewExec[string](b.Context(), "'"+self+"'", external.ExecOptions{})
	if err != nil {
		b.Fatal(err)
	}
	defer k.Close()
	x := slices.Repeat([]string{"ACGTACGT"}, 32)
	b.Run("pairs=1", func(b *testing.B) {
		for b.Loop() {
			_ = k.Eval(x[0], x[1])
		}
	})
	b.Run("pairs=1024", func(b *testing.B) {
		dst := make([]float64, len(x)*len(x))
		for b.Loop() {
			if err := k.EvalBlock(dst, x, x); err != nil {
				b.Fatal(err)
			}
		}
	})
}
