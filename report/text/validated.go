package text

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/kerf-ml/kerf/job"
	"github.com/kerf-ml/kerf/model"
)

// CrossValidated shows what each fold came to, of so many.
func CrossValidated(w io.Writer, c *job.CrossValidated, folds int) error {
	out := newFacts(w)
	out.add("data", "%s: %d rows, %d folds%s", c.File, c.N, folds, picked(c.Repeats > 1,
		fmt.Sprintf("%d times", c.Repeats)))
	out.addWeights(c.Weights)
	how := "width chosen in each fold"
	if c.Searched {
		how = "searched in each fold"
	}
	out.add("kernel", "%s%s", c.Kernel, picked(c.Open, how))
	out.add("map", "%s%s", c.Map, picked(!c.Machine && c.Map != model.MapNone, fmt.Sprintf("%d dimensions", c.Dim)))
	out.add("learner", "%s", c.Learner)
	if err := out.flush(); err != nil {
		return err
	}
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	columns := measureColumns(c.Task == model.Regress)
	fmt.Fprint(t, "fold\ttrained on\ttested on\t")
	for _, m := range columns {
		fmt.Fprintf(t, "%s\t", m.title)
	}
	fmt.Fprintln(t, "seconds\t")
	for i, v := range c.Folds {
		fmt.Fprintf(t, "%d\t%d\t%d\t", i+1, v.NTrain, v.Score.Rows())
		all := v.Score.Measures()
		for _, m := range columns {
			fmt.Fprintf(t, "%s\t", m.write(all))
		}
		fmt.Fprintf(t, "%.2f\t\n", v.Seconds)
	}
	for _, row := range []struct {
		name string
		of   map[string]float64
	}{{"mean", c.Mean}, {"±", c.Std}, {"baseline", c.Baseline}} {
		if row.of == nil {
			continue
		}
		fmt.Fprintf(t, "%s\t\t\t", row.name)
		for _, m := range columns {
			fmt.Fprintf(t, "%s\t", m.write(row.of))
		}
		fmt.Fprintln(t, "\t")
	}
	return t.Flush()
}

// measureColumn is a measure in a table for people.
type measureColumn struct {
	key, title string
	format     func(float64) string
}

// write writes the measure, a dash where there is none.
func (m measureColumn) write(of map[string]float64) string {
	v, ok := of[m.key]
	if !ok {
		return "–"
	}
	return m.format(v)
}

// measureColumns are the measures that people are shown.
func measureColumns(regress bool) []measureColumn {
	if regress {
		short := func(v float64) string { return fmt.Sprintf("%.5g", v) }
		return []measureColumn{{"rmse", "RMSE", short}, {"mae", "MAE", short}, {"r2", "R²", decimals}}
	}
	return []measureColumn{{"error", "error", percent}, {"balanced_accuracy", "balanced accuracy", percent}}
}
