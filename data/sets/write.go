package sets

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/file"
)

// Write writes the sets of x, one a line, each after its label if labels is not
// nil, so that Read gives them back exactly with Label First, or with None where
// there are no labels. The empty set without a label is a comma.
//
// It returns an error for what the format cannot hold: an item or label that is
// empty, begins or ends with a blank or has a comma or line end in it; and for as
// many labels as do not match the sets. What was written before the fault stays
// written.
func Write(w io.Writer, x data.Source[data.Set], labels []string) error {
	if labels != nil && len(labels) != x.Len() {
		return fmt.Errorf("sets: %d labels for %d instances", len(labels), x.Len())
	}
	out := bufio.NewWriterSize(w, file.HeadSize)
	for i := range x.Len() {
		cells := []string(x.At(i))
		if labels != nil {
			cells = append([]string{labels[i]}, cells...)
		}
		for _, cell := range cells {
			if cell == "" || strings.TrimSpace(cell) != cell || strings.ContainsAny(cell, ",\n") {
				return fmt.Errorf("sets: row %d: the format cannot hold %q", i+1, cell)
			}
		}
		line := strings.Join(cells, ",")
		if line == "" {
			line = ","
		}
		if _, err := out.WriteString(line + "\n"); err != nil {
			return err
		}
	}
	return out.Flush()
}
