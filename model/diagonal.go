package model

import "github.com/kerf-ml/kerf/kernel"

// PartMetric is the diagonal of the metric of a part's kernel: of M in
// (x - y)ᵀ·M·(x - y), how much each coordinate counts.
type PartMetric struct {
	Part     int     // of a blend, from 0
	Weight   float64 // of the part
	Diagonal []float64
}

// Diagonals returns the diagonals of the metrics that were learnt, one for each part of
// the model whose kernel has one; none where distances are as the data have them.
func (m *Model) Diagonals() []PartMetric { return m.rows.diagonals() }

// DiagonalOf returns the sum of a diagonal over the coordinates of a column.
func (c Column) DiagonalOf(diagonal []float64) float64 {
	sum := 0.0
	for j := c.lo; j < min(c.hi, len(diagonal)); j++ {
		sum += diagonal[j]
	}
	return sum
}

func (m encoded[T]) diagonals() []PartMetric {
	var out []PartMetric
	for i, part := range m.parts() {
		if k, ok := any(part.Kernel).(kernel.Learned); ok {
			out = append(out, PartMetric{Part: i, Weight: part.Weight, Diagonal: k.Metric.Importance()})
		}
	}
	return out
}
