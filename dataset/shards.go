package dataset

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/file"
)

// Files returns the files that a path stands for, in the order in which their rows are
// read. A folder stands for all files in it but those whose names begin with a dot or an
// underscore, and a pattern such as "part-*.csv" for those that match it, unless there is
// a file of that name; both by increasing names. Anything else is itself, be it there or
// not.
func Files(path string) ([]string, error) {
	info, err := os.Stat(path)
	if path == "-" || err == nil && !info.IsDir() || err != nil && !strings.ContainsAny(path, "*?[") {
		return []string{path}, nil
	}
	if err != nil {
		return matching(path)
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, &data.InputError{File: path, Problem: "the folder cannot be read", Err: err}
	}
	var names []string
	for _, e := range entries {
		name := filepath.Join(path, e.Name())
		switch info, err := os.Stat(name); {
		case strings.HasPrefix(e.Name(), ".") || strings.HasPrefix(e.Name(), "_"):
		case err == nil && info.IsDir():
			return nil, &data.InputError{File: path, Problem: fmt.Sprintf("holds a folder, %s", e.Name()),
				Advice: "name the files by a pattern, such as 'folder/*.csv'"}
		default:
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil, &data.InputError{File: path, Problem: "there are no files in the folder", Advice: "name one with data"}
	}
	return names, nil // ReadDir sorts them
}

// Files returns the files of a path and of More, one after the other, each expanded as
// by the function Files, or by another one. A file may be one of them but once, and pipes
// may not: those that come behind would wait for what nobody may ever write.
func (o *Options) Files(path string, expand func(path string) ([]string, error)) ([]string, error) {
	if len(o.More) == 0 {
		return expand(path)
	}
	var all []string
	seen := map[string]bool{}
	for _, p := range append([]string{path}, o.More...) {
		names, err := expand(p)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if seen[filepath.Clean(name)] {
				return nil, &data.InputError{File: name, Problem: "the file is named twice", Advice: "name each file once"}
			}
			info, err := os.Stat(name)
			if name == "-" || err == nil && !info.Mode().IsRegular() {
				return nil, &data.InputError{File: name, Problem: "a pipe cannot be one of several inputs",
					Advice: "write it to a file first, or give it alone"}
			}
			seen[filepath.Clean(name)] = true
		}
		all = append(all, names...)
	}
	return all, nil
}

// Named is what a path and More are called together.
func (o *Options) Named(path string) string {
	if len(o.More) == 0 {
		return path
	}
	return fmt.Sprintf("%s and %d more", path, len(o.More))
}

// matching returns the files that match a pattern.
func matching(pattern string) ([]string, error) {
	names, err := filepath.Glob(pattern)
	if err != nil {
		return nil, &data.InputError{File: pattern, Problem: "is no pattern of file names",
			Advice: "check the brackets in it"}
	}
	names = slices.DeleteFunc(names, func(name string) bool {
		info, err := os.Stat(name)
		return err == nil && info.IsDir()
	})
	if len(names) == 0 {
		return nil, &data.InputError{File: pattern, Problem: "no file matches the pattern",
			Advice: "check the name and the current folder"}
	}
	slices.Sort(names)
	return names, nil
}

// eachFile opens the files of a path one after the other, and hands each over.
func eachFile(ctx context.Context, path string, o *Options, use func(f *file.File) error) error {
	names, err := []string{path}, error(nil)
	if o.Open == nil {
		names, err = o.Files(path, Files)
	}
	if err != nil {
		return err
	}
	if len(names) > 1 {
		for _, beside := range []struct {
			name  Option
			given string
		}{{"labels", o.Labels}, {"weights", o.Weights}} {
			if beside.given != "" {
				return BadOption("%s is for one file, and %s are %d", beside.name, o.Named(path), len(names))
			}
		}
	}
	one := func(name string) error {
		f, err := openFile(ctx, name, o)
		if err != nil {
			return err
		}
		defer f.Close()
		f.Tell(o.Run.Progress)
		return use(f)
	}
	for _, name := range names {
		if err := one(name); err != nil {
			return err
		}
	}
	return nil
}

// alike reports rows of a file that are not like those of the first file of several.
func (r *Rows) alike(first *Rows) error {
	fault := func(format string, args ...any) error {
		return &data.InputError{File: r.Name, Line: 1, Problem: fmt.Sprintf(format, args...),
			Advice: "files that are read together have the same columns in the same order"}
	}
	switch {
	case r.Name == first.Name:
	case r.Format != first.Format:
		return fault("this is %s data and %s is %s data", r.Format, first.Name, first.Format)
	case r.table == nil:
	case (r.table.Header == nil) != (first.table.Header == nil):
		if r.table.Header == nil {
			return fault("the table has no header and %s has one", first.Name)
		}
		return fault("the table has a header and %s has none", first.Name)
	case r.table.Cols() != first.table.Cols():
		return fault("the table has %d columns and %s has %d", r.table.Cols(), first.Name, first.table.Cols())
	default:
		for j, name := range r.table.Header {
			if want := first.table.Header[j]; name != want {
				return fault("column %d is %q and that of %s is %q", j+1, clip(name), first.Name, clip(want))
			}
		}
	}
	return nil
}
