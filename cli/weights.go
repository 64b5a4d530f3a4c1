package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/file"
	"github.com/kerf-ml/kerf/data/table"
	"github.com/kerf-ml/kerf/eval"
	"github.com/kerf-ml/kerf/spec"
)

// addWeights adds the flags that say where the weights of rows are.
func (f *inputFlags) addWeights(flags *pflag.FlagSet) {
	flags.StringVar(&f.weight, "weight", "", "column of a table with a weight for each row, by name or number: a row of weight 2 counts as two, one of weight 0 not at all; it is not learnt from")
	flags.StringVar(&f.rowWeights, "weights", "", "file with the weight of each row, one a line, for any data")
}

// checkWeights reports flags of weights that do not go together.
func (f *inputFlags) checkWeights(flags *pflag.FlagSet) error {
	switch changed := flags.Changed; {
	case changed("weight") && f.weight == "":
		return usage("--weight needs a column")
	case changed("weights") && f.rowWeights == "":
		return usage("--weights needs a file")
	case f.weighted() && f.rowWeights != "":
		return usage("--weight and --weights do not go together; choose one")
	}
	return nil
}

// weighted reports whether a column of weights is named.
func (f *inputFlags) weighted() bool { return f.weight != "" && f.weight != "none" }

// cells returns the cells of a column in which none may be missing, such as the
// rows' groups or weights.
func cells(t *table.Table, col int, what, advice string) ([]string, error) {
	out := make([]string, t.Len())
	for i := range out {
		text, ok := t.Cell(i, col)
		if !ok {
			return nil, &data.InputError{File: t.Name, Line: t.Lines[i], Problem: fmt.Sprintf("the row has no %s in column %s", what, columnTitle(t, col)), Advice: advice}
		}
		out[i] = text
	}
	return out, nil
}

// columnTitle is what people call a column.
func columnTitle(t *table.Table, col int) string {
	if t.Header != nil {
		return t.Header[col]
	}
	return strconv.Itoa(col + 1)
}

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
			return nil, &data.InputError{File: t.Name, Line: t.Lines[i], Problem: fmt.Sprintf("the weight %q in column %s cannot be used", clipped(text), columnTitle(t, col)), Advice: weightAdvice}
		}
		out[i] = w
	}
	return out, nil
}

// clipped shortens a text to what fits a message.
func clipped(s string) string { return plain(s, 40) }

// isBlank reports a column without any cell: the table lacks it.
func isBlank(t *table.Table, col int) bool {
	for i := range t.Len() {
		if _, ok := t.Cell(i, col); ok {
			return false
		}
	}
	return true
}

// someWeight reports weights of which none is positive.
func someWeight(name string, weights []float64) error {
	for _, w := range weights {
		if w > 0 {
			return nil
		}
	}
	if weights == nil {
		return nil
	}
	return badInput(name, "all rows have the weight 0, and there is nothing left", "check --weight")
}

// weigh reads the weights of a whole file where the flags name a column. Those
// that it may lack are left to what is known of the training data.
func (in *input) weigh(flags *inputFlags) error {
	if flags.weighted() && !flags.weightSpare {
		if in.table == nil {
			return usage("--weight is for tables; %s is %s data: give a file of --weights, one a line", in.name, in.format)
		}
		var err error
		if in.weights, err = tableWeights(in.table, in.table.Weight); err != nil {
			return err
		}
	}
	return someWeight(in.name, in.weights)
}

// withWeights adds weights from a file of their own to the rows of a reader.
func (a *app) withWeights(ctx context.Context, o *opened, path string) error {
	weights, err := a.readWeights(ctx, path)
	if err != nil {
		return err
	}
	o.beside(path, "weights", len(weights), func(c *chunk, lo, hi int) { c.weights = weights[lo:hi] })
	return nil
}

// readWeights reads a file of weights, one a line. Blank lines at its end do not
// count.
func (a *app) readWeights(ctx context.Context, path string) ([]float64, error) {
	f, err := file.Open(ctx, path, a.stdin)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := bufio.NewReader(f)
	var out []float64
	blank := 0 // the first of the blank lines that were just read
	for line := 1; ; line++ {
		text, err := r.ReadString('\n')
		if err != nil && err != io.EOF {
			return nil, data.ReadError(f.Name, err)
		}
		if line == 1 {
			text = strings.TrimPrefix(text, "\ufeff")
		}
		switch text = strings.TrimSpace(text); {
		case text == "" && blank == 0:
			blank = line
		case text == "":
		case blank > 0:
			return nil, &data.InputError{File: f.Name, Line: blank, Problem: "the line has no weight", Advice: "write one a row, 0 to leave the row out"}
		default:
			w, ok := parseWeight(text)
			if !ok {
				return nil, &data.InputError{File: f.Name, Line: line, Problem: fmt.Sprintf("the weight %q cannot be used", clipped(text)), Advice: weightAdvice + ", one a line"}
			}
			out = append(out, w)
		}
		if err == io.EOF {
			return out, nil
		}
	}
}

// live returns the rows that have a positive weight, all where there are none.
func (in *input) live() []int {
	rows := make([]int, 0, in.Len())
	for i := range in.Len() {
		if in.weights == nil || in.weights[i] > 0 {
			rows = append(rows, i)
		}
	}
	return rows
}

// liveLabels returns the labels of the rows that have a positive weight.
func (in *input) liveLabels() []string {
	if in.weights == nil || in.labels == nil {
		return in.labels
	}
	out := []string{}
	for _, i := range in.live() {
		out = append(out, in.labels[i])
	}
	return out
}

// checkWeighedClasses reports a class whose rows all have the weight 0.
func (in *input) checkWeighedClasses() error {
	all, _ := data.Encode(in.labels)
	left, _ := data.Encode(in.liveLabels())
	for _, name := range all.Names {
		if _, ok := left.Index(name); !ok {
			return badInput(in.name, fmt.Sprintf("all rows with the label %q have the weight 0", name), "leave them out of the file, or weigh one of them")
		}
	}
	return nil
}

// weighing returns what the weights come to, and where they are from; nil where
// there are none.
func (in *input) weighing(flags *inputFlags) *weighing {
	if in.weights == nil {
		return nil
	}
	from := flags.rowWeights
	if flags.weighted() {
		if from = columnTitle(in.table, in.table.Weight); in.table.Header == nil {
			from = "column " + from
		}
	}
	return &weighing{Weights: eval.NewWeights(in.weights), From: from}
}

// weighing is what the weights of a file's rows come to.
type weighing struct {
	*eval.Weights
	From string `json:"from"` // column or file
}

// String is the same for people.
func (w *weighing) String() string {
	return fmt.Sprintf("%s: %s", w.From, weightText(w.Weights))
}

func weightText(w *eval.Weights) string {
	text := fmt.Sprintf("sum %.6g, as good as %s rows of equal weight", w.Sum, grouped(int64(w.Effective+0.5)))
	if w.Zero > 0 {
		text += fmt.Sprintf("; %d of weight 0 left out", w.Zero)
	}
	return text
}

// meanWeight returns the mean of weights, 1 where there are none.
func meanWeight(weights []float64) float64 {
	if weights == nil {
		return 1
	}
	mean := 0.0
	for _, w := range weights {
		mean += w / float64(len(weights))
	}
	return mean
}

// weightsOf returns the weights of rows that are read for a model: those of a
// file, of the column that the flags name, or of the one that training had, where
// the rows have it.
func (e *encoding) weightsOf(c *chunk, flags *inputFlags) ([]float64, error) {
	if c.weights != nil || c.table == nil || flags.weight == "none" {
		return c.weights, nil
	}
	col, spare := c.table.Weight, !flags.weighted() || flags.weightSpare
	if spare && e.Table != nil {
		var err error
		if col, err = e.Table.WeightAt(c.table); err != nil {
			return nil, err
		}
	}
	if col < 0 || spare && isBlank(c.table, col) {
		return nil, nil
	}
	return tableWeights(c.table, col)
}

// spareWeight returns the flags with the column of training's weights, which rows
// may lack, where they name none.
func (e *encoding) spareWeight(flags *inputFlags) *inputFlags {
	out := *flags
	if out.weight == "" && e.Weight != "" {
		out.weight, out.weightSpare = e.Weight, true
	}
	return &out
}

// checkTextWeight reports a column that is to be both text and weight.
func checkTextWeight(t *table.Table, kind string, column int) error {
	if kind != spec.KindVectors && column > 0 && column-1 == t.Weight {
		return usage("--text and --weight name the same column %s", columnTitle(t, t.Weight))
	}
	return nil
}
