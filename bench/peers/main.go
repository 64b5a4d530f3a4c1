// Command peers measures kerf beside the best other systems for each kind of work,
// in one run: make bench-peers. Each system, kerf among them, is a process that has
// the same data, precision and number of threads; they take turns, and what they
// come to is compared before the times are. It writes docs/benchmarks.md, and
// everything that it measured to docs/benchmarks.json.
//
// With -quick it takes fewer rows. Arguments name the works to measure; without any
// it measures all.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

var ctx = context.Background()

// threads is how many each contender may use.
const threads = 2

func main() {
	if len(os.Args) == 2 && os.Args[1] == serveArgument {
		serve(os.Stdin, os.Stdout)
		return
	}
	b := &bench{}
	flag.BoolVar(&b.quick, "quick", false, "fewer rows: some minutes in all")
	flag.StringVar(&b.page, "page", "docs/benchmarks.md", "`file` of the page; the JSON goes beside it")
	flag.StringVar(&b.folder, "folder", "", "`folder` of the peers and of data that are made (default: one in the cache)")
	flag.IntVar(&b.reps, "reps", 3, "`runs` of each contender that count, at least")
	flag.StringVar(&b.rewrite, "rewrite", "", "JSON `file` of an earlier run to write the page of")
	flag.BoolVar(&b.update, "update", false, "keep what the JSON of an earlier run has of other works")
	flag.Parse()
	b.names = flag.Args()
	if err := b.run(); err != nil {
		fmt.Fprintln(os.Stderr, "bench/peers:", err)
		os.Exit(1)
	}
}

// bench is a measurement of all works.
type bench struct {
	quick   bool
	page    string
	folder  string
	reps    int
	names   []string
	rewrite string
	update  bool
	data    string // folder of the public data sets
	outcome
}

func (b *bench) run() error {
	if b.rewrite != "" {
		if err := b.read(b.rewrite); err != nil {
			return err
		}
		return b.write()
	}
	if b.reps < 3 {
		return fmt.Errorf("-reps is %d; a median takes at least 3", b.reps)
	}
	if b.update {
		if err := b.read(b.beside()); err != nil {
			return err
		}
	}
	if err := b.prepare(); err != nil {
		return err
	}
	chosen, growing, err := choose(b.names)
	if err != nil {
		return err
	}
	for i := 0; i < len(chosen); {
		j := i + 1
		for j < len(chosen) && chosen[j].shares(chosen[i]) {
			j++
		}
		if err := b.measure(chosen[i:j]); err != nil {
			return err
		}
		if err := b.write(); err != nil { // what is measured is not lost
			return err
		}
		i = j
	}
	for _, w := range growing {
		if err := b.grow(w); err != nil {
			return err
		}
		if err := b.write(); err != nil {
			return err
		}
	}
	return nil
}

// prepare finds the folders and installs the peers.
func (b *bench) prepare() error {
	if b.folder == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return err
		}
		b.folder = filepath.Join(cache, "kerf-bench")
	}
	if b.data = os.Getenv("KERF_DATA"); b.data == "" {
		b.data = filepath.Join("..", "shared", "data")
	}
	install := exec.Command("bench/peers/install.sh", b.folder)
	install.Stderr = os.Stderr
	if err := install.Run(); err != nil {
		return fmt.Errorf("the peers cannot be installed: %w", err)
	}
	missing, err := os.ReadFile(filepath.Join(b.folder, "missing"))
	if err != nil {
		return err
	}
	b.Missing = nil
	for line := range strings.Lines(string(missing)) {
		b.Missing = append(b.Missing, strings.TrimSpace(line))
	}
	b.Quick = b.quick
	return b.describe(b.python())
}

func (b *bench) python() string { return filepath.Join(b.folder, "venv", "bin", "python") }

// choose returns the works and growths with the given names, all where there are
// none, in the order of the list: a prediction comes behind its training, which it brings along.
func choose(names []string) (chosen []work, growing []growth, err error) {
	if len(names) == 0 {
		return works, growths, nil
	}
	for _, name := range names {
		known := slices.ContainsFunc(works, func(w work) bool { return w.called(name) })
		for _, g := range growths {
			if name == growthGroup || g.id() == name {
				growing, known = append(growing, g), true
			}
		}
		if !known {
			var all []string
			for _, w := range works {
				all = append(all, w.id())
			}
			slices.Sort(all)
			return nil, nil, fmt.Errorf("there is no work %q; there are growth, %s", name, strings.Join(all, ", "))
		}
	}
	wanted := func(w work) bool { return slices.ContainsFunc(names, w.called) }
	for i, w := range works {
		by := func(p work) bool { return p.Name != w.Name && p.Set == w.Set && p.rows == w.rows && wanted(p) }
		if wanted(w) || w.Name == svmTrain && slices.ContainsFunc(works[i:], by) {
			chosen = append(chosen, w)
		}
	}
	return chosen, growing, nil
}

// set makes the data of a set, once, and returns their folder.
func (b *bench) set(name string, rows int) (string, error) {
	dir := filepath.Join(b.folder, "data", fmt.Sprintf("%s-%d", name, rows))
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	part := dir + ".part" // data are there whole or not at all
	if err := os.RemoveAll(part); err != nil {
		return "", err
	}
	data, err := filepath.Abs(b.data)
	if err != nil {
		return "", err
	}
	text, err := exec.Command(b.python(), "bench/peers/make.py", part, name, fmt.Sprint(rows), data).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("making %s: %w\n%s", name, err, text)
	}
	return dir, os.Rename(part, dir)
}
