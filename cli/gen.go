package cli

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/gen"
	"github.com/kerf-ml/kerf/data/lines"
	"github.com/kerf-ml/kerf/data/sets"
	"github.com/kerf-ml/kerf/job"
	"github.com/kerf-ml/kerf/run"
)

func (a *app) gen() *cobra.Command {
	o := gen.Defaults()
	var out string
	c := &cobra.Command{
		Use:   "gen NAME",
		Short: "Write generated data: " + strings.Join(gen.All(), ", "),
		Long: `Write generated data: vectors as a table with the label last, or as LIBSVM data
if the output's name ends in .libsvm; strings as lines of a label, a tab and the
string; sets as lines of a label and the items.

  circle       uniform on a square; 1 inside the unit circle, -1 outside
  xor          uniform on a square; 1 where both coordinates have the same sign;
               with --book its four corners
  rings        two rings, one around the other, with a gap between them
  moons        two half circles that reach into each other
  interval     points on the line; 1 where |x| > 2; with --book -10, -9, …, 10
  interleaved  points on the line with alternating labels
  halfspace    unit vectors on both sides of a hyperplane, --margin away from it
  hidden       bits on which landmarks that ignore the data are of no use; the
               kernel 'hidden(bits=20,seed=1)' goes with them
  signatures   strings; 1 where a hidden word of 8 letters stands in one of 200
  baskets      sets of items; 1 where at least one of 5 hidden items is bought`,
		Example: "  kerf gen circle --n 2000 -o c.csv",
		Args:    cobra.ExactArgs(1),
	}
	c.Flags().IntVar(&o.N, "n", o.N, "rows")
	c.Flags().Float64Var(&o.Noise, "noise", o.Noise, "probability that a label is flipped")
	c.Flags().Float64Var(&o.Margin, "margin", o.Margin, "margin of halfspace")
	c.Flags().IntVar(&o.Dim, "dim", o.Dim,
		"dimension of halfspace; length of signatures (default 200), items of baskets (500), bits of hidden (20)")
	c.Flags().BoolVar(&o.Book, "book", false, "the very points of the papers, of interval (21) and xor (4)")
	c.Flags().StringVarP(&out, "output", "o", "", "file to write to (default: standard output)")
	c.RunE = func(c *cobra.Command, args []string) error {
		o.Seed = a.seed
		if !slices.Contains(gen.All(), args[0]) {
			return usage("unknown data %q; there are %s", args[0], strings.Join(gen.All(), ", "))
		}
		if rows := gen.BookRows(args[0]); o.Book && !c.Flags().Changed("n") && rows > 0 {
			o.N = rows
		} else if o.Book && rows == 0 {
			return usage("--book is for interval and xor; no paper lists the points of %s", args[0])
		}
		if a.json && (out == "" || out == "-") {
			return usage("--json and the data cannot both go to standard output; use -o FILE")
		}
		if err := a.control().Reserve("so many rows", gen.Bytes(args[0], o), "use a smaller --n or --dim"); err != nil {
			return err
		}
		if err := flagged(job.Writable(out)); err != nil {
			return err
		}
		write, err := generate(c.Context(), a.control(), args[0], o, c.Flags().Changed("dim"), out)
		if err != nil {
			return err
		}
		if err := a.output(c.Context(), out, write); err != nil {
			return err
		}
		if !a.json {
			return nil
		}
		return a.result(map[string]any{"name": args[0], "rows": o.N, "output": out}, nil)
	}
	return c
}

// generate makes a data set and returns what writes it.
func generate(
	ctx context.Context, ctl run.Control, name string, o gen.Options, sized bool, out string,
) (func(w io.Writer) error, error) {
	switch name {
	case "signatures":
		g := gen.NewSignatures()
		g.N, g.Noise, g.Seed = o.N, o.Noise, o.Seed
		if sized {
			g.Length = o.Dim
		}
		x, labels, err := g.Make(ctx)
		return func(w io.Writer) error { return lines.Write(w, x, labels) }, wrongRecipe(ctx, err)
	case "baskets":
		g := gen.NewBaskets()
		g.N, g.Noise, g.Seed = o.N, o.Noise, o.Seed
		if sized {
			g.Items = o.Dim
		}
		x, labels, err := g.Make(ctx)
		return func(w io.Writer) error { return sets.Write(w, x, labels) }, wrongRecipe(ctx, err)
	}
	form, err := formFor(out)
	if err != nil {
		return nil, err
	}
	var x *data.Matrix
	var labels []string
	if name == "hidden" {
		g := gen.NewHidden()
		g.N, g.Noise, g.Seed = o.N, o.Noise, o.Seed
		if sized {
			g.Bits = o.Dim
		}
		x, labels, err = g.Make(ctx)
	} else {
		x, labels, err = gen.Make(ctx, name, o)
	}
	if err != nil {
		return nil, wrongRecipe(ctx, err)
	}
	return func(w io.Writer) error {
		table := form(w, "x", ctl)
		if err := table.Write(x, labels); err != nil {
			return err
		}
		return table.Close()
	}, nil
}

// wrongRecipe makes a fault of a generator's options one of the command line.
func wrongRecipe(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil {
		return err
	}
	return usage("%w", err)
}
