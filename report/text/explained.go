package text

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/eval"
	"github.com/kerf-ml/kerf/explain"
	"github.com/kerf-ml/kerf/job"
)

// Explained says which columns matter, and why rows get their labels.
func Explained(w io.Writer, e *job.Explained) error {
	if e.Ranking != nil {
		if err := importance(w, e.Ranking); err != nil {
			return err
		}
	}
	if e.Plane != nil {
		if err := directions(w, e.Plane); err != nil {
			return err
		}
	}
	for _, note := range e.Notes {
		fmt.Fprintln(w, Printable(note))
	}
	for i, r := range e.Rows {
		if i > 0 || e.Ranking != nil || len(e.Notes) > 0 {
			fmt.Fprintln(w)
		}
		if err := why(w, r); err != nil {
			return err
		}
	}
	return nil
}

// barWidth is how many characters the largest importance has.
const barWidth = 24

func importance(w io.Writer, r *explain.Ranking) error {
	by := eval.Criterion(r.Metric)
	name := by.LossName()
	if r.Metric == explain.R2 {
		name = "1 - R²"
	}
	write := func(v float64) string { return fmt.Sprintf("%.4g", v) }
	if by.Percent() {
		write = percent
	}
	fmt.Fprintf(w, "how much the %s, %s on %d rows, grows when a column is exchanged between rows\n", name, write(r.Loss),
		r.Rows)
	fmt.Fprintf(w, "(%d passes; from and to: %s confidence for new rows, each column by itself)\n\n", r.Repeats,
		percent(r.Confidence))
	top := 0.0
	for _, one := range r.Importance {
		top = math.Max(top, one.Mean)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	head := "column\tgrowth\tfrom\tto\t"
	learned := len(r.Importance) > 0 && r.Importance[0].Metric != nil
	if learned {
		head += "in metric\t"
	}
	fmt.Fprintln(t, head)
	for _, one := range r.Importance {
		line := []string{cut(one.Column, 40), write(one.Mean), write(one.Low), write(one.High)}
		if learned {
			line = append(line, percent(*one.Metric))
		}
		bar := ""
		if top > 0 && one.Mean > 0 {
			bar = strings.Repeat("█", int(math.Round(barWidth*one.Mean/top)))
		}
		fmt.Fprintln(t, strings.Join(append(line, bar), "\t"))
	}
	if r.LeftOut > 0 {
		fmt.Fprintf(t, "%d columns are left out\t\n", r.LeftOut)
	}
	return t.Flush()
}

// directions says what a learnt metric looks at.
func directions(w io.Writer, p *explain.Plane) error {
	of := "the learnt metric"
	if p.Part > 0 {
		of += fmt.Sprintf(" of part %d", p.Part)
	}
	fmt.Fprintf(w, "\ndirections that %s looks at, and their coordinates of most weight\n\n", of)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "direction\tshare\t")
	for k, d := range p.Directions {
		line := []string{strconv.Itoa(k + 1), percent(d.Share)}
		for _, c := range d.Coordinates {
			line = append(line, fmt.Sprintf("%+.2f %s", c.Weight, cut(c.Name, 40)))
		}
		fmt.Fprintln(t, strings.Join(line, "\t"))
	}
	return t.Flush()
}

// cut is a text for people, of so many characters at most.
func cut(text string, most int) string {
	text = Printable(text)
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most-1]) + "…"
}

// short writes a number for people, with a sign.
func short(v float64) string { return fmt.Sprintf("%+.4g", v) }

func why(w io.Writer, r *explain.Row) error {
	out := newFacts(w)
	said := ""
	switch v := r.Prediction.(type) {
	case float64:
		said = strconv.FormatFloat(v, 'g', -1, 64)
	case string:
		said = v
	}
	out.add(fmt.Sprintf("row %d", r.Row), "%s%s", said, whatIs(r))
	if s := r.Sum; s != nil {
		text := fmt.Sprintf("%.5g = %.5g of %d landmarks", s.Score, s.Pulls, s.Landmarks)
		if s.Rest != 0 {
			text += fmt.Sprintf(" %+.5g of the rest", s.Rest)
		}
		text += fmt.Sprintf(" %+.5g as bias", s.Bias)
		out.add("score", "%s", text)
	} else {
		out.add("score", "%.5g", r.Score)
	}
	for _, note := range r.Notes {
		out.add("note", "%s", note)
	}
	if err := out.flush(); err != nil {
		return err
	}
	if err := landmarks(w, "nearest landmarks", r.Landmarks); err != nil {
		return err
	}
	if err := landmarks(w, "strongest pulls", r.Strongest); err != nil {
		return err
	}
	return cmp.Or(changes(w, r), similar(w, r))
}

// whatIs says what else is known of a row.
func whatIs(r *explain.Row) string {
	text := ""
	if r.Probabilities != nil {
		best := 0.0
		for _, p := range r.Probabilities {
			best = math.Max(best, p)
		}
		text += fmt.Sprintf(", probability %.4f", best)
	}
	if r.Label != "" {
		text += fmt.Sprintf("; the data say %s", r.Label)
	}
	return text
}

// tableOf writes lines of fields under a title.
func tableOf(w io.Writer, title string, lines [][]string) error {
	if len(lines) < 2 {
		return nil
	}
	fmt.Fprintf(w, "\n%s\n", title)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, fields := range lines {
		fmt.Fprintln(t, "  "+strings.TrimRight(strings.Join(fields, "\t"), "\t"))
	}
	return t.Flush()
}

func landmarks(w io.Writer, title string, all []explain.Landmark) error {
	lines := [][]string{{"landmark", "cosine", "pull", "label", ""}}
	for _, l := range all {
		name, pull := strconv.Itoa(l.Landmark), ""
		if l.Part > 0 {
			name += " of part " + strconv.Itoa(l.Part)
		}
		if l.Pull != nil {
			pull = short(*l.Pull)
		}
		text := l.Text
		if l.Row > 0 {
			text = fmt.Sprintf("row %d: %s", l.Row, text)
		}
		lines = append(lines, []string{name, fmt.Sprintf("%.4f", l.Similarity), pull, cut(l.Label, 20), cut(text, 70)})
	}
	return tableOf(w, title, lines)
}

func changes(w io.Writer, r *explain.Row) error {
	from := ""
	switch b := r.Background; b.From {
	case explain.FromLandmarks:
		from = fmt.Sprintf("%d landmarks", b.Rows)
	case explain.FromMissing:
		from = "a row of missing cells"
	default:
		from = fmt.Sprintf("%d rows of %s", b.Rows, data.Clip(Printable(b.From), 60))
	}
	lines := [][]string{{"column", "cell", "change"}}
	for _, c := range r.Columns {
		lines = append(lines, []string{cut(c.Column, 40), cut(c.Value, 30), short(c.Change)})
	}
	return tableOf(w, "what the cells did to the score, against those of "+from, lines)
}

func similar(w io.Writer, r *explain.Row) error {
	lines := [][]string{{"row", "cosine", "label", ""}}
	for _, s := range r.Similar {
		lines = append(lines, []string{strconv.Itoa(s.Row), fmt.Sprintf("%.4f", s.Similarity), cut(s.Label, 20),
			cut(s.Text, 70)})
	}
	return tableOf(w, "similar rows", lines)
}
