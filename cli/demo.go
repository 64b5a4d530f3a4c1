package cli

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/kerf-ml/kerf/job"
	"github.com/kerf-ml/kerf/report"
	"github.com/kerf-ml/kerf/report/text"
)

func (a *app) demo() *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:   "demo",
		Short: "The main job on built-in data, in a few seconds",
		Long: `The main job on built-in data: two rings that no line can split. It maps them
with F1, F2 and F3, trains a linear separator on each, compares with the kernel
perceptron and the exact kernel SVM, and writes a report with pictures.`,
	}
	c.Flags().StringVarP(&out, "output", "o", "kerf-demo.html", "file to write the report to")
	c.RunE = func(c *cobra.Command, _ []string) error {
		if err := flagged(job.Writable(out)); err != nil {
			return err
		}
		d, err := job.Demo(c.Context(), a.options(&inputFlags{}))
		if err != nil {
			return err
		}
		d.Report = out
		if err := a.output(c.Context(), out, func(w io.Writer) error {
			return report.Demo(w,
				report.Demonstration(d))
		}); err != nil {
			return err
		}
		return a.result(d, func(w io.Writer) error { return text.Demonstration(w, d) })
	}
	return c
}
