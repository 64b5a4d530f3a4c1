package stream

import (
	"context"
	"math"

	"github.com/kerf-ml/kerf/sums"
)

// dimSlack is how much of the least error on folds the error of fewer coordinates may be for
// them to be taken.
const dimSlack = 1.02

// tryDims measures each λ with each number of first coordinates.
func (r Ridge) tryDims(ctx context.Context, parts []*sums.Products, all *sums.Products) ([]Step, error) {
	dims := r.Dims
	if len(dims) == 0 {
		dims = []int{all.Dim()}
	}
	var out []Step
	for _, d := range dims {
		some, whole := parts, all
		if d < all.Dim() {
			some, whole = make([]*sums.Products, len(parts)), all.Leading(d)
			for f, p := range parts {
				some[f] = p.Leading(d)
			}
		}
		steps, err := r.tryAll(ctx, some, whole)
		if err != nil {
			return nil, err
		}
		out = append(out, steps...)
	}
	return out, nil
}

// choose takes the smallest number of coordinates that comes within dimSlack of the least
// error, with the λ that is best for it, the largest of equals. Where there is no function
// for any, it takes all coordinates and the largest λ.
func (f *RidgeFit) choose() {
	least := math.Inf(1)
	for _, s := range f.Steps {
		if s.Error < least { // not NaN
			least = s.Error
		}
	}
	best, found := math.Inf(1), false
	for _, s := range f.Steps {
		switch {
		case math.IsInf(least, 1):
			f.Lambda = max(f.Lambda, s.Lambda)
		case found && s.Dim > f.Dim:
			return
		case !found && s.Error <= dimSlack*least:
			found, f.Dim, f.Lambda, best = true, s.Dim, s.Lambda, s.Error
		case found && (s.Error < best || s.Error == best && s.Lambda > f.Lambda):
			f.Lambda, best = s.Lambda, s.Error
		}
	}
}
