package cli

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/kerf-ml/kerf/internal/atomicfile"
	"github.com/kerf-ml/kerf/learn/kernelized"
	"github.com/kerf-ml/kerf/model"
)

// checkpointed are the learners that keep a state.
var checkpointed = []string{model.LearnerKernelSVM, model.LearnerNuSVM, model.LearnerOneClass, model.LearnerSVR, model.LearnerNuSVR}

// checkpointEvery is how many rounds of the solver lie between two states.
const checkpointEvery = 1

// checkpointKey tells whether a state belongs to a recipe: another kernel,
// another price or another number of rows is another problem.
func checkpointKey[T any](r model.Recipe[T], n int) []byte {
	text := fmt.Sprintf("kerf checkpoint 1: %v, %s, C %v, nu %v, epsilon %v, tolerance %v, weights %v %v, rows %d, seed %d, %v",
		r.Kernel, r.Learner, r.C, r.Nu, r.Epsilon, r.Tolerance, r.ClassWeight, r.Balanced, n, r.Seed, r.Run.Precision)
	sum := sha256.Sum256([]byte(text))
	return sum[:]
}

// openCheckpoint returns where a state is kept, and the state that is there.
func openCheckpoint(path string, key []byte) (kernelized.Checkpoint, error) {
	c := kernelized.Checkpoint{Every: checkpointEvery, Save: func(state []byte) error {
		return atomicfile.Write(path, func(w io.Writer) error {
			_, err := w.Write(append(bytes.Clone(key), state...))
			return err
		})
	}}
	b, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return c, writable(path)
	case err != nil:
		return c, err
	case len(b) < len(key) || !bytes.Equal(b[:len(key)], key):
		return c, badInput(path, "this is the state of another training", "use another file, or remove it")
	}
	c.From = b[len(key):]
	return c, nil
}
