package explain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/internal/order"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/run"
)

// Why explains the prediction of single rows.
type Why struct {
	Model *model.Model
	// Background are rows whose cells are put in the place of those of the row, at most
	// Cells of them; nil for the landmarks of the model, or, where it has none, a row of
	// missing cells.
	Background *model.Encoded
	From       string // what Background is called in results
	Nearest    int    // landmarks and rows that are listed
	Cells      int    // rows of the background, at most
	Most       int    // columns at most, those with the largest changes
	Seed       uint64 // of the draw of background rows
	Run        run.Control
}

// NewWhy returns the recipe that lists 5 landmarks and at most 20 columns, with a
// background of 100 rows.
func NewWhy(m *model.Model) Why { return Why{Model: m, Nearest: 5, Cells: 100, Most: 20, Seed: 1} }

// Validate reports every field that is out of range.
func (w Why) Validate() error {
	var faults []error
	if w.Model == nil {
		faults = append(faults, errors.New("there is no model to explain"))
	}
	for _, f := range []struct {
		name        string
		value, from int
	}{{"nearest", w.Nearest, 0}, {"cells", w.Cells, 1}, {"most", w.Most, 0}} {
		if f.value < f.from {
			faults = append(faults, fmt.Errorf("%s is %d and must be at least %d", f.name, f.value, f.from))
		}
	}
	return errors.Join(faults...)
}

// Row is why a model predicts what it does of one row.
type Row struct {
	Row           int       `json:"row"`             // of the file, from 1
	Label         string    `json:"label,omitempty"` // that the file has, where it has one
	Prediction    any       `json:"prediction"`      // a label, or a number
	Scores        []float64 `json:"scores"`
	Probabilities []float64 `json:"probabilities,omitempty"`

	// Score is that of the predicted class, or the number: what columns change and what
	// landmarks pull.
	Score float64 `json:"score"`
	// Sum says how the pulls of all landmarks add up; nil where the model has no
	// landmarks, or its score is no sum over them.
	Sum       *Sum       `json:"sum,omitempty"`
	Landmarks []Landmark `json:"landmarks"` // the nearest
	Strongest []Landmark `json:"strongest"` // those with the largest pulls, for or against

	Columns    []Change   `json:"columns"` // the largest changes first
	LeftOut    int        `json:"columns_left_out,omitempty"`
	Background Background `json:"background"`
	Similar    []Similar  `json:"similar,omitempty"` // rows of another file, the nearest first
	Notes      []string   `json:"notes,omitempty"`   // what is not there, and why

	output int // whose score it is
}

// Sum is the score as a sum: Score = Bias + Rest + Pulls to rounding, the last over all
// Landmarks.
type Sum struct {
	Score     float64 `json:"score"` // that of Row, or where pairs of classes vote the sum of the scores of its pairs
	Bias      float64 `json:"bias"`
	Rest      float64 `json:"rest"` // of parts of the model that have no landmarks
	Pulls     float64 `json:"pulls"`
	Size      float64 `json:"size"` // sum of the pulls without their signs
	Landmarks int     `json:"landmarks"`
}

// Landmark is one that the model compares rows with: of its map, or a support vector.
type Landmark struct {
	Part       int      `json:"part,omitempty"` // of a blend, from 1
	Landmark   int      `json:"landmark"`       // from 1
	Similarity float64  `json:"similarity"`     // the cosine of the kernel
	Pull       *float64 `json:"pull,omitempty"` // its term of the score; above 0 for the prediction
	Label      string   `json:"label,omitempty"`
	Row        int      `json:"row,omitempty"`  // of the file of similar rows, where it is one of them
	Text       string   `json:"text,omitempty"` // of strings and sets, and of a row of that file

	part int
}

// Change is how much a column did for the score: the score, less its mean over rows that
// have the cell of a row of the background instead.
type Change struct {
	Column string  `json:"column"`
	Value  string  `json:"value,omitempty"` // the cell, where the rows are known
	Change float64 `json:"change"`          // above 0: the cell speaks for the prediction
}

// Background is where the other cells of columns come from.
type Background struct {
	From string `json:"from"` // a file, landmarks, or missing
	Rows int    `json:"rows"`
}

// Similar is a row that is like another.
type Similar struct {
	Row        int     `json:"row"` // of its file, from 1
	Label      string  `json:"label,omitempty"`
	Similarity float64 `json:"similarity"` // the cosine of the kernel, 1 for the same
	Text       string  `json:"text,omitempty"`
}

// mostTried is how many columns of a row are tried; of more, those that the row has
// something in.
const mostTried = 1000

// cancelling is how many times larger than their sum pulls are where a row says that they
// cancel.
const cancelling = 20

// Where backgrounds come from where no rows are given.
const (
	FromLandmarks = "landmarks"
	FromMissing   = "missing"
)

// Row explains row i of rows that the model has encoded as x: Landmarks, then Columns.
func (w Why) Row(ctx context.Context, r *dataset.Rows, x *model.Encoded, i int) (*Row, error) {
	out, err := w.Landmarks(ctx, r, x, i)
	if err != nil {
		return nil, err
	}
	return out, w.Columns(ctx, out, r, x, i)
}

// Landmarks says what is predicted for a row, and which landmarks are near or pull. The
// rows may be nil where instances are all that there is; cells are not shown then.
func (w Why) Landmarks(ctx context.Context, r *dataset.Rows, x *model.Encoded, i int) (*Row, error) {
	if err := w.Validate(); err != nil {
		return nil, err
	}
	if i < 0 || i >= x.Len() {
		return nil, fmt.Errorf("there is no row %d; there are %d", i+1, x.Len())
	}
	m := w.Model
	one, err := m.Pick(x, []int{i})
	if err != nil {
		return nil, err
	}
	scores, err := m.ScoreEncoded(ctx, w.Run.Quiet(), one)
	if err != nil {
		return nil, model.Moved(err, i)
	}
	said := m.Prediction(scores.Row(0))
	out := &Row{Row: i + 1, Prediction: said.Label, Scores: said.Scores, Probabilities: said.Probabilities,
		Landmarks: []Landmark{}, Strongest: []Landmark{}, Columns: []Change{}}
	if m.Regresses() {
		out.Prediction = said.Value
	} else {
		out.output = m.Decide(scores.Row(0))
	}
	out.Score = scores.Row(0)[out.output]
	if r != nil {
		out.Row += r.First()
	}
	if r != nil && r.Labels != nil {
		out.Label = r.Labels[i]
	}
	return out, w.pulls(ctx, out, one)
}

// pulls adds the landmarks.
func (w Why) pulls(ctx context.Context, out *Row, one *model.Encoded) error {
	p, err := w.Model.Pulls(ctx, one, 0, out.output)
	if err != nil {
		return err
	}
	if len(p.Landmarks) == 0 {
		out.note("the model has no landmarks: its features are not similarities to rows")
		return nil
	}
	if !p.Linear {
		out.note("the model votes by rules, which are no sum over landmarks: landmarks are listed without a pull")
	} else {
		out.Sum = &Sum{Score: p.Score, Bias: p.Bias, Rest: p.Rest, Landmarks: len(p.Landmarks)}
		for _, l := range p.Landmarks {
			out.Sum.Pulls += l.Pull
			out.Sum.Size += math.Abs(l.Pull)
		}
		if out.Sum.Size > cancelling*(math.Abs(out.Sum.Pulls)+math.Abs(p.Bias)) {
			out.note("pulls are large and cancel, since landmarks are much alike to this kernel: one by itself says little")
		}
	}
	list := func(before func(a, b model.Pull) int) []Landmark {
		pulls := slices.Clone(p.Landmarks)
		order.Stable(pulls, before)
		landmarks := []Landmark{}
		for _, l := range pulls[:min(w.Nearest, len(pulls))] {
			landmarks = append(landmarks, w.landmark(l, p.Linear))
		}
		return landmarks
	}
	out.Landmarks = list(func(a, b model.Pull) int { return cmp.Compare(b.Similarity, a.Similarity) })
	if p.Linear {
		out.Strongest = list(func(a, b model.Pull) int { return cmp.Compare(math.Abs(b.Pull), math.Abs(a.Pull)) })
	}
	return nil
}

func (w Why) landmark(p model.Pull, linear bool) Landmark {
	l := Landmark{Landmark: p.Index + 1, Similarity: p.Similarity, part: p.Part}
	l.Text = w.Model.Text(w.Model.Landmarks(p.Part), p.Index)
	if w.Model.PartCount() > 1 {
		l.Part = p.Part + 1
	}
	if linear {
		l.Pull = &p.Pull
	}
	return l
}

func (r *Row) note(format string, args ...any) {
	r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
}

// Columns adds to a row what its columns did.
func (w Why) Columns(ctx context.Context, out *Row, r *dataset.Rows, x *model.Encoded, i int) error {
	background, from, err := w.background()
	if err != nil {
		return err
	}
	if background == nil {
		out.note("columns: there are no rows whose characters could be put in the place of this row's")
		return nil
	}
	one, err := w.Model.Pick(x, []int{i})
	if err != nil {
		return err
	}
	out.Background = Background{From: from, Rows: background.Len()}
	columns, err := w.Model.Columns(one, background)
	if errors.Is(err, model.ErrColumns) {
		out.note("columns: %v", err)
		return nil
	}
	if err != nil {
		return err
	}
	found := len(columns)
	if found > mostTried {
		if columns, err = w.Model.Columns(one); err != nil {
			return err
		}
		columns = most(columns, mostTried)
	}
	out.LeftOut = found - len(columns)
	to, donors := make([]int, background.Len()), make([]int, background.Len())
	for k := range donors {
		donors[k] = k
	}
	for _, c := range columns {
		mean, err := w.mean(ctx, one, to, background, donors, c, out)
		if err != nil {
			return fmt.Errorf("column %s: %w", c.Name, err)
		}
		out.Columns = append(out.Columns, Change{c.Name, w.Model.Value(r, x, i, c), out.Score - mean})
	}
	order.Stable(out.Columns, func(a, b Change) int {
		return cmp.Compare(math.Abs(b.Change), math.Abs(a.Change))
	})
	if w.Most > 0 && len(out.Columns) > w.Most {
		out.LeftOut += len(out.Columns) - w.Most
		out.Columns = out.Columns[:w.Most]
	}
	return nil
}

// mean returns the mean score of the row with the cells of all background rows in a
// column. Those that it changes nothing of have its own score.
func (w Why) mean(
	ctx context.Context, one *model.Encoded, to []int, background *model.Encoded, donors []int, c model.Column, out *Row,
) (float64, error) {
	changed, _, err := w.Model.Swap(one, to, background, donors, c)
	if err != nil {
		return 0, err
	}
	if changed.Len() == 0 {
		return out.Score, nil
	}
	s, err := w.Model.ScoreEncoded(ctx, w.Run.Quiet(), changed)
	if err != nil {
		return 0, err
	}
	n, sum := float64(len(to)), out.Score*float64(len(to)-changed.Len())
	for k := range s.Rows {
		sum += s.Row(k)[out.output]
	}
	return sum / n, nil
}

// background returns the rows whose cells replace others, nil where there are none.
func (w Why) background() (*model.Encoded, string, error) {
	m, from, rows := w.Model, cmp.Or(w.From, "rows"), w.Background
	if rows == nil {
		for part := 0; part < m.PartCount() && rows == nil; part++ {
			rows, from = m.Landmarks(part), FromLandmarks
		}
	}
	if rows == nil {
		blank, err := m.Missing()
		return blank, FromMissing, err
	}
	if rows.Len() <= w.Cells {
		return rows, from, nil
	}
	index := seed.Choose(rows.Len(), w.Cells, w.Seed, seed.Explanations)
	slices.Sort(index)
	some, err := m.Pick(rows, index)
	return some, from, err
}
