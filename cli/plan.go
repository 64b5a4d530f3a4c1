package cli

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/kerf-ml/kerf/bound"
)

func (a *app) plan() *cobra.Command {
	var margin, err, confidence, noise float64
	c := &cobra.Command{
		Use:   "plan --margin G --error E --confidence C",
		Short: "How many landmarks, dimensions and examples the theorems ask for",
		Long: `How many landmarks, dimensions and examples the theorems ask for.

The margin is the cosine of the angle by which a separator in the kernel's
feature space gets instances right; all but the given part of noise must have
it. The counts are what suffices in the worst case: on real data far fewer
usually do.`,
		Example: "  kerf plan --margin 0.1 --error 0.05 --confidence 0.99",
	}
	c.Flags().Float64Var(&margin, "margin", 0, "margin in the kernel's feature space, above 0 and at most 1 (required)")
	c.Flags().Float64Var(&err, "error", 0, "error that is acceptable, between 0 and 1 (required)")
	c.Flags().Float64Var(&confidence, "confidence", 0, "probability with which it must hold, between 0 and 1 (required)")
	c.Flags().Float64Var(&noise, "noise", 0, "part of the data that no separator gets right by the margin")
	c.RunE = func(c *cobra.Command, _ []string) error {
		for _, name := range []string{"margin", "error", "confidence"} {
			if !c.Flags().Changed(name) {
				return usage("--%s is missing; usage: %s", name, c.UseLine())
			}
		}
		p, fault := bound.NewPlan(margin, err, confidence, noise)
		if fault != nil {
			return usage("%w", fault)
		}
		return a.result(p, func(w io.Writer) error { return printPlan(w, p) })
	}
	return c
}

func printPlan(w io.Writer, p bound.Plan) error {
	fmt.Fprintf(w, "margin %v, error %v, confidence %v, noise %v\n\n", p.Margin, p.Error, p.Confidence, p.Noise)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row := func(n int, what, assumes string) { fmt.Fprintf(t, "%d\t%s\t%s\n", n, what, assumes) }
	row(p.Landmarks, "landmarks", "drawn at random from the data, without labels (lemma 1)")
	row(p.F1Dim, "dimensions of F1", "any similarity with that margin; separable, margin not kept (corollary 1)")
	row(p.F2Dim, "dimensions of F2", "a kernel; separable at half the margin (theorem 4)")
	row(p.F3Landmarks, "landmarks for F3", "a kernel; F2 at half the error (theorem 5)")
	row(p.F3Dim, "dimensions of F3", "at a quarter of the margin (theorem 5, constants of docs/math)")
	row(p.JLDim, "dimensions by random projection", "of explicit vectors, at half the margin (theorem 3)")
	row(p.PerceptronMistakes, "mistakes of the perceptron at most", "no noise, instances of unit length")
	row(p.PerceptronSample, "examples for the perceptron", "expected error at a random time of one pass")
	if err := t.Flush(); err != nil {
		return err
	}
	if p.F3Dim > p.F2Dim {
		fmt.Fprintln(w, "\nAt this error F2 needs fewer dimensions than F3, whose count grows only with the\nlogarithm of 1/error and so pays where the error must be small.")
	}
	_, err := fmt.Fprintf(w, "\nThe mapped data are then separable with error at most %.4g.\n", p.ErrorBound)
	return err
}
