package cli

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/run"
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
	c.Flags().StringVarP(&out, "output", "o", "", "file to write to: .csv or .libsvm (default: standard output, CSV)")
	c.RunE = func(c *cobra.Command, args []string) error {
		if fit != (len(args) == 1) {
			return usage("kerf map takes a model and data, or --fit and data; usage: %s", c.UseLine())
		}
		if a.json && (out == "" || out == "-") {
			return usage("--json and the features cannot both go to standard output; use -o FILE")
		}
		write, err := writerFor(out)
		if err != nil {
			return err
		}
		ctl := a.control()
		if fit {
			if err := m.check(c, false); err != nil {
				return err
			}
			return a.mapFitted(c.Context(), ctl, args[0], &in, &m, out, write)
		}
		for _, name := range []string{"kernel", "map", "dim", "landmarks", "scale", "target"} {
			if c.Flags().Changed(name) {
				return usage("--%s goes with --fit; a model has its own", name)
			}
		}
		return a.mapByModel(c.Context(), ctl, args[0], args[1], &in, out, write)
	}
	return c
}

// mapByModel streams data through the map of a model.
func (a *app) mapByModel(ctx context.Context, ctl run.Control, path, dataPath string, in *inputFlags, out string, write tableWriter) error {
	p, e, err := openModel(path)
	if err != nil {
		return err
	}
	rows := 0
	err = a.output(ctx, out, func(w io.Writer) error {
		return a.stream(ctx, dataPath, e, in, func(x data.Source[data.Vector], labels []string) error {
			features, err := feature.Apply(ctx, ctl, p.Map, x)
			if err != nil {
				return err
			}
			var names []string
			if rows == 0 {
				names = columnNames("f", features.Cols)
			}
			rows += features.Rows
			return write(w, names, features, labels)
		})
	})
	if err != nil {
		return err
	}
	return a.mapped(rows, p.Map.Dim(), out)
}

// mapFitted fits a map to data and maps them.
func (a *app) mapFitted(ctx context.Context, ctl run.Control, path string, f *inputFlags, m *mapFlags, out string, write tableWriter) error {
	in, err := a.read(ctx, path, f)
	if err != nil {
		return err
	}
	scale, err := f.scaling(in, m.text.Open())
	if err != nil {
		return err
	}
	e, err := in.fitEncoding(nil, scale)
	if err != nil {
		return err
	}
	x, labels, err := e.encode(in)
	if err != nil {
		return err
	}
	k, err := m.text.Vectors(x, a.seed)
	if err != nil {
		return err
	}
	r := m.recipe(k, x.Len())
	r.Seed, r.Run = a.seed, ctl
	fitted, err := r.FitMap(ctx, x)
	if err != nil {
		return named(in.name, err)
	}
	err = a.output(ctx, out, func(w io.Writer) error {
		names := columnNames("f", fitted.Dim())
		for lo := 0; lo < x.Len(); lo += chunkRows {
			hi := min(lo+chunkRows, x.Len())
			features, err := feature.Apply(ctx, ctl, fitted, data.Range[data.Vector]{Of: x, Lo: lo, Hi: hi})
			if err != nil {
				return err
			}
			part := labels
			if labels != nil {
				part = labels[lo:hi]
			}
			if err := write(w, names, features, part); err != nil {
				return err
			}
			names = nil
		}
		return nil
	})
	if err != nil {
		return err
	}
	return a.mapped(x.Len(), fitted.Dim(), out)
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
