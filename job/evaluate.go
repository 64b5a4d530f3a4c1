package job

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/eval"
	"github.com/kerf-ml/kerf/margin"
	"github.com/kerf-ml/kerf/model"
)

// Evaluated is what a model gets right on a file: of classes or of numbers. In
// JSON it is the one that there is.
type Evaluated struct {
	Classes *ClassEvaluation
	Numbers *eval.Regression

	Baseline *Baseline // what an answer that looks at no instance reaches; nil where the file of the model has none
}

// MarshalJSON writes the one that there is.
func (e *Evaluated) MarshalJSON() ([]byte, error) {
	if e.Numbers != nil {
		return json.Marshal(struct {
			*eval.Regression
			Baseline *Baseline `json:"baseline,omitempty"`
		}{e.Numbers, e.Baseline})
	}
	return json.Marshal(struct {
		*ClassEvaluation
		Baseline *Baseline `json:"baseline,omitempty"`
	}{e.Classes, e.Baseline})
}

// ClassEvaluation are the measures of classes.
type ClassEvaluation struct {
	*eval.Classification
	Names     []string  `json:"classes"`
	Confusion [][]int   `json:"confusion"` // [true][predicted]
	Margins   Quantiles `json:"margins"`
}

// Quantiles are margins: the smallest, those below which 5% and 50% of the rows
// lie, and the largest.
type Quantiles struct {
	Min    float64 `json:"min"`
	Five   float64 `json:"p05"`
	Median float64 `json:"median"`
	Max    float64 `json:"max"`
}

// Evaluate measures a model on labelled rows of a file, part by part, each mapped
// once. Where rows have weights, from a file, from the column that the options
// name or from the one that the model was trained with, all measures are by weight.
func Evaluate(ctx context.Context, m *model.Model, path string, o Options) (*Evaluated, error) {
	if err := predicts(m); err != nil {
		return nil, inFile(path, err)
	}
	v := evaluation{o: &o, m: m, path: path, alike: map[string]string{}}
	if o.Engine == nil {
		v.whole = newWhole(&o, m)
	}
	if o.Read.Target == "" && o.Engine == nil {
		o.labelsBeside(path, m.Encoding.Format, &o.Read)
	}
	var err error
	if o.Engine != nil {
		err = o.evaluateOn(ctx, &v, path)
	} else {
		err = o.stream(ctx, m, path, func(r *dataset.Rows) error { return v.add(ctx, r) })
	}
	if err == nil {
		err = dataset.SomeWeight(path, v.weights)
	}
	if err != nil {
		return nil, err
	}
	v.settle()
	if m.Regresses() {
		r, err := measureBy(v.weights).Regression(v.scores, v.truth.values)
		if err != nil {
			return nil, inFile(path, err)
		}
		v.whole.numbersOf(r)
		b, err := constantIn(m.Head).numbers(v.scores, v.truth.values, v.weights)
		return &Evaluated{Numbers: r, Baseline: b}, err
	}
	o.noteAlike(path, v.alike)
	if err := o.checkLabels(path, m.Head, v.truth); err != nil {
		return nil, err
	}
	c, err := v.measure(ctx)
	if err != nil {
		return nil, inFile(path, err)
	}
	v.whole.classesOf(c)
	b := constantIn(m.Head).classes(m.Classes, v.predicted, v.truth.y, v.weights)
	return &Evaluated{Classes: c, Baseline: b}, nil
}

// evaluation gathers what is known of the rows of a stream.
type evaluation struct {
	o    *Options
	m    *model.Model
	path string

	predicted []int
	truth     truth
	scores    []float64 // an output each
	margins   []float64
	weights   []float64 // nil where the rows have none
	rows      int
	alike     map[string]string // labels that are taken for others
	whole     *whole            // what is known of all rows, where these may be a sample of them; nil where they are all
}

// add measures some rows.
func (v *evaluation) add(ctx context.Context, r *dataset.Rows) error {
	if r.Labels == nil {
		advice := "use kerf predict for such data"
		if names := v.m.Encoding.Unknown(r); len(names) > 0 {
			advice = fmt.Sprintf("name their column with --target, such as --target %q, or use kerf predict", names[0])
		}
		return badInput(v.path, "the rows have no labels to compare with", advice)
	}
	if err := cmp.Or(r.CheckLabels(), v.weigh(r)); err != nil {
		return err
	}
	if v.m.Regresses() {
		values, err := r.Values(nil)
		if err != nil {
			return err
		}
		s, err := v.m.Scores(ctx, v.o.Run, r)
		if err != nil {
			return err
		}
		v.truth.values, v.scores = append(v.truth.values, values...), append(v.scores, s.Data...)
		return v.whole.add(v, r.Len())
	}
	maps.Copy(v.alike, alike(v.m.Classes, r))
	y, unknown := classIndex(v.m.Classes, r.Labels)
	s, margins, err := v.m.ScoreMargins(ctx, v.o.Run, r, y)
	if err != nil {
		return err
	}
	if len(v.truth.unknown) == 0 {
		v.truth.unknown = unknown
	}
	v.truth.y, v.scores, v.margins = append(v.truth.y, y...), append(v.scores, s.Data...), append(v.margins, margins...)
	v.predicted = append(v.predicted, v.m.DecideAll(s)...)
	return v.whole.add(v, r.Len())
}

// weigh adds the weights of some rows.
func (v *evaluation) weigh(r *dataset.Rows) error {
	if v.o.Read.Weighted() && !r.IsTable() {
		return dataset.BadOption("%s is for tables; %s is %s data: give a file of %s, one a line",
			dataset.Option("weight"), v.path, r.Format, dataset.Option("weights"))
	}
	w, err := v.m.Encoding.WeightsOf(r, v.o.Read)
	if err != nil {
		return err
	}
	if (w == nil) != (v.weights == nil) && v.rows > 0 {
		return badInput(v.path, "some rows have a weight and others have none",
			"fill it in, or leave it aside with --weight none")
	}
	v.weights, v.rows = append(v.weights, w...), v.rows+r.Len()
	return nil
}

// measure computes all measures of classes.
func (v *evaluation) measure(ctx context.Context) (*ClassEvaluation, error) {
	k := v.m.Classes.Len()
	scores := &data.Matrix{Rows: len(v.truth.y), Cols: k, Data: v.scores}
	said := eval.Said{Classes: k, Truth: v.truth.y, Predicted: v.predicted, Scores: scores}
	if v.m.Calibration != nil {
		said.Probabilities = v.m.Calibration.All(said.Scores)
	}
	c, err := measureBy(v.weights).Classification(ctx, said)
	if err != nil {
		return nil, err
	}
	sorted := margin.NewMargins(v.margins)
	return &ClassEvaluation{
		Classification: c, Names: v.m.Classes.Names, Confusion: eval.Confusion(v.predicted, v.truth.y, k),
		Margins: Quantiles{Min: sorted.Min(), Five: sorted.Quantile(0.05), Median: sorted.Quantile(0.5),
			Max: sorted.Quantile(1)},
	}, nil
}
