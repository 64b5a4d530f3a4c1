package dataset

import (
	"context"

	"github.com/kerf-ml/kerf/data/file"
	"github.com/kerf-ml/kerf/run"
)

// FormatOf returns the name of the format of a file.
func FormatOf(f *file.File) (string, error) {
	found, err := detect(f)
	if err != nil {
		return "", err
	}
	return found.name, nil
}

// IsBinary is what files are opened with.
var IsBinary = isBinary

// WrittenOutBy is WrittenOut with another digest of a row.
func (r *Rows) WrittenOutBy(digest func(i int) uint64) (*Rows, error) {
	return r.writtenOut(context.Background(), run.Control{}, digest)
}
