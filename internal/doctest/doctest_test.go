// Package doctest compiles and runs the code of the documentation, and runs its commands.
package doctest

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// overlay is a copy of the module in which some files are others: see go help
// build, -overlay.
type overlay struct {
	root, dir string
	Replace   map[string]string
}

func newOverlay(t *testing.T) *overlay {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return &overlay{root: root, dir: t.TempDir(), Replace: map[string]string{}}
}

// put gives a file of the module other content.
func (o *overlay) put(t *testing.T, path, text string) {
	t.Helper()
	to := filepath.Join(o.dir, strings.ReplaceAll(path, "/", "_"))
	if err := os.WriteFile(to, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	o.Replace[filepath.Join(o.root, filepath.FromSlash(path))] = to
}

// insert adds the one line of a diff to a file, after the line that the diff has
// before it.
func (o *overlay) insert(t *testing.T, diff string) {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(diff, "\n"), "\n")
	if len(lines) != 3 || !strings.HasPrefix(lines[0], "--- ") || lines[1] == "" || lines[1][0] != ' ' ||
		lines[2][0] != '+' {
		t.Fatalf("a diff is the name of a file, a line of it and a line to add, and not\n%s", diff)
	}
	path, before, added := lines[0][4:], lines[1][1:]+"\n", lines[2][1:]+"\n"
	text, err := os.ReadFile(filepath.Join(o.root, path))
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(text, []byte(before)); n != 1 {
		t.Fatalf("%s has the line %q %d times", path, before, n)
	}
	o.put(t, path, strings.Replace(string(text), before, before+added, 1))
}

// build builds programs of the module into a folder.
func (o *overlay) build(t *testing.T, programs ...string) string {
	t.Helper()
	text, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	file, bin := filepath.Join(o.dir, "overlay.json"), t.TempDir()
	if err := os.WriteFile(file, text, 0o644); err != nil {
		t.Fatal(err)
	}
	c := exec.Command("go", append([]string{"build", "-overlay", file, "-o", bin + string(filepath.Separator)},
		programs...)...)
	c.Dir = o.root
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", c, err, out)
	}
	return bin
}

// fileName is the first line of a block that is a file.
var fileName = regexp.MustCompile(`^// ([a-z_/]+\.go)\n`)

// TestExtending adds what the page on extending kerf adds, each by one file and one
// line, builds kerf and the program of the page, and runs the commands of the page.
func TestExtending(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds kerf")
	}
	o := newOverlay(t)
	wanted := ""
	files, lines := 0, 0
	for _, b := range blocks(read(t, extending)) {
		switch b.kind {
		case "go":
			name := fileName.FindStringSubmatch(b.text)
			if name == nil {
				t.Fatalf("this file has no name:\n%s", b.text)
			}
			o.put(t, name[1], b.text)
			if _, after, ok := strings.Cut(b.text, "// Output:\n"); ok {
				wanted = output(after)
				continue
			}
			files++
		case "diff":
			o.insert(t, b.text)
			lines++
		}
	}
	if files != 4 || lines != 4 || wanted == "" {
		t.Fatalf("the page adds %d files and %d lines, and its program says %q", files, lines, wanted)
	}
	bin := o.build(t, "./cmd/kerf", "./cities")
	out, err := exec.Command(filepath.Join(bin, "cities")).CombinedOutput()
	if err != nil || string(out) != wanted {
		t.Errorf("the program says %q, %v; want %q", out, err, wanted)
	}
	runPage(t, extending, bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
}

// output returns the lines of a comment.
func output(comment string) string {
	var out strings.Builder
	for line := range strings.Lines(comment) {
		text, ok := strings.CutPrefix(strings.TrimSpace(line), "// ")
		if !ok {
			break
		}
		out.WriteString(text + "\n")
	}
	return out.String()
}
