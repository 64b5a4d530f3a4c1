package feature

import (
	"errors"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/project"
)

// Projected is the map x ↦ x·A of the vectors themselves by a random projection A,
// with no kernel (Blum's survey, section 3: a margin of γ survives about
// 1/γ²·ln(1/(εδ)) dimensions, bound.ProjectionDim). Inner products are those of the
// vectors on average.
//
// A row costs what Projection.ApplyVector does. Coordinates past the projection's In
// are dropped. It is immutable and safe for concurrent use.
type Projected struct{ projection *project.Projection }

// NewProjected returns the map by a projection that is drawn.
func NewProjected(p *project.Projection) (Projected, error) {
	if p == nil {
		return Projected{}, errors.New("there is no projection to map by")
	}
	return Projected{p}, nil
}

// Dim returns the dimensions that are projected to.
func (m Projected) Dim() int { return m.projection.Out() }

// Projection returns the projection.
func (m Projected) Projection() *project.Projection { return m.projection }

// MapTo sets dst = x·A.
func (m Projected) MapTo(dst []float64, x data.Vector) { m.projection.ApplyVector(dst, x) }
