package text

import (
	"fmt"
	"io"

	"github.com/kerf-ml/kerf/job"
)

// Margin shows the error at every margin.
func Margin(w io.Writer, m *job.Margin) error {
	fmt.Fprintf(w, "error at margin, %s, counted on %d rows\n\n%s\n", m.Kernel, m.Rows, m.Picture)
	out := newFacts(w)
	out.add("margin", "%.3g to plan with: all but %s of the rows have it", m.Margin, percent(m.Noise))
	out.add("error", "%s in all, if the mapping adds no more than %.3g", percent(m.TotalError), m.Error)
	if m.Landmarks > 0 {
		out.add("landmarks", "%s suffice by theory (lemma 1); kerf train --error tests how many these data need",
			grouped(int64(m.Landmarks)))
	}
	out.add("sample", "true errors are with %s confidence at most %s above the curve", percent(m.Confidence),
		percent(m.Gap))
	return out.flush()
}
