package feature

import (
	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/run"
)

// latticeMap is a map to monomials with weights: what Monomials and Taylor have in
// common.
type latticeMap struct {
	terms   *lattice
	weights []float64
	row     func(dst []float64, x data.Vector, s *latticeScratch) // sets dst = φ(x)
}

// Dim returns the number of monomials.
func (m *latticeMap) Dim() int { return m.terms.dim }

// Width returns the number of coordinates that are read.
func (m *latticeMap) Width() int { return m.terms.width }

// Name returns the monomial of coordinate j without its weight: "1", "x2",
// "x1²·x3". Coordinates are counted from 0, variables from 1.
func (m *latticeMap) Name(j int) string { return m.terms.name(j) }

// Exponents returns a of coordinate j: how often each variable stands in its
// monomial.
func (m *latticeMap) Exponents(j int) []int { return m.terms.exponents(j) }

// Index returns the coordinate of the monomial with the given exponents, those
// of further variables being 0, and false where the map has no such monomial.
func (m *latticeMap) Index(exponents ...int) (int, bool) { return m.terms.index(exponents) }

// MapTo sets dst = φ(x).
func (m *latticeMap) MapTo(dst []float64, x data.Vector) {
	m.row(dst[:m.Dim()], x, m.terms.scratch())
}

// MapBlock maps the instances of x into the rows of dst.
func (m *latticeMap) MapBlock(_ run.Control, dst []float64, x data.Source[data.Vector], first int) error {
	return eachRow(dst, m.Dim(), x, first, m.rower(), m.Name)
}

// MapBlock32 maps the instances of x into the rows of dst. Features are those of
// MapBlock, rounded.
func (m *latticeMap) MapBlock32(_ run.Control, dst []float32, x data.Source[data.Vector], first int) error {
	return eachRow(dst, m.Dim(), x, first, m.rower(), m.Name)
}

func (m *latticeMap) rower() func(dst []float64, x data.Vector) {
	s := m.terms.scratch()
	return func(dst []float64, x data.Vector) { m.row(dst, x, s) }
}
