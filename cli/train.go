package cli

import (
	"cmp"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kerf-ml/kerf/job"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/report"
	"github.com/kerf-ml/kerf/report/text"
)

// trainFlags are the choices of kerf train, and of the final training of kerf tune.
type trainFlags struct {
	inputFlags
	learnerFlags
	train  job.TrainOptions
	report string
}

func (f *trainFlags) add(c *cobra.Command, test, holdout, checkpoint, limit string) {
	flags := c.Flags()
	f.inputFlags.add(flags)
	f.inputFlags.addWeights(flags)
	f.inputFlags.addCategories(flags)
	f.learnerFlags.add(flags)
	flags.StringVar(&f.train.Test, "test", "", test)
	flags.StringVar(&f.train.TestLabels, "test-labels", "", "file with the labels of --test, for IDX or NPY data")
	flags.StringVar(&f.train.TestWeights, "test-weights", "", "file with the weights of --test, one a line")
	flags.Float64Var(&f.train.Holdout, "holdout", 0, holdout)
	flags.StringVarP(&f.train.Output, "output", "o", "", "file to write the model to")
	flags.StringVar(&f.report, "report", "", "file to write a report with charts to, as one HTML page")
	flags.StringVar(&f.train.Checkpoint, "checkpoint", "", checkpoint)
	flags.DurationVar(&f.train.Time, "time", f.train.Time, limit)
}

// addEffort adds the flags of a search.
func (f *trainFlags) addEffort(c *cobra.Command) {
	c.Flags().StringVar((*string)(&f.train.Effort), "effort", "", "work for what is not chosen: least, quick, normal or "+
		"thorough (about 5, 30, 300 s on two cores; default normal)")
	c.Flags().BoolVar(&f.train.Single, "single", false, "end a search in one model, not in a blend of the best")
}

// checkEffort reports an effort that there is not.
func (f *trainFlags) checkEffort(c *cobra.Command) error {
	if e := f.train.Effort; c.Flags().Changed("effort") && !slices.Contains(job.Efforts, e) {
		return usage("--effort is %q and must be least, quick, normal or thorough", string(e))
	}
	return nil
}

// keepers are the learners that keep a state.
func keepers() []string { return model.LearnerNames(func(t model.Traits) bool { return t.Keeps }) }

func (a *app) train() *cobra.Command {
	f := &trainFlags{}
	c := &cobra.Command{
		Use:   "train DATA...",
		Short: "Train a model",
		Long: `Train a model: map the data into explicit features and train a linear
separator on them, or train a kernel machine. What is not chosen kerf picks
itself and says so.

DATA is a table (CSV, TSV, JSON Lines, Parquet, Arrow), LIBSVM data, NPY or IDX with
--labels, FASTA, lines of text or sets, also compressed (.gz, .bz2, .zst); - is standard input.
A folder or a pattern of files, in quotes, is one data set, and so are several DATA, in their
order. What does not fit in --max-memory is read part by part and learnt from sums (--stream),
where the learner is ridge, svm or logistic.`,
		Example: `  kerf train data.csv --holdout 0.3 -o model.kerf
  kerf train c.csv --kernel 'rbf(gamma=1)' --map f2 --dim 100 --holdout 0.3 --json
  kerf train houses.csv --holdout 0.2
  kerf train survey.csv --target income --weight sampling_weight --test fresh.csv`,
		Args: cobra.MinimumNArgs(1),
	}
	f.add(c, "file with data to test on", "part of the data to hold out and test on, such as 0.3",
		"file to keep the learner's state in, of "+strings.Join(keepers(),
			", ")+"; the same command goes on from it where it was ended",
		"time after which the learner stops with the best so far, such as 30s (default: none)")
	f.addEffort(c)
	c.Flags().BoolVar(&f.train.Stream, "stream", false, "read the data part by part and learn from sums over their rows, "+
		"in bounded memory (default: where the file is too large for --max-memory)")
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := f.checkEffort(c); err != nil {
			return err
		}
		f.read.More = args[1:]
		if err := f.settle(a, c, args[0]); err != nil {
			return err
		}
		if f.train.Checkpoint != "" && !f.train.Stream && !slices.Contains(keepers(), f.learner) {
			return usage("--checkpoint is for %s, and for --stream; %s keeps no state", strings.Join(keepers(), ", "),
				f.learner)
		}
		t, err := job.Train(c.Context(), args[0], f.train)
		if err != nil {
			return flagged(err)
		}
		if t.Report = f.report; f.report != "" {
			if err := a.output(c.Context(), f.report, func(w io.Writer) error {
				return report.Train(w,
					report.Training(t))
			}); err != nil {
				return err
			}
		}
		return a.result(t, func(w io.Writer) error { return text.Trained(w, t) })
	}
	return c
}

// settle reports flags that are out of range or do not go together, and fills in
// the options.
func (f *trainFlags) settle(a *app, c *cobra.Command, path string) error {
	changed := c.Flags().Changed
	switch t := f.train; {
	case t.Test != "" && changed("holdout"):
		return usage("--test and --holdout do not go together; choose one")
	case changed("holdout") && !(t.Holdout > 0 && t.Holdout < 1):
		return usage("--holdout is %v and must be between 0 and 1", t.Holdout)
	case changed("output") && t.Output == "":
		return usage("-o needs the name of a file")
	case t.TestWeights != "" && t.Test == "":
		return usage("--test-weights is for the rows of --test; --weights has those of the data")
	case changed("time") && t.Time <= 0:
		return usage("--time is %v and must be positive", t.Time)
	case changed("report") && (f.report == "" || f.report == "-"):
		return usage("--report needs the name of a file")
	case changed("report") && f.report == t.Output:
		return usage("--report and -o name the same file %s", t.Output)
	}
	inputs := append([]string{path, f.train.Test, f.train.TestLabels, f.train.TestWeights, f.read.Labels, f.read.Weights},
		f.read.More...)
	if err := flagged(cmp.Or(job.Writable(f.report), job.Apart(f.report, inputs...))); err != nil {
		return err
	}
	if err := f.inputFlags.check(c.Flags()); err != nil {
		return err
	}
	f.train.Options, f.train.Details = a.options(&f.inputFlags), f.report != ""
	if err := f.learnerFlags.choose(c, &f.train.Choices); err != nil {
		return err
	}
	return flagged(job.Writable(f.train.Output))
}
