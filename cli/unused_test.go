package cli_test

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// circleFiles writes 60 rows of two classes as a table, without labels, as LIBSVM
// data, and the labels alone.
func circleFiles(t *testing.T) (table, bare, libsvm, labels string) {
	t.Helper()
	var a, b, c, d strings.Builder
	a.WriteString("x,y,label\n")
	b.WriteString("x,y\n")
	for i := range 60 {
		x, y := math.Cos(float64(i))*float64(i%5), math.Sin(float64(i))*float64(i%5)
		label := map[bool]string{true: "in", false: "out"}[i%5 < 2]
		fmt.Fprintf(&a, "%v,%v,%s\n", x, y, label)
		fmt.Fprintf(&b, "%v,%v\n", x, y)
		fmt.Fprintf(&c, "%s 1:%v 2:%v\n", label, x, y)
		fmt.Fprintln(&d, label)
	}
	dir := t.TempDir()
	write := func(name, text string) string { return writeFile(t, filepath.Join(dir, name), []byte(text)) }
	return write("d.csv", a.String()), write("bare.csv", b.String()), write("d.libsvm", c.String()),
		write("labels.txt", d.String())
}

// TestNoFlagWithoutUse: a flag of columns that the data have no use for is refused,
// and where labels are in a file no column is left out as the label.
func TestNoFlagWithoutUse(t *testing.T) {
	table, bare, libsvm, labels := circleFiles(t)
	model := filepath.Join(t.TempDir(), "m.kerf")
	how := []string{"--kernel", "rbf(gamma=0.5)", "--dim", "10", "--C", "10"}
	train := func(args ...string) map[string]any {
		return mustObject(t, append(append([]string{"train"}, args...), how...)...)
	}
	wantFailure(t, 2, "--drop is for tables", "train", libsvm, "--drop", "1")
	wantFailure(t, 2, "--text is for tables", "train", libsvm, "--text", "1")
	wantFailure(t, 2, "--target is for tables", "cv", libsvm, "--target", "3")
	wantFailure(t, 2, "--text is for strings and sets", "train", table, "--text", "x")
	wantFailure(t, 2, "--labels and --target do not go together", "train", table, "--labels", labels, "--target", "x")
	wantFailure(t, 3, "no labels to learn", "train", libsvm, "--target", "none")

	plain := train(table, "-o", model)
	if o := train(bare, "--labels", labels, "--test", table, "--test-labels", labels); numberAt(t, o, "features") != 2 ||
		numberAt(t, o, "train.error") != numberAt(t, plain, "train.error") {
		t.Errorf("labels in a file: %v features, train %v, with a column of labels %v", o["features"], o["train"],
			plain["train"])
	}
	e := numberAt(t, plain, "train.error")
	if o := mustObject(t, "eval", model, bare, "--labels", labels); numberAt(t, o, "error") != e {
		t.Errorf("eval with labels in a file: %v, want %v", o["error"], e)
	}
	// The label may have another name than in training, and --target is not left aside.
	text, err := os.ReadFile(table)
	if err != nil {
		t.Fatal(err)
	}
	renamed := writeFile(t, filepath.Join(t.TempDir(), "renamed.csv"),
		bytes.Replace(text, []byte("label"), []byte("truth"), 1))
	if o := mustObject(t, "eval", model, renamed, "--target", "truth"); numberAt(t, o, "error") != e {
		t.Errorf("eval of another column: %v, want %v", o["error"], e)
	}
	wantFailure(t, 3, `no labels to compare with; name their column with --target, such as --target "truth"`, "eval",
		model, renamed)
	wantFailure(t, 3, "none of its labels is known", "eval", model, table, "--target", "x")
	wantFailure(t, 3, `no column "nosuch"`, "predict", model, table, "--target", "nosuch")
	if out := mustRun(t, "map", model, table, "--target", "none"); strings.Contains(out, "label") {
		t.Error("map writes labels that are not wanted")
	}
	// Rows of JSON may lack any column, but not all of them for others.
	lines := func(name, x string) string {
		var b strings.Builder
		for i := range 40 {
			fmt.Fprintf(&b, "{%q: %d, \"label\": \"%d\"}\n", x, i, i/20)
		}
		return writeFile(t, filepath.Join(t.TempDir(), name), []byte(b.String()))
	}
	mustRun(t, "train", lines("a.jsonl", "x"), "--target", "label", "--kernel", "linear", "-o", model)
	wantFailure(t, 3, "b.jsonl: no row has any of the columns that training had: x", "predict", model,
		lines("b.jsonl", "z"))
	mustRun(t, "train", table, "-o", model, "--kernel", "linear")
	array := filepath.Join(t.TempDir(), "f.npy")
	for _, c := range []struct {
		data string
		told bool
	}{{table, true}, {bare, false}} {
		_, _, said := kerf(t, "map", model, c.data, "-o", array)
		if strings.Contains(said, "no room for labels") != c.told {
			t.Errorf("map %s to NPY says %q", c.data, said)
		}
	}
	wantFailure(t, 2, "f.npy is NPY data: give a file of --labels, one a line", "train", array, "--target", "last")
}
