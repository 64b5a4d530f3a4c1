// Package atomicfile writes files whole or not at all.
package atomicfile

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// unfinished are the names of files that are being written.
var unfinished sync.Map

// Abandon removes the files that are being written, for a program that ends before
// their writers do.
func Abandon() {
	unfinished.Range(func(name, _ any) bool {
		_ = os.Remove(name.(string))
		return true
	})
}

// Write calls fill with a writer and, if fill succeeds, puts what it wrote at
// path in one step. If anything fails, a panic of fill included, path is as it
// was and nothing else is left behind. A new file can be read by all; one that
// is replaced keeps its permissions. The writer is an io.WriterAt as well, for who
// has to go back. A path that exists and is no regular file (a device, a pipe) is
// written to directly, by a writer that cannot.
func Write(path string, fill func(w io.Writer) error) (err error) {
	if target, linkErr := filepath.EvalSymlinks(path); linkErr == nil {
		path = target // the file that a link names, not the link, is replaced
	}
	mode := os.FileMode(0o644)
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		if !info.Mode().IsRegular() {
			return direct(path, fill)
		}
		mode = info.Mode().Perm()
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	unfinished.Store(f.Name(), nil)
	whole := false
	defer func() {
		if !whole {
			_ = f.Close()
			_ = os.Remove(f.Name())
		}
		unfinished.Delete(f.Name())
		var fault *fs.PathError
		if errors.As(err, &fault) && fault.Path == f.Name() {
			fault.Path = path // the name that the caller knows
		}
	}()
	w := &buffered{bufio.NewWriterSize(f, 1<<16), f}
	if err := fill(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if err := f.Chmod(mode); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	whole = true
	return nil
}

// buffered writes to a file through a buffer.
type buffered struct {
	*bufio.Writer
	f *os.File
}

// WriteAt writes over what was written.
func (b *buffered) WriteAt(p []byte, at int64) (int, error) {
	if err := b.Flush(); err != nil {
		return 0, err
	}
	return b.f.WriteAt(p, at)
}

func direct(path string, fill func(w io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<16)
	err = fill(w)
	if err == nil {
		err = w.Flush()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	return err
}
