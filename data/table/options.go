// Package table turns tables into vectors.
//
// Three types matter. A Table holds rows as columns of numbers or of texts; a
// Builder makes one of cells, whatever format they come from. Fit looks at a table
// and returns a Schema: which columns are numbers, which are categories, how each
// is scaled, which is the target. Schema.Encode turns any table of the same kind
// into vectors and labels.
//
// A cell is missing if it is empty or, without quotes, one of ? NA N/A null in any
// case. It is a number if it reads as a decimal one.
//
// Whatever is wrong with a table comes back as a *data.InputError.
package table

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/run"
)

// Header says what the first row of a file is.
type Header int

// Auto looks at the first rows to find out whether there is a header, Present
// and Absent know it, and Skip reads past the first row whatever it is.
const (
	Auto Header = iota
	Present
	Absent
	Skip
)

// Options say how to read a table. The zero value finds out everything by itself
// and takes the last column as the target.
type Options struct {
	// Name is the file as errors show it.
	Name string

	// Header says what the first row is.
	Header Header

	// Names are names that a header would have. With Auto, a first row with at
	// least half of them in it is a header. See Schema.Options.
	Names []string

	// Comma separates cells: any ASCII character but a quote or a line end. With
	// 0 it is found out: comma, tab, semicolon or bar.
	Comma rune

	// Target is the column of the labels: "" or "last", "first", "none", the
	// name of a column, or its number from 1.
	Target string

	// Weight is the column of the rows' weights, by its name or its number from
	// 1, which is not learnt from: "" or "none" for none. Where it is the last or
	// the first one, a target that is "last", as it is by default, or "first" is
	// the one next to it. With WeightSpare a file may lack the column.
	Weight      string
	WeightSpare bool

	// Drop names columns to ignore, each by its name or its number from 1.
	Drop []string

	// Verbatim keeps every cell as it is written. Otherwise a number that stands
	// in a column before the first text of that column is kept as a number, and
	// its spelling is lost; the target is always verbatim.
	Verbatim bool

	// Run limits the memory of cells that are missing because their column came
	// late.
	Run run.Control
}

// Roles are columns by what they are for: those of the target and of the weights,
// -1 for none, and those to ignore.
type Roles struct {
	Target, Weight int
	Drop           []bool
}

// Roles resolves what the columns of a table of the given width are for; names
// is nil where there is no header.
func (o Options) Roles(names []string, width int) (Roles, error) {
	var none Roles
	weight, err := o.weight(names, width)
	if err != nil {
		return none, err
	}
	var target int
	switch o.Target {
	case "none":
		target = -1
	case "", "last":
		if target = width - 1; target == weight {
			target--
		}
	case "first":
		if target = 0; target == weight {
			target++
		}
	default:
		if target, err = o.find("target", o.Target, names, width); err != nil {
			return none, err
		}
	}
	if weight >= 0 && (target == weight || target == width) {
		return none, o.fault("choose another of one of them", "column %q is both the weight and the target", o.Weight)
	}
	drop := make([]bool, width)
	for _, name := range o.Drop {
		j, err := o.find("column to drop", name, names, width)
		if err != nil {
			return none, err
		}
		if j == target {
			return none, o.fault("choose another target, or none", "column %q is both dropped and the target", name)
		}
		if j == weight {
			return none, o.fault("it is not learnt from anyhow; choose another of one of them",
				"column %q is both the weight and one that is to be left out", name)
		}
		drop[j] = true
	}
	return Roles{target, weight, drop}, nil
}

func (o Options) fault(advice, problem string, args ...any) error {
	return &data.InputError{File: o.Name, Problem: fmt.Sprintf(problem, args...), Advice: advice}
}

// weight returns the column of the weights, -1 for none.
func (o Options) weight(names []string, width int) (int, error) {
	if o.Weight == "" || o.Weight == "none" {
		return -1, nil
	}
	j, err := o.find("weight", o.Weight, names, width)
	if err != nil && o.WeightSpare {
		return -1, nil
	}
	return j, err
}

// find returns the index of a column that is given by name or number. A name
// counts first, because a header may be made of numbers.
func (o Options) find(what, text string, names []string, width int) (int, error) {
	if j := slices.Index(names, text); j >= 0 {
		return j, nil
	}
	n, err := strconv.Atoi(text)
	if err == nil && n >= 1 && n <= width {
		return n - 1, nil
	}
	e := &data.InputError{
		File: o.Name, Problem: fmt.Sprintf("there is no column %q, which is named as the %s", text, what),
	}
	switch {
	case names == nil:
		e.Advice = fmt.Sprintf("the file has no header; give a number from 1 to %d", width)
	default:
		e.Advice = fmt.Sprintf("the columns are %s; give one of them or a number from 1 to %d", list(names), width)
	}
	return 0, e
}

// list shows names in a message, the first few of many.
func list(names []string) string {
	const most = 12
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
}
