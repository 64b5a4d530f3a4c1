package doctest

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/kerf-ml/kerf/cli"
	"github.com/kerf-ml/kerf/internal/vmath"
)

var (
	update = flag.Bool("update", false, "write what the commands of the pages print into the pages")
	long   = flag.Bool("long", false, "run the commands that are marked long too")
)

// TestMain makes the whole program the command kerf of the pages.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"kerf": func() {
			os.Exit(cli.Exec(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
		},
	})
}

// pages returns the pages of the module: those of its root, and all under docs.
func pages(t *testing.T) []string {
	t.Helper()
	out := []string{"README.md", "CONTRIBUTING.md"}
	err := fs.WalkDir(os.DirFS("../.."), "docs", func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".md") {
			out = append(out, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// extending is the page whose commands need the code of the page: TestExtending.
const extending = "docs/guide/extending.md"

// TestCommands runs the commands of each page in order, in an empty folder, and
// compares what they print with what the page shows. Words behind ```sh say more:
//
//	data=NAME      the block needs this data set, and is skipped where there is none
//	needs=NAME     the same of a program
//	long           it runs with -long alone
//	fails          its last command fails, with messages that the page shows
//	norun REASON…  it does not run
//
// With -update the pages get what is printed. What the pages show was computed with
// AVX2 or AVX-512, which agree; where there is neither the last digits may differ, and
// the commands run without being compared.
func TestCommands(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs all commands of the documentation")
	}
	for _, page := range pages(t) {
		if page != extending && len(steps(read(t, page))) > 0 {
			t.Run(strings.ReplaceAll(page, "/", "-"), func(t *testing.T) { runPage(t, page, os.Getenv("PATH")) })
		}
	}
}

// runPage runs the commands of a page with kerf on the path, and in the folder.
func runPage(t *testing.T, page, path string) {
	t.Helper()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip(err)
	}
	text, dir := read(t, page), t.TempDir()
	for _, folder := range filepath.SplitList(path) {
		program := filepath.Join(folder, "kerf")
		if _, err := os.Stat(program); err == nil {
			if err := os.Symlink(program, filepath.Join(dir, "kerf")); err != nil {
				t.Fatal(err)
			}
			break
		}
	}
	var renewed bytes.Buffer
	end := 0
	for _, s := range steps(text) {
		t.Run(fmt.Sprintf("line%d", s.line), func(t *testing.T) {
			printed := s.run(t, dir, path)
			if s.shown == nil || vmath.Active() == vmath.Plain || matches(s.shown.text, printed) {
				return
			}
			if !*update {
				t.Errorf("%s:%d: the page shows\n%s\nand the commands print\n%s\n(go test ./internal/doctest -update)",
					page, s.shown.line, s.shown.text, printed)
				return
			}
			renewed.Write(text[end:s.shown.from])
			renewed.WriteString(renew(s.shown.text, printed))
			end = s.shown.to
		})
	}
	if end > 0 {
		renewed.Write(text[end:])
		if err := os.WriteFile(filepath.Join("../..", page), renewed.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// run runs the commands of a block and returns what they print. Progress and
// warnings, which go to standard error, are left out where the block does not fail.
func (s step) run(t *testing.T, dir, path string) string {
	t.Helper()
	switch {
	case s.has("norun"):
		t.Skip(strings.Join(s.words, " "))
	case s.has("long") && !*long:
		t.Skip("long: go test ./internal/doctest -long")
	}
	for _, name := range s.named("needs") {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip(err)
		}
	}
	for _, name := range s.named("data") {
		provide(t, dir, name)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	flags := "-ec"
	if s.has("fails") {
		flags = "-c"
	}
	c := exec.CommandContext(ctx, "sh", flags, s.text)
	var out, said bytes.Buffer
	c.Dir, c.Env, c.Stdout, c.Stderr = dir, append(os.Environ(), "PATH="+path), &out, &said
	if s.has("fails") {
		c.Stderr = &out
	}
	begun := time.Now()
	err := c.Run()
	if (err != nil) != s.has("fails") {
		t.Fatalf("line %d: %v\n%s\n%s", s.line, err, s.text, said.String())
	}
	t.Logf("%.1f s", time.Since(begun).Seconds())
	return out.String()
}

// provide links a data set into a folder, from $KERF_DATA or ../shared/data.
func provide(t *testing.T, dir, name string) {
	t.Helper()
	folder := os.Getenv("KERF_DATA")
	if folder == "" {
		folder = filepath.Join("..", "..", "..", "shared", "data")
	}
	file, err := filepath.Abs(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(file); err != nil {
		t.Skipf("no %s in %s; set KERF_DATA", name, folder)
	}
	if err := os.Symlink(file, filepath.Join(dir, name)); err != nil && !os.IsExist(err) {
		t.Fatal(err)
	}
}

// TestConventions checks that commands stand where they are run, and that what does
// not run says why.
func TestConventions(t *testing.T) {
	command := regexp.MustCompile(`(?m)(^|[|;&] *|\bdo )(\./)?kerf [a-z]`)
	indented := regexp.MustCompile(`(?m)^    (\$ )?(\./)?kerf [a-z].*$`)
	fences := regexp.MustCompile("(?ms)^```.*?^```$")
	count, still := 0, 0
	for _, page := range pages(t) {
		text := read(t, page)
		for _, line := range indented.FindAll(fences.ReplaceAll(text, nil), -1) {
			t.Errorf("%s: %q is not in a block ```sh, so that nothing runs it", page, line)
		}
		for _, b := range blocks(text) {
			n := len(command.FindAllString(b.text, -1))
			switch {
			case b.kind == "sh" && b.has("norun"):
				if still += n; len(b.words) < 3 {
					t.Errorf("%s:%d: norun has no reason", page, b.line)
				}
			case b.kind == "sh":
				count += n
			case b.kind == "console":
				t.Errorf("%s:%d: write ```sh, and what is printed as ```text behind it", page, b.line)
			}
		}
	}
	t.Logf("%d commands are run, %d are not", count, still)
}

// measuring are the pages whose figures no test can hold, and why.
var measuring = map[string]string{
	"docs/guide/performance.md": "times of machines and of other programs, by make bench-core, -maps and -learners",
	"docs/benchmarks.md":        "times of machines and of other programs, by make bench-peers, which writes the page",
}

// stated are figures of pages that no command prints, and what they are.
var stated = map[string]string{
	"3.24": "a version of LIBSVM",
}

// TestFigures checks that the prose of the README and the guide has no figure of two
// decimals or more, and no part of a percent, that no command on the page prints.
// Code aside: what stands there is typed and not measured.
func TestFigures(t *testing.T) {
	figure := regexp.MustCompile(`\d[\d,]*\.\d+ ?%|\d[\d,]*\.\d{2,}`)
	code := regexp.MustCompile("(?ms)^```.*?^```$|^    .*?$|`[^`\n]*`")
	for _, page := range pages(t) {
		if page != "README.md" && !strings.HasPrefix(page, "docs/guide/") || measuring[page] != "" {
			continue
		}
		text, printed := read(t, page), ""
		for _, s := range steps(text) {
			if s.shown != nil {
				printed += s.shown.text
			}
		}
		for _, f := range figure.FindAllString(code.ReplaceAllString(string(text), ""), -1) {
			f = strings.TrimRight(f, " %")
			if stated[f] == "" && !regexp.MustCompile(`\b`+regexp.QuoteMeta(f)+`\b`).MatchString(printed) {
				t.Errorf("%s: no command of the page prints %s", page, f)
			}
		}
	}
}
