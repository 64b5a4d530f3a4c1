package explain

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/run"
)

// Direction is one that a metric, which was learnt, looks at: distances of rows are those
// of their places along all directions.
type Direction struct {
	Share       float64      `json:"share"`       // of the sum of the metric's eigenvalues
	Coordinates []Coordinate `json:"coordinates"` // those of most weight, the heaviest first
}

// Coordinate is a coordinate of rows and its weight in a direction of length 1.
type Coordinate struct {
	Name   string  `json:"name"`
	Weight float64 `json:"weight"`
}

// Plane are the first directions of a learnt metric and where rows lie in them.
type Plane struct {
	Part       int          // of a blend, from 1, whose metric it is; 0 where there is one part
	Directions []Direction  // the first of most share
	Places     *data.Matrix // of rows, one coordinate a direction; plain distances in all of them are those of the metric
	Truth      Truth        // of these rows
	Classes    []string     // names of those of the rows; none where they are numbers
}

// Bounds of what is said of directions.
const (
	mostDirections = 5
	mostInOne      = 5    // coordinates
	leastWeight    = 0.05 // of a coordinate that is named
)

// NewPlane returns the directions of the learnt metric of a model, of a blend that of the
// heaviest part that has one, and the places of rows; nil where none was learnt, or a diagonal one,
// whose directions are the coordinates.
func NewPlane(ctx context.Context, ctl run.Control, m *model.Model, x *model.Encoded, t Truth) (*Plane, error) {
	all, err := m.Directions(ctx, ctl, mostDirections)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	best := slices.MaxFunc(all, func(a, b *model.Directions) int { return cmp.Compare(a.Weight, b.Weight) })
	out := &Plane{Places: best.Places(x), Truth: t}
	if !m.Regresses() {
		out.Classes = m.Classes.Names
	}
	if m.PartCount() > 1 {
		out.Part = best.Part + 1
	}
	for k, share := range best.Share {
		out.Directions = append(out.Directions, Direction{share, heaviest(best.Along.Row(k), best.Names)})
	}
	return out, nil
}

// heaviest returns the coordinates of most weight.
func heaviest(v []float64, names []string) []Coordinate {
	var out []Coordinate
	for j, w := range v {
		if math.Abs(w) >= leastWeight {
			out = append(out, Coordinate{names[j], w})
		}
	}
	slices.SortStableFunc(out, func(a, b Coordinate) int { return cmp.Compare(math.Abs(b.Weight), math.Abs(a.Weight)) })
	return out[:min(len(out), mostInOne)]
}
