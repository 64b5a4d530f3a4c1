// Package gen makes labelled data sets whose truth is known: the examples of
// the papers and lectures behind kerf, and a halfspace of any margin.
//
// Every generator is a function of Options alone. Rows are drawn in blocks, each
// from a random stream of its own, so the first rows of a large sample are those
// of a small one, but where a doc comment says otherwise. Labels are "1" and
// "-1".
package gen

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/internal/seed"
)

// Options say what to make. A literal zero is taken at its word; Defaults
// returns sensible values.
type Options struct {
	N      int     // rows, at least 1
	Noise  float64 // probability that a label is flipped, from 0 to 1
	Seed   uint64
	Margin float64 // of halfspace alone: from 0 to below 1
	Dim    int     // of halfspace alone: dimension, at least 2
	Book   bool    // the very points of the papers, of interval and xor alone; N is BookRows

	ctx context.Context // of Make, looked at once a block; nil elsewhere
}

// Defaults returns 1000 rows without noise, seed 1, margin 0.1 and dimension 10.
func Defaults() Options { return Options{N: 1000, Seed: 1, Margin: 0.1, Dim: 10} }

const (
	blockRows = 1024 // rows drawn from one stream
	maxValues = 1 << 40
)

// generators are all generators by name.
var generators = map[string]func(Options) (*data.Matrix, []string){
	"circle":      Circle,
	"halfspace":   Halfspace,
	"interleaved": Interleaved,
	"interval":    Interval,
	"moons":       Moons,
	"rings":       Rings,
	"xor":         XOR,
}

// Names returns the names that Make knows, in alphabetical order.
func Names() []string {
	names := make([]string, 0, len(generators))
	for name := range generators {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Make returns the data set of a name. It reports every fault of name and
// options at once, and the context's error when that ends before all is made.
func Make(ctx context.Context, name string, o Options) (x *data.Matrix, labels []string, err error) {
	generate, known := generators[name]
	if !known {
		err = fmt.Errorf("generator is %q and must be one of %s", name, strings.Join(Names(), ", "))
	}
	if err = errors.Join(err, o.Validate(name)); err != nil {
		return nil, nil, err
	}
	o.ctx = ctx
	x, labels = generate(o)
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	return x, labels, nil
}

// Validate reports every fault of the options for a generator; Margin and Dim
// count for halfspace alone.
func (o Options) Validate(name string) error {
	var all []error
	if o.N < 1 {
		all = append(all, fmt.Errorf("n is %d and must be at least 1", o.N))
	}
	if !(o.Noise >= 0 && o.Noise <= 1) {
		all = append(all, fmt.Errorf("noise is %v and must be a probability, from 0 to 1", o.Noise))
	}
	if rows := BookRows(name); o.Book && rows == 0 {
		all = append(all, fmt.Errorf("book is set and must not be for %s, of which no paper lists the points", name))
	} else if o.Book && o.N != rows {
		all = append(all, fmt.Errorf("n is %d and must be %d, the points of the book", o.N, rows))
	}
	if name == "halfspace" {
		if !(o.Margin >= 0 && o.Margin < 1) {
			all = append(all, fmt.Errorf("margin is %v and must be at least 0 and less than 1", o.Margin))
		}
		if o.Dim < 2 {
			all = append(all, fmt.Errorf("dim is %d and must be at least 2", o.Dim))
		}
	}
	if o.N > maxValues || name == "halfspace" && o.N >= 1 && o.Dim > maxValues/o.N {
		all = append(all, fmt.Errorf("n is %d and that many rows do not fit any memory", o.N))
	}
	return errors.Join(all...)
}

// BookRows returns how many points of a data set the papers list, 0 where they list
// none.
func BookRows(name string) int {
	switch name {
	case "interval":
		return chapterRows
	case "xor":
		return len(lectureXOR)
	}
	return 0
}

// sample draws the rows block by block: draw fills one row and returns whether its
// label is 1.
func (o Options) sample(dim int, draw func(rng *rand.Rand, row []float64) bool) (*data.Matrix, []string) {
	x := data.NewMatrix(o.N, dim)
	positive := make([]bool, o.N)
	for b := range par.Blocks(o.N, blockRows) {
		if o.ctx != nil && o.ctx.Err() != nil {
			break
		}
		rng := seed.Stream(o.Seed, seed.Generator, uint64(b))
		lo, hi := par.Range(b, o.N, blockRows)
		for i := lo; i < hi; i++ {
			positive[i] = draw(rng, x.Row(i))
		}
	}
	return x, o.labels(positive)
}

// labels spells the labels, each flipped with probability Noise.
func (o Options) labels(positive []bool) []string {
	labels := make([]string, len(positive))
	for b := range par.Blocks(len(positive), blockRows) {
		rng := seed.Stream(o.Seed, seed.Noise, uint64(b))
		lo, hi := par.Range(b, len(positive), blockRows)
		for i := lo; i < hi; i++ {
			labels[i] = "-1"
			if flip := rng.Float64() < o.Noise; positive[i] != flip {
				labels[i] = "1"
			}
		}
	}
	return labels
}

// uniform returns a number from lo to hi.
func uniform(rng *rand.Rand, lo, hi float64) float64 { return lo + (hi-lo)*rng.Float64() }

// polar returns the point at a radius and an angle.
func polar(radius, angle float64) (x, y float64) {
	sin, cos := math.Sincos(angle)
	return radius * cos, radius * sin
}
