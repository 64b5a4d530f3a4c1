package certificate

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/internal/alloc"
	"github.com/kerf-ml/kerf/internal/linalg"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// sample is a sample of fresh instances. Up to part of them have a Gram matrix,
// which does not depend on the map and is computed when it is first needed.
type sample[T any] struct {
	kernel kernel.Kernel[T]
	x      data.Source[T]
	part   int // instances of which a Gram matrix is held at a time, at most
	gram   *data.Matrix

	distinct *sample[T] // without copies; nil where there are none
}

// newSample returns a sample, and beside it the sample without copies of what was
// seen before.
func newSample[T any](
	ctx context.Context, ctl run.Control, k kernel.Kernel[T], seen, fresh data.Source[T], atoms bool, part int,
) (*sample[T], error) {
	s := &sample[T]{kernel: k, x: fresh, part: part}
	if atoms {
		return s, nil
	}
	index, err := Distinct(ctx, ctl, k, seen, fresh)
	if err == nil && len(index) < fresh.Len() {
		s.distinct = &sample[T]{kernel: k, x: data.Subset[T]{Of: fresh, Index: index}, part: part}
	}
	return s, err
}

// small reports whether all instances are one part.
func (s *sample[T]) small() bool { return s.x.Len() <= s.part }

// similarities returns the Gram matrix of some instances, which is the caller's.
func (s *sample[T]) similarities(ctx context.Context, ctl run.Control, index []int) (*data.Matrix, error) {
	n := len(index)
	bytes, size := 8*float64(n)*float64(n), n
	if s.small() {
		size = s.x.Len()
		bytes = 2 * 8 * float64(size) * float64(size)
	}
	if s.gram == nil {
		if err := ctl.Reserve("the spectral test", bytes, "test parts of fewer fresh instances"); err != nil {
			return nil, err
		}
	}
	if !s.small() {
		return gram.Symmetric(ctx, ctl, s.kernel, data.Subset[T]{Of: s.x, Index: index})
	}
	if s.gram == nil {
		var err error
		if s.gram, err = gram.Symmetric(ctx, ctl, s.kernel, s.x); err != nil {
			return nil, err
		}
	}
	out := &data.Matrix{Rows: n, Cols: n, Data: alloc.Slice[float64](n * n)}
	return out, par.For(ctx, ctl, "", par.Blocks(n, mirrorRows), func(b int) error {
		lo, hi := par.Range(b, n, mirrorRows)
		for i := lo; i < hi; i++ {
			row, from := out.Row(i), s.gram.Row(index[i])
			for j, k := range index {
				row[j] = from[k]
			}
		}
		return nil
	})
}

// look is a sample as one map sees it.
type look[T any] struct {
	parts
	*sample[T]
	fitted   *feature.Orthogonal[T]
	keep     float64
	exposure []float64 // ρ with the slack added to r, and 0 where K(z,z) is 0
}

func (s *sample[T]) look(
	ctx context.Context, ctl run.Control, m *feature.Orthogonal[T], keep float64,
) (*look[T], error) {
	p, err := outside(ctx, ctl, m, s.x, s.small())
	if err != nil {
		return nil, err
	}
	l := &look[T]{parts: p, sample: s, fitted: m, keep: keep, exposure: make([]float64, len(p.residual))}
	for i, r := range p.residual {
		if p.diagonal[i] > 0 {
			l.exposure[i] = exposure(r+p.slack, keep)
		}
	}
	return l, nil
}

// count returns the number of instances whose exposure satisfies a condition.
func (l *look[T]) count(is func(exposure float64) bool) int {
	count := 0
	for _, e := range l.exposure {
		if is(e) {
			count++
		}
	}
	return count
}

// exposed returns the places of the instances with an exposure from floor to
// level, in the order of their exposure. Those with none are left out.
func (l *look[T]) exposed(floor, level float64) (index []int) {
	for i, e := range l.exposure {
		if e >= floor && e > 0 && e <= level {
			index = append(index, i)
		}
	}
	slices.SortFunc(index, func(i, j int) int {
		return cmp.Or(cmp.Compare(l.exposure[i], l.exposure[j]), i-j)
	})
	return index
}

// deal makes as few parts of some places as have at most so many each. A part takes
// every p-th of them, so that all look alike and keep the order.
func deal(index []int, most int) [][]int {
	count := par.Blocks(len(index), most)
	out := make([][]int, count)
	for i, at := range index {
		out[i%count] = append(out[i%count], at)
	}
	return out
}

// spectrum is the Gram matrix of the vectors
//
//	v(z) = (φ(z) - F2(z)) / (|φ(z)|·√(1 - κ²(1 - r(z))))
//
// of some instances, in the order of their exposure |v(z)|² = ρ(z): its first rows
// and columns are those of the instances up to a level.
type spectrum struct {
	matrix   *data.Matrix
	exposure []float64 // ascending
	classes  int       // of the targets: eigenvalues to add up, and one
}

// spectrum computes the matrix of the instances at some places, in 2n²m operations
// for n of them.
func (l *look[T]) spectrum(ctx context.Context, ctl run.Control, index []int, classes int) (*spectrum, error) {
	n := len(index)
	s := &spectrum{matrix: data.NewMatrix(0, 0), exposure: make([]float64, n), classes: classes}
	if n == 0 {
		return s, nil
	}
	var err error
	if s.matrix, err = l.similarities(ctx, ctl, index); err != nil {
		return nil, err
	}
	f, err := l.mapped(ctx, ctl, index)
	if err != nil {
		return nil, err
	}
	scale := make([]float64, n)
	for i, k := range index {
		s.exposure[i] = l.exposure[k]
		scale[i] = 1 / math.Sqrt(l.diagonal[k]*(1-l.keep*l.keep*(1-l.residual[k])))
	}
	err = par.For(ctx, ctl, "", par.Blocks(n, mirrorRows), func(b int) error {
		lo, hi := par.Range(b, n, mirrorRows)
		for i := lo; i < hi; i++ {
			row := s.matrix.Row(i)
			for j := range row {
				row[j] = scale[i] * scale[j] * row[j]
			}
			vmath.Scale(f.Row(i), scale[i])
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return s, linalg.MulT(ctx, ctl, -1, f, f, 1, s.matrix)
}

// mapped returns the features of the instances at some places, which are the
// caller's.
func (l *look[T]) mapped(ctx context.Context, ctl run.Control, index []int) (*data.Matrix, error) {
	if l.features == nil {
		return feature.Apply(ctx, ctl.Quiet(), inFloat64(l.fitted), data.Subset[T]{Of: l.x, Index: index})
	}
	out := data.NewMatrix(len(index), l.features.Cols)
	for i, k := range index {
		copy(out.Row(i), l.features.Row(k))
	}
	return out, nil
}

// upTo returns how many instances are exposed by at most a level.
func (s *spectrum) upTo(level float64) int {
	n, _ := slices.BinarySearch(s.exposure, math.Nextafter(level, 2))
	return n
}

// estimate returns about the sum of the largest eigenvalues of Σ v·vᵀ over the
// instances up to a level, one for two classes and one more for each other.
func (s *spectrum) estimate(ctx context.Context, ctl run.Control, level float64) (float64, error) {
	top, err := sumRitz(ctx, ctl, s.matrix, s.upTo(level), s.classes-1)
	return max(0, top), err
}

// upper returns an upper bound on the same, and overwrites the matrix.
func (s *spectrum) upper(ctx context.Context, ctl run.Control, level float64) (float64, error) {
	top, err := sumUpper(ctx, ctl, s.matrix, s.upTo(level), s.classes-1)
	return max(0, top), err
}
