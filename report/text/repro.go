package text

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/kerf-ml/kerf/repro"
)

// Experiments lists experiments, with what each takes.
func Experiments(w io.Writer, chosen []repro.Experiment) error {
	for i, e := range chosen {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "%s: %s (%s)\n%s", e.Name, e.Title, e.Where, folded(e.Claim, "  "))
		for _, t := range e.Takes {
			fmt.Fprintf(w, "  --%-7s %s\n", t.Name, t.What)
		}
	}
	return nil
}

// Result shows what an experiment measured beside what is promised.
func Result(w io.Writer, r *repro.Result) error {
	fmt.Fprintf(w, "%s: %s (%s)\n%s\n", r.Name, r.Title, r.Where, folded(r.Claim, "  "))
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	last := ""
	for _, row := range r.Rows {
		if row.What != last {
			fmt.Fprintf(t, "  %s\tpromised\tmeasured\t\t\n", row.What)
			last = row.What
		}
		interval := row.Measured.Interval()
		if interval != "" {
			interval = "(" + interval + ")"
		}
		fmt.Fprintf(t, "    %s\t%s\t%s\t%s\t%s\n", row.Place(), row.Promise(), row.Measured, interval, row.Verdict.Words())
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, n := range r.Notes {
		fmt.Fprint(w, "\n"+folded(n, "  "))
	}
	_, err := fmt.Fprintf(w, "\n  %s, in %.1f s; again: %s\n\n", r.Words(), r.Seconds, r.Command)
	return err
}

// Summary counts the claims that hold; out is the folder of the page, if there is one.
func Summary(w io.Writer, s repro.Summary, out string) error {
	var parts []string
	add := func(n int, one, many string) {
		switch {
		case n == 1:
			parts = append(parts, "1 "+one)
		case n > 1:
			parts = append(parts, fmt.Sprintf("%d %s", n, many))
		}
	}
	add(s.Hold, "claim holds", "claims hold")
	add(s.Open, "is undecided", "are undecided")
	add(s.Fail, "does not hold", "do not hold")
	add(s.Shown, "comparison is reported", "comparisons are reported")
	fmt.Fprintf(w, "%s, in %.0f s. Intervals have %g%% confidence each.\n", strings.Join(parts, ", "), s.Seconds,
		100*repro.Confidence)
	if out != "" {
		fmt.Fprintf(w, "The page with charts is %s.\n", filepath.Join(out, "index.html"))
	}
	return nil
}

// folded breaks a text into lines of 80 characters.
func folded(text, indent string) string {
	const wide = 80
	var b strings.Builder
	line := indent
	for _, word := range strings.Fields(text) {
		if line != indent && len([]rune(line))+1+len([]rune(word)) > wide {
			b.WriteString(line + "\n")
			line = indent
		}
		if line != indent {
			line += " "
		}
		line += word
	}
	return b.String() + line + "\n"
}
