package feature

import (
	"context"
	"fmt"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// Oblivious is all that a map which does not see the data is made from. It is
// what a file keeps of such a map; RecallOblivious gives the map again.
type Oblivious struct {
	Kind   string
	Kernel kernel.Kernel[data.Vector]
	Dim    int // features
	Width  int // coordinates of an instance
	Seed   uint64
}

// The kinds of oblivious maps.
const (
	KindFourier           = "fourier"
	KindOrthogonalFourier = "orthogonal-fourier"
	KindTensorSketch      = "tensor-sketch"
)

// ObliviousMap is a map that Oblivious describes.
type ObliviousMap interface {
	Map[data.Vector]
	Blocker[data.Vector]
	Blocker32[data.Vector]
	Shape() Oblivious
}

// RecallOblivious returns the map that a shape describes: for a fitted map m,
// RecallOblivious(ctx, ctl, m.Shape()) maps as m does, bit for bit.
func RecallOblivious(ctx context.Context, ctl run.Control, o Oblivious) (ObliviousMap, error) {
	switch o.Kind {
	case KindFourier, KindOrthogonalFourier:
		r := Fourier{Kernel: o.Kernel, Dim: o.Dim, Orthogonal: o.Kind == KindOrthogonalFourier, Seed: o.Seed, Run: ctl}
		m, err := r.Fit(ctx, o.Width)
		if err != nil {
			return nil, err
		}
		return m, nil
	case KindTensorSketch:
		k, ok := o.Kernel.(kernel.Polynomial)
		if !ok {
			return nil, fmt.Errorf("a %s needs a polynomial kernel and has %v", o.Kind, o.Kernel)
		}
		m, err := TensorSketch{Kernel: k, Dim: o.Dim, Seed: o.Seed, Run: ctl}.Fit(ctx, o.Width)
		if err != nil {
			return nil, err
		}
		return m, nil
	}
	return nil, fmt.Errorf("there is no oblivious map of kind %q; the kinds are %q, %q and %q", o.Kind, KindFourier,
		KindOrthogonalFourier, KindTensorSketch)
}
