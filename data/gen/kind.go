package gen

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/internal/seed"
)

// Kind is what the instances of a generator are.
type Kind string

// Make makes the vectors of the generators that Names lists. Those with more to
// say have a recipe each: Hidden for vectors, Signatures for strings and Baskets
// for sets.
const (
	Vectors Kind = "vectors"
	Strings Kind = "strings"
	Sets    Kind = "sets"
)

// recipes are the generators that are recipes of their own.
var recipes = map[string]Kind{"baskets": Sets, "hidden": Vectors, "signatures": Strings}

// KindOf returns the kind of the instances that a generator makes, and false if
// there is none of that name.
func KindOf(name string) (Kind, bool) {
	if kind, ok := recipes[name]; ok {
		return kind, true
	}
	_, ok := generators[name]
	return Vectors, ok
}

// All returns the names of all generators, in alphabetical order: those of Names
// and the recipes.
func All() []string {
	names := Names()
	for name := range recipes {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Bytes returns about how much memory a data set of a generator takes while it is
// made and written, in bytes. Dim is the length of its instances, or the number of
// different items.
func Bytes(name string, o Options) float64 {
	n, dim := float64(o.N), max(float64(o.Dim), 2)
	const label = 24
	switch kind, _ := KindOf(name); {
	case kind == Sets: // their names, popularities and places in lists, and 10 of them a row
		return 250*dim + n*(24+16*10+label)
	case kind == Strings:
		return 2*dim + n*(16+max(dim, 200)+label)
	case name == "halfspace": // rows, one as numbers again, and one as text with its header
		return n*(8*dim+label) + 80*dim
	case name == "hidden": // rows, and the points of which they are drawn
		return n*(8*dim+8+label) + 60*math.Pow(2, min(dim, maxBits)/2)
	}
	return n * (8*2 + label)
}

// blocks draws instances block by block: draw returns one and whether its label
// is 1. It returns the context's error when that ends before all is made.
func blocks[T any](ctx context.Context, o Options, draw func(rng *rand.Rand) (T, bool)) ([]T, []string, error) {
	x := make([]T, o.N)
	positive := make([]bool, o.N)
	for b := range par.Blocks(o.N, blockRows) {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		rng := seed.Stream(o.Seed, seed.Generator, uint64(b))
		lo, hi := par.Range(b, o.N, blockRows)
		for i := lo; i < hi; i++ {
			x[i], positive[i] = draw(rng)
		}
	}
	return x, o.labels(positive), nil
}

// faults gathers what is wrong with a recipe.
type faults []error

func (f *faults) unless(ok bool, format string, args ...any) {
	if !ok {
		*f = append(*f, fmt.Errorf(format, args...))
	}
}

func (f faults) err() error { return errors.Join(f...) }
