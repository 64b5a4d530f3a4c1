package gram

import (
	"context"
	"math"
	"slices"
	"sort"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/linalg"
	"github.com/kerf-ml/kerf/run"
)

// witnesses looks for a small set of instances that shows that a symmetric matrix
// is not positive semidefinite.
type witnesses struct {
	g     *data.Matrix
	entry float64 // absolute error of an entry
	spent float64 // m³ for each sub-matrix of m rows that was factorised
}

// find returns the smallest witness that it can, nil for none: a negative diagonal
// entry, a pair, or a larger set. Smaller sets are looked for even if no
// eigenvalue of the whole is below the tolerance, because theirs is smaller.
func (w *witnesses) find(values []float64, vectors *data.Matrix, tolerance float64) *Witness {
	if found := w.single(); found != nil {
		return found
	}
	if found := w.pair(); found != nil {
		return found
	}
	if len(values) == 0 || !(values[0] < -tolerance) {
		return nil
	}
	return w.several(vectors)
}

// single returns the most negative diagonal entry.
func (w *witnesses) single() *Witness {
	n := w.g.Rows
	at, low := -1, -tolerance(1, 0, w.entry)
	for i := range n {
		if v := w.g.Data[i*n+i]; v < low {
			at, low = i, v
		}
	}
	if at < 0 {
		return nil
	}
	return &Witness{Index: []int{at}, Coefficients: []float64{1}, Value: low}
}

// pair returns the pair whose 2×2 matrix has the most negative eigenvalue.
func (w *witnesses) pair() *Witness {
	n := w.g.Rows
	best, low := [2]int{-1, -1}, 0.0
	for i := range n {
		a := w.g.Data[i*n+i]
		for j := range i {
			b, c := w.g.Data[j*n+j], w.g.Data[i*n+j]
			if c*c <= a*b && a+b >= 0 {
				continue
			}
			if v := lowest2(a, b, c); v < low && v < -tolerance(2, math.Abs(a)+math.Abs(b)+2*math.Abs(c), w.entry) {
				best, low = [2]int{j, i}, v
			}
		}
	}
	if best[0] < 0 {
		return nil
	}
	return w.witness(best[:])
}

// lowest2 returns the smaller eigenvalue of the matrix (a c; c b).
func lowest2(a, b, c float64) float64 { return (a+b)/2 - math.Hypot((a-b)/2, c) }

// several takes the instances in the order of their weight in the eigenvector of
// the smallest eigenvalue, as many as are needed, and then leaves out those that
// are not.
func (w *witnesses) several(vectors *data.Matrix) *Witness {
	n := w.g.Rows
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	weight := func(i int) float64 { return math.Abs(vectors.Data[i*n]) }
	slices.SortStableFunc(order, func(a, b int) int { return compareDown(weight(a), weight(b)) })

	// The smallest eigenvalue of a principal sub-matrix does not rise when rows
	// are added (Cauchy's interlacing theorem), so the prefixes that show it are
	// those from some length on.
	m := sort.Search(n, func(m int) bool { return m >= 3 && w.shows(w.witness(order[:m])) })
	found := w.witness(order[:m])
	for chunk := len(found.Index) / 2; chunk >= 1; {
		smaller := w.without(found, chunk)
		if smaller == nil {
			chunk /= 2
			continue
		}
		found = smaller
		chunk = min(chunk, len(found.Index)/2)
	}
	return found
}

// without tries to leave out chunk instances at a time, those of the smallest
// coefficients first; nil where none can be spared.
func (w *witnesses) without(found *Witness, chunk int) *Witness {
	order := make([]int, len(found.Index))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return compareDown(math.Abs(found.Coefficients[b]), math.Abs(found.Coefficients[a]))
	})
	for lo := 0; lo+chunk <= len(order) && len(order)-chunk >= 3; lo += chunk {
		if n := float64(w.g.Rows); w.spent > max(1e8, 2*n*n*n) {
			return nil // a smaller set is worth no more than the check itself
		}
		var keep []int
		for at, i := range order {
			if at < lo || at >= lo+chunk {
				keep = append(keep, found.Index[i])
			}
		}
		if smaller := w.witness(keep); w.shows(smaller) {
			return smaller
		}
	}
	return nil
}

// shows reports whether the value is negative beyond the error that it may have.
func (w *witnesses) shows(found *Witness) bool {
	size, n := 0.0, w.g.Rows
	for _, i := range found.Index {
		row := 0.0
		for _, j := range found.Index {
			row += math.Abs(w.g.Data[i*n+j])
		}
		size = max(size, row) // ‖A‖₂ is at most the largest sum of a row
	}
	return found.Value < -2*tolerance(len(found.Index), size, w.entry)
}

// witness returns the eigenvector of the smallest eigenvalue of a sub-matrix.
func (w *witnesses) witness(index []int) *Witness {
	index = slices.Clone(index)
	slices.Sort(index)
	m, n := len(index), w.g.Rows
	sub := data.NewMatrix(m, m)
	for a, i := range index {
		for b, j := range index {
			sub.Data[a*m+b] = w.g.Data[i*n+j]
		}
	}
	found := &Witness{Index: index, Coefficients: make([]float64, m)}
	w.spent += float64(m) * float64(m) * float64(m)
	values, vectors, err := linalg.Eigen(context.Background(), run.Control{}, sub)
	if err != nil || m == 0 {
		return found
	}
	for a := range index {
		found.Coefficients[a] = vectors.Data[a*m]
	}
	found.Value = values[0]
	return found
}

// compareDown orders larger numbers first.
func compareDown(a, b float64) int {
	switch {
	case a > b:
		return -1
	case a < b:
		return 1
	}
	return 0
}
