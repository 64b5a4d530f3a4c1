package text

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/kerf-ml/kerf/bound"
)

// planTable writes rows of a number, what it is, and what it assumes.
type planTable struct{ *tabwriter.Writer }

func newPlanTable(w io.Writer) planTable { return planTable{tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)} }

func (t planTable) row(n bound.Count, what, assumes string) {
	fmt.Fprintf(t, "%v\t%s\t%s\n", n, what, assumes)
}

// Plan says how many landmarks, dimensions and examples the theorems ask for.
func Plan(w io.Writer, p bound.Plan) error {
	fmt.Fprintf(w, "margin %v, error %v, confidence %v, noise %v\n\n", p.Margin, p.Error, p.Confidence, p.Noise)
	t := newPlanTable(w)
	t.row(p.Landmarks, "landmarks", "drawn at random from the data, without labels (lemma 1)")
	t.row(p.F1Dim, "dimensions of F1", "a kernel; separable, margin not kept (corollary 1)")
	t.row(p.F2Dim, "dimensions of F2", "a kernel; separable at half the margin (theorem 4)")
	t.row(p.F3Landmarks, "landmarks for F3", "a kernel; F2 at half the error (theorem 5)")
	t.row(p.F3Dim, "dimensions of F3", "at a quarter of the margin (theorem 5, constants of docs/math)")
	t.row(p.JLDim, "dimensions by random projection", "of explicit vectors, at half the margin (theorem 3)")
	t.row(p.PerceptronMistakes, "mistakes of the perceptron at most", "no noise, instances of unit length")
	t.row(p.PerceptronSample, "examples for the perceptron", "expected error at a random time of one pass")
	t.row(p.SurvivorSample, "examples for a sure perceptron",
		fmt.Sprintf("no noise; stop once it is right %v times running", p.SurvivorStreak))
	t.row(p.WeakTries, "random separators tried",
		fmt.Sprintf("no noise; one is better than chance by %.3g (algorithm 1)", p.Margin/12))
	t.row(p.WeakSample, "examples to judge them on", "one sample for all of them (footnote 2, Hoeffding's constants)")
	t.row(p.BoostingRounds, "rounds of boosting", "no noise; error on the training sample, a random separator a round")
	t.row(p.BoostingTries, "random separators tried a round", "no noise; errors by the weights of the round (algorithm 1)")
	t.row(p.MarginSample, "labelled examples, by the margin",
		fmt.Sprintf("true error at most %v above the error at margin %v on the sample", p.Error, p.Margin/2))
	t.row(p.F2Sample, "labelled examples, by F2's dimensions",
		fmt.Sprintf("true and training error differ by at most %v, for every separator", p.Error))
	t.row(p.NearlyLandmarks, "landmarks for an F3 of small error",
		fmt.Sprintf("no noise; error at most %.3g, %v/(d·ln d) for d dimensions (corollary 2)", p.NearlyError, p.Error))
	t.row(p.NearlyDim, "dimensions of that F3", "at a quarter of the margin (corollary 2, constants of docs/math)")
	t.row(p.SeparableLandmarks, "landmarks for a sample without error",
		"no noise; F3 separates all of the sample below (ours, more than corollary 2)")
	t.row(p.SeparableDim, "dimensions of that F3", "at a quarter of the margin (ours, proof in docs/math/samples.md)")
	t.row(p.SeparableSample, "labelled examples there",
		fmt.Sprintf("any separator that is right on them has error at most %v (ours)", p.Error))
	if err := t.Flush(); err != nil {
		return err
	}
	if p.SeparableLandmarks > 1<<53 {
		fmt.Fprintln(w, "\nCounts past 2⁵³ are given in three digits.")
	}
	if p.F3Dim > p.F2Dim {
		fmt.Fprintln(w, "\nAt this error F2 needs fewer dimensions than F3, whose count grows only with the\n"+
			"logarithm of 1/error and so pays where the error must be small.")
	}
	_, err := fmt.Fprintf(w, "\nThe mapped data are then separable with error at most %.4g.\n", p.ErrorBound)
	return err
}

// Budget says what a number of features buys.
func Budget(w io.Writer, b bound.Budget) error {
	var given []string
	for _, g := range []struct {
		name  bound.Unknown
		value float64
	}{{bound.UnknownMargin, b.Margin}, {bound.UnknownError, b.Error}, {bound.UnknownConfidence, b.Confidence}} {
		if g.name != b.Unknown {
			given = append(given, fmt.Sprintf("%s %v", g.name, g.value))
		}
	}
	fmt.Fprintf(w, "%d features, %s, noise %v: what %s they buy\n\n", b.Dim, strings.Join(given, ", "), b.Noise, b.Unknown)
	t := newPlanTable(w)
	row := func(value *float64, what, assumes string) {
		if value == nil {
			fmt.Fprintf(t, "none\t%s\tnothing is promised for so few\n", what)
			return
		}
		number := fmt.Sprintf("%.4g", *value)
		if b.Unknown == bound.UnknownConfidence && *value > 0.9999 {
			number = "above 0.9999"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\n", number, what, assumes)
	}
	row(b.F1, "with F1", fmt.Sprintf("%d landmarks; a kernel; margin not kept (corollary 1)", b.Dim))
	row(b.F2, "with F2", fmt.Sprintf("%d landmarks; a kernel; at half the margin (theorem 4)", b.Dim))
	row(b.F3, "with F3", fmt.Sprintf("%v landmarks; a kernel; at a quarter of the margin (theorem 5)", b.F3Landmarks))
	row(b.JL, "by random projection", "of explicit vectors; at half the margin (theorem 3)")
	if err := t.Flush(); err != nil {
		return err
	}
	says := map[bound.Unknown]string{
		bound.UnknownError:      "The mapped data are separable with that error at most, noise included.",
		bound.UnknownMargin:     "It is the smallest margin the data may have in the kernel's feature space.",
		bound.UnknownConfidence: "It is the probability with which that error holds.",
	}[b.Unknown]
	_, err := fmt.Fprintf(w, "\n%s\n", says)
	return err
}
