package cli

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/run"
	"github.com/kerf-ml/kerf/spec"
)

func (a *app) mapping() *cobra.Command {
	var (
		in  inputFlags
		m   mapFlags
		fit bool
		out string
	)
	c := &cobra.Command{
		Use:   "map MODEL DATA -o FILE | map --fit DATA -o FILE",
		Short: "Write the explicit features, for any other learner",
		Long: `Write the explicit features of data, a row each, with the label last where
there is one: by the map of a model, or by a map fitted to the data (--fit).`,
		Example: `  kerf map model.kerf data.csv -o features.csv
  kerf map --fit data.csv --kernel 'rbf(gamma=1)' --map f2 --dim 50 -o features.csv`,
		Args: cobra.RangeArgs(1, 2),
	}
	in.add(c.Flags())
	m.add(c.Flags())
	c.Flags().BoolVar(&fit, "fit", false, "fit a map to the data, without their labels")
	c.Flags().StringVarP(&out, "output", "o", "", "file to write to: .csv, .libsvm, .npy or .parquet (default: standard output, CSV)")
	c.RunE = func(c *cobra.Command, args []string) error {
		if fit != (len(args) == 1) {
			return usage("kerf map takes a model and data, or --fit and data; usage: %s", c.UseLine())
		}
		if a.json && (out == "" || out == "-") {
			return usage("--json and the features cannot both go to standard output; use -o FILE")
		}
		form, err := formFor(out)
		if err != nil {
			return err
		}
		ctl := a.control()
		job := &mapJob{app: a, ctl: ctl, flags: &in, choice: &m, out: out, form: form}
		if fit {
			if err := m.check(c, false); err != nil {
				return err
			}
			return job.fit(c.Context(), args[0])
		}
		for _, name := range []string{"kernel", "map", "dim", "landmarks", "select", "projection", "repair", "scale", "target", "as", "text"} {
			if c.Flags().Changed(name) {
				return usage("--%s goes with --fit; a model has its own", name)
			}
		}
		return job.byModel(c.Context(), args[0], args[1])
	}
	return c
}

// mapJob is what a mapping was asked for.
type mapJob struct {
	*app
	ctl    run.Control
	flags  *inputFlags
	choice *mapFlags
	out    string
	form   dataset.NewWriter
}

// byModel maps by the map of a model.
func (j *mapJob) byModel(ctx context.Context, path, dataPath string) error {
	f, err := loadModel(path)
	if err != nil {
		return err
	}
	switch f.Header.Instances {
	case spec.KindStrings:
		return mapByModel(ctx, j, path, f, spec.Strings{}, dataPath)
	case spec.KindSets:
		return mapByModel(ctx, j, path, f, spec.Sets{}, dataPath)
	}
	return mapByModel(ctx, j, path, f, spec.Vectors{}, dataPath)
}

// fit fits a map to data and maps them.
func (j *mapJob) fit(ctx context.Context, path string) error {
	kind, err := j.flags.kind(j.choice.spec)
	if err != nil {
		return err
	}
	in, err := j.read(ctx, path, kind, false, j.flags)
	if err != nil {
		return err
	}
	if err := j.choice.settle(string(in.Kind)); err != nil {
		return err
	}
	switch in.Kind {
	case dataset.Strings:
		return mapFitted(ctx, j, in, spec.Strings{})
	case dataset.Sets:
		return mapFitted(ctx, j, in, spec.Sets{})
	}
	return mapFitted(ctx, j, in, spec.Vectors{})
}

// mapByModel streams data through the map of a model.
func mapByModel[T any](ctx context.Context, j *mapJob, path string, f *model.File, kind instanceKind[T], dataPath string) error {
	p, e, err := openModel(path, f, kind)
	if err != nil {
		return err
	}
	rows := 0
	err = j.output(ctx, j.out, func(w io.Writer) error {
		table := j.form(w, "f")
		err := stream(ctx, j.app, dataPath, e, j.flags, func(_ *dataset.Rows, x data.Source[T], labels []string) error {
			features, err := feature.Apply(ctx, j.ctl, p.Map, x)
			if err != nil {
				return err
			}
			rows += features.Rows
			return table.Write(features, labels)
		})
		if err != nil {
			return err
		}
		return table.Close()
	})
	if err != nil {
		return err
	}
	return j.mapped(rows, p.Map.Dim(), j.out)
}

// mapFitted fits a map to instances of type T and maps them.
func mapFitted[T any](ctx context.Context, j *mapJob, in *dataset.Rows, kind instanceKind[T]) error {
	scaled, err := j.flags.scaling(in, j.choice.spec.Open())
	if err != nil {
		return err
	}
	e, err := fitEncoding(in, nil, scaled, j.flags)
	if err != nil {
		return err
	}
	x, labels, err := decode[T](e, in)
	if err != nil {
		return err
	}
	k, err := kind.Make(j.choice.spec, x, j.seed)
	if err != nil {
		return err
	}
	r := recipe(j.choice, k, x.Len())
	r.Seed, r.Run = j.seed, j.ctl
	fitted, err := r.FitMap(ctx, x)
	if err != nil {
		return named(in.Name, err)
	}
	err = j.output(ctx, j.out, func(w io.Writer) error {
		table := j.form(w, "f")
		for lo := 0; lo < x.Len(); lo += dataset.PartRows {
			hi := min(lo+dataset.PartRows, x.Len())
			features, err := feature.Apply(ctx, j.ctl, fitted, data.Range[T]{Of: x, Lo: lo, Hi: hi})
			if err != nil {
				return err
			}
			part := labels
			if labels != nil {
				part = labels[lo:hi]
			}
			if err := table.Write(features, part); err != nil {
				return err
			}
		}
		return table.Close()
	})
	if err != nil {
		return err
	}
	return j.mapped(x.Len(), fitted.Dim(), j.out)
}

// mapped reports what was written; nothing for people if it went to standard
// output, where it would stand among the features.
func (a *app) mapped(rows, dim int, out string) error {
	if out == "" || out == "-" {
		return nil
	}
	return a.result(map[string]any{"rows": rows, "dim": dim, "output": out}, func(w io.Writer) error {
		facts := newFacts(w)
		facts.add("features", "%d rows of %d written to %s", rows, dim, out)
		return facts.flush()
	})
}
