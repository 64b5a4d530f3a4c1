package cli

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/atomicfile"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/model"
)

// checkpointEvery is how many rounds of a learner lie between two states, if they
// are due.
const checkpointEvery = 1

// A state is written at once, and then so that this long lies between two, and
// writing takes at most this part of the time.
const (
	checkpointPause = time.Second
	checkpointShare = 0.05
)

// checkpointRows is how many rows are read at a time for the key of a training.
const checkpointRows = 1000

// checkpointKey tells whether a state belongs to a training: other rows, another
// kernel or another price are another problem.
func checkpointKey[T any](r model.Recipe[T], kind model.Kind[T], d data.Labeled[T, string]) []byte {
	sum, n := sha256.New(), d.X.Len()
	fmt.Fprintf(sum, "kerf checkpoint 1: %v, %s, C %v %v, nu %v, epsilon %v, tolerance %v, weights %v %v, kept %v, rows %d, seed %d, %v",
		r.Kernel, r.Learner, r.C, r.Choose, r.Nu, r.Epsilon, r.Tolerance, r.ClassWeight, r.Balanced, r.Conformal, n, r.Seed, r.Run.Precision)
	fmt.Fprintf(sum, "; %s, dims %d %d, %v, %s, rank %v, repair %q, certify %v %v %d, choices %v; %v, rounds %d, passes %d, unit %v, pairs %v;",
		r.Map, r.Dim, r.Landmarks, r.Select, r.Projection, r.Rank, r.Repair, r.Claim, r.Certify, r.Most, r.Auto, r.Loss, r.Rounds, r.MaxPasses, r.Unit, r.Pairs)
	for lo := 0; lo < n; lo += checkpointRows {
		sum.Write(kind.Encode(data.Range[T]{Of: d.X, Lo: lo, Hi: min(lo+checkpointRows, n)}))
	}
	fmt.Fprintf(sum, "%q", d.Y)
	if d.Weight != nil {
		fmt.Fprintf(sum, "weights %v", d.Weight)
	}
	return sum.Sum(nil)
}

// openCheckpoint returns where a state is kept, and the state that is there. The
// file is the key of the training, the digest of the state, and the state.
func openCheckpoint(path string, key []byte) (learn.Checkpoint, error) {
	var next time.Time
	c := learn.Checkpoint{Every: checkpointEvery, Due: func() bool { return !time.Now().Before(next) }, Save: func(state []byte) error {
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
		return c, writable(path)
	case err != nil:
		return c, badInput(path, err.Error(), "give the path of a file")
	case len(b) < head || !bytes.Equal(b[:len(key)], key):
		return c, badInput(path, "this is not the state of this training but of another, or none", "use another file, or remove it")
	}
	c.From = b[head:]
	if digest := sha256.Sum256(c.From); !bytes.Equal(digest[:], b[len(key):head]) {
		return c, badInput(path, "the checkpoint is damaged", "remove it and begin anew")
	}
	return c, nil
}
