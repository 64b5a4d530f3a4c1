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
	c.Flags().StringVar(&in.header, "header", "auto", "whether the first line of a table is a header: auto, yes, no or skip")
	c.Flags().StringVarP(&out, "output", "o", "", "file to write to (default: standard output)")
	c.Flags().BoolVar(&scores, "scores", false, "after each label, the score of every class, separated by tabs")
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := writable(out); err != nil {
			return err
		}
		p, e, err := openModel(args[0])
		if err != nil {
			return err
		}
		return a.runPredict(c.Context(), p, e, args[1], &in, out, scores)
	}
	return c
}

// openModel loads a model and how its data are read.
func openModel(path string) (*model.Pipeline[data.Vector], *encoding, error) {
	f, err := loadModel(path)
	if err != nil {
		return nil, nil, err
	}
	p, err := model.Open(f, spec.Vectors{})
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

func (a *app) runPredict(ctx context.Context, p *model.Pipeline[data.Vector], e *encoding, path string, in *inputFlags, out string, scores bool) error {
	ctl := a.control()
	var predictions []string
	var allScores [][]float64
	fill := func(w io.Writer) error {
		return a.stream(ctx, path, e, in, func(x data.Source[data.Vector], _ []string) error {
			s, err := p.ScoreAll(ctx, ctl, x)
			if err != nil {
				return err
			}
			for i, c := range predicted(s) {
				name := p.Classes.Names[c]
				if a.json {
					predictions = append(predictions, name)
					if scores {
						allScores = append(allScores, s.Row(i))
					}
				}
				if err := predictionLine(w, name, s.Row(i), scores); err != nil {
					return err
				}
			}
			return nil
		})
	}
	var err error
	if a.json && (out == "" || out == "-") {
		err = fill(io.Discard)
	} else {
		err = a.output(ctx, out, fill)
	}
	if err != nil || !a.json {
		return err
	}
	object := map[string]any{"predictions": predictions, "classes": p.Classes.Names}
	if scores {
		object["scores"] = allScores
	}
	return a.result(object, nil)
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
