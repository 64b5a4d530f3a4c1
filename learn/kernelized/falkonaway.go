package kernelized

import (
	"context"
	"errors"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/internal/linalg"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// triangle is the factor L of a matrix, here or on a device.
type triangle interface {
	// solve replaces every row v of x by L⁻¹v or, transposed, L⁻ᵀv; mulTransposed by Lᵀv.
	solve(ctx context.Context, ctl run.Control, x *data.Matrix, transposed bool) error
	mulTransposed(ctx context.Context, x *data.Matrix) error
}

// here is a triangle here.
type here struct{ lower[float64] }

func (l here) solve(ctx context.Context, ctl run.Control, x *data.Matrix, transposed bool) error {
	return l.lower.solve(ctx, ctl, x.Data, transposed)
}

func (l here) mulTransposed(_ context.Context, x *data.Matrix) error {
	l.lower.mulTransposed(x.Data)
	return nil
}

// away is a triangle on a device.
type away struct{ *gram.Triangle }

func (l away) solve(ctx context.Context, _ run.Control, x *data.Matrix, transposed bool) error {
	return l.Solve(ctx, x, transposed)
}

func (l away) mulTransposed(ctx context.Context, x *data.Matrix) error {
	return l.MulTransposed(ctx, x)
}

// factorAway is factorHere on the device of the run; far stays nil where that does not do it.
func (p *falkon[T]) factorAway(ctx context.Context) error {
	if p.near || p.ctl.Device == run.CPU {
		return nil
	}
	diag := make([]float64, p.landmarks.Len())
	err := par.For(ctx, p.ctl.Quiet(), "", par.Blocks(len(diag), diagBlock), func(b int) error {
		lo, hi := par.Range(b, len(diag), diagBlock)
		for i := lo; i < hi; i++ {
			diag[i] = kernel.Diag(p.recipe.Kernel, p.landmarks.At(i))
		}
		return nil
	})
	if err != nil {
		return err
	}
	err = p.raised(ctx, diag, func(epsilon float64) (err error) {
		p.far, err = gram.Factor(ctx, p.ctl, p.recipe.Kernel, p.landmarks, epsilon)
		return err
	})
	if err == nil && p.far != nil {
		p.l = away{p.far}
	}
	return err
}

// refineAway is refine there. A device that has no room for it is not asked again.
func (p *falkon[T]) refineAway(ctx context.Context, penalty float64) (err error) {
	p.farther.Release()
	p.farther, err = p.far.Inner(ctx, p.ctl, 1/float64(p.landmarks.Len()), penalty)
	if err == nil && p.farther != nil {
		p.r = away{p.farther}
		return nil
	}
	var fault *linalg.NotPositiveError
	if errors.As(err, &fault) {
		return p.refined(ctx, err)
	}
	if err != nil {
		return err
	}
	p.ground()
	if err := p.factorHere(ctx); err != nil {
		return err
	}
	return p.refine(ctx, penalty)
}

// ground gives up what is on the device.
func (p *falkon[T]) ground() {
	p.far.Release()
	p.farther.Release()
	p.far, p.farther, p.l, p.r, p.near = nil, nil, nil, nil, true
}

// lost reports whether a device that nobody chose failed, and makes ready to do all on the cores.
func (p *falkon[T]) lost(err error) bool {
	var lost *gram.LostError
	if !errors.As(err, &lost) {
		return false
	}
	p.ctl.Places.Fell(lost.Error())
	p.ground()
	p.right = nil
	return true
}
