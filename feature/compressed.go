package feature

import (
	"context"
	"errors"
	"fmt"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/linalg"
	"github.com/kerf-ml/kerf/project"
	"github.com/kerf-ml/kerf/run"
)

// F3 is the recipe of F2 followed by a random projection down to far fewer
// dimensions (Blum's survey, theorem 5). The number of landmarks needed grows
// like 1/ε, the dimension of F3 only like log(1/ε).
//
// With F2.Size and Projection's dimension at least bound.NewPlan's F3Landmarks
// and F3Dim for γ, ε and 1-δ, the mapped data are with probability 1-δ
// separable with error at most ε at margin γ/4.
type F3[T any] struct {
	F2         F2[T]
	Projection project.Recipe
}

// NewF3 returns the recipe that maps by F2 and projects with the given recipe.
func NewF3[T any](f2 F2[T], p project.Recipe) F3[T] { return F3[T]{F2: f2, Projection: p} }

// Validate reports every field that is out of range.
func (r F3[T]) Validate() error {
	faults := []error{r.F2.Validate()}
	if r.Projection == nil {
		faults = append(faults, errors.New("no projection is set"))
	} else {
		faults = append(faults, r.Projection.Validate())
	}
	return errors.Join(faults...)
}

// Fit fits F2 to x and draws the projection.
func (r F3[T]) Fit(ctx context.Context, x data.Source[T]) (*Compressed[T], error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	f2, err := r.F2.Fit(ctx, x)
	if err != nil {
		return nil, err
	}
	p, err := r.Projection.Fit(f2.Dim())
	if err != nil {
		return nil, err
	}
	return NewCompressed(ctx, r.F2.Run, f2, p)
}

// Compressed is the fitted map F3, x ↦ F2(x)·A/√d. It holds the product of F2's triangle and
// the projection, so that it costs no more than its own dimension.
type Compressed[T any] struct {
	*rotated[T] // by the Dim×rank matrix Aᵀ·L⁻¹/√d
	f2          *Orthogonal[T]
	projection  *project.Projection
}

// NewCompressed returns the map x ↦ p(F2(x)).
func NewCompressed[T any](
	ctx context.Context, ctl run.Control, f2 *Orthogonal[T], p *project.Projection,
) (*Compressed[T], error) {
	if p.In() != f2.Dim() {
		panic(fmt.Sprintf("feature: a projection of %d coordinates does not fit F2 of %d", p.In(), f2.Dim()))
	}
	product := data.NewMatrix(p.Out(), p.In())
	a, inverse := p.Matrix(), f2.inverse
	if err := linalg.TMul(ctx, ctl.Quiet(), 1, a, inverse, 0, product); err != nil {
		return nil, err
	}
	r := newRotated(f2.landmarks, product, false)
	return &Compressed[T]{rotated: r, f2: f2, projection: p}, nil
}

// Orthogonal returns the map F2 inside.
func (m *Compressed[T]) Orthogonal() *Orthogonal[T] { return m.f2 }

// Projection returns the projection.
func (m *Compressed[T]) Projection() *project.Projection { return m.projection }
