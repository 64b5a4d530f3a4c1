package explain

import (
	"github.com/kerf-ml/kerf/internal/seed"
)

// Donors returns the row whose cell each row gets in a pass.
func (p Permutation) Donors(n, pass int) []int {
	circle, donor := seed.Stream(p.Seed, seed.Explanations, uint64(2+pass)).Perm(n), make([]int, n)
	for k, i := range circle {
		donor[i] = circle[(k+1)%n]
	}
	return donor
}
