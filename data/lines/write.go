package lines

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/file"
)

// Write writes the texts of x, one a line, each after its label and a tab if
// labels is not nil, so that Read gives them back exactly with Label First, or
// with None where there are no labels.
//
// It returns an error for what the format cannot hold: a line end in a text, a
// carriage return at the end of one, a text that is blank and has no label, a
// label that is empty, begins or ends with a blank or has a tab or line end in
// it; and for as many labels as do not match the texts. What was written before
// the fault stays written.
func Write(w io.Writer, x data.Source[string], labels []string) error {
	if labels != nil && len(labels) != x.Len() {
		return fmt.Errorf("lines: %d labels for %d instances", len(labels), x.Len())
	}
	out := bufio.NewWriterSize(w, file.HeadSize)
	for i := range x.Len() {
		text := x.At(i)
		if strings.ContainsRune(text, '\n') || strings.HasSuffix(text, "\r") {
			return fmt.Errorf("lines: row %d: the format cannot hold a text with a line end in it", i+1)
		}
		if labels == nil && strings.TrimSpace(text) == "" {
			return fmt.Errorf("lines: row %d: the format cannot hold a blank text without a label", i+1)
		}
		if labels != nil {
			label := labels[i]
			if label == "" || strings.TrimSpace(label) != label || strings.ContainsAny(label, "\t\n") {
				return fmt.Errorf("lines: row %d: the format cannot hold the label %q", i+1, label)
			}
			text = label + "\t" + text
		}
		if _, err := out.WriteString(text + "\n"); err != nil {
			return err
		}
	}
	return out.Flush()
}
