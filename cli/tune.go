package cli

import (
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/kerf-ml/kerf/job"
	"github.com/kerf-ml/kerf/report"
	"github.com/kerf-ml/kerf/report/text"
)

func (a *app) tune() *cobra.Command {
	o := job.NewTuneOptions()
	f := &trainFlags{train: o.TrainOptions}
	c := &cobra.Command{
		Use:   "tune DATA",
		Short: "Search for the best kernel, width, map, dimension and regularisation",
		Long: `Search for the best choices, each measured on rows that it was not trained on,
and train the best one on all rows. Searched is what the flags leave open: the
kernel and its width, around the median distance; the map; the dimension; C or
lambda. A learner that chooses for itself, such as ridge, is left to it.

  grid     points in equal steps
  random   points at random
  halving  points at random, all of them on few rows, the best third of them on
           three times as many, and so on up to all

Every width and dimension that is tried is tried at several penalties: the rows
are mapped once for all of them, and the learner starts at each penalty from
where it ended at the one before.

The error of the best trial is that of the luckiest one, too; --test and --holdout
measure the final model on rows that had no part in the search.`,
		Example: `  kerf tune data.csv -o model.kerf
  kerf tune data.csv --holdout 0.3 --trials 50 --time 2m --json
  kerf tune data.csv --kernel laplace --learner kernel-svm --search grid`,
		Args: cobra.ExactArgs(1),
	}
	f.add(c, "file with data to test the final model on",
		"part of the data to keep from the search and to test the final model on, such as 0.3",
		"file to keep the trials in, and the state of the final training; "+
			"the same command goes on from it where it was ended",
		"time after which the search ends with the best so far; training the final model comes after it")
	flags := c.Flags()
	flags.StringVar((*string)(&o.Search), "search", string(o.Search), "how to search: grid, random or halving")
	flags.IntVar(&o.Trials, "trials", o.Trials, "candidates, at most: a width and a dimension at one penalty each")
	flags.IntVar(&o.Folds, "folds", o.Folds,
		"parts of the rows, each tested on once; of more than 20,000 rows that many are taken, "+
			"and a quarter of them tested on unless this is given")
	c.RunE = func(c *cobra.Command, args []string) error {
		switch {
		case !slices.Contains(job.Searches, o.Search):
			return usage("--search is %q and must be grid, random or halving", string(o.Search))
		case o.Trials < 1 || o.Trials > 10_000:
			return usage("--trials is %d and must be from 1 to 10000", o.Trials)
		case o.Folds < 2:
			return usage("--folds is %d and must be at least 2", o.Folds)
		case c.Flags().Changed("error"):
			return usage("--error finds the dimension of one model; use it with kerf train")
		}
		if err := f.settle(a, c, args[0]); err != nil {
			return err
		}
		o.TrainOptions, o.FoldsGiven = f.train, c.Flags().Changed("folds")
		t, err := job.Tune(c.Context(), args[0], o)
		if err != nil {
			return flagged(err)
		}
		if t.Report = f.report; f.report != "" {
			if err := a.output(c.Context(), f.report, func(w io.Writer) error {
				return report.Tune(w,
					report.Search(t))
			}); err != nil {
				return err
			}
		}
		return a.result(t, func(w io.Writer) error { return text.Tuned(w, t) })
	}
	return c
}
