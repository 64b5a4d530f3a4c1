package job

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/learn/calibrate"
	"github.com/kerf-ml/kerf/model"
)

// PredictOptions are the options of Predict: what is wanted beside the labels.
type PredictOptions struct {
	Options
	Scores   bool
	Proba    bool
	Coverage float64  // of prediction sets or intervals, one of model.Coverages; 0 for none
	Keep     []string // columns of the table to hand over with the predictions, by name or number; "all" for all
}

// Predictions are what a model says of rows, in their order.
type Predictions struct {
	Predictions   []any       `json:"predictions"` // labels, or numbers
	Classes       []string    `json:"classes,omitempty"`
	Scores        [][]float64 `json:"scores,omitempty"`
	Probabilities [][]float64 `json:"probabilities,omitempty"`
	Sets          [][]string  `json:"sets,omitempty"`
	Intervals     [][]float64 `json:"intervals,omitempty"`
	Coverage      float64     `json:"coverage,omitempty"`
	Columns       []string    `json:"columns,omitempty"` // that are kept
	Kept          [][]string  `json:"kept,omitempty"`    // their cells, row by row

	ends []float64 // of the intervals, as they are: some may be infinite
}

// Predict says what a model makes of the rows of a file, which need no labels. It
// reads part by part and hands over each, while those behind are read and scored.
func Predict(ctx context.Context, m *model.Model, path string, o PredictOptions, use func(*Predictions) error) error {
	sets, err := o.check(m)
	if err != nil {
		return err
	}
	check := o.labelsKnown(m)
	o.Read.Verbatim = o.Keep != nil
	return par.Ahead(ctx, o.Run, func(ctx context.Context, hand func(said) error) error {
		return o.stream(ctx, m, path, func(r *dataset.Rows) error {
			if err := check(r); err != nil {
				return err
			}
			s, err := m.Scores(ctx, o.Run, r)
			if err != nil {
				return err
			}
			if o.Keep == nil {
				r.Free()
			}
			return hand(said{r, s})
		})
	}, func(part said) (err error) {
		all := o.say(m, sets, part.scores)
		if o.Keep != nil {
			if all.Columns, all.Kept, err = part.rows.Cells(o.Keep); err != nil {
				return err
			}
		}
		return use(all)
	})
}

// said are rows with what a model makes of them.
type said struct {
	rows   *dataset.Rows
	scores *data.Matrix
}

// Say says what the scores of rows mean, as Predict does. What the model does not have
// is a *dataset.OptionError or a *LackError.
func (o *PredictOptions) Say(m *model.Model, scores *data.Matrix) (*Predictions, error) {
	sets, err := o.check(m)
	if err != nil {
		return nil, err
	}
	return o.say(m, sets, scores), nil
}

func (o *PredictOptions) say(m *model.Model, sets *calibrate.Conformal, scores *data.Matrix) *Predictions {
	all := &Predictions{Predictions: []any{}, Classes: m.Classes.Names, Coverage: o.Coverage}
	for i := range scores.Rows {
		all.add(m, o, sets, scores.Row(i))
	}
	return all
}

// stream reads a file for a model part by part, and tells of categories that
// training did not have. An error about a row names the file, and the row by its
// place in that.
func (o *Options) stream(ctx context.Context, m *model.Model, path string, use func(*dataset.Rows) error) error {
	unseen, before := 0, 0
	if o.Read.Piece != nil {
		before = o.Read.Piece.InFile
	}
	o.Run.Progress.Begin("read "+path, 0)
	defer o.Run.Progress.End()
	err := o.readAhead(ctx, m, path, func(r *dataset.Rows) error {
		unseen += m.Encoding.Unseen(r)
		err := use(r)
		if there := model.Moved(err, before); there != err {
			return inFile(r.Name, there)
		}
		before += r.Len()
		return err
	})
	if err == nil {
		o.warnUnseen(path, unseen)
	}
	return err
}

// readAhead reads a file for a model part by part, while parts before are used. How much was
// read is told with the parts, since progress hears from one goroutine alone.
func (o *Options) readAhead(ctx context.Context, m *model.Model, path string, use func(*dataset.Rows) error) error {
	type part struct {
		rows        *dataset.Rows
		bytes, size int64
	}
	read, tell := o.Read, o.Run.Progress.Read
	read.Run = o.Run.Quiet()
	var now part
	if tell != nil {
		read.Run.Progress.Read = func(bytes, size int64) { now.bytes, now.size = bytes, size }
	}
	return par.Ahead(ctx, o.Run, func(ctx context.Context, hand func(part) error) error {
		return m.Encoding.Stream(ctx, path, read, func(r *dataset.Rows) error {
			now.rows = r
			return hand(now)
		})
	}, func(p part) error {
		if tell != nil {
			tell(p.bytes, p.size)
		}
		return use(p.rows)
	})
}

// warnUnseen tells of cells with categories that training did not have.
func (o *Options) warnUnseen(name string, cells int) {
	if cells > 0 {
		o.warn("%s: %d cells hold categories that training did not have; they count as missing", name, cells)
	}
}

// Check reports what is asked for and the model does not have. The path stands for
// the model in errors.
func (o *PredictOptions) Check(m *model.Model, path string) error {
	_, err := o.check(m)
	if b, ok := err.(*LackError); ok {
		return badInput(path, b.Problem, b.Advice)
	}
	return err
}

// LackError reports something that a model does not have, and what to do.
type LackError struct{ Problem, Advice string }

func (l *LackError) Error() string { return l.Problem + "; " + l.Advice }

// predicts reports a model that is a map alone.
func predicts(m *model.Model) error {
	if m.Predicts() {
		return nil
	}
	return &LackError{"the model is a map into features and predicts nothing", "kerf map has the features"}
}

// check reports what the model does not have, and returns its prediction sets.
func (o *PredictOptions) check(m *model.Model) (*calibrate.Conformal, error) {
	proba := dataset.Option("proba")
	if err := predicts(m); err != nil {
		return nil, err
	}
	switch {
	case o.Proba && m.Regresses():
		return nil, dataset.BadOption("%s is for models of classes; this one predicts numbers", proba)
	case o.Proba && m.Learner == model.LearnerOneClass:
		return nil, dataset.BadOption("%s is for models of classes; a one-class machine has none, and %s has how far "+
			"inside a row lies",
			proba, dataset.Option("scores"))
	case o.Proba && m.Calibration == nil:
		return nil, &LackError{"the model has no probabilities", "train it with --calibrate, on more rows"}
	case o.Coverage == 0:
		return nil, nil
	}
	i := slices.IndexFunc(m.Conformal, func(c calibrate.Conformal) bool { return c.Coverage == o.Coverage })
	if i < 0 {
		return nil, &LackError{"the model has no prediction sets", "train it with --conformal 0.2"}
	}
	return &m.Conformal[i], nil
}

// add adds a row.
func (p *Predictions) add(m *model.Model, o *PredictOptions, sets *calibrate.Conformal, scores []float64) {
	if m.Regresses() {
		p.Predictions = append(p.Predictions, scores[0])
		if sets != nil {
			lo, hi := sets.Interval(scores[0])
			p.Intervals = append(p.Intervals, []float64{finite(lo), finite(hi)})
			p.ends = append(p.ends, lo, hi)
		}
		return
	}
	p.Predictions = append(p.Predictions, m.Label(scores))
	if o.Scores {
		p.Scores = append(p.Scores, scores)
	}
	if !o.Proba && sets == nil {
		return
	}
	probabilities := make([]float64, len(scores))
	m.Calibration.Probabilities(probabilities, scores)
	if o.Proba {
		p.Probabilities = append(p.Probabilities, probabilities)
	}
	if sets != nil {
		var names []string
		for _, c := range sets.Set(probabilities) {
			names = append(names, m.Classes.Names[c])
		}
		p.Sets = append(p.Sets, names)
	}
}

// Append adds the rows of others.
func (p *Predictions) Append(q *Predictions) {
	p.Predictions = append(p.Predictions, q.Predictions...)
	p.Scores, p.Probabilities = append(p.Scores, q.Scores...), append(p.Probabilities, q.Probabilities...)
	if q.Columns != nil {
		p.Columns = q.Columns
	}
	p.Kept = append(p.Kept, q.Kept...)
	p.Sets, p.Intervals, p.ends = append(p.Sets, q.Sets...), append(p.Intervals, q.Intervals...), append(p.ends, q.ends...)
}

// Names are those of the fields of Line, separated by tabs.
func (p *Predictions) Names() string {
	titles := p.Titles()
	for i, name := range titles {
		titles[i] = field(name)
	}
	return strings.Join(titles, "\t")
}

// Titles are the names of Fields.
func (p *Predictions) Titles() []string {
	fields := append(slices.Clone(p.Columns), "prediction")
	if p.ends != nil {
		fields = append(fields, "low", "high")
	}
	for _, more := range []struct {
		name  string
		there bool
	}{{"score ", p.Scores != nil}, {"probability ", p.Probabilities != nil}} {
		for _, class := range p.Classes {
			if more.there {
				fields = append(fields, more.name+class)
			}
		}
	}
	if p.Sets != nil {
		fields = append(fields, "set")
	}
	return fields
}

// field is a cell between tabs: in quotes where it would be read as something else.
func field(text string) string {
	if strings.ContainsAny(text, "\t\n\r\"") || strings.TrimSpace(text) != text {
		return `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
	}
	return text
}

// Line writes row i as kerf predict does: Fields, separated by tabs.
func (p *Predictions) Line(i int) string {
	fields := p.Fields(i)
	for j := range p.Columns {
		fields[j] = field(fields[j])
	}
	return strings.Join(fields, "\t")
}

// Fields are row i in texts: the cells that are kept, the label or number, then whatever
// else was asked for.
func (p *Predictions) Fields(i int) []string {
	var fields []string
	if p.Kept != nil {
		fields = append(fields, p.Kept[i]...)
	}
	numbers := func(all []float64) {
		for _, v := range all {
			fields = append(fields, strconv.FormatFloat(v, 'g', -1, 64))
		}
	}
	switch v := p.Predictions[i].(type) {
	case float64:
		numbers([]float64{v})
	case string:
		fields = append(fields, v)
	}
	if p.ends != nil {
		numbers(p.ends[2*i : 2*i+2])
	}
	if p.Scores != nil {
		numbers(p.Scores[i])
	}
	if p.Probabilities != nil {
		numbers(p.Probabilities[i])
	}
	if p.Sets != nil {
		fields = append(fields, strings.Join(p.Sets[i], ","))
	}
	return fields
}

// finite replaces what JSON cannot say by the largest number.
func finite(v float64) float64 { return min(max(v, -math.MaxFloat64), math.MaxFloat64) }
