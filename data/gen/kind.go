package gen

import (
	"context"
	"errors"
	"fmt"
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
