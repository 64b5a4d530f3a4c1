package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/learn/calibrate"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/spec"
)

func (a *app) predict() *cobra.Command {
	var (
		in     inputFlags
		out    string
		scores bool
		proba  bool
		set    float64
	)
	c := &cobra.Command{
		Use:     "predict MODEL DATA",
		Short:   "Predict labels, one line a row",
		Example: "  kerf predict model.kerf new.csv -o labels.txt",
		Args:    cobra.ExactArgs(2),
	}
	in.addKnown(c.Flags())
	c.Flags().StringVarP(&out, "output", "o", "", "file to write to (default: standard output)")
	c.Flags().BoolVar(&scores, "scores", false, "after each label, the score of every class, separated by tabs")
	c.Flags().BoolVar(&proba, "proba", false, "after each label, the probability of every class, separated by tabs")
	c.Flags().Float64Var(&set, "set", 0, "after each label, the labels one of which is true with this probability, separated by commas; of numbers, the ends of an interval (models trained with --conformal)")
	c.RunE = func(c *cobra.Command, args []string) error {
		switch {
		case scores && proba:
			return usage("--scores and --proba do not go together; choose one")
		case c.Flags().Changed("set") && !slices.Contains(model.Coverages, set):
			return usage("--set is %v and must be one of %v", set, model.Coverages)
		}
		if err := writable(out); err != nil {
			return err
		}
		f, err := loadModel(args[0])
		if err != nil {
			return err
		}
		job := &predictJob{app: a, data: args[1], flags: &in, out: out, scores: scores, proba: proba, set: set}
		switch f.Header.Instances {
		case spec.KindStrings:
			return predict(c.Context(), job, args[0], f, spec.Strings{})
		case spec.KindSets:
			return predict(c.Context(), job, args[0], f, spec.Sets{})
		}
		return predict(c.Context(), job, args[0], f, spec.Vectors{})
	}
	return c
}

// openModel builds the pipeline of a model file and says how its data are read.
func openModel[T any](path string, f *model.File, kind instanceKind[T]) (*model.Pipeline[T], *dataset.Encoding, error) {
	p, err := model.Open(f, model.Kind[T](kind))
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	e, err := storedEncoding(p.Schema)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return p, e, nil
}

// loadModel reads a model file.
func loadModel(path string) (*model.File, error) {
	f, err := model.Load(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, badInput(path, "there is no such model file", "kerf train -o FILE writes one")
	}
	var fault *fs.PathError
	if errors.As(err, &fault) {
		return nil, badInput(path, fault.Err.Error(), "give the path of a model file")
	}
	if errors.Is(err, model.ErrNotModel) {
		return nil, fmt.Errorf("%w; the model comes first, then the data", err)
	}
	return f, err
}

// predictJob is what a prediction was asked for.
type predictJob struct {
	*app
	data   string
	flags  *inputFlags
	out    string
	scores bool
	proba  bool
	set    float64
}

// predictions gathers what goes into the JSON object.
type predictions struct {
	Predictions   []any       `json:"predictions"`
	Classes       []string    `json:"classes,omitempty"`
	Scores        [][]float64 `json:"scores,omitempty"`
	Probabilities [][]float64 `json:"probabilities,omitempty"`
	Sets          [][]string  `json:"sets,omitempty"`
	Intervals     [][]float64 `json:"intervals,omitempty"`
	Coverage      float64     `json:"coverage,omitempty"`
}

// predict predicts instances of type T.
func predict[T any](ctx context.Context, j *predictJob, path string, f *model.File, kind instanceKind[T]) error {
	p, e, err := openModel(path, f, kind)
	if err != nil {
		return err
	}
	sets, err := j.check(path, p.Learner, p.Calibration != nil, p.Regresses(), p.Conformal)
	if err != nil {
		return err
	}
	ctl := j.control()
	all := predictions{Predictions: []any{}, Classes: p.Classes.Names, Coverage: j.set}
	fill := func(w io.Writer) error {
		return stream(ctx, j.app, j.data, e, j.flags, func(_ *dataset.Rows, x data.Source[T], _ []string) error {
			s, err := p.ScoreAll(ctx, ctl, x)
			if err != nil {
				return err
			}
			for i := range s.Rows {
				line := predictLine(j, p, sets, s.Row(i), &all)
				if _, err := io.WriteString(w, line+"\n"); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if j.json && (j.out == "" || j.out == "-") {
		err = fill(io.Discard)
	} else {
		err = j.output(ctx, j.out, fill)
	}
	if err != nil || !j.json {
		return err
	}
	return j.result(all, nil)
}

// check reports what was asked for and the model does not have, and returns its
// prediction sets.
func (j *predictJob) check(path, learner string, calibrated, regresses bool, conformal []calibrate.Conformal) (*calibrate.Conformal, error) {
	switch {
	case j.proba && regresses:
		return nil, usage("--proba is for models of classes; this one predicts numbers")
	case j.proba && learner == model.LearnerOneClass:
		return nil, usage("--proba is for models of classes; a one-class machine has none, and --scores has how far inside a row lies")
	case j.proba && !calibrated:
		return nil, badInput(path, "the model has no probabilities", "train it with --calibrate, on more rows")
	case j.set == 0:
		return nil, nil
	}
	for i := range conformal {
		if conformal[i].Coverage == j.set {
			return &conformal[i], nil
		}
	}
	return nil, badInput(path, "the model has no prediction sets", "train it with --conformal 0.2")
}

// predictLine returns the line of a row, and adds the row to the JSON object.
func predictLine[T any](j *predictJob, p *model.Pipeline[T], sets *calibrate.Conformal, scores []float64, all *predictions) string {
	var fields []string
	number := func(v float64) { fields = append(fields, strconv.FormatFloat(v, 'g', -1, 64)) }
	if p.Regresses() {
		number(scores[0])
		if sets != nil {
			lo, hi := sets.Interval(scores[0])
			number(lo)
			number(hi)
			if j.json {
				all.Intervals = append(all.Intervals, []float64{finite(lo), finite(hi)})
			}
		}
		if j.json {
			all.Predictions = append(all.Predictions, scores[0])
		}
		return strings.Join(fields, "\t")
	}
	label := p.Classes.Names[p.Decide(scores)]
	fields = append(fields, label)
	if j.json {
		all.Predictions = append(all.Predictions, label)
	}
	if j.scores {
		for _, s := range scores {
			number(s)
		}
		if j.json {
			all.Scores = append(all.Scores, scores)
		}
	}
	if !j.proba && sets == nil {
		return strings.Join(fields, "\t")
	}
	probabilities := make([]float64, len(scores))
	p.Calibration.Probabilities(probabilities, scores)
	if j.proba {
		for _, v := range probabilities {
			number(v)
		}
		if j.json {
			all.Probabilities = append(all.Probabilities, probabilities)
		}
	}
	if sets != nil {
		var names []string
		for _, c := range sets.Set(probabilities) {
			names = append(names, p.Classes.Names[c])
		}
		fields = append(fields, strings.Join(names, ","))
		if j.json {
			all.Sets = append(all.Sets, names)
		}
	}
	return strings.Join(fields, "\t")
}

// finite replaces what JSON cannot say by the largest number.
func finite(v float64) float64 { return min(max(v, -math.MaxFloat64), math.MaxFloat64) }
