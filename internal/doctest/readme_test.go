package doctest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data/csv"
	"github.com/kerf-ml/kerf/data/gen"
)

// imports are the packages that blocks of the README may use, by name.
var imports = map[string]string{
	"fmt": "fmt", "math": "math", "kerf": "github.com/kerf-ml/kerf", "job": "github.com/kerf-ml/kerf/job",
	"kernel": "github.com/kerf-ml/kerf/kernel", "model": "github.com/kerf-ml/kerf/model",
}

// TestReadme compiles the Go code of the README, and runs it in order in a folder
// with the data of its commands.
func TestReadme(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a program")
	}
	var body, calls, head string
	count := 0
	for _, b := range blocks(read(t, "README.md")) {
		if b.kind != "go" {
			continue
		}
		count++
		body += fmt.Sprintf("func block%d(ctx context.Context) error {\n%s\nreturn err\n}\n", count, b.text)
		calls += fmt.Sprintf("if err := block%d(context.Background()); err != nil { panic(err) }\n", count)
	}
	if count < 3 {
		t.Fatalf("the README has %d blocks of Go", count)
	}
	for name, path := range imports {
		if regexp.MustCompile(`\b` + name + `\.[A-Z]`).MatchString(body) {
			head += fmt.Sprintf("%q\n", path)
		}
	}
	o := newOverlay(t)
	o.put(t, "readme/main.go", "package main\nimport (\n\"context\"\n"+head+")\n"+body+"func main() {\n"+calls+"}\n")
	bin, folder := o.build(t, "./readme"), t.TempDir()
	file, err := os.Create(filepath.Join(folder, "c.csv"))
	if err != nil {
		t.Fatal(err)
	}
	x, labels := gen.Circle(gen.Defaults())
	if err := csv.Write(file, []string{"x1", "x2", "label"}, x, labels); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(filepath.Join(bin, "readme"))
	c.Dir = folder
	out, err := c.CombinedOutput()
	if err != nil || strings.Count(string(out), "\n") < count {
		t.Errorf("%v:\n%s", err, out)
	}
	t.Logf("%s", out)
}
