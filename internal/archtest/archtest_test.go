// Package archtest holds the order of kerf's packages: imports point up the
// picture of the design, never down, and nothing below the command line prints
// or logs.
package archtest

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

const module = "github.com/kerf-ml/kerf"

// order lists the packages as the data flow through them. A package may import,
// directly or not, only packages that stand before it; packages of one line may
// not import each other. A trailing /... stands for all packages below.
var order = [][]string{
	{"run"},
	{"data"},
	{"sums"},
	{"data/scale", "data/decimal"},
	{"data/file"},
	{"data/table"},
	{"data/..."},
	{"dataset"},
	{"kernel"},
	{"kernel/..."},
	{"spec"},
	{"gram"},
	{"project"},
	{"feature"},
	{"bound"},
	{"margin"},
	{"certificate"},
	{"learn"},
	{"learn/..."},
	{"metric"},
	{"eval"},
	{"model"},
	{"explain"},
	{"convert/foreign", "convert/onnx"},
	{"convert"},
	{"job"},
	{"report"},
	{"."},
	{"repro"},
	{"report/text"},
	{"kerftest"},
	{"serve/inference"},
	{"serve", "pipe"},
	{"lab"},
	{"cli"},
	{"bench/peer", "bench/serve/service"},
	{"cmd/...", "bench/core", "bench/gpu", "bench/maps", "bench/learners", "bench/peers", "bench/serve/batch",
		"bench/serve/soak", "bench/beam", "bench/streams", "python"},
}

// helpers lists for each internal package the packages of the module that it
// may import. What these import in turn counts for whoever imports the helper:
// data may not import internal/compute, because that knows kernels.
var helpers = map[string][]string{
	"internal/alloc":       {},
	"internal/archtest":    {},
	"internal/atomicfile":  {},
	"internal/doctest":     {},
	"internal/compute":     {"data", "kernel", "run", "internal/gemm", "internal/par", "internal/vmath"},
	"internal/cuda":        {},
	"internal/cuda/double": {"internal/cuda"},
	"internal/gemm":        {"run", "internal/alloc", "internal/par"},
	"internal/gpu": {"data", "kernel", "run", "internal/alloc", "internal/compute", "internal/cuda", "internal/linalg",
		"internal/par", "internal/vmath"},
	"internal/linalg":  {"data", "run", "internal/gemm", "internal/par", "internal/vmath"},
	"internal/order":   {},
	"internal/par":     {"run"},
	"internal/seed":    {},
	"internal/torture": {},
	"internal/vmath":   {},
	"internal/wire":    {},
}

// users narrows who may import a helper. Whoever needs a plain product of matrices
// has internal/linalg, and internal/compute one with a fixed matrix.
var users = map[string][]string{
	"internal/gemm": {"internal/compute", "internal/linalg", "project", "bench/..."},
}

// limits narrows what a package of the order may import, helpers aside.
var limits = map[string][]string{
	"data/...": {"run", "data", "sums", "data/scale", "data/decimal", "data/file", "data/table"},
	"bound":    {},
}

// mayPrint lists the packages that speak to the user, or to whoever measures.
var mayPrint = []string{"cli", "serve", "lab", "cmd/...", "bench/..."}

// mayStart lists the packages that may start goroutines: all others go through
// internal/par. data/file waits for pipes, which no call can interrupt.
var mayStart = []string{"internal/par", "data/file", "cli", "serve", "pipe", "lab", "cmd/...", "bench/..."}

// pkg is a package of the module. Names are relative to it: "data/csv".
type pkg struct {
	name    string
	dir     string
	files   []string // without tests
	imports []string // of the module
	cgo     bool
}

// load finds the packages of the module under root. Folders that begin with a
// dot or an underscore, testdata and modules of their own are left out.
func load(t *testing.T, root string) map[string]*pkg {
	t.Helper()
	all := map[string]*pkg{}
	err := filepath.WalkDir(root, func(dir string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		name, err := filepath.Rel(root, dir)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		if name != "." {
			base := d.Name()
			if base[0] == '.' || base[0] == '_' || base == "testdata" {
				return filepath.SkipDir
			}
			if own, _ := filepath.Glob(filepath.Join(dir, "go.mod")); len(own) > 0 {
				return filepath.SkipDir
			}
		}
		p, err := build.ImportDir(dir, 0)
		var none *build.NoGoError
		if errors.As(err, &none) {
			return nil
		}
		if err != nil {
			return err
		}
		one := &pkg{name: name, dir: dir, files: p.GoFiles, cgo: len(p.CgoFiles) > 0}
		for _, i := range p.Imports {
			if i == module {
				one.imports = append(one.imports, ".")
			} else if rest, ok := strings.CutPrefix(i, module+"/"); ok {
				one.imports = append(one.imports, rest)
			}
		}
		all[name] = one
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// matches reports whether a pattern of the tables stands for a package.
func matches(pattern, name string) bool {
	if below, ok := strings.CutSuffix(pattern, "/..."); ok {
		return strings.HasPrefix(name, below+"/")
	}
	return pattern == name
}

func anyMatches(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return matches(p, name) })
}

// rank returns the place of a package in the order, -1 if it has none.
func rank(name string) int {
	return slices.IndexFunc(order, func(line []string) bool { return anyMatches(line, name) })
}

// reach returns the packages that p imports, directly or not, each with one of
// the ways there.
func reach(all map[string]*pkg, p *pkg) map[string]string {
	ways := map[string]string{}
	var visit func(from *pkg, way string)
	visit = func(from *pkg, way string) {
		for _, name := range from.imports {
			if _, known := ways[name]; known {
				continue
			}
			ways[name] = way + " → " + name
			if next := all[name]; next != nil {
				visit(next, ways[name])
			}
		}
	}
	visit(p, p.name)
	return ways
}

// faults returns every import that the tables do not allow, and every package
// that they do not know.
func faults(all map[string]*pkg) []string {
	var out []string
	fault := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	for _, p := range all {
		for _, i := range p.imports {
			if allowed, narrow := users[i]; narrow && !anyMatches(allowed, p.name) {
				fault("%s imports %s, which is for %s", p.name, i, strings.Join(allowed, ", "))
			}
		}
		if strings.HasPrefix(p.name, "internal/") {
			allowed, known := helpers[p.name]
			if !known {
				fault("%s stands in no table of this test; add it to helpers with what it may import", p.name)
			}
			for _, i := range p.imports {
				if known && !slices.Contains(allowed, i) {
					fault("%s imports %s, which its line in helpers does not allow", p.name, i)
				}
			}
			continue
		}
		own := rank(p.name)
		if own < 0 {
			fault("%s stands in no table of this test; add it to order where the design puts it", p.name)
			continue
		}
		for name, way := range reach(all, p) {
			if r := rank(name); r >= own {
				fault("%s may not know %s, which stands after it: %s", p.name, name, way)
			}
			if name == "kerftest" {
				fault("%s imports kerftest, which is for tests alone", p.name)
			}
		}
		for pattern, allowed := range limits {
			if !matches(pattern, p.name) {
				continue
			}
			for _, i := range p.imports {
				if !strings.HasPrefix(i, "internal/") && !slices.Contains(allowed, i) {
					fault("%s imports %s and may import only %s and helpers", p.name, i, strings.Join(allowed, ", "))
				}
			}
		}
	}
	slices.Sort(out)
	return out
}

func TestImportsPointUp(t *testing.T) {
	all := load(t, filepath.Join("..", ".."))
	for _, name := range []string{"run", "data", "kernel", "feature", "model", "spec", "cli", "cmd/kerf"} {
		if all[name] == nil {
			t.Errorf("package %s was not found", name)
		}
	}
	for _, f := range faults(all) {
		t.Error(f)
	}
	for _, p := range all {
		if p.cgo {
			t.Errorf("%s uses cgo; kerf is one binary without it", p.name)
		}
	}
}

func TestNothingBelowTheCommandLinePrints(t *testing.T) {
	for _, p := range load(t, filepath.Join("..", "..")) {
		for _, file := range p.files {
			quiet, alone := !anyMatches(mayPrint, p.name), !anyMatches(mayStart, p.name)
			found, err := speech(filepath.Join(p.dir, file), nil, quiet, alone)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range found {
				t.Error(f)
			}
		}
	}
}

// TestNoTemplates: text/template finds methods by name, for which the linker keeps
// every exported method of the program, a fifth of its size.
func TestNoTemplates(t *testing.T) {
	for _, p := range load(t, filepath.Join("..", "..")) {
		for _, file := range p.files {
			f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.dir, file), nil, parser.ImportsOnly)
			if err != nil {
				t.Fatal(err)
			}
			for _, i := range f.Imports {
				if strings.HasSuffix(i.Path.Value, `/template"`) && !strings.HasPrefix(p.name, "bench/") {
					t.Errorf("%s/%s imports %s", p.name, file, i.Path.Value)
				}
			}
		}
	}
}

// printing lists what a quiet package may not name, by import path.
var printing = map[string][]string{
	"fmt": {"Print", "Printf", "Println"},
	"os":  {"Stdout", "Stderr", "Exit"},
}

// speech parses a file and returns where it prints or logs, if quiet, and where
// it starts goroutines, if alone. src is as parser.ParseFile takes it.
func speech(name string, src any, quiet, alone bool) ([]string, error) {
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, name, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var out []string
	fault := func(at token.Pos, what string) {
		out = append(out, fmt.Sprintf("%s: %s", files.Position(at), what))
	}
	imported := map[string]string{} // import path by the name it has in the file
	for _, i := range f.Imports {
		from, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			return nil, err
		}
		as := path.Base(from)
		if i.Name != nil {
			as = i.Name.Name
		}
		imported[as] = from
		if quiet && (from == "log" || strings.HasPrefix(from, "log/")) {
			fault(i.Pos(), "imports "+from+"; nothing below the command line logs")
		}
		if quiet && as == "." && printing[from] != nil {
			fault(i.Pos(), "imports all names of "+from)
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && quiet && slices.Contains(printing[imported[x.Name]], n.Sel.Name) {
				fault(n.Pos(), "uses "+imported[x.Name]+"."+n.Sel.Name+"; nothing below the command line prints")
			}
		case *ast.CallExpr:
			if fn, ok := n.Fun.(*ast.Ident); ok && quiet && (fn.Name == "print" || fn.Name == "println") {
				fault(n.Pos(), "calls "+fn.Name)
			}
		case *ast.GoStmt:
			if alone {
				fault(n.Pos(), "starts a goroutine; internal/par does that")
			}
		}
		return true
	})
	return out, nil
}

// TestFaultsAreFound turns the checks on made-up packages that break the rules.
func TestFaultsAreFound(t *testing.T) {
	for _, c := range []struct {
		name string
		all  []*pkg
		want string // part of the one fault; empty for none
	}{
		{"upwards", []*pkg{{name: "data", imports: []string{"run"}}}, ""},
		{"downwards", []*pkg{{name: "kernel", imports: []string{"feature"}}}, "kernel may not know feature"},
		{"through a helper", []*pkg{
			{name: "data", imports: []string{"internal/compute"}},
			{name: "internal/compute", imports: []string{"kernel"}},
		}, "data may not know kernel"},
		{"helper", []*pkg{{name: "internal/vmath", imports: []string{"data"}}}, "its line in helpers does not allow"},
		{"reader", []*pkg{{name: "data/csv", imports: []string{"data", "data/lines"}}}, "data/csv"},
		{"user", []*pkg{{name: "feature", imports: []string{"internal/gemm"}}}, "internal/gemm, which is for"},
		{"model below jobs", []*pkg{{name: "model", imports: []string{"job"}}}, "model may not know job"},
		{"command line from tests", []*pkg{{name: "kerftest", imports: []string{"cli", "spec"}}},
			"kerftest may not know cli"},
		{"unknown", []*pkg{{name: "util"}}, "util stands in no table"},
		{"unknown helper", []*pkg{{name: "internal/util"}}, "internal/util stands in no table"},
	} {
		all := map[string]*pkg{}
		for _, p := range c.all {
			all[p.name] = p
		}
		got := faults(all)
		if c.want == "" && len(got) > 0 || c.want != "" && (len(got) == 0 || !strings.Contains(got[0], c.want)) {
			t.Errorf("%s: faults are %q, want %q", c.name, got, c.want)
		}
	}

	src := `package p
import (
	"fmt"
	"log/slog"
	sys "os"
)
func f() {
	fmt.Println("x")
	fmt.Fprintln(sys.Stderr, "x")
	println("x")
	go slog.Info("x")
	_ = fmt.Sprint()
}`
	for _, c := range []struct {
		quiet, alone bool
		want         int
	}{{true, true, 5}, {true, false, 4}, {false, true, 1}, {false, false, 0}} {
		got, err := speech("p.go", src, c.quiet, c.alone)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != c.want {
			t.Errorf("quiet %v, alone %v: found %q, want %d", c.quiet, c.alone, got, c.want)
		}
	}
}

// kinds are the names of the kinds of instances, in package dataset, which turns
// rows into instances. A name becomes a type in one switch, spec.ForKind; whoever
// asks for a kind elsewhere has a case for each that a new kind would miss.
var kinds = []string{"Vectors", "Strings", "Sets"}

func TestKinds(t *testing.T) {
	var switches []string
	for _, p := range load(t, "../..") {
		for _, name := range p.files {
			file := filepath.Join(p.dir, name)
			switches = append(switches, kindSwitches(t, p.name, file)...)
		}
	}
	if want := []string{"spec/kind.go"}; !slices.Equal(switches, want) {
		t.Errorf("switches on the kind of instances stand in %v, want %v", switches, want)
	}
}

// kindSwitches returns the file once for each switch on kinds in it, and reports
// kinds that are named outside of dataset and spec.
func kindSwitches(t *testing.T, pkg, file string) []string {
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	isKind := func(e ast.Expr) bool {
		s, ok := e.(*ast.SelectorExpr)
		if !ok {
			id, own := e.(*ast.Ident)
			return own && pkg == "dataset" && slices.Contains(kinds, id.Name)
		}
		from, ok := s.X.(*ast.Ident)
		return ok && from.Name == "dataset" && slices.Contains(kinds, s.Sel.Name)
	}
	var found []string
	ast.Inspect(parsed, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if isKind(n) && pkg != "dataset" && pkg != "spec" {
				t.Errorf("%s names a kind of instances; ask package dataset or spec.ForKind", set.Position(n.Pos()))
			}
		case *ast.SwitchStmt:
			cases := 0
			for _, c := range n.Body.List {
				if slices.ContainsFunc(c.(*ast.CaseClause).List, isKind) {
					cases++
				}
			}
			if cases > 1 {
				found = append(found, path.Join(pkg, filepath.Base(file)))
			}
		}
		return true
	})
	return found
}

// longest is how many characters a line of code may have.
const longest = 120

// TestLines reports lines that are too long. Directives and generated code cannot be
// folded.
func TestLines(t *testing.T) {
	for _, p := range load(t, "../..") {
		all, err := filepath.Glob(filepath.Join(p.dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range all {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if bytes.HasPrefix(text, []byte("// Code generated")) {
				continue
			}
			number := 0
			for line := range strings.Lines(string(text)) {
				number++
				if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > longest && !strings.HasPrefix(line, "//go:") {
					t.Errorf("%s:%d has %d characters; fold it at %d", name, number, n, longest)
				}
			}
		}
	}
}

// commandLines is how many lines the command line may have: it turns flags into the
// options of a job, and no more.
const commandLines = 3500

func TestCommandLineIsThin(t *testing.T) {
	all, err := filepath.Glob("../../cli/*.go")
	if err != nil {
		t.Fatal(err)
	}
	lines := 0
	for _, name := range all {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		lines += bytes.Count(text, []byte("\n"))
	}
	if lines > commandLines {
		t.Errorf("cli has %d lines of code, more than %d; what is no flag belongs in job or report/text", lines, commandLines)
	}
}
