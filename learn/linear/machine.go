package linear

import "math"

// machine is which dual problem descent solves. With the weight c of a row,
//
//	max_α  Σ α - ½|Σ α·y·x|² - ½Σ δ·α²,   0 ≤ α ≤ u
//
// has u = C·c and δ = 0 for the hinge loss, no u and δ = 1/(2C·c) for the
// squared one (Hsieh et al. 2008, equation 4).
type machine struct {
	squared bool
	weight  []float64 // nil for 1
}

// machine returns the problem of the recipe on the rows x.
func (s SVM) machine(x *sample) machine {
	return machine{squared: s.Loss == SquaredHinge, weight: x.weight}
}

// penalty returns what a unit of loss of row i costs where C is c.
func (m machine) penalty(c float64, i int) float64 {
	if m.weight == nil {
		return c
	}
	return c * m.weight[i]
}

// top returns the upper bound of α, which is never below 0. A row of weight 0
// has none but 0.
func (m machine) top(c float64, i int) float64 {
	if p := m.penalty(c, i); !m.squared || p == 0 {
		return p
	}
	return math.Inf(1)
}

// limit returns what no α of n rows exceeds at the optimum of the squared loss:
// 2C·Σ c, since α²/4C·c is at most the loss of the row, and that at most
// P(0) = C·Σ c, and c is at most Σ c.
func (m machine) limit(c float64, n int) float64 {
	if m.weight == nil {
		return 2 * c * float64(n)
	}
	total := 0.0
	for _, w := range m.weight {
		total += w
	}
	return 2 * c * total
}

// ridge returns δ.
func (m machine) ridge(c float64, i int) float64 {
	if !m.squared {
		return 0
	}
	if p := m.penalty(c, i); p > 0 {
		return 1 / (2 * p)
	}
	return 0
}

// loss returns the loss of a row whose g is y(w·x) - 1.
func (m machine) loss(g float64) float64 {
	x := max(0, -g)
	if m.squared {
		return x * x
	}
	return x
}

// gap returns a row's part of the duality gap, with g = y(w·x) - 1 and c the
// penalty of its loss. It is never negative: for the hinge loss
//
//	α·g          where g ≥ 0
//	(c - α)·(-g) where g < 0
//
// and for the squared one, with x = max(0, -g),
//
//	c·x² + α²/4c + α·g = (√c·x - α/2√c)² + α·max(0, g)
func (m machine) gap(a, g, c float64) float64 {
	if !m.squared {
		return gapTerm(a, g, c)
	}
	if c == 0 {
		return 0
	}
	root := math.Sqrt(c)
	rest := root*max(0, -g) - a/(2*root)
	return rest*rest + a*max(0, g)
}

// penalties returns c times the weight of each of n rows.
func penalties(c float64, weight []float64, n int) []float64 {
	p := make([]float64, n)
	for i := range p {
		p[i] = c
		if weight != nil {
			p[i] *= weight[i]
		}
	}
	return p
}
