package job

import (
	"github.com/kerf-ml/kerf/model"
)

// plan is about how much work a training is: that of each kernel, dimension and map
// that is tried, and of the fit. It is made for the sake of progress alone.
type plan struct {
	kernels, dims, maps []float64
	fit                 float64
}

// idlePart is the part of the work of a dimension that counts for each one before it
// but three: the search for a dimension ends when two in turn bring nothing.
const idlePart = 0.8

// planOf plans the training of a recipe that leaves something open, or nothing.
func planOf[T any](r model.Recipe[T], o *open[T], s model.Sample[T]) plan {
	if o == nil {
		return plan{fit: r.Work(s)}
	}
	var p plan
	quick := r.Quick(min(s.Len(), dimRows))
	penalties := len(model.Penalties(r.Learner, r.Choose, s, chooserC, chooserLambda))
	for _, v := range o.variants {
		p.kernels = append(p.kernels, v.of(quick).TrialWork(s, trialRows(s, kernelRows), penalties))
	}
	if len(o.kernels) > 1 {
		few := sized(quick, min(kernelDim, max(s.Len()/4, 1)))
		for range o.kernels {
			p.kernels = append(p.kernels, few.TrialWork(s, trialRows(s, kernelRows), penalties))
		}
	}
	rows, likely := trialRows(s, dimRows), r
	if dims := affordable(o.dims, s); len(dims) > 1 {
		part := 1.0
		for i, d := range dims {
			if i > 2 {
				part *= idlePart
			}
			quick.Map = model.Resize(r.Map, d)
			p.dims = append(p.dims, part*quick.TrialWork(s, rows, penalties))
		}
		likely.Map = model.Resize(r.Map, dims[len(dims)-1]/2)
	}
	for i := range o.maps {
		quick.Map = likely.Map
		if m, err := mapOf[T](o.maps[i], max(1, model.DimOf(likely.Map))); err == nil {
			quick.Map = m
		}
		p.maps = append(p.maps, quick.TrialWork(s, rows, penalties))
	}
	p.fit = likely.Work(s)
	return p
}

// trialRows is how many rows a trial on so many fits.
func trialRows[T any](s model.Sample[T], rows int) float64 {
	return (1 - model.HeldOutPart) * float64(min(s.Len(), rows))
}

// choose is the work of all choices.
func (p plan) choose() float64 {
	sum := 0.0
	for _, part := range [][]float64{p.kernels, p.dims, p.maps} {
		for _, w := range part {
			sum += w
		}
	}
	return sum
}
