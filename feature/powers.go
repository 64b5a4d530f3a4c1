package feature

import (
	"fmt"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/run"
)

// Powers is the map x ↦ (1, x, x², …, x^(N-1)) of the first coordinate of a
// vector, the polynomials of one variable (Shalev-Shwartz and Ben-David 2014,
// section 16.1). Further coordinates are dropped.
//
// Any N points of the line are linearly separable after it, whatever their
// labels, and N is necessary where these alternate (Tao's lecture; proof in
// docs/math/explicit.md). It is no map of a kernel with weights: Monomials of
// width 1 is.
//
// A row costs N multiplications, each power rounded once from the one before.
// Where a power is beyond float64, MapTo leaves a feature that is not finite;
// MapBlock and MapBlock32 return a *RowError.
type Powers struct {
	N int // coordinates, at least 1
}

// NewPowers returns the map to n coordinates.
func NewPowers(n int) Powers { return Powers{N: n} }

// Validate reports an N below 1.
func (m Powers) Validate() error {
	if m.N < 1 {
		return fmt.Errorf("powers: n is %d and must be at least 1", m.N)
	}
	return nil
}

// Dim returns N.
func (m Powers) Dim() int { return m.N }

// Name returns the power that is coordinate j, counted from 0: "1", "x", "x²".
func (m Powers) Name(j int) string { return powerName("x", j) }

// MapTo sets dst[j] = x^j.
func (m Powers) MapTo(dst []float64, x data.Vector) { m.row(dst[:m.N], x) }

func (m Powers) row(dst []float64, x data.Vector) {
	var a [1]float64
	x.CopyTo(a[:])
	power := 1.0
	for j := range dst {
		dst[j] = power
		power *= a[0]
	}
}

// MapBlock maps the instances of x into the rows of dst.
func (m Powers) MapBlock(_ run.Control, dst []float64, x data.Source[data.Vector], first int) error {
	if err := m.Validate(); err != nil {
		return err
	}
	return eachRow(dst, m.N, x, first, m.row, m.Name)
}

// MapBlock32 maps the instances of x into the rows of dst. Features are those of
// MapBlock, rounded.
func (m Powers) MapBlock32(_ run.Control, dst []float32, x data.Source[data.Vector], first int) error {
	if err := m.Validate(); err != nil {
		return err
	}
	return eachRow(dst, m.N, x, first, m.row, m.Name)
}
