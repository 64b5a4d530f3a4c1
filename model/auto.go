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
// sample: one of several kernels, and the number of features.
type Auto[T any] struct {
	Kernels []kernel.Kernel[T] // to choose among; fewer than two are no choice
	Dims    []int              // to choose among, increasing; empty takes Recipe.Dim
}

// Picked is what was chosen among, and the error of each on held-out rows.
type Picked struct {
	Kernels []Option `json:"kernels,omitempty"`
	Dims    []Option `json:"dims,omitempty"`
}

// Option is one kernel or dimension that was tried.
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

// trialOn returns the error of a recipe that is fitted to one part of a sample on
// another part, at the price that is best there.
type trialOn[T any] func(ctx context.Context, r Recipe[T]) (float64, error)

// pick chooses kernel and dimension. prepare returns what measures a recipe on a
// sample of about so many rows; nil where there are too few. n counts all rows.
func (r Recipe[T]) pick(ctx context.Context, n int, prepare func(rows int) trialOn[T]) (Recipe[T], *Picked, error) {
	var picked Picked
	whole := ctx
	ctx, cancel := share(whole, chooseShare)
	defer cancel()
	quick := r.bare().quick(min(n, autoDimRows))
	quick.grid = autoPrices[r.traits().Price]
	if try := prepare(autoRows); try != nil && len(r.Auto.Kernels) > 1 {
		quick.Dim = min(autoFeatures, max(n/4, 1), max(r.Dim, 1))
		best := math.Inf(1)
		for _, k := range r.Auto.Kernels {
			quick.Kernel = k
			e, err := try(ctx, quick)
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
	if try := prepare(autoDimRows); try != nil && len(r.Auto.Dims) > 1 && r.Claim == nil {
		quick.Kernel = r.Kernel
		var err error
		if r.Dim, picked.Dims, err = pickDim(ctx, whole, quick, r.Auto.Dims, try); err != nil {
			return r, nil, err
		}
		r.Landmarks = 4 * r.Dim
	}
	return r, &picked, nil
}

// pickDim tries dimensions from the smallest on until two in turn brought less
// than a hundredth of the error, and takes the smallest whose error is within two
// hundredths of the least.
func pickDim[T any](ctx, whole context.Context, r Recipe[T], dims []int, try trialOn[T]) (int, []Option, error) {
	var tried []Option
	least, idle := math.Inf(1), 0
	for _, d := range dims {
		r.Dim, r.Landmarks = d, 4*d
		e, err := try(ctx, r)
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
	return r.pick(ctx, d.X.Len(), func(rows int) trialOn[T] {
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
		return func(ctx context.Context, r Recipe[T]) (float64, error) {
			prices := r.pricesFor(train.Weight)
			best, err := tryPrices(ctx, ctx, r.Run, prices, test.Y, test.Weight, false, r.tryLabels(ctx, classes, train, test.X, prices), wrong)
			return best.least, err
		}
	})
}

// pickForNumbers chooses for instances with numbers.
func (r Recipe[T]) pickForNumbers(ctx context.Context, d data.Labeled[T, float64]) (Recipe[T], *Picked, error) {
	return r.pick(ctx, d.X.Len(), func(rows int) trialOn[T] {
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
		return func(ctx context.Context, r Recipe[T]) (float64, error) {
			if r.Epsilon < 0 {
				r.Epsilon = spread(train.Y, train.Weight) / 10
			}
			prices := r.pricesFor(train.Weight)
			if r.traits().Price == priceC && r.Choose {
				prices = scaled(prices, spread(train.Y, train.Weight))
			}
			best, err := tryPrices(ctx, ctx, r.Run, prices, test.Y, test.Weight, false, r.tryValues(ctx, train, test.X, prices), rootMeanSquare)
			return best.least, err
		}
	})
}
