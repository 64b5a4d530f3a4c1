package cli

import (
	"cmp"
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/job"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/report/text"
)

func (a *app) mapping() *cobra.Command {
	var (
		in  inputFlags
		of  modelFlags
		m   mapFlags
		fit bool
		out string
	)
	c := &cobra.Command{
		Use:   "map MODEL DATA... -o FILE | map --fit DATA... -o FILE",
		Short: "Write the explicit features, for any other learner",
		Long: `Write the explicit features of data, a row each, with the label last where
there is one: by the map of a model, or by a map fitted to the data (--fit).`,
		Example: `  kerf map model.kerf data.csv -o features.csv
  kerf map --fit data.csv --kernel 'rbf(gamma=1)' --map f2 --dim 50 -o features.csv`,
		Args: cobra.MinimumNArgs(1),
	}
	in.add(c.Flags())
	of.add(c.Flags())
	m.add(c.Flags())
	c.Flags().BoolVar(&fit, "fit", false, "fit a map to the data, without their labels")
	c.Flags().StringVarP(&out, "output", "o", "",
		"file to write to: .csv, .libsvm, .npy, .parquet, .arrow, .arrows or .feather (default: standard output, CSV)")
	c.RunE = func(c *cobra.Command, args []string) error {
		if !fit && len(args) == 1 || fit && strings.HasSuffix(args[0], ".kerf") {
			return usage("kerf map takes a model and data, or --fit and data; usage: %s", c.UseLine())
		}
		if a.json && (out == "" || out == "-") {
			return usage("--json and the features cannot both go to standard output; use -o FILE")
		}
		var form dataset.NewWriter
		var err error
		switch {
		case a.elsewhere() && fit:
			return usage("--fit is for one machine; train a model, and map by that")
		case a.elsewhere():
			err = checkFolder(out)
		default:
			form, err = formFor(out, append(args, in.read.Labels)...)
		}
		if err == nil {
			err = in.check(c.Flags())
		}
		if err != nil {
			return err
		}
		if in.read.More = args[1:]; !fit {
			in.read.More = args[2:]
		}
		o := a.options(&in)
		if fit {
			if err := m.choose(c, model.Traits{}, false, &o.Choices); err != nil {
				return err
			}
			return a.mapFitted(c.Context(), args[0], o, form, out)
		}
		for _, name := range []string{"kernel", "map", "dim", "landmarks", "select", "projection", "repair", "scale",
			"as", "text"} {
			if c.Flags().Changed(name) {
				return usage("--%s goes with --fit; a model has its own", name)
			}
		}
		model, err := of.load(args[0])
		if err != nil {
			return err
		}
		if a.elsewhere() {
			o.AllowExec = of.allowExec
			return a.mapOn(c.Context(), model, args[1], out, o)
		}
		return a.mapByModel(c.Context(), model, args[1], o, form, out)
	}
	return c
}

// formFor returns how tables are written to a file, by its ending.
func formFor(path string, inputs ...string) (dataset.NewWriter, error) {
	if err := flagged(cmp.Or(job.Writable(path), job.Apart(path, inputs...))); err != nil {
		return nil, err
	}
	form, err := dataset.WriterFor(path)
	return form, flagged(err)
}

// mapByModel maps by the map of a model.
func (a *app) mapByModel(
	ctx context.Context, m *model.Model, path string, o job.Options, form dataset.NewWriter, out string,
) error {
	var done *job.Mapped
	err := a.output(ctx, out, func(w io.Writer) error {
		table := form(w, "f", o.Run)
		var err error
		done, err = job.MapFeatures(ctx, m, path, o, a.writeTo(table, out))
		if err != nil {
			return err
		}
		return table.Close()
	})
	if err != nil {
		return flagged(err)
	}
	return a.mapped(done, out)
}

// mapFitted maps by a map that is fitted to the data.
func (a *app) mapFitted(ctx context.Context, path string, o job.Options, form dataset.NewWriter, out string) error {
	f, err := job.FitMap(ctx, path, o)
	if err != nil {
		return flagged(err)
	}
	err = a.output(ctx, out, func(w io.Writer) error {
		table := form(w, "f", o.Run)
		if err := f.Each(ctx, a.writeTo(table, out)); err != nil {
			return err
		}
		return table.Close()
	})
	if err != nil {
		return err
	}
	return a.mapped(&job.Mapped{Rows: f.Rows, Dim: f.Dim}, out)
}

// writeTo writes features to a table in the file at path, and tells of labels that
// it has no room for.
func (a *app) writeTo(table dataset.Writer, path string) job.UseFeatures {
	told := dataset.HoldsLabels(path)
	return func(x *data.Matrix, labels []string) error {
		if labels != nil && !told {
			told = true
			a.warn("%s: the format has no room for labels, which are left out", path)
		}
		return table.Write(x, labels)
	}
}

// mapped reports what was written; nothing for people if it went to standard
// output, where it would stand among the features.
func (a *app) mapped(m *job.Mapped, out string) error {
	if out == "" || out == "-" {
		return nil
	}
	m.Output = out
	return a.result(m, func(w io.Writer) error { return text.Mapped(w, m) })
}
