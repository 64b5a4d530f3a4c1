package doctest

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestDesign checks that the functions that the page on the design names are in
// the files that it names, and that it has a line for every package.
func TestDesign(t *testing.T) {
	page, err := os.ReadFile("../../docs/design.md")
	if err != nil {
		t.Fatal(err)
	}
	hop := regexp.MustCompile("(?m)^\\| \\d+ \\| `([a-z/]+)` \\| `([A-Za-z]+)` .*\\| `([a-z/]+\\.go)` \\|$")
	hops := hop.FindAllStringSubmatch(string(page), -1)
	if len(hops) < 8 || len(hops) > 12 {
		t.Errorf("the way of a training has %d hops", len(hops))
	}
	for _, h := range hops {
		text, err := os.ReadFile(filepath.Join("../..", h[3]))
		if err != nil {
			t.Error(err)
			continue
		}
		function := regexp.MustCompile(`(?m)^func (\([^)]*\) )?` + h[2] + `[\[(]`)
		if filepath.ToSlash(filepath.Dir(h[3])) != h[1] || !function.Match(text) {
			t.Errorf("%s of %s is not in %s", h[2], h[1], h[3])
		}
	}
	c := exec.Command("go", "list", "./...")
	c.Dir = "../.."
	out, err := c.Output()
	if err != nil {
		t.Fatal(err)
	}
	for name := range strings.Lines(string(out)) {
		name = strings.TrimPrefix(strings.TrimSpace(name), "github.com/kerf-ml/")
		name = strings.TrimPrefix(name, "kerf/")
		top, _, _ := strings.Cut(name, "/")
		if !strings.Contains(string(page), "`"+name+"`") && !strings.Contains(string(page), "`"+top+"/…`") &&
			!strings.Contains(string(page), "`"+top+"`") {
			t.Errorf("the page has no line for %s", name)
		}
	}
}
