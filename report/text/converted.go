package text

import (
	"fmt"
	"io"
	"strings"

	"github.com/kerf-ml/kerf/job"
)

// Converted says what a model was written as, and how many rows to which file, which is
// empty where none were.
func Converted(w io.Writer, c *job.Converted, rows int, file string) error {
	out := newFacts(w)
	out.add("model", "of %s, written for %s to %s (%d bytes)", c.From.Title(), c.To.Title(), c.Output, c.Bytes)
	if len(c.Inputs) > 0 {
		out.add("inputs", "%s", inputsText(c.Inputs))
	}
	if file != "" {
		out.add("rows", "%d written to %s", rows, file)
	}
	return out.flush()
}

// inputsText says what the inputs of a graph are.
func inputsText(inputs []job.Input) string {
	const few = 8
	var parts []string
	for _, i := range inputs[:min(len(inputs), few)] {
		parts = append(parts, fmt.Sprintf("%s (%s, %d wide)", i.Name, i.Type, i.Width))
	}
	text := strings.Join(parts, ", ")
	if n := len(inputs) - few; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return text
}
