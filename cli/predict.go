package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/spec"
)

func (a *app) predict() *cobra.Command {
	var (
		in     inputFlags
		out    string
		scores bool
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
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := writable(out); err != nil {
			return err
		}
		f, err := loadModel(args[0])
		if err != nil {
			return err
		}
		job := &predictJob{app: a, data: args[1], flags: &in, out: out, scores: scores}
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
func openModel[T any](path string, f *model.File, kind instanceKind[T]) (*model.Pipeline[T], *encoding, error) {
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
}

// predict predicts instances of type T.
func predict[T any](ctx context.Context, j *predictJob, path string, f *model.File, kind instanceKind[T]) error {
	p, e, err := openModel(path, f, kind)
	if err != nil {
		return err
	}
	ctl := j.control()
	var predictions []string
	var allScores [][]float64
	fill := func(w io.Writer) error {
		return stream(ctx, j.app, j.data, e, j.flags, func(x data.Source[T], _ []string) error {
			s, err := p.ScoreAll(ctx, ctl, x)
			if err != nil {
				return err
			}
			for i, c := range predicted(s) {
				name := p.Classes.Names[c]
				if j.json {
					predictions = append(predictions, name)
					if j.scores {
						allScores = append(allScores, s.Row(i))
					}
				}
				if err := predictionLine(w, name, s.Row(i), j.scores); err != nil {
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
	object := map[string]any{"predictions": predictions, "classes": p.Classes.Names}
	if j.scores {
		object["scores"] = allScores
	}
	return j.result(object, nil)
}

// predictionLine writes a label and, if wanted, the score of every class.
func predictionLine(w io.Writer, label string, scores []float64, all bool) error {
	line := label
	if all {
		var b strings.Builder
		b.WriteString(label)
		for _, s := range scores {
			b.WriteByte('\t')
			b.WriteString(strconv.FormatFloat(s, 'g', -1, 64))
		}
		line = b.String()
	}
	_, err := io.WriteString(w, line+"\n")
	return err
}
