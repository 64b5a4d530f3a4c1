package dataset

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/table"
)

// The numbers that a weight may be, beside 0, and what to do about others.
const (
	leastWeight  = 1e-150
	mostWeight   = 1e150
	weightAdvice = "a weight is 0 or a positive number up to 1e150"
)

// parseWeight reads a weight.
func parseWeight(text string) (float64, bool) {
	w, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	return w + 0, err == nil && (w == 0 || w >= leastWeight && w <= mostWeight)
}

// tableWeights reads the weights in a column of a table.
func tableWeights(t *table.Table, col int) ([]float64, error) {
	texts, err := cells(t, col, "weight", "fill it in, write 0 to leave the row out, or choose another --weight")
	if err != nil {
		return nil, err
	}
	out := make([]float64, len(texts))
	for i, text := range texts {
		w, ok := parseWeight(text)
		if !ok {
			return nil, &data.InputError{
				File: t.Name, Line: t.Lines[i], Advice: weightAdvice,
				Problem: fmt.Sprintf("the weight %q in column %s cannot be used", clip(text), columnTitle(t, col)),
			}
		}
		out[i] = w
	}
	return out, nil
}

// isBlank reports a column without any cell: the table lacks it.
func isBlank(t *table.Table, col int) bool {
	for i := range t.Len() {
		if _, ok := t.Cell(i, col); ok {
			return false
		}
	}
	return true
}

// SomeWeight reports weights of which none is positive. The name stands for the
// file in the error; nil weights are 1 each.
func SomeWeight(name string, weights []float64) error {
	for _, w := range weights {
		if w > 0 {
			return nil
		}
	}
	if weights == nil {
		return nil
	}
	return &data.InputError{
		File: name, Problem: "all rows have the weight 0, and there is nothing left", Advice: "check --weight",
	}
}

// weigh reads the weights of a whole file where the options name a column. Those
// that it may lack are left to what is known of the training data.
func (r *Rows) weigh(o *Options) error {
	if o.Weighted() && !o.WeightSpare {
		if r.table == nil {
			return BadOption("%s is for tables; %s is %s data: give a file of %s, one a line",
				Option("weight"), r.Name, r.Format, Option("weights"))
		}
		var err error
		if r.Weights, err = tableWeights(r.table, r.table.Weight); err != nil {
			return err
		}
	}
	return SomeWeight(r.Name, r.Weights)
}

// WeightColumn names the column of the weights for people: by its title, "column
// 3" where there is no header, empty where there is no such column.
func (r *Rows) WeightColumn() string {
	switch {
	case r.table == nil || r.table.Weight < 0:
		return ""
	case r.table.Header == nil:
		return "column " + columnTitle(r.table, r.table.Weight)
	}
	return columnTitle(r.table, r.table.Weight)
}

// TargetTitle names for people where the labels are: the column of a table by its
// title or number, else the labels.
func (r *Rows) TargetTitle() string {
	if r.table == nil || r.table.Target < 0 {
		return "the target"
	}
	return "column " + columnTitle(r.table, r.table.Target)
}

// Live returns the rows that have a positive weight, all where there are none.
func (r *Rows) Live() []int {
	rows := make([]int, 0, r.Len())
	for i := range r.Len() {
		if r.Weights == nil || r.Weights[i] > 0 {
			rows = append(rows, i)
		}
	}
	return rows
}

// LiveLabels returns the labels of the rows that have a positive weight.
func (r *Rows) LiveLabels() []string {
	if r.Weights == nil || r.Labels == nil {
		return r.Labels
	}
	out := []string{}
	for _, i := range r.Live() {
		out = append(out, r.Labels[i])
	}
	return out
}

// WeightsOf returns the weights of rows that are read for a model: those of a
// file, of the column that the options name, or of the one that training had,
// where the rows have it.
func (e *Encoding) WeightsOf(r *Rows, o Options) ([]float64, error) {
	if r.Weights != nil || r.table == nil || o.Weight == "none" {
		return r.Weights, nil
	}
	col, spare := r.table.Weight, !o.Weighted() || o.WeightSpare
	if spare && e.Table != nil {
		var err error
		if col, err = e.Table.WeightAt(r.table); err != nil {
			return nil, err
		}
	}
	if col < 0 || spare && isBlank(r.table, col) {
		return nil, nil
	}
	return tableWeights(r.table, col)
}

// spareWeight returns the options with the column of training's weights, which
// rows may lack, where they name none.
func (e *Encoding) spareWeight(o Options) Options {
	if o.Weight == "" && e.Weight != "" {
		o.Weight, o.WeightSpare = e.Weight, true
	}
	return o
}

// checkTextWeight reports a column that is to be both text and weight.
func checkTextWeight(t *table.Table, kind Kind, column int) error {
	if kind != Vectors && column > 0 && column-1 == t.Weight {
		return BadOption("%s and %s name the same column %s", Option("text"), Option("weight"), columnTitle(t, t.Weight))
	}
	return nil
}
