package program_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// asFormat makes files of another format of those that writeData wrote of vectors.
func asFormat(t *testing.T, dir, ending string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.csv"))
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	made := make([]string, len(names))
	for i, name := range names {
		made[i] = filepath.Join(out, strings.TrimSuffix(filepath.Base(name), ".csv")+ending)
		switch ending {
		case ".jsonl":
			var b strings.Builder
			for _, line := range strings.Split(strings.TrimSpace(content(t, name)), "\n")[1:] {
				cells := strings.Split(line, ",")
				label, _ := json.Marshal(cells[2])
				fmt.Fprintf(&b, "{\"a\": %s, \"b\": %s, \"y\": %s}\n", cells[0], cells[1], label)
			}
			if err := os.WriteFile(made[i], []byte(b.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		case ".parquet":
			kerf(t, "map", "--fit", name, "--map", "none", "-o", made[i], "-q")
		default:
			if err := os.WriteFile(made[i], []byte(content(t, name)), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	return made
}

// Files that are named one by one are one data set in that order, as a folder of them is,
// of any format, and give what one machine gives.
func TestSeveralInputs(t *testing.T) {
	for _, ending := range []string{".csv", ".jsonl", ".parquet"} {
		t.Run(ending, func(t *testing.T) {
			files := asFormat(t, writeData(t, 0, 500, 40, 260), ending)
			out := t.TempDir()
			at := func(name string) string { return filepath.Join(out, name) }
			train := func(model string, data ...string) []string {
				words := append([]string{"train"}, data...)
				return append(append(words, "--holdout", "0.2", "-q", "--span", "100", "-o", at(model)), kinds[0].words...)
			}
			mustBeam(t, train("several.kerf", files...)...)
			mustBeam(t, train("folder.kerf", filepath.Dir(files[0]))...)
			same(t, "the model of a folder", at("several.kerf"), at("folder.kerf"))
			mustBeam(t, train("other.kerf", files[2], files[0], files[1])...)
			if content(t, at("other.kerf")) == content(t, at("several.kerf")) {
				t.Error("the order of files does not count")
			}
			one := append(append([]string{"train", files[0], "--holdout", "0.2", "-q"}, kinds[0].words...), "-o")
			kerf(t, append(one, at("one.kerf"), "--stream")...)
			mustBeam(t, append(one, at("engine.kerf"))...)
			same(t, "the model of one file", at("one.kerf"), at("engine.kerf"))
			m := at("several.kerf")
			data := []string{files[1], files[0]}
			if a, b := kerf(t, append([]string{"eval", m}, data...)...), mustBeam(t, append([]string{"eval", m, "--span",
				"100"}, data...)...); a != b {
				t.Errorf("eval:\n%s\non the engine:\n%s", a, b)
			}
			kerf(t, append([]string{"predict", m, "-o", at("labels.txt")}, data...)...)
			mustBeam(t, append([]string{"predict", m, "--span", "100", "-o", at("labels")}, data...)...)
			if content(t, at("labels.txt")) != joined(t, at("labels")) {
				t.Error("predictions differ")
			}
			kerf(t, append([]string{"map", m, "-o", at("f.libsvm")}, data...)...)
			mustBeam(t, append([]string{"map", m, "--span", "100", "-o", at("parts.libsvm")}, data...)...)
			if content(t, at("f.libsvm")) != joined(t, at("parts.libsvm")) {
				t.Error("features differ")
			}
		})
	}
}

func TestSeveralInputsThatAreRefused(t *testing.T) {
	dir := writeData(t, 0, 60, 60)
	a, b := filepath.Join(dir, "part-0.csv"), filepath.Join(dir, "part-1.csv")
	lines := asFormat(t, dir, ".jsonl")
	for _, c := range []struct {
		data []string
		want string
	}{
		{[]string{a, b, a}, "named twice"},
		{[]string{a, filepath.Join(dir, "*.csv")}, "named twice"},
		{[]string{a, "-"}, "pipe"},
		{[]string{a, filepath.Join(dir, "none.csv")}, "none.csv: there is no such file"},
		{[]string{a, lines[1]}, "part-1.jsonl:1: this is JSON Lines data"},
	} {
		model := filepath.Join(t.TempDir(), "m.kerf")
		words := append(append([]string{"train", "-q", "-o", model}, c.data...), kinds[0].words...)
		status, _, faults := beam(context.Background(), words...)
		if status != 3 || !strings.Contains(faults, c.want) || strings.Count(faults, "\n") != 1 {
			t.Errorf("%v: %d %q, want %q", c.data, status, faults, c.want)
		}
		if _, err := os.Stat(model); err == nil {
			t.Errorf("%v: a model was written", c.data)
		}
	}
}
