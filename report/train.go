package report

import (
	"fmt"
	"io"

	"github.com/kerf-ml/kerf/certificate"
	"github.com/kerf-ml/kerf/eval"
	"github.com/kerf-ml/kerf/explain"
	"github.com/kerf-ml/kerf/job"
	"github.com/kerf-ml/kerf/margin"
	"github.com/kerf-ml/kerf/model"
)

const (
	mostPoints   = 2000 // of a scatter plot
	mostCorners  = 400  // of a ROC curve, about
	histColumns  = 40   // of a histogram
	mostClasses  = 30   // of the confusion matrix; with more the commonest confusions are listed
	mostListed   = 100  // classes of the table of classes, the worst
	mostWorst    = 10   // rows that are shown as the worst
	mostConfused = 20   // confusions that are listed
)

// TrainPage is what there is to say of a model that was trained and measured.
// The rows measured are those of Said, of Truth or of Scores. Nothing of it is
// changed.
type TrainPage struct {
	Data    string // what was trained on, such as a file's name
	Learner string
	Trained int    // rows trained on
	On      string // where the rows measured are from
	Test    bool   // whether the model has not seen them
	Advice  string // what to do where it has
	Facts   []Fact // of the data, the map and the learner

	Training  model.Training
	By        eval.Criterion           // what choices went by
	Picked    *job.Picked              // what was chosen beside the penalty; nil for nothing
	Kernel    string                   // the one taken, among those tried
	Dim       int                      // the features asked for, among those tried
	Separator *certificate.Certificate // of the separator, on test rows; nil for none

	// Of classes.
	Classes        []string // names
	Said           eval.Said
	Classification *eval.Classification
	Margins        margin.Margins // of test rows, or of some of them

	// Of numbers.
	Predicted, Truth []float64
	Regression       *eval.Regression

	// Of a one-class machine: a row with a score below 0 is an outlier, and
	// Classification.Error the part of them.
	Scores []float64

	Importance *explain.Ranking // of the columns, on rows that were measured; nil for none
	Plane      *explain.Plane   // what a learnt metric looks at, with rows that were measured; nil for none

	Rows  []int    // numbers of the rows measured, from 1; nil for 1, 2, 3 …
	Texts []string // the rows themselves, where they are texts
}

// Train writes a page on a model.
func Train(w io.Writer, p TrainPage) error {
	d, err := p.Document()
	if err != nil {
		return err
	}
	return Write(w, d)
}

// Document returns the page for others to add to. It is an error if lists that
// belong together have different lengths.
func (p TrainPage) Document() (Document, error) {
	if err := p.check(); err != nil {
		return Document{}, err
	}
	rows := "training"
	if p.Test {
		rows = "test"
	}
	d := Document{Title: clean(p.Learner, 80) + " on " + apart(clean(p.Data, 80)), Headline: p.headline()}
	d.Lead = fmt.Sprintf("Measured on %s %s rows of %s. Trained on %s rows in %.2f s; status: %s.",
		grouped(p.measured()), rows, apart(clean(p.On, 80)), grouped(p.Trained),
		p.Training.Elapsed.Seconds(), p.Training.Status)
	if !p.Test {
		d.Warning = "The model has seen the rows that it is measured on, " +
			"so that neither figures nor intervals speak of new rows."
		if p.Advice != "" {
			d.Warning += " " + p.Advice
		}
	}
	add := func(s Section) { d.Sections = append(d.Sections, s) }
	if len(p.Facts) > 0 {
		add(Section{Title: "What was trained", Facts: p.Facts})
	}
	if facts := p.certified(); facts != nil {
		add(Section{
			Title: "Certificate", Facts: facts,
			Text: "How many landmarks theory asks for whatever the data, " +
				"and what was certified for these on fresh rows of them.",
		})
	}
	if figures := p.chosen(); figures != nil {
		add(Section{Title: "What kerf chose, on held-out training rows", Figures: figures})
	}
	if p.Picked != nil && p.Picked.Raced {
		add(p.candidates())
	}
	good := Section{Title: "How good it is, on " + rows + " rows", Table: p.measures(), Figures: p.figures()}
	if good.Table != nil || good.Figures != nil {
		add(good)
	}
	if p.Importance != nil {
		add(importance(p.Importance, rows))
	}
	if p.Plane != nil {
		add(plane(p.Plane))
	}
	d.Sections = append(d.Sections, p.classTables()...)
	if worst, ok := p.worst(); ok {
		add(worst)
	}
	return d, nil
}

// measured returns how many rows were measured.
func (p TrainPage) measured() int {
	return max(len(p.Said.Truth), len(p.Truth), len(p.Scores))
}

// check reports lists that do not go together.
func (p TrainPage) check() error {
	said, n := p.Said, p.measured()
	wrong := func(what string, got, want int) error {
		return fmt.Errorf("report: there are %d %s for %d rows", got, what, want)
	}
	switch {
	case len(p.Predicted) != len(p.Truth):
		return wrong("predicted numbers", len(p.Predicted), len(p.Truth))
	case len(said.Predicted) != len(said.Truth):
		return wrong("predicted classes", len(said.Predicted), len(said.Truth))
	case len(said.Truth) > 0 && len(p.Classes) != said.Classes:
		return fmt.Errorf("report: there are %d names for %d classes", len(p.Classes), said.Classes)
	case said.Scores != nil && (said.Scores.Rows != n || said.Scores.Cols != said.Classes):
		return wrong("rows of scores", said.Scores.Rows, n)
	case said.Probabilities != nil && (said.Probabilities.Rows != n || said.Probabilities.Cols != said.Classes):
		return wrong("rows of probabilities", said.Probabilities.Rows, n)
	case p.Rows != nil && len(p.Rows) != n:
		return wrong("numbers of rows", len(p.Rows), n)
	case p.Texts != nil && len(p.Texts) != n:
		return wrong("texts", len(p.Texts), n)
	}
	for i, c := range said.Truth {
		if q := said.Predicted[i]; c < -1 || c >= said.Classes || q < 0 || q >= said.Classes {
			return fmt.Errorf("report: row %d is of class %d and predicted as %d of %d", i+1, c, q, said.Classes)
		}
	}
	if p.Classification != nil {
		for _, c := range p.Classification.PerClass {
			if p.Scores == nil && (c.Class < 0 || c.Class >= len(p.Classes)) {
				return fmt.Errorf("report: class %d has no name", c.Class)
			}
		}
	}
	return nil
}

// certified says what theory promised, what was certified and what is used.
func (p TrainPage) certified() []Fact {
	e := p.Training.Earned
	if e == nil {
		return nil
	}
	var out []Fact
	add := func(name, format string, args ...any) {
		out = append(out, Fact{Name: name, Value: fmt.Sprintf(format, args...)})
	}
	if e.Promised > 0 {
		add("Promised by theory", "%s landmarks suffice, whatever the data, for margin %.3g, error %.3g and confidence %s",
			grouped(e.Promised), e.Margin, e.Certificate.Error, percent(e.Confidence))
	}
	if e.Choice != nil {
		add("Margin", "%.3g, chosen on rows set apart, of which %s have less", e.Choice.Margin, percent(e.Choice.Noise))
	}
	switch why := e.Useless(); {
	case !e.Holds:
		add("Certified", "nothing (%s): %s", e.Outcome, e.Words)
	case why != "":
		add("Certified", "%s. %s", why, e.Certificate)
	default:
		add("Certified", "%s", e.Certificate)
	}
	add("Used", "%s landmarks", grouped(e.Used))
	if s := p.Separator; s != nil {
		add("Tested", "with %s confidence at most %s of all rows like these have a margin below %.3g",
			percent(s.Confidence), percent(s.Bound), s.Margin)
	}
	return out
}
