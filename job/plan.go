package job

import (
	"github.com/kerf-ml/kerf/model"
)

// plan is about how much work a training is: that of each kernel, dimension and map
// that is tried, and of the fit. It is made for the sake of progress alone.
type plan[T any] struct {
	r         model.Recipe[T]
	s         model.Sample[T]
	maps      []string
	penalties int

	kernels, dims []float64
	sizes         []int // that dims are of
}

// idlePart is the part of the work of a dimension that counts for each one that comes
// before it, but for the next two: the search ends when two in turn bring nothing.
const idlePart = 0.8

// planOf plans the training of a recipe that leaves something open, or nothing.
func planOf[T any](r model.Recipe[T], o *open[T], s model.Sample[T]) *plan[T] {
	p := &plan[T]{r: r, s: s}
	if o == nil {
		return p
	}
	quick := r.Quick(min(s.Len(), dimRows))
	p.maps, p.penalties = o.maps, len(model.Penalties(r.Learner, r.Choose, s, chooserC, chooserLambda))
	for _, v := range o.variants {
		p.kernels = append(p.kernels, v.of(quick).TrialWork(s, trialRows(s, kernelRows), p.penalties))
	}
	if len(o.kernels) > 1 {
		few := sized(quick, min(kernelDim, max(s.Len()/4, 1)))
		for range o.kernels {
			p.kernels = append(p.kernels, few.TrialWork(s, trialRows(s, kernelRows), p.penalties))
		}
	}
	if dims := affordable(o.dims, s); len(dims) > 1 {
		p.sizes = dims
		for _, d := range dims {
			quick.Map = model.Resize(r.Map, d)
			p.dims = append(p.dims, quick.TrialWork(s, trialRows(s, dimRows), p.penalties))
		}
	}
	return p
}

// trialRows is how many rows a trial on so many fits.
func trialRows[T any](s model.Sample[T], rows int) float64 {
	return (1 - model.HeldOutPart) * float64(min(s.Len(), rows))
}

// left is the work that is left after so many kernels and dimensions, where the best
// map so far is likely to stay.
func (p *plan[T]) left(kernels, dims int, best model.Mapper[T]) float64 {
	sum := 0.0
	for _, w := range p.kernels[kernels:] {
		sum += w
	}
	part := 1.0
	for i, w := range p.dims[dims:] {
		if i > 1 {
			part *= idlePart
		}
		sum += part * w
	}
	for i := range p.maps {
		sum += p.ofMap(i, best)
	}
	return sum + p.fit(best)
}

// ofMap is the work of trying a map in the place of the best one so far.
func (p *plan[T]) ofMap(i int, best model.Mapper[T]) float64 {
	quick := p.r.Quick(min(p.s.Len(), dimRows))
	quick.Map = best
	if m, err := mapOf[T](p.maps[i], max(1, model.DimOf(best))); err == nil {
		quick.Map = m
	}
	return quick.TrialWork(p.s, trialRows(p.s, dimRows), p.penalties)
}

// fit is the work of the fit with a map.
func (p *plan[T]) fit(best model.Mapper[T]) float64 {
	r := p.r
	r.Map = best
	return r.Work(p.s)
}

// likely is the map that a search for a dimension is likely to find while the map of
// so many features is tried and each was better than the last: not fewer than three
// quarters of the most, which is between the two that win as a rule.
func (p *plan[T]) likely(now int) model.Mapper[T] {
	if len(p.sizes) == 0 {
		return p.r.Map
	}
	return model.Resize(p.r.Map, max(now, p.sizes[len(p.sizes)-1]*3/4))
}
