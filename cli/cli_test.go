package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/kerf-ml/kerf/cli"
)

// TestMain makes the whole program the command kerf of the scripts.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"kerf": func() {
			status := cli.Exec(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
			writePeak()
			os.Exit(status)
		},
	})
}

// TestScripts runs testdata/script/*.txtar. Besides the commands of testscript
// they have
//
//	kerf ARGUMENT…               runs the program, which must succeed
//	fails STATUS ARGUMENT…       runs the program, which must exit with the status,
//	                             write one line "kerf: …" to standard error and
//	                             nothing to standard output
//	json FILE KEY OP VALUE       compares a value of the one JSON object in a file;
//	                             OP is ==, !=, <=, >=; a KEY a.b is key b of object a,
//	                             a.0 element 0 of list a, a.len its length
//	json FILE KEY                asks only that the key is there
//	alike FILE FILE [KEY…]       compares two JSON objects, the named keys aside
//	lines FILE N                 counts the lines of a file
//
// where FILE may be stdout or stderr, as left by the last program.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireUniqueNames:  true,
		RequireExplicitExec: false,
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"fails": scriptFails,
			"json":  scriptJSON,
			"alike": scriptAlike,
			"lines": scriptLines,
		},
	})
}

func scriptFails(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: fails STATUS ARGUMENT…")
	}
	err := ts.Exec("kerf", args[1:]...)
	status := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		status = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if want, _ := strconv.Atoi(args[0]); status != want {
		ts.Fatalf("the exit status is %d, want %d", status, want)
	}
	if fault := wrongFailure(ts.ReadFile("stdout"), ts.ReadFile("stderr")); fault != "" {
		ts.Fatalf("%s", fault)
	}
}

var stackTrace = regexp.MustCompile(`goroutine \d+|panic:|\.go:\d+`)

// wrongFailure says what is wrong with the output of a program that failed;
// it returns "" for one line "kerf: …" on standard error, warnings and lines of
// progress aside, and nothing on standard output.
func wrongFailure(stdout, stderr string) string {
	if stdout != "" {
		return fmt.Sprintf("a failed program wrote to standard output: %.200q", stdout)
	}
	if stackTrace.MatchString(stderr) {
		return fmt.Sprintf("a stack trace: %.500s", stderr)
	}
	var lines []string
	for line := range strings.Lines(stderr) {
		if !strings.HasPrefix(line, "kerf: warning: ") && !strings.HasPrefix(line, "kerf: note: ") {
			lines = append(lines, line)
		}
	}
	if len(lines) != 1 || !strings.HasPrefix(lines[0], "kerf: ") || !strings.HasSuffix(lines[0], "\n") ||
		len(lines[0]) < len("kerf: x\n") {
		return fmt.Sprintf("standard error is not one line \"kerf: …\": %.500q", stderr)
	}
	if len(lines[0]) > 1000 {
		return fmt.Sprintf("the message has %d bytes: %.200s…", len(lines[0]), lines[0])
	}
	return ""
}

// object returns the one JSON object that the text holds.
func object(text string) (map[string]any, error) {
	d := json.NewDecoder(strings.NewReader(text))
	var o map[string]any
	if err := d.Decode(&o); err != nil {
		return nil, fmt.Errorf("no JSON object: %w: %.200q", err, text)
	}
	if d.More() {
		return nil, fmt.Errorf("there is more than one JSON object: %.200q", text)
	}
	return o, nil
}

// find returns the value at a path such as test.error.
func find(v any, path string) (any, error) {
	for key := range strings.SplitSeq(path, ".") {
		switch inner := v.(type) {
		case map[string]any:
			next, ok := inner[key]
			if !ok {
				return nil, fmt.Errorf("there is no key %s", path)
			}
			v = next
		case []any:
			if key == "len" {
				v = float64(len(inner))
				continue
			}
			i, err := strconv.Atoi(key)
			if err != nil || i < 0 || i >= len(inner) {
				return nil, fmt.Errorf("there is no element %s of %d", path, len(inner))
			}
			v = inner[i]
		default:
			return nil, fmt.Errorf("%s: %v is no object", path, v)
		}
	}
	return v, nil
}

func scriptJSON(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 && len(args) != 4 {
		ts.Fatalf("usage: json FILE KEY [OP VALUE]")
	}
	o, err := object(ts.ReadFile(args[0]))
	ts.Check(err)
	got, err := find(o, args[1])
	ts.Check(err)
	if len(args) == 2 {
		return
	}
	var want any
	if json.Unmarshal([]byte(args[3]), &want) != nil {
		want = args[3]
	}
	holds := false
	switch a, b := number(got), number(want); args[2] {
	case "==":
		holds = reflect.DeepEqual(got, want)
	case "!=":
		holds = !reflect.DeepEqual(got, want)
	case "<=":
		holds = a <= b
	case ">=":
		holds = a >= b
	default:
		ts.Fatalf("unknown comparison %q", args[2])
	}
	if !holds {
		ts.Fatalf("%s is %v, want %s %s", args[1], got, args[2], args[3])
	}
}

// number returns a JSON number, and NaN, which compares to nothing, otherwise.
func number(v any) float64 {
	if f, ok := v.(float64); ok {
		return f
	}
	f, _ := strconv.ParseFloat("nan", 64)
	return f
}

func scriptAlike(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: alike FILE FILE [KEY…]")
	}
	var both [2]map[string]any
	for i := range both {
		o, err := object(ts.ReadFile(args[i]))
		ts.Check(err)
		for _, key := range args[2:] {
			delete(o, key)
		}
		both[i] = o
	}
	for key, v := range both[0] {
		if !reflect.DeepEqual(v, both[1][key]) {
			ts.Fatalf("%s is %v and %v", key, v, both[1][key])
		}
	}
	if len(both[0]) != len(both[1]) {
		ts.Fatalf("%d keys and %d keys", len(both[0]), len(both[1]))
	}
}

func scriptLines(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: lines FILE N")
	}
	if n := strings.Count(ts.ReadFile(args[0]), "\n"); strconv.Itoa(n) != args[1] {
		ts.Fatalf("%s has %d lines, want %s", args[0], n, args[1])
	}
}

// kerf runs the program in this process.
func kerf(t testing.TB, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	status = cli.Exec(t.Context(), quickly(args), strings.NewReader(""), &out, &err)
	return status, out.String(), err.String()
}

// quickly returns the arguments with the least effort where none is named: tests of the
// other flags need not wait for a search, which has tests of its own.
func quickly(args []string) []string {
	if len(args) == 0 || args[0] != "train" || slices.ContainsFunc(args, func(a string) bool {
		return strings.HasPrefix(a, "--effort")
	}) {
		return args
	}
	return append([]string{"train", "--effort", "least"}, args[1:]...)
}

// mustRun runs the program and fails the test unless it succeeds.
func mustRun(t testing.TB, args ...string) (stdout string) {
	t.Helper()
	status, out, err := kerf(t, args...)
	if status != 0 {
		t.Fatalf("kerf %s: exit status %d: %s", strings.Join(args, " "), status, err)
	}
	return out
}

// wantFailure runs the program and checks how it fails.
func wantFailure(t testing.TB, want int, says string, args ...string) {
	t.Helper()
	status, out, err := kerf(t, args...)
	line := "kerf " + strings.Join(args, " ")
	if status != want {
		t.Errorf("%s: exit status %d, want %d; %s", line, status, want, err)
		return
	}
	if fault := wrongFailure(out, err); fault != "" {
		t.Errorf("%s: %s", line, fault)
	}
	if !strings.Contains(err, says) {
		t.Errorf("%s: the message does not say %q: %s", line, says, err)
	}
}

func writeFile(t testing.TB, path string, content []byte) string {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestExitStatus(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	mustRun(t, "gen", "circle", "--n", "60", "-o", in("c.csv"))
	mustRun(t, "gen", "circle", "--n", "60", "-o", in("c.libsvm"))
	mustRun(t, "train", in("c.csv"), "--dim", "10", "-o", in("m.kerf"), "--quiet")
	for _, c := range []struct {
		status int
		says   string // part of the message
		args   []string
	}{
		{2, "unknown command", []string{"nosuch"}},
		{2, "did you mean train", []string{"trian"}},
		{2, "--nosuch", []string{"--nosuch"}},
		{2, "--nosuch", []string{"train", in("c.csv"), "--nosuch"}},
		{2, "--dim", []string{"train", in("c.csv"), "--dim", "many"}},
		{2, "--dim is 0", []string{"train", in("c.csv"), "--dim", "0"}},
		{2, "--dim is -5", []string{"train", in("c.csv"), "--dim", "-5"}},
		{2, "usage", []string{"train"}},
		{3, "no such file", []string{"train", "a", "b"}},
		{2, "unknown map", []string{"train", in("c.csv"), "--map", "f4"}},
		{2, "unknown learner", []string{"train", in("c.csv"), "--learner", "magic"}},
		{3, "unknown kernel", []string{"train", in("c.csv"), "--kernel", "magic"}},
		{3, "column 5", []string{"train", in("c.csv"), "--kernel", "rbf("}},
		{3, "gamma is -1", []string{"train", in("c.csv"), "--kernel", "rbf(gamma=-1)"}},
		{2, "--holdout", []string{"train", in("c.csv"), "--holdout", "1"}},
		{2, "--holdout", []string{"train", in("c.csv"), "--holdout", "-0.1"}},
		{2, "--holdout", []string{"train", in("c.csv"), "--holdout", "NaN"}},
		{2, "do not go together", []string{"train", in("c.csv"), "--holdout", "0.2", "--test", in("c.csv")}},
		{2, "--C", []string{"train", in("c.csv"), "--C", "0"}},
		{2, "--C", []string{"train", in("c.csv"), "--C", "-1"}},
		{2, "--C", []string{"train", in("c.csv"), "--C", "NaN"}},
		{2, "--C", []string{"train", in("c.csv"), "--C", "1", "--learner", "perceptron"}},
		{2, "--tolerance", []string{"train", in("c.csv"), "--tolerance", "2"}},
		{2, "--max-passes", []string{"train", in("c.csv"), "--max-passes", "0"}},
		{2, "--landmarks", []string{"train", in("c.csv"), "--landmarks", "0", "--map", "f3"}},
		{2, "--landmarks", []string{"train", in("c.csv"), "--landmarks", "5"}},
		{2, "--map none", []string{"train", in("c.csv"), "--map", "none", "--kernel", "rbf"}},
		{2, "--dim", []string{"train", in("c.csv"), "--map", "none", "--dim", "3"}},
		{2, "--map", []string{"train", in("c.csv"), "--map", "f2", "--learner", "kernel-perceptron"}},
		{2, "--workers", []string{"train", in("c.csv"), "--workers", "-1"}},
		{2, "--workers", []string{"train", in("c.csv"), "--workers", "x"}},
		{2, "--seed", []string{"train", in("c.csv"), "--seed", "-1"}},
		{2, "--seed", []string{"train", in("c.csv"), "--seed", "x"}},
		{2, "--max-memory", []string{"train", in("c.csv"), "--max-memory", "lots"}},
		{2, "--max-memory", []string{"train", in("c.csv"), "--max-memory", "-2GiB"}},
		{2, "--header", []string{"train", in("c.csv"), "--header", "maybe"}},
		{2, "--scale", []string{"train", in("c.csv"), "--scale", "weird"}},
		{2, "--categories", []string{"train", in("c.csv"), "--categories", "weird"}},
		{2, "--categories", []string{"train", in("c.csv"), "--categories", "target", "--error", "0.2"}},
		{2, "--categories", []string{"train", in("c.csv"), "--categories", "levels", "--stream"}},
		{2, "fill the zeros", []string{"train", writeFile(t, in("thin.libsvm"), []byte("1 1:1\n2 1000:1\n")), "--scale",
			"standard"}},
		{2, "taken as they stand", []string{"train", writeFile(t, in("a.txt"), []byte("yes\tab\nno\tcd\n")), "--as",
			"strings", "--scale", "range"}},
		{1, "memory", []string{"train", in("c.csv"), "--max-memory", "1k"}},
		{2, "directory", []string{"train", in("c.csv"), "-o", dir}},
		{2, "no directory", []string{"train", in("c.csv"), "-o", in("missing/m.kerf")}},
		{3, "no such file", []string{"train", in("missing.csv")}},
		{3, "read together", []string{"train", dir}},
		{3, "folder", []string{"train", t.TempDir()}},
		{3, "nosuch", []string{"train", in("c.csv"), "--target", "nosuch"}},
		{3, "9", []string{"train", in("c.csv"), "--target", "9"}},
		{3, "nosuch", []string{"train", in("c.csv"), "--drop", "nosuch"}},
		{3, "no such file", []string{"train", in("c.csv"), "--test", in("missing.csv")}},
		{3, "no such model", []string{"predict", in("missing.kerf"), in("c.csv")}},
		{3, "directory", []string{"predict", dir, in("c.csv")}},
		{3, "not a kerf model", []string{"predict", in("c.csv"), in("m.kerf")}},
		{3, "binary", []string{"predict", in("m.kerf"), in("m.kerf")}},
		{3, "LIBSVM", []string{"predict", in("m.kerf"), in("c.libsvm")}},
		{3, "no such file", []string{"predict", in("m.kerf"), in("missing.csv")}},
		{2, "usage", []string{"predict", in("m.kerf")}},
		{2, "no directory", []string{"predict", in("m.kerf"), in("c.csv"), "-o", in("missing/p.txt")}},
		{2, "usage", []string{"map", in("m.kerf")}},
		{2, "usage", []string{"map", "--fit", in("m.kerf"), in("c.csv")}},
		{2, "--dim goes with --fit", []string{"map", in("m.kerf"), in("c.csv"), "--dim", "3"}},
		{2, "ending", []string{"map", in("m.kerf"), in("c.csv"), "-o", in("f.xlsx")}},
		{2, "--json", []string{"map", in("m.kerf"), in("c.csv"), "--json"}},
		{2, "unknown map", []string{"map", "--fit", in("c.csv"), "--map", "f4", "-o", in("f.csv")}},
		{3, "unknown kernel", []string{"map", "--fit", in("c.csv"), "--kernel", "magic", "-o", in("f.csv")}},
		{3, "not a kerf model", []string{"eval", in("c.csv"), in("c.csv")}},
		{3, "not a kerf model", []string{"inspect", in("c.csv")}},
		{3, "no such model", []string{"inspect", in("missing.kerf")}},
		{2, "usage", []string{"inspect"}},
		{2, "usage", []string{"version", "x"}},
		{2, "unknown data", []string{"gen", "nosuch"}},
		{2, "usage", []string{"gen"}},
		{2, "n is 0", []string{"gen", "circle", "--n", "0"}},
		{2, "", []string{"gen", "circle", "--noise", "2"}},
		{2, "", []string{"gen", "halfspace", "--margin", "1.5"}},
		{2, "--json", []string{"gen", "circle", "--json"}},
		{2, "ending", []string{"gen", "circle", "-o", in("x.xyz")}},
		{2, "--margin is missing", []string{"plan", "--error", "0.1", "--confidence", "0.9"}},
		{2, "margin", []string{"plan", "--margin", "2", "--error", "0.1", "--confidence", "0.9"}},
	} {
		wantFailure(t, c.status, c.says, c.args...)
	}
	if left, err := filepath.Glob(in(".*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestHelpIsNoError(t *testing.T) {
	for _, args := range [][]string{nil, {"--help"}, {"help"}, {"help", "train"}, {"train", "--help"}, {"gen", "-h"},
		{"map", "--help"}} {
		status, out, err := kerf(t, args...)
		if status != 0 || len(out) == 0 || err != "" {
			t.Errorf("kerf %v: exit status %d, %d bytes on standard output, %q on standard error", args, status, len(out), err)
		}
	}
	wantFailure(t, 2, "unknown command", "help", "nosuch")
	wantFailure(t, 2, "unknown command", "nosuch", "data.csv", "--kernel", "rbf")
	wantFailure(t, 2, "--workers", "version", "--workers", "-3")
}

// TestVersionFlag: kerf --version is kerf version, before any command alone.
func TestVersionFlag(t *testing.T) {
	want := mustRun(t, "version")
	if got := mustRun(t, "--version"); got != want {
		t.Errorf("kerf --version prints %q, want %q", got, want)
	}
	if got := mustRun(t, "--json", "--version"); !strings.Contains(got, `"backend"`) {
		t.Errorf("kerf --json --version prints %q", got)
	}
	wantFailure(t, 2, "--version", "train", "--version")
}
