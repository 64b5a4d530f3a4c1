package text

// lister is a kernel that lists the coordinates of φ(x).
// kernel.Explicit says what Terms must keep.
type lister interface {
	Terms(x string, emit func(term uint64, weight float64))
}

// counts returns φ(x).
func counts(k lister, x string) map[uint64]float64 {
	out := make(map[uint64]float64, len(x))
	k.Terms(x, func(term uint64, weight float64) { out[term] += weight })
	return out
}

// against returns the function x ↦ ⟨φ(x), φ(y)⟩. Counts and their products are
// integers, so that no order of the sum loses anything below 2⁵³; weights that are
// none come in the order of their terms.
func against(k lister, y string) func(x string) float64 {
	known := counts(k, y)
	return func(x string) float64 {
		sum := 0.0
		k.Terms(x, func(term uint64, weight float64) { sum += weight * known[term] })
		return sum
	}
}

// norm2 returns |φ(x)|² of counts.
func norm2(k lister, x string) float64 {
	sum := 0.0
	for _, c := range counts(k, x) {
		sum += c * c
	}
	return sum
}
