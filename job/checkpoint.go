package job

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/internal/atomicfile"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/spec"
)

// A state is written at once, and then so that this long lies between two, and
// writing takes at most this part of the time.
const (
	checkpointPause = time.Second
	checkpointShare = 0.05
)

// checkpointRows is how many rows are read at a time for the key of a training.
const checkpointRows = 1000

// keyOf tells whether a state belongs to a training: another recipe, other choices
// or other rows are another problem.
func keyOf[T any](r model.Recipe[T], left *open[T], kind spec.Kind[T], s model.Sample[T]) ([]byte, error) {
	key, err := r.Key()
	if err != nil {
		return nil, err
	}
	sum, n := sha256.New(), s.Len()
	fmt.Fprintf(sum, "kerf checkpoint 3: %s, %d rows;", key, n)
	if left != nil {
		fmt.Fprintf(sum, "%v %v %q;", left.kernels, left.dims, left.maps)
		if len(left.variants) > 0 {
			fmt.Fprintf(sum, "%v;", left.variants)
		}
	}
	for lo := 0; lo < n; lo += checkpointRows {
		sum.Write(kind.Encode(data.Range[T]{Of: s.X, Lo: lo, Hi: min(lo+checkpointRows, n)}))
	}
	fmt.Fprintf(sum, "%s %s %q %v %v %v", s.Task, s.By, s.Classes.Names, s.Y, s.Values, s.Weight)
	return sum.Sum(nil), nil
}

// openCheckpoint returns where a state is kept, and the state that is there. The
// file is the key of the training, the digest of the state, and the state.
func openCheckpoint(path string, key []byte) (learn.Checkpoint, error) {
	var next time.Time
	c := learn.Checkpoint{Every: 1, Due: func() bool { return !time.Now().Before(next) }, Save: func(state []byte) error {
		begun := time.Now()
		err := atomicfile.Write(path, func(w io.Writer) error {
			digest := sha256.Sum256(state)
			for _, part := range [][]byte{key, digest[:], state} {
				if _, err := w.Write(part); err != nil {
					return err
				}
			}
			return nil
		})
		took := time.Since(begun)
		next = begun.Add(took + max(checkpointPause, time.Duration(float64(took)/checkpointShare)))
		return err
	}}
	b, err := os.ReadFile(path)
	head := len(key) + sha256.Size
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return c, Writable(path)
	case err != nil:
		return c, badInput(path, err.Error(), "give the path of a file")
	case len(b) < head || !bytes.Equal(b[:len(key)], key):
		return c, badInput(path, "this is not the state of this training but of another, or none",
			"use another file, or remove it")
	}
	c.From = b[head:]
	if digest := sha256.Sum256(c.From); !bytes.Equal(digest[:], b[len(key):head]) {
		return c, badInput(path, "the checkpoint is damaged", "remove it and begin anew")
	}
	return c, nil
}

// Writable reports early that a file cannot be put at path, before hours of work
// are lost for it.
func Writable(path string) error {
	if path == "" || path == "-" {
		return nil
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return dataset.BadOption("cannot write to %s: it is a directory", path)
	}
	dir := "."
	if i := bytes.LastIndexByte([]byte(path), filepath.Separator); i >= 0 {
		dir = path[:i+1]
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return dataset.BadOption("cannot write to %s: there is no directory %s", path, dir)
	}
	return nil
}
