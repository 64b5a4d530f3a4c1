package repro

import (
	"encoding/csv"
	"io"
	"slices"
	"strconv"
)

// CSV writes the rows as a table with a header: what was measured, a column for
// each setting, the measured value with its interval, the promise and the verdict.
func (r *Result) CSV(w io.Writer) error {
	names := places(r.Rows)
	out := csv.NewWriter(w)
	header := append([]string{"what"}, names...)
	header = append(header, "measured", "low", "high", "trials", "relation", "promised", "slack", "verdict")
	lines := [][]string{header}
	for _, row := range r.Rows {
		line := []string{row.What}
		for _, name := range names {
			line = append(line, row.setting(name, exactly))
		}
		promised, slack := "", ""
		if row.Promised != nil {
			promised = exactly(*row.Promised)
		}
		if row.Relation == About {
			slack = exactly(row.Slack)
		}
		m := row.Measured
		lines = append(lines, append(line, exactly(m.Value), exactly(m.Low), exactly(m.High), strconv.Itoa(m.Count),
			string(row.Relation), promised, slack, string(row.Verdict)))
	}
	return out.WriteAll(lines)
}

func exactly(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// places returns the names of all settings, in the order in which they come.
func places(rows []Row) (out []string) {
	for _, row := range rows {
		for _, s := range row.At {
			if !slices.Contains(out, s.Name) {
				out = append(out, s.Name)
			}
		}
	}
	return out
}

// setting writes the setting of a name, nothing where the row has none.
func (r Row) setting(name string, write func(float64) string) string {
	for _, s := range r.At {
		if s.Name == name && s.Text != "" {
			return s.Text
		}
		if s.Name == name {
			return write(s.Value)
		}
	}
	return ""
}
