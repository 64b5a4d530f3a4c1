package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"

	// The file systems that names may be of.
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/gcs"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/s3"

	"github.com/kerf-ml/kerf/dataset"
)

// isLocal reports whether a name is one of this machine's file system, or of a folder that
// is mounted there.
func isLocal(name string) bool { return !strings.Contains(name, "://") }

// join puts a name into a folder of any file system.
func join(folder, name string) string {
	if isLocal(folder) {
		return filepath.Join(folder, name)
	}
	return strings.TrimRight(folder, "/") + "/" + name
}

// with opens the file system of a name for the time of a call.
func with(ctx context.Context, name string, use func(fs filesystem.Interface) error) error {
	fs, err := filesystem.New(ctx, name)
	if err != nil {
		return err
	}
	return errors.Join(use(fs), fs.Close())
}

// open opens a file for reading.
func open(ctx context.Context, name string) (io.ReadCloser, error) {
	if isLocal(name) {
		return os.Open(name)
	}
	fs, err := filesystem.New(ctx, name)
	if err != nil {
		return nil, err
	}
	r, err := fs.OpenRead(ctx, name)
	if err != nil {
		return nil, errors.Join(err, fs.Close())
	}
	return &remoteFile{withClient{r, fs}, ctx, name}, nil
}

// read reads a file whole.
func read(ctx context.Context, name string) ([]byte, error) {
	r, err := open(ctx, name)
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(r)
	return b, errors.Join(err, r.Close())
}

// write makes a file of what fill writes to a file of this machine: whole or not at all.
// It returns the size and the digest of the content.
func write(ctx context.Context, name string, fill func(w *os.File) error) (size int64, digest string, err error) {
	folder := os.TempDir()
	if isLocal(name) {
		folder = filepath.Dir(name)
	}
	f, err := os.CreateTemp(folder, ".kerf-*")
	if err != nil {
		return 0, "", err
	}
	defer os.Remove(f.Name())
	if err = fill(f); err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	h := sha256.New()
	if err == nil {
		size, err = io.Copy(h, f)
	}
	if err = errors.Join(err, f.Chmod(0o644), f.Close()); err != nil {
		return 0, "", err
	}
	if isLocal(name) {
		err = os.Rename(f.Name(), name)
	} else {
		err = upload(ctx, f.Name(), name)
	}
	return size, hex.EncodeToString(h.Sum(nil)), err
}

// upload copies a file of this machine to another file system.
func upload(ctx context.Context, from, name string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	return with(ctx, name, func(fs filesystem.Interface) error {
		out, err := fs.OpenWrite(ctx, name)
		if err != nil {
			return err
		}
		_, err = io.Copy(out, in)
		return errors.Join(err, out.Close())
	})
}

// list returns the names of the files in a folder that match a pattern.
func list(ctx context.Context, folder, pattern string) (names []string, err error) {
	err = with(ctx, folder, func(fs filesystem.Interface) (err error) {
		names, err = fs.List(ctx, join(folder, pattern))
		return err
	})
	slices.Sort(names)
	return names, err
}

// erase removes a file.
func erase(ctx context.Context, name string) error {
	if isLocal(name) {
		return os.Remove(name)
	}
	return with(ctx, name, func(fs filesystem.Interface) error {
		if remover, ok := fs.(filesystem.Remover); ok {
			return remover.Remove(ctx, name)
		}
		return nil
	})
}

// remove removes a folder of results.
func remove(ctx context.Context, folder string) error {
	if isLocal(folder) {
		return os.RemoveAll(folder)
	}
	names, err := list(ctx, folder, "*")
	if err != nil {
		return err
	}
	return with(ctx, folder, func(fs filesystem.Interface) error {
		remover, ok := fs.(filesystem.Remover)
		if !ok {
			return nil
		}
		var all error
		for _, name := range names {
			all = errors.Join(all, remover.Remove(ctx, name))
		}
		return all
	})
}

// expand returns the files that a path stands for, with absolute names: as dataset.Files
// has it, on any file system.
func expand(ctx context.Context, name string) ([]string, error) {
	if isLocal(name) {
		names, err := dataset.Files(name)
		for i := range names {
			if names[i], err = filepath.Abs(names[i]); err != nil {
				return nil, err
			}
		}
		return names, err
	}
	pattern := name
	if strings.HasSuffix(name, "/") {
		pattern = name + "*"
	}
	if !strings.ContainsAny(pattern, "*?[") {
		return []string{name}, nil
	}
	var names []string
	err := with(ctx, pattern, func(fs filesystem.Interface) (err error) {
		names, err = fs.List(ctx, pattern)
		return err
	})
	names = slices.DeleteFunc(names, func(name string) bool {
		base := path.Base(name)
		return strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") || strings.HasSuffix(name, "/")
	})
	slices.Sort(names)
	if err == nil && len(names) == 0 {
		err = fmt.Errorf("%s: no file matches; check the name", name)
	}
	return names, err
}

// stamp tells versions of a file apart, as far as its file system does.
func stamp(ctx context.Context, name string) string {
	text := ""
	_ = with(ctx, name, func(fs filesystem.Interface) error { // who reads the file says what is wrong with it
		if size, err := fs.Size(ctx, name); err == nil {
			text = fmt.Sprint(size)
		}
		if m, ok := fs.(filesystem.LastModifiedGetter); ok {
			if at, err := m.LastModified(ctx, name); err == nil {
				text += fmt.Sprintf(" %d", at.UnixNano())
			}
		}
		return nil
	})
	return text
}
