package dataset

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/kerf-ml/kerf/data/table"
	"github.com/kerf-ml/kerf/run"
)

// Options say how data files are read. The zero value finds out everything by
// itself.
type Options struct {
	// Kind is what an instance is; empty for what the format says, which is
	// vectors for a table.
	Kind Kind

	// Target is the column of the labels: a name, a number from 1, "first",
	// "last" or "none". Empty is the last of a table and the first of lines and
	// sets, and none where there is a file of Labels.
	Target string

	// Unlabeled says that sets, and lines with tabs, have no labels where Target
	// is empty and nothing else speaks for them.
	Unlabeled bool

	// Text is the column of a table that holds the strings, or sets of items, by
	// name or number. Empty is the last one beside the label for strings, and all
	// columns for sets.
	Text string

	// Header says whether the first line of a table is one.
	Header table.Header

	// Drop lists columns to ignore, by name or number.
	Drop []string

	// Groups is a column that says which rows belong together, by name or number,
	// which is not learnt from; empty for none. See Rows.Groups.
	Groups string

	// Weight is the column of a table with the rows' weights, by name or number;
	// empty or "none" for none. With WeightSpare a file may lack it.
	Weight      string
	WeightSpare bool

	// Verbatim keeps the cells of a table as they are written; see Rows.Cells.
	Verbatim bool

	// Labels and Weights are files with a label or a weight for each row.
	Labels, Weights string

	// Categories says what coordinates the categories of a table have; empty is one a
	// category. Statistics of the target are of numbers if Numbers is set, else of
	// classes, and Seed divides rows into folds for them. See Fit.
	Categories table.Categories
	Numbers    bool
	Seed       uint64

	// Open opens files by their names; nil for those of this machine. Paths are then names
	// of single files.
	Open func(ctx context.Context, name string) (io.ReadCloser, error)

	// More are further paths whose rows come after those of the path that is read: all of
	// them are one data set.
	More []string

	// Piece is the part of the file that is read; nil for all of it. See Divide.
	Piece *Piece

	// Stdin is what the path "-" stands for.
	Stdin io.Reader

	// Piped returns a name and the content of a path that can be opened once alone, and of
	// which somebody keeps what is read; nil of any other. Nil is for no such path.
	Piped func(path string) (name string, content io.Reader)

	// Run limits the memory that rows may take: what the process gains while a file
	// is read counts.
	Run run.Control
}

// Weighted reports whether a column of weights is named.
func (o *Options) Weighted() bool { return o.Weight != "" && o.Weight != "none" }

// settleTarget fills in that rows whose labels are in a file of their own have no
// others.
func (o *Options) settleTarget() error {
	switch {
	case o.Labels == "":
	case o.Target == "":
		o.Target = noTarget
	case o.Target != noTarget:
		return BadOption("%s and %s do not go together; choose one", Option("labels"), Option("target"))
	}
	return nil
}

// table returns how to read a table.
func (o *Options) table(name string) table.Options {
	drop := o.Drop
	if o.Groups != "" {
		drop = append(slices.Clone(drop), o.Groups)
	}
	return table.Options{
		Name: name, Header: o.Header, Target: o.Target, Weight: o.Weight, WeightSpare: o.WeightSpare, Drop: drop,
		Verbatim: o.Verbatim || o.Kind != Vectors && o.Kind != "", Run: o.Run,
	}
}

// option is the name of an option in a message, "scale" for a parameter of Fit.
type Option string

// OptionError reports options that do not fit each other or the data.
type OptionError struct {
	format string
	args   []any
	err    error
}

// BadOption returns an OptionError. Arguments of type Option are names of options.
func BadOption(format string, args ...any) error {
	e := &OptionError{format: format, args: args}
	for _, a := range args {
		if err, ok := a.(error); ok {
			e.err = err
		}
	}
	return e
}

// Error names options in lower case: "text: there is no column "x"".
func (e *OptionError) Error() string { return e.Text(func(name string) string { return name }) }

// Text is the message with options named as users of a program know them.
func (e *OptionError) Text(name func(option string) string) string {
	args := make([]any, len(e.args))
	for i, a := range e.args {
		if o, ok := a.(Option); ok {
			a = name(string(o))
		}
		args[i] = a
	}
	return fmt.Sprintf(e.format, args...)
}

// Unwrap returns the cause.
func (e *OptionError) Unwrap() error { return e.err }
