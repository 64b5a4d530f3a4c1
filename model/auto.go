package model

import (
	"context"
	"fmt"
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn"
)

// Auto says what Recipe.Fit chooses beside the price, on held-out rows of a
// sample: one of several kernels, then the number of features, then the map that
// makes them.
type Auto[T any] struct {
	Kernels []kernel.Kernel[T] // to choose among; fewer than two are no choice
	Dims    []int              // to choose among, increasing; empty takes Recipe.Dim
	Maps    []string           // to choose among beside Recipe.Map, which is kept unless another is clearly better
}

// Picked is what was chosen among, and the error of each on held-out rows.
type Picked struct {
	Kernels []Option `json:"kernels,omitempty"`
	Dims    []Option `json:"dims,omitempty"`
	Maps    []Option `json:"maps,omitempty"`
}

// Option is one kernel, dimension or map that was tried.
type Option struct {
	Name  string  `json:"name"`
	Error float64 `json:"error"` // part of the rows, or the root of the mean square of numbers
}

const (
	autoRows     = 4000 // that kernels are tried on
	autoDimRows  = 8000 // that dimensions are tried on
	autoFeatures = 200  // with which kernels are tried
	autoLeast    = 256  // features that are tried for any number of classes
	autoWeights  = 1 << 14
)

// autoPrices are the prices that trials choose among.
var autoPrices = map[string][]float64{priceC: {1, 10, 100}, priceLambda: {1e-2, 1e-4, 1e-6}}

// trialOn is a part of a sample to fit recipes to, and another to measure them on.
type trialOn[T any] struct {
	// try returns the error of a recipe, at the price that is best.
	try func(ctx context.Context, r Recipe[T]) (float64, error)
	// doubt is the standard error of such an error, relative to it.
	doubt func(e float64) float64
}

// pick chooses kernel and dimension. prepare returns what measures a recipe on a
// sample of about so many rows; nil where there are too few. n counts all rows.
func (r Recipe[T]) pick(ctx context.Context, n int, prepare func(rows int) *trialOn[T]) (Recipe[T], *Picked, error) {
	var picked Picked
	whole := ctx
	ctx, cancel := share(whole, chooseShare)
	defer cancel()
	quick := r.bare().quick(min(n, autoDimRows))
	quick.grid = autoPrices[r.traits().Price]
	if on := prepare(autoRows); on != nil && len(r.Auto.Kernels) > 1 {
		quick.Dim = min(autoFeatures, max(n/4, 1), max(r.Dim, 1))
		best := math.Inf(1)
		for _, k := range r.Auto.Kernels {
			quick.Kernel = k
			e, err := on.try(ctx, quick)
			if over(ctx, whole) {
				break
			}
			if err != nil {
				return r, nil, err
			}
			picked.Kernels = append(picked.Kernels, Option{Name: fmt.Sprint(k), Error: e})
			if e < best {
				best, r.Kernel = e, k
			}
		}
	}
	on := prepare(autoDimRows)
	if on != nil && len(r.Auto.Dims) > 1 && r.Claim == nil {
		quick.Kernel = r.Kernel
		var err error
		if r.Dim, picked.Dims, err = pickDim(ctx, whole, quick, r.Auto.Dims, on); err != nil {
			return r, nil, err
		}
		r.Landmarks = 4 * r.Dim
	}
	if on != nil && len(r.Auto.Maps) > 0 && r.Claim == nil {
		quick.Kernel, quick.Dim, quick.Landmarks = r.Kernel, r.Dim, r.Landmarks
		var err error
		if r.Map, picked.Maps, err = pickMap(ctx, whole, quick, r.Auto.Maps, picked.Dims, on); err != nil {
			return r, nil, err
		}
	}
	return r, &picked, nil
}

// mapGain is the part of the error that another map must save to be taken, unless
// two standard errors are more.
const mapGain = 0.05

// pickMap tries the recipe's map and others with the same number of features. The
// first has been tried if its number of features was chosen. Another one is taken
// where it has a smaller error than all and saves a part of the first one's.
func pickMap[T any](ctx, whole context.Context, r Recipe[T], others []string, dims []Option, on *trialOn[T]) (string, []Option, error) {
	best, own := r.Map, math.Inf(1)
	var tried []Option
	least := math.Inf(1)
	for _, kind := range append([]string{r.Map}, others...) {
		r.Map = kind
		e, known := 0.0, false
		if len(tried) == 0 {
			e, known = errorAt(dims, fmt.Sprint(r.Dim))
		}
		if !known {
			var err error
			e, err = on.try(ctx, r)
			switch {
			case over(ctx, whole):
				return best, tried, nil
			case err != nil && (len(tried) == 0 || whole.Err() != nil):
				return best, nil, err
			case err != nil: // it is not for these rows
				continue
			}
		}
		tried = append(tried, Option{Name: kind, Error: e})
		if len(tried) == 1 {
			own, least = e, e
		} else if e < least && e <= (1-max(mapGain, 2*on.doubt(own)))*own {
			best, least = kind, e
		}
	}
	return best, tried, nil
}

// errorAt returns the error of the option of a name.
func errorAt(options []Option, name string) (float64, bool) {
	for _, o := range options {
		if o.Name == name {
			return o.Error, true
		}
	}
	return 0, false
}

// pickDim tries dimensions from the smallest on until two in turn brought less
// than a hundredth of the error, and takes the smallest whose error is within two
// hundredths of the least.
func pickDim[T any](ctx, whole context.Context, r Recipe[T], dims []int, on *trialOn[T]) (int, []Option, error) {
	var tried []Option
	least, idle := math.Inf(1), 0
	for _, d := range dims {
		r.Dim, r.Landmarks = d, 4*d
		e, err := on.try(ctx, r)
		if over(ctx, whole) {
			break
		}
		if err != nil {
			return 0, nil, err
		}
		tried = append(tried, Option{Name: fmt.Sprint(d), Error: e})
		if e > 0.99*least {
			idle++
		} else {
			idle = 0
		}
		least = min(least, e)
		if idle == 2 || least == 0 {
			break
		}
	}
	for i, o := range tried {
		if o.Error <= 1.02*least {
			return dims[i], tried, nil
		}
	}
	return dims[0], tried, nil
}

// pickForLabels chooses for labelled instances.
func (r Recipe[T]) pickForLabels(ctx context.Context, classes data.Classes, d data.Labeled[T, int]) (Recipe[T], *Picked, error) {
	auto := *r.Auto
	auto.Dims = nil
	for _, dim := range r.Auto.Dims {
		if dim <= autoLeast || dim*learn.Separators(classes.Len()) <= autoWeights {
			auto.Dims = append(auto.Dims, dim)
		}
	}
	r.Auto = &auto
	return r.pick(ctx, d.X.Len(), func(rows int) *trialOn[T] {
		d := d
		if d.X.Len() > rows {
			_, sample := data.SplitBy(d.Y, float64(rows)/float64(d.X.Len()), r.Seed+5)
			d = d.Select(sample)
		}
		rest, held := data.SplitBy(d.Y, chooseFraction, r.Seed+6)
		train, test := d.Select(rest), d.Select(held)
		if len(held) == 0 {
			return nil
		}
		doubt := func(e float64) float64 { return 1 / math.Sqrt(max(e*float64(len(held)), 1)) } // of a count of errors
		return &trialOn[T]{doubt: doubt, try: func(ctx context.Context, r Recipe[T]) (float64, error) {
			prices := r.pricesFor(train.Weight)
			best, err := tryPrices(ctx, ctx, r.Run, prices, test.Y, test.Weight, false, r.tryLabels(ctx, classes, train, test.X, prices), wrong)
			return best.least, err
		}}
	})
}

// pickForNumbers chooses for instances with numbers.
func (r Recipe[T]) pickForNumbers(ctx context.Context, d data.Labeled[T, float64]) (Recipe[T], *Picked, error) {
	return r.pick(ctx, d.X.Len(), func(rows int) *trialOn[T] {
		d := d
		if n := d.X.Len(); n > rows {
			_, sample := data.Split(n, float64(rows)/float64(n), r.Seed+5)
			d = d.Select(sample)
		}
		rest, held := data.Split(d.X.Len(), chooseFraction, r.Seed+6)
		train, test := d.Select(rest), d.Select(held)
		if len(held) == 0 || len(rest) < 2 {
			return nil
		}
		doubt := func(float64) float64 { return 1 / math.Sqrt(2*float64(len(held))) } // of a root of a sum of squares
		return &trialOn[T]{doubt: doubt, try: func(ctx context.Context, r Recipe[T]) (float64, error) {
			if r.Epsilon < 0 {
				r.Epsilon = spread(train.Y, train.Weight) / 10
			}
			prices := r.pricesFor(train.Weight)
			if r.traits().Price == priceC && r.Choose {
				prices = scaled(prices, spread(train.Y, train.Weight))
			}
			best, err := tryPrices(ctx, ctx, r.Run, prices, test.Y, test.Weight, false, r.tryValues(ctx, train, test.X, prices), rootMeanSquare)
			return best.least, err
		}}
	})
}
