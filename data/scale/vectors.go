package scale

import (
	"errors"
	"fmt"
	"math"

	"github.com/kerf-ml/kerf/data"
)

// Vectors scales the coordinates of vectors. FitVectors makes one; it is plain
// data that encoding/json writes and reads, immutable and safe for concurrent use.
type Vectors struct {
	Kind   Kind      `json:"kind"`
	Center []float64 `json:"center"`
	Spread []float64 `json:"spread"`

	// Curves are those of the coordinates, nil where all are the identity.
	Curves []Curve `json:"curves,omitempty"`
}

// FitVectors looks at the given rows of x, all if rows is nil. Coordinates that
// are not stored count as the zeros that they are. It takes a pass over x and
// eight bytes a row for each coordinate.
func FitVectors(k Kind, x data.Source[data.Vector], rows []int) *Vectors {
	if rows != nil {
		x = data.Subset[data.Vector]{Of: x, Index: rows}
	}
	dim := data.Dim(x)
	all := dense(x, dim)
	s := &Vectors{Kind: k, Center: make([]float64, dim), Spread: make([]float64, dim)}
	curves := make([]Curve, dim)
	for j := range dim {
		f := k.FitKnots(func(yield func(float64) bool) {
			for i := range all.Rows {
				if !yield(all.Row(i)[j]) {
					return
				}
			}
		}, KnotsOf(dim))
		s.Center[j], s.Spread[j], curves[j] = f.Center, f.Spread, f.Curve
		if !f.Curve.isPlain() {
			s.Curves = curves
		}
	}
	return s
}

// dense returns a copy of vectors with so many coordinates.
func dense(x data.Source[data.Vector], dim int) *data.Matrix {
	m := data.NewMatrix(x.Len(), dim)
	for i := range m.Rows {
		x.At(i).CopyTo(m.Row(i))
	}
	return m
}

// Apply returns the vectors scaled. They are dense, since what was zero no longer
// is; a coordinate past those that were looked at is left out.
func (s *Vectors) Apply(x data.Source[data.Vector]) *data.Matrix {
	m := dense(x, len(s.Center))
	fits := make([]Fit, len(s.Center))
	for j := range fits {
		fits[j] = Fit{Center: s.Center[j], Spread: s.Spread[j]}
		if s.Curves != nil {
			fits[j].Curve = s.Curves[j]
		}
	}
	for i := range m.Rows {
		row := m.Row(i)
		for j, v := range row {
			row[j] = fits[j].Of(v)
		}
	}
	return m
}

// Validate reports what Vectors from elsewhere may have wrong.
func (s *Vectors) Validate() error {
	if _, err := Parse(string(s.Kind)); err != nil {
		return err
	}
	if len(s.Center) != len(s.Spread) {
		return errors.New("a scale with as many centers as spreads is needed")
	}
	if s.Curves != nil && len(s.Curves) != len(s.Center) {
		return errors.New("a scale with as many curves as centers is needed")
	}
	for j := range s.Curves {
		if err := s.Curves[j].Validate(); err != nil {
			return fmt.Errorf("coordinate %d: %w", j, err)
		}
	}
	for j, c := range s.Center {
		if w := s.Spread[j]; math.IsNaN(c) || math.IsInf(c, 0) || !(w >= 0) || math.IsInf(w, 0) {
			return fmt.Errorf("coordinate %d is scaled by center %v and spread %v", j, c, w)
		}
	}
	return nil
}
