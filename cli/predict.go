package cli

import (
	"cmp"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/kerf-ml/kerf/job"
	"github.com/kerf-ml/kerf/model"
)

func (a *app) predict() *cobra.Command {
	var in inputFlags
	var trust modelFlags
	var o job.PredictOptions
	out := ""
	c := &cobra.Command{
		Use:     "predict MODEL DATA...",
		Short:   "Predict labels, one line a row",
		Example: "  kerf predict model.kerf new.csv -o labels.txt\n  kerf predict model.kerf new.csv --keep id,name",
		Args:    cobra.MinimumNArgs(2),
	}
	in.addKnown(c.Flags())
	trust.add(c.Flags())
	c.Flags().StringVarP(&out, "output", "o", "", "file to write to (default: standard output)")
	c.Flags().BoolVar(&o.Scores, "scores", false, "after each label, the score of every class, separated by tabs")
	c.Flags().BoolVar(&o.Proba, "proba", false, "after each label, the probability of every class, separated by tabs")
	c.Flags().Float64Var(&o.Coverage, "set", 0,
		"after each label, the labels one of which is true with this probability, separated by "+
			"commas; of numbers, the ends of an interval (models trained with --conformal)")
	c.Flags().StringSliceVar(&o.Keep, "keep", nil,
		"columns of the data to write before each label, by name or number, or all, under a header")
	c.RunE = func(c *cobra.Command, args []string) error {
		switch {
		case c.Flags().Changed("keep") && len(o.Keep) == 0:
			return usage("--keep needs columns, or all")
		case o.Scores && o.Proba:
			return usage("--scores and --proba do not go together; choose one")
		case c.Flags().Changed("set") && !slices.Contains(model.Coverages, o.Coverage):
			return usage("--set is %v and must be one of %v", o.Coverage, model.Coverages)
		}
		check := flagged(cmp.Or(job.Writable(out), job.Apart(out, append(args, in.read.Labels)...)))
		if a.elsewhere() {
			check = checkFolder(out)
		}
		if check != nil {
			return check
		}
		if err := in.check(c.Flags()); err != nil {
			return err
		}
		m, err := trust.load(args[0])
		if err != nil {
			return err
		}
		in.read.More = args[2:]
		o.Options = a.options(&in)
		if err := o.Check(m, args[0]); err != nil {
			return flagged(err)
		}
		if a.elsewhere() {
			o.AllowExec = trust.allowExec
			return a.predictOn(c.Context(), m, args[1], out, o)
		}
		all := job.Predictions{Predictions: []any{}, Classes: m.Classes.Names, Coverage: o.Coverage}
		begun := false
		fill := func(w io.Writer) error {
			return job.Predict(c.Context(), m, args[1], o, func(p *job.Predictions) error {
				if a.json {
					all.Append(p)
				}
				if o.Keep != nil && !begun {
					begun = true
					if _, err := io.WriteString(w, p.Names()+"\n"); err != nil {
						return err
					}
				}
				for i := range p.Predictions {
					if _, err := io.WriteString(w, p.Line(i)+"\n"); err != nil {
						return err
					}
				}
				return nil
			})
		}
		if a.json && (out == "" || out == "-") {
			err = fill(io.Discard)
		} else {
			err = a.output(c.Context(), out, fill)
		}
		if err != nil || !a.json {
			return flagged(err)
		}
		return a.result(all, nil)
	}
	return c
}
