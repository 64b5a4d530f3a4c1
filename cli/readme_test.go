package cli_test

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/cli"
)

// TestReadme runs every kerf command that the README shows, in order.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	ran := 0
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		for line := range strings.Lines(block[1]) {
			command, _, _ := strings.Cut(line, "#")
			fields := strings.Fields(strings.ReplaceAll(command, "go run ./cmd/kerf", "./kerf"))
			if len(fields) == 0 || fields[0] != "./kerf" {
				continue
			}
			var out, errs bytes.Buffer
			if status := cli.Exec(context.Background(), fields[1:], strings.NewReader(""), &out, &errs); status != 0 {
				t.Errorf("%s: status %d\n%s", command, status, errs.String())
			}
			ran++
		}
	}
	if ran < 7 {
		t.Errorf("the README shows %d commands; are they still in blocks of sh?", ran)
	}
}

// TestLinks checks that every relative link of the documentation leads to a
// file, and to a heading where it names one.
func TestLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)]+)\)`)
	code := regexp.MustCompile("(?sm)^```.*?^```|^    .*?$|`[^`\n]*`")
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".md") || strings.Contains(path, "testdata") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		prose := code.ReplaceAllString(string(text), "")
		for _, m := range link.FindAllStringSubmatch(prose, -1) {
			target, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(target, "://") {
				continue
			}
			if target == "" {
				target = filepath.Base(path)
			}
			at := filepath.Join(filepath.Dir(path), target)
			body, err := os.ReadFile(at)
			if info, statErr := os.Stat(at); statErr != nil || err != nil && !info.IsDir() {
				t.Errorf("%s links to %s, which is not there", path, m[1])
				continue
			}
			if anchor != "" && !hasHeading(string(body), anchor) {
				t.Errorf("%s links to %s, which has no such heading", path, m[1])
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// hasHeading reports whether a page has a heading that the anchor names, by the
// rule of lower case, without punctuation, blanks as hyphens.
func hasHeading(page, anchor string) bool {
	for line := range strings.Lines(page) {
		if !strings.HasPrefix(line, "#") {
			continue
		}
		name := strings.ToLower(strings.TrimSpace(strings.TrimLeft(line, "#")))
		name = regexp.MustCompile(`[^\p{L}\p{N}\- _]`).ReplaceAllString(name, "")
		if strings.ReplaceAll(name, " ", "-") == anchor {
			return true
		}
	}
	return false
}
