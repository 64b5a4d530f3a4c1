package cli

import (
	"errors"
	"io/fs"

	"github.com/spf13/pflag"

	"github.com/kerf-ml/kerf/data/table"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/job"
	"github.com/kerf-ml/kerf/model"
)

// inputFlags say how data files are to be read.
type inputFlags struct {
	read   dataset.Options
	header string
	scale  string
	as     string
}

func (f *inputFlags) add(flags *pflag.FlagSet) {
	f.addKnown(flags)
	flags.StringVar(&f.scale, "scale", "auto", "scaling of numbers: none; standard (mean 0, deviation 1); range (-1 to "+
		"1); robust (by median and quartiles); quantile (normal scores of ranks); log (standard, of logarithms); mixed "+
		"(log, quantile or standard, by column); or auto (standard for a table where kerf picks the kernel's width, else "+
		"none)")
	flags.StringVar(&f.as, "as", "",
		"what an instance is: vectors, strings or sets (default: what the kernel or the format says)")
	flags.StringVar(&f.read.Text, "text", "", "column of a table that holds the strings, or sets of items with commas, "+
		"semicolons, bars or blanks between them: a name or a number (default: the last one beside the label; "+
		"all columns for sets)")
	flags.StringSliceVar(&f.read.Drop, "drop", nil, "columns to ignore, by name or number")
}

// addKnown adds what reading needs when a model says the rest.
func (f *inputFlags) addKnown(flags *pflag.FlagSet) {
	flags.StringVar(&f.read.Target, "target", "", "column of the label: a name, a number from 1, first, last or none "+
		"(default: the one that looks like it, else the last, of a table, "+
		"first of lines and sets; with a model, where its training data had it)")
	flags.StringVar(&f.read.Labels, "labels", "", "file with the labels of IDX or NPY data: IDX, NPY, or "+
		"one a line (default: the one beside the data with labels for images, or y for X, in its name)")
	flags.StringVar(&f.header, "header", "auto", "whether the first line of a table is a header: auto, yes, no or skip")
}

// addCategories adds the flag that says how categories are encoded.
func (f *inputFlags) addCategories(flags *pflag.FlagSet) {
	flags.StringVar((*string)(&f.read.Categories), "categories", "", "coordinates of categories: onehot (one "+
		"each); target (the mean of the target, or shares of up to 10 classes, over rows of the same category, and "+
		"how many there are, beside one each for the 20 most frequent); auto (target for columns of more than "+
		"50 categories); levels (onehot for whole numbers of 3 to 10 different values too, and a missing one of two "+
		"categories is between them)\n"+
		"(default: onehot; a search with nothing chosen tries target and levels too)")
}

// addWeights adds the flags that say where the weights of rows are.
func (f *inputFlags) addWeights(flags *pflag.FlagSet) {
	flags.StringVar(&f.read.Weight, "weight", "",
		"column of a table with a weight for each row, by name or number: a row of "+
			"weight 2 counts as two, one of weight 0 not at all; it is not learnt from")
	flags.StringVar(&f.read.Weights, "weights", "", "file with the weight of each row, one a line, for any data")
}

// check reports flags that do not go together, and fills in the options.
func (f *inputFlags) check(flags *pflag.FlagSet) error {
	switch changed := flags.Changed; {
	case changed("weight") && f.read.Weight == "":
		return usage("--weight needs a column")
	case changed("weights") && f.read.Weights == "":
		return usage("--weights needs a file")
	case f.read.Weighted() && f.read.Weights != "":
		return usage("--weight and --weights do not go together; choose one")
	}
	if f.as != "" {
		kind, err := dataset.ParseKind(f.as)
		if err != nil {
			return usage("--as is %q and must be vectors, strings or sets", f.as)
		}
		f.read.Kind = kind
	}
	headers := map[string]table.Header{"auto": table.Auto, "yes": table.Present, "no": table.Absent, "skip": table.Skip}
	h, ok := headers[f.header]
	if !ok {
		return usage("--header is %q and must be auto, yes, no or skip", f.header)
	}
	f.read.Header = h
	return nil
}

// options returns the options of a job on data, all choices left open.
func (a *app) options(f *inputFlags) job.Options {
	o := job.NewOptions()
	o.Read, o.Scale, o.Seed, o.Run = f.read, f.scale, a.seed, a.control()
	o.Read.Stdin, o.Read.Run = a.stdin, o.Run
	o.Clustered = a.clustered
	o.Warn, o.Note = func(text string) { a.warn("%s", text) }, a.note
	return o
}

// flagged makes an error of options one of the command line.
func flagged(err error) error {
	var option *dataset.OptionError
	if errors.As(err, &option) {
		return usage("%s", option.Text(func(name string) string { return "--" + name }))
	}
	return err
}

// readModel reads a model file.
func readModel(path string) (*model.File, error) {
	f, err := model.ReadFile(path)
	var fault *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, badInput(path, "there is no such model file", "kerf train -o FILE writes one")
	case errors.As(err, &fault):
		return nil, badInput(path, fault.Err.Error(), "give the path of a model file")
	case errors.Is(err, model.ErrNotModel):
		return nil, wrapf("%w; the model comes first, then the data", err)
	}
	return f, err
}

// modelFlags say what a model may do.
type modelFlags struct{ allowExec bool }

func (f *modelFlags) add(flags *pflag.FlagSet) {
	flags.BoolVar(&f.allowExec, "allow-exec", false,
		"let a model whose kernel is exec: start its program; kerf inspect shows which")
}

// load reads a model of rows.
func (f *modelFlags) load(path string) (*model.Model, error) {
	file, err := readModel(path)
	if err != nil {
		return nil, err
	}
	file.AllowExec = f.allowExec
	m, err := file.Model()
	if errors.Is(err, model.ErrProgram) {
		return nil, wrapf("%s: %w; if you trust the file, use --allow-exec", path, err)
	}
	return m, named(path, err)
}
