package text

import (
	"io"

	"github.com/kerf-ml/kerf/job"
)

// Mapped says where features are.
func Mapped(w io.Writer, m *job.Mapped) error {
	out := newFacts(w)
	out.add("features", "%d rows of %d written to %s", m.Rows, m.Dim, m.Output)
	return out.flush()
}

// Published says where an engine wrote what: features, or predictions.
func Published(w io.Writer, p *job.Published, what string) error {
	out := newFacts(w)
	out.add(what, "%s rows in %d files written to %s", grouped(int64(p.Rows)), len(p.Files), p.Output)
	if p.Skipped > 0 {
		out.add("left out", "%d files that were bad", p.Skipped)
	}
	return out.flush()
}
