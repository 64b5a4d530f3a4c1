package cli

import (
	"slices"

	"github.com/spf13/pflag"

	"github.com/kerf-ml/kerf/data/table"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/run"
	"github.com/kerf-ml/kerf/spec"
)

// inputFlags say how data files are to be read.
type inputFlags struct {
	target string
	header string
	scale  string
	as     string
	text   string
	labels string
	drop   []string

	weight      string // column of the rows' weights; none for none
	weightSpare bool   // whether the file may lack it
	rowWeights  string // file of the rows' weights

	run run.Control // of the command, from when its data are read
}

func (f *inputFlags) add(flags *pflag.FlagSet) {
	f.addKnown(flags)
	flags.StringVar(&f.scale, "scale", "auto", "scaling of numbers: none, standard, range, or auto (standard for a table where kerf picks the kernel's width, else none)")
	flags.StringVar(&f.as, "as", "", "what an instance is: vectors, strings or sets (default: what the kernel or the format says)")
	flags.StringVar(&f.text, "text", "", "column of a table that holds the strings, or sets of items with commas, semicolons, bars or blanks between them: a name or a number (default: the last one beside the label; all columns for sets)")
	flags.StringSliceVar(&f.drop, "drop", nil, "columns to ignore, by name or number")
}

// addKnown adds what reading needs when a model says the rest.
func (f *inputFlags) addKnown(flags *pflag.FlagSet) {
	flags.StringVar(&f.target, "target", "", "column of the label: a name, a number from 1, first, last or none (default: last of a table, first of lines and sets)")
	flags.StringVar(&f.labels, "labels", "", "file with the labels of IDX or NPY data: IDX, or one a line")
	flags.StringVar(&f.header, "header", "auto", "whether the first line of a table is a header: auto, yes, no or skip")
}

// kind returns the kind of instances that the flags and the kernel ask for,
// empty where the format is to decide.
func (f *inputFlags) kind(k spec.Kernel) (string, error) {
	kinds := []string{spec.KindVectors, spec.KindStrings, spec.KindSets}
	if f.as != "" && !slices.Contains(kinds, f.as) {
		return "", usage("--as is %q and must be vectors, strings or sets", f.as)
	}
	byKernel := k.Kind()
	if f.as != "" && byKernel != "" && f.as != byKernel {
		return "", usage("the kernel %s is for %s, not for %s", k, byKernel, f.as)
	}
	if f.as != "" {
		return f.as, nil
	}
	return byKernel, nil
}

// headers are what --header may be.
var headers = map[string]table.Header{
	"auto": table.Auto, "yes": table.Present, "no": table.Absent, "skip": table.Skip,
}

// options returns how to read data files.
func (f *inputFlags) options(a *app) (dataset.Options, error) {
	h, ok := headers[f.header]
	if !ok {
		return dataset.Options{}, usage("--header is %q and must be auto, yes, no or skip", f.header)
	}
	return dataset.Options{
		Target: f.target, Text: f.text, Header: h, Drop: f.drop, Labels: f.labels,
		Weight: f.weight, WeightSpare: f.weightSpare, Weights: f.rowWeights, Stdin: a.stdin, Run: a.control(),
	}, nil
}
