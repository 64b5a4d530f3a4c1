package text

import (
	"fmt"
	"io"

	"github.com/kerf-ml/kerf/job"
)

// Demonstration shows what came of the demonstration.
func Demonstration(w io.Writer, d *job.Demonstration) error {
	fmt.Fprintf(w, `Two rings, one around the other: %d points for training, %d for testing.
No line splits them. The kernel %s can, by comparing points with each other;
F1, F2 and F3 turn that kernel into a few explicit features, and a plain linear
separator does the rest.

`, d.Train.X.Len(), d.Test.X.Len(), d.Kernel)
	fmt.Fprintf(w, "%-24s%10s%12s%9s%11s\n", "method", "features", "test error", "margin", "training")
	for _, r := range d.Results {
		fmt.Fprintf(w, "%-24s%10d%12s%9.3f%9.2f s\n", r.Method, r.Dim, percent(r.Error), r.Margin, r.Seconds)
	}
	fmt.Fprintf(w, `
features  how many numbers a point becomes; the kernel perceptron compares it with
          as many training points instead, the exact SVM with all of them
margin    by how much the worst training point is on its right side, as the cosine
          of an angle; negative where some are on the wrong side
`)
	if d.Plan.Landmarks > 0 {
		fmt.Fprintf(w, `
How many features are enough? At this margin theory promises %s%% error with %d%%
confidence from %s landmarks, whatever the data; on these %d were plenty.
`, trim(100*job.DemoError), int(100*job.DemoSure), grouped(int64(d.Plan.Landmarks)), job.DemoDim)
	}
	_, err := fmt.Fprintf(w, "\nThe report with pictures is in %s.\n", d.Report)
	return err
}

func trim(v float64) string { return fmt.Sprintf("%g", v) }
