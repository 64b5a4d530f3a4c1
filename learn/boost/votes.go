package boost

import (
	"errors"
	"fmt"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/run"
)

// Votes is the map x ↦ (h_1(x), …, h_T(x)) to what each of T rules says, +1 or
// -1. A linear separator of votes is a weighted vote; that of an Ensemble has
// the weights Alpha. Votes are a feature.Map of vectors, immutable and safe for
// concurrent use.
//
// The rules are halfspaces, or cuts, which take less memory and less time: O(1)
// a rule and instance, O(log) for sparse instances, in place of O(d).
type Votes struct {
	width int   // coordinates of an instance
	cuts  []Cut // the rules where all are cuts
	w     *data.Matrix
	bias  []float64
	panel []*panel // of w, in order
}

// NewVotes returns the votes of the halfspaces w_t·x + bias_t ≥ 0, one for each
// row of w. It keeps both.
func NewVotes(w *data.Matrix, bias []float64) (*Votes, error) {
	if w == nil || w.Rows < 0 || w.Cols < 0 || len(w.Data) != w.Rows*w.Cols {
		return nil, errors.New("votes: the weights are not a matrix")
	}
	if len(bias) != w.Rows {
		return nil, fmt.Errorf("votes: there are %d biases for %d rules; each needs one", len(bias), w.Rows)
	}
	for t, b := range bias {
		if err := (Rule{W: w.Row(t), Bias: b}).check(w.Cols); err != nil {
			return nil, fmt.Errorf("votes: rule %d: %w", t+1, err)
		}
	}
	v := &Votes{width: w.Cols, w: w, bias: bias}
	for lo := 0; lo < w.Rows; lo += panelRules {
		hi := min(lo+panelRules, w.Rows)
		part := &data.Matrix{Rows: hi - lo, Cols: w.Cols, Data: w.Data[lo*w.Cols : hi*w.Cols]}
		v.panel = append(v.panel, newPanel(part, bias[lo:hi]))
	}
	return v, nil
}

// NewCuts returns the votes of cuts of instances of width coordinates. It keeps
// the slice.
func NewCuts(width int, cuts []Cut) (*Votes, error) {
	for t, c := range cuts {
		if err := c.check(width); err != nil {
			return nil, fmt.Errorf("votes: rule %d: %w", t+1, err)
		}
	}
	return &Votes{width: width, cuts: cuts}, nil
}

// votesOf returns the votes of rules: as cuts where all are.
func votesOf(width int, rules []Rule) (*Votes, error) {
	var cuts []Cut
	for _, r := range rules {
		if r.W == nil {
			cuts = append(cuts, r.Cut)
		}
	}
	if len(cuts) == len(rules) {
		return NewCuts(width, cuts)
	}
	w, bias := data.NewMatrix(len(rules), width), make([]float64, len(rules))
	for t, r := range rules {
		bias[t] = r.halfspace(w.Row(t))
	}
	return NewVotes(w, bias)
}

// Dim returns the number of rules.
func (v *Votes) Dim() int {
	if v.w != nil {
		return v.w.Rows
	}
	return len(v.cuts)
}

// Width returns the number of coordinates of an instance. Those past it do not
// bear on a vote.
func (v *Votes) Width() int { return v.width }

// Cuts returns the rules where all of them are cuts, and nil elsewhere. The
// slice is the map's own.
func (v *Votes) Cuts() []Cut { return v.cuts }

// Halfspaces returns the rules in their common form: rule t is +1 where
// w_t·x + bias_t ≥ 0, with w_t row t of the matrix. Where they are halfspaces
// both are the map's own; of cuts they are made anew, T·d numbers.
func (v *Votes) Halfspaces() (w *data.Matrix, bias []float64) {
	if v.w != nil {
		return v.w, v.bias
	}
	w, bias = data.NewMatrix(len(v.cuts), v.width), make([]float64, len(v.cuts))
	for t, c := range v.cuts {
		bias[t] = Rule{Cut: c}.halfspace(w.Row(t))
	}
	return w, bias
}

// Rule returns rule t.
func (v *Votes) Rule(t int) Rule {
	if v.w != nil {
		return Rule{W: v.w.Row(t), Bias: v.bias[t]}
	}
	return Rule{Cut: v.cuts[t]}
}

// MapTo writes the vote of each rule into dst.
func (v *Votes) MapTo(dst []float64, x data.Vector) {
	for t := range v.Dim() {
		dst[t] = v.Rule(t).Predict(x)
	}
}

// MapBlock maps the instances of x into the rows of dst, many halfspaces at a
// time by a product of matrices, with the bits of MapTo.
func (v *Votes) MapBlock(_ run.Control, dst []float64, x data.Source[data.Vector], _ int) error {
	dim := v.Dim()
	if v.w == nil {
		for i := range x.Len() {
			v.MapTo(dst[i*dim:(i+1)*dim], x.At(i))
		}
		return nil
	}
	v.tiles(x, func(row, rule int, word []uint64, m int) {
		for i, bits := range word {
			out := dst[(row+i)*dim+rule:][:m]
			for k := range out {
				out[k] = float64(int64(bits>>k&1)*2 - 1)
			}
		}
	})
	return nil
}

// tiles calls f with what the m halfspaces from rule on say of the rows from
// row on, a word a row: bit k is that of rule+k. For each row the rules come in
// order.
func (v *Votes) tiles(x data.Source[data.Vector], f func(row, rule int, word []uint64, m int)) {
	t := tiles.Get().(*tile)
	defer t.release()
	n, step := x.Len(), tileRows(v.width)
	for lo := 0; lo < n; lo += step {
		t.load(x, lo, min(lo+step, n), v.width)
		for k, p := range v.panel {
			t.apply(p)
			f(lo, k*panelRules, t.word, p.w.Rows)
		}
	}
}
