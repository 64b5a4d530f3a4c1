package feature

import (
	"context"
	"errors"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/project"
	"github.com/kerf-ml/kerf/run"
)

// Direct is the recipe of the direct method (Balcan, Blum and Vempala 2004,
// section 6): place the labelled sample itself into R^rank, so that inner
// products there are the kernel's, and map new instances by their orthogonal
// projection onto the sample's span. Nothing is drawn; a linear learner with a
// bound on the sample in terms of the margin (bound.PerceptronSample) learns from
// that many labelled instances as it would in the feature space of K. F2 and F3
// need more instances, but no labels, and serve any learner.
//
// It is F2 with all of the sample as landmarks, followed by Projection where that
// is set. By theorem 2 a projection to bound.PairsDim(g, 1-δ, n) coordinates
// keeps all squared distances of the n placed instances within a factor 1±g,
// with probability 1-δ.
//
// Fit evaluates the kernel n(n+1)/2 times, takes about n³/2 operations and 24n²
// bytes; an instance costs n kernel evaluations and rank²/2 operations, or
// n·dimension with a projection.
type Direct[T any] struct {
	Kernel     kernel.Kernel[T]
	Tolerance  float64        // as in F2
	Projection project.Recipe // nil for none
	Run        run.Control
}

// NewDirect returns the recipe without a projection and with F2's tolerance.
func NewDirect[T any](k kernel.Kernel[T]) Direct[T] {
	return Direct[T]{Kernel: k, Tolerance: DefaultTolerance}
}

func (r Direct[T]) f2(size int) F2[T] {
	return F2[T]{Kernel: r.Kernel, Size: size, Tolerance: r.Tolerance, Run: r.Run}
}

// Validate reports every field that is out of range.
func (r Direct[T]) Validate() error {
	faults := []error{r.f2(1).Validate()}
	if r.Projection != nil {
		faults = append(faults, r.Projection.Validate())
	}
	return errors.Join(faults...)
}

// Fit places the sample x. The map is an *Orthogonal[T], or a *Compressed[T]
// where Projection is set; Apply of x gives the places.
func (r Direct[T]) Fit(ctx context.Context, x data.Source[T]) (Map[T], error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	if x.Len() == 0 {
		return nil, errors.New("there is no sample to place")
	}
	f2, err := r.f2(x.Len()).FitTo(ctx, x)
	if err != nil {
		return nil, err
	}
	if r.Projection == nil {
		return f2, nil
	}
	p, err := r.Projection.Fit(f2.Dim())
	if err != nil {
		return nil, err
	}
	m, err := NewCompressed(ctx, r.Run, f2, p)
	if err != nil {
		return nil, err // not a nil *Compressed inside a Map
	}
	return m, nil
}
