package program_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// badShards are files that are wrong in one way each, with what is said of them.
var badShards = []struct {
	name, ending string
	write        func(t *testing.T, name, good string)
	want         string // said of it by train
	known        string // by commands that have a model; empty where it is the same, "fine" where nothing is wrong
}{
	{"truncated", ".csv", putText(func(good string) string { return good[:strings.LastIndexByte(good, ',')] }),
		"part-9.csv:101", ""},
	{"truncated gzip", ".csv.gz", func(t *testing.T, name, good string) {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		if _, err := w.Write([]byte(good)); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		putText(func(string) string { return b.String()[:b.Len()/2] })(t, name, "")
	}, "part-9.csv.gz", ""},
	{"more columns", ".csv", putText(func(string) string { return "a,b,c,y\n1,2,3,p\n1,2,3,q\n" }), "part-9.csv:1",
		"fine"}, // columns are found by their names
	{"other columns", ".csv", putText(func(good string) string { return strings.Replace(good, "a,b", "a,x", 1) }),
		"part-9.csv:1", "part-9.csv: the table lacks 1 column"},
	{"a short row", ".csv", putText(func(good string) string { return good + "1,2\n" }), "part-9.csv:102", ""},
	{"no label", ".csv", putText(func(good string) string { return good + "1,2,\n" }), "part-9.csv:102", ""},
	{"empty", ".csv", putText(func(string) string { return "" }), "part-9.csv", ""},
	{"a header alone", ".csv", putText(func(string) string { return "a,b,y\n" }), "part-9.csv", ""},
	{"no table", ".csv", putText(func(string) string { return "\x00\x01\x02" }), "part-9.csv", ""},
	{"unreadable", ".csv", func(t *testing.T, name, _ string) {
		if os.Geteuid() == 0 {
			t.Skip("root reads everything")
		}
		putText(func(string) string { return "a,b,y\n" })(t, name, "")
		if err := os.Chmod(name, 0); err != nil {
			t.Fatal(err)
		}
	}, "part-9.csv", ""},
	{"missing", ".csv", func(t *testing.T, name, _ string) { // a link to what is not there
		if err := os.Symlink(name+".gone", name); err != nil {
			t.Fatal(err)
		}
	}, "part-9.csv: there is no such file", ""},
}

// putText writes what is made of the text of a good file.
func putText(of func(good string) string) func(t *testing.T, name, good string) {
	return func(t *testing.T, name, good string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(of(good)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// A bad file ends each command with its name, and its line where there is one, and nothing
// is written; where so many files may be bad, the result is that of the others.
func TestBadShards(t *testing.T) {
	for _, c := range badShards {
		t.Run(c.name, func(t *testing.T) {
			dir, out := writeData(t, 0, 300, 100), t.TempDir()
			at := func(name string) string { return filepath.Join(out, name) }
			train := append([]string{"train", dir, "--span", "70", "-o", at("good.kerf")}, kinds[0].words...)
			mustBeam(t, append(train, "-q")...)
			model := at("good.kerf")
			good := map[string]string{"eval": mustBeam(t, "eval", model, dir, "-q")}
			for _, do := range []string{"predict", "map"} {
				mustBeam(t, do, model, dir, "-q", "--span", "70", "-o", at(do+".libsvm"))
				good[do] = joined(t, at(do+".libsvm"))
			}
			c.write(t, filepath.Join(dir, "part-9"+c.ending), content(t, filepath.Join(dir, "part-1.csv")))
			commands := map[string][]string{
				"train": train,
				"eval":  {"eval", model, dir, "--span", "70"},
			}
			for _, do := range []string{"predict", "map"} {
				commands[do] = []string{do, model, dir, "--span", "70"}
			}
			for do, words := range commands {
				if c.name == "no label" && (do == "predict" || do == "map") {
					continue // these need none
				}
				want := c.want
				if do != "train" && c.known != "" {
					want = c.known
				}
				if want != "fine" {
					checkShard(t, do, words, want, out, good[do])
				}
			}
		})
	}
}

// checkShard runs a command on files one of which is bad.
func checkShard(t *testing.T, do string, words []string, want, out, good string) {
	t.Helper()
	target := filepath.Join(out, "new-"+do+".libsvm")
	if do != "eval" {
		words = append(words, "-o", target)
	}
	status, text, faults := beam(context.Background(), append(words, "-q")...)
	if status != 3 || text != "" || !strings.Contains(faults, want) || strings.Count(faults, "\n") != 1 {
		t.Errorf("%s: %d %q %q, want %q", do, status, text, faults, want)
	}
	if left, _ := filepath.Glob(filepath.Join(out, "*new-"+do+"*")); len(left) > 0 {
		t.Errorf("%s: %v was written", do, left)
	}
	status, text, faults = beam(context.Background(), append(words, "--skip-bad", "1")...)
	if status != 0 || !strings.Contains(faults, "left out") || !strings.Contains(faults, want) {
		t.Errorf("%s with --skip-bad: %d %q", do, status, faults)
		return
	}
	switch do {
	case "train":
		same(t, "the model of the other files", filepath.Join(out, "good.kerf"), target)
	case "eval":
		if text != good {
			t.Errorf("eval:\n%s\nof the others:\n%s", text, good)
		}
	default:
		if joined(t, target) != good {
			t.Errorf("%s: not what the others give", do)
		}
	}
}

// More bad files than may be end the command, which says how many there are.
func TestMoreBadShardsThanMayBe(t *testing.T) {
	dir, out := writeData(t, 0, 300, 100), t.TempDir()
	for i := range 3 {
		name := filepath.Join(dir, fmt.Sprintf("part-%d.csv", 7+i))
		if err := os.WriteFile(name, []byte("a,b,y\n1,2,p\n1\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	words := append([]string{"train", dir, "-o", filepath.Join(out, "m.kerf")}, kinds[0].words...)
	status, _, faults := beam(context.Background(), append(words, "-q", "--skip-bad", "2")...)
	if status != 3 || !strings.Contains(faults, "part-7.csv:3") || !strings.Contains(faults, "2 more files are bad") {
		t.Errorf("%d %q", status, faults)
	}
	if left, _ := filepath.Glob(filepath.Join(out, "*")); len(left) > 0 {
		t.Errorf("written: %v", left)
	}
	status, _, faults = beam(context.Background(), append(words, "--skip-bad", "3")...)
	if status != 0 || strings.Count(faults, "left out") != 3 {
		t.Errorf("%d %q", status, faults)
	}
}
