package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/spec"
)

// instanceKind is what the commands need to know about a kind of instances.
type instanceKind[T any] interface {
	model.Kind[T]
	Make(k spec.Kernel, x data.Source[T], seed uint64) (kernel.Kernel[T], error)
}

// read reads a whole file as instances of a kind, or of that of its format where
// kind is empty. labeled says whether sets have labels where the flags do not.
func (a *app) read(ctx context.Context, path, kind string, labeled bool, flags *inputFlags) (*dataset.Rows, error) {
	o, err := flags.options(a)
	if err != nil {
		return nil, err
	}
	flags.run = o.Run
	o.Kind, o.Unlabeled = dataset.Kind(kind), !labeled
	rows, err := dataset.Read(ctx, path, o)
	return rows, flagged(err)
}

// flagged makes an error of options one of the command line.
func flagged(err error) error {
	var option *dataset.OptionError
	if errors.As(err, &option) {
		return usage("%s", option.Text(func(name string) string { return "--" + name }))
	}
	return err
}

// fitEncoding decides how rows become instances, looking at the given rows alone.
func fitEncoding(in *dataset.Rows, rows []int, scaled scale.Kind, flags *inputFlags) (*dataset.Encoding, error) {
	e, err := dataset.Fit(in, rows, scaled, dataset.Options{Text: flags.text, Run: flags.run})
	return e, flagged(err)
}

// decode turns rows into instances of type T. The labels are nil where the file
// has none.
func decode[T any](e *dataset.Encoding, in *dataset.Rows) (data.Source[T], []string, error) {
	d, err := dataset.Decode[T](e, in)
	return d.X, d.Y, err
}

// storedEncoding returns the encoding of a model.
func storedEncoding(raw json.RawMessage) (*dataset.Encoding, error) {
	e, err := dataset.Parse(raw)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", model.ErrDamaged, err)
	}
	return e, nil
}

// stream reads a file part by part, decodes it, and hands over each part, as it
// was read and decoded.
func stream[T any](
	ctx context.Context, a *app, path string, e *dataset.Encoding, flags *inputFlags,
	use func(r *dataset.Rows, x data.Source[T], labels []string) error,
) error {
	o, err := flags.options(a)
	if err != nil {
		return err
	}
	return flagged(e.Stream(ctx, path, o, func(r *dataset.Rows) error {
		d, err := dataset.Decode[T](e, r)
		if err != nil {
			return err
		}
		return use(r, d.X, d.Y)
	}))
}
