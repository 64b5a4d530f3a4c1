// Package dataset reads data files of any format as rows, and learns from some of
// them how rows become instances.
//
// Read opens a file, finds out its format, and returns its Rows with labels and
// weights. Fit looks at rows and returns an Encoding: columns, categories, scales.
// Decode turns rows into instances of the type that a kernel takes. An Encoding is
// plain data that encoding/json writes and reads; a model stores it, and by it
// Stream reads further files part by part the way training data were read, and
// Record takes a row from the program itself:
//
//	rows, err := dataset.Read(ctx, "iris.csv", dataset.Options{})
//	e, err := dataset.Fit(rows, nil, scale.Standard, dataset.Options{})
//	train, err := dataset.Decode[data.Vector](e, rows)
//	one, err := e.Record(map[string]any{"sepal length": 5.1, "petal width": 0.2})
//	x, err := dataset.Decode[data.Vector](e, one)
//
// What is wrong with a file comes back as a *data.InputError, what is wrong with
// options, given the file, as an *OptionError.
package dataset

import (
	"fmt"
	"slices"
)

// Kind is what an instance is.
type Kind string

// The kinds of instances, and the Go types that they are.
const (
	Vectors Kind = "vectors" // data.Vector
	Strings Kind = "strings" // string
	Sets    Kind = "sets"    // data.Set
)

// ParseKind returns the kind of a name.
func ParseKind(name string) (Kind, error) {
	if k := Kind(name); slices.Contains([]Kind{Vectors, Strings, Sets}, k) {
		return k, nil
	}
	return "", fmt.Errorf("kind is %q and must be vectors, strings or sets", name)
}
