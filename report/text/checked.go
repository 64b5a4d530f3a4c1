package text

import (
	"io"

	"github.com/kerf-ml/kerf/job"
)

// Checked says whether a similarity is a kernel on a sample.
func Checked(w io.Writer, c *job.Checked) error {
	out := newFacts(w)
	out.add("kernel", "%s, on %d rows", c.Kernel, c.N)
	out.add("symmetric", "%s", yes(c.Symmetric))
	out.add("semidefinite", "%s", yes(c.PSD))
	out.add("eigenvalues", "%.4g to %.4g, half of them below %.4g; each known to within %.1g", c.MinEigenvalue,
		c.MaxEigenvalue, c.Median, c.Tolerance)
	out.add("rank", "%d", c.Rank)
	if c.Witness != nil {
		out.add("witness", "rows %v with coefficients %.3g give %.3g, and a kernel would give at least 0", c.Witness.Rows,
			c.Witness.Coefficients, c.Witness.Value)
		out.add("so", "F1 takes it as it stands; F2 refuses it unless --repair clip, flip or shift; F3 refuses it")
	}
	return out.flush()
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
