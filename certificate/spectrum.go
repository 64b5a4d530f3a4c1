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
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// sample is a sample of fresh instances with their Gram matrix, which does not
// depend on the map and is computed when it is first needed.
type sample[T any] struct {
	kernel kernel.Kernel[T]
	x      data.Source[T]
	gram   *data.Matrix

	distinct *sample[T] // without copies; nil where there are none
}

// newSample returns a sample, and beside it the sample without copies of what was
// seen before.
func newSample[T any](
	ctx context.Context, ctl run.Control, k kernel.Kernel[T], seen, fresh data.Source[T], atoms bool,
) (*sample[T], error) {
	s := &sample[T]{kernel: k, x: fresh}
	if atoms {
		return s, nil
	}
	index, err := Distinct(ctx, ctl, k, seen, fresh)
	if err == nil && len(index) < fresh.Len() {
		s.distinct = &sample[T]{kernel: k, x: data.Subset[T]{Of: fresh, Index: index}}
	}
	return s, err
}

// prepare computes the Gram matrix. It is not safe for concurrent use.
func (s *sample[T]) prepare(ctx context.Context, ctl run.Control) (err error) {
	if s.gram == nil {
		n := float64(s.x.Len())
		if err := ctl.Reserve("the spectral test", 2*8*n*n, "test fewer fresh instances"); err != nil {
			return err
		}
		s.gram, err = gram.Symmetric(ctx, ctl, s.kernel, s.x)
	}
	return err
}

// look is a sample as one map sees it.
type look[T any] struct {
	parts
	*sample[T]
	keep     float64
	exposure []float64 // ρ with the slack added to r, and 0 where K(z,z) is 0
}

func (s *sample[T]) look(
	ctx context.Context, ctl run.Control, m *feature.Orthogonal[T], keep float64,
) (*look[T], error) {
	p, err := outside(ctx, ctl, m, s.x)
	if err != nil {
		return nil, err
	}
	l := &look[T]{parts: p, sample: s, keep: keep, exposure: make([]float64, len(p.residual))}
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

// spectrum is the Gram matrix of the vectors
//
//	v(z) = (φ(z) - F2(z)) / (|φ(z)|·√(1 - κ²(1 - r(z))))
//
// of the exposed instances, those with |v(z)|² = ρ(z) at least some floor, in
// the order of their exposure: its first rows and columns are those of the
// instances up to a level.
type spectrum struct {
	matrix   *data.Matrix
	exposure []float64 // ascending
	whole    int       // instances of the sample
	classes  int       // of the targets: eigenvalues to add up, and one
	slack    float64   // the most by which a mean may be off
}

// spectrum computes the matrix, in 2n²m operations for n exposed instances.
func (l *look[T]) spectrum(ctx context.Context, ctl run.Control, floor float64, classes int) (*spectrum, error) {
	if err := l.prepare(ctx, ctl); err != nil {
		return nil, err
	}
	var index []int
	for i, e := range l.exposure {
		if e >= floor && e > 0 {
			index = append(index, i)
		}
	}
	slices.SortFunc(index, func(i, j int) int {
		return cmp.Or(cmp.Compare(l.exposure[i], l.exposure[j]), i-j)
	})
	n, d := len(index), l.features.Cols
	s := &spectrum{
		exposure: make([]float64, n), whole: len(l.exposure), classes: classes, slack: l.slack / (1 - l.keep*l.keep),
	}
	s.matrix = &data.Matrix{Rows: n, Cols: n, Data: alloc.Slice[float64](n * n)}
	scale := make([]float64, n)
	for i, k := range index {
		s.exposure[i] = l.exposure[k]
		scale[i] = 1 / math.Sqrt(l.diagonal[k]*(1-l.keep*l.keep*(1-l.residual[k])))
	}
	f := data.NewMatrix(n, d)
	err := par.For(ctx, ctl, "", par.Blocks(n, mirrorRows), func(b int) error {
		lo, hi := par.Range(b, n, mirrorRows)
		for i := lo; i < hi; i++ {
			row, from := s.matrix.Row(i), l.gram.Row(index[i])
			for j, k := range index {
				row[j] = scale[i] * scale[j] * from[k]
			}
			for k, v := range l.features.Row(index[i]) {
				f.Row(i)[k] = scale[i] * v
			}
		}
		return nil
	})
	if err != nil || n == 0 {
		return s, err
	}
	return s, linalg.MulT(ctx, ctl, -1, f, f, 1, s.matrix)
}

// upTo returns how many instances are exposed by at most a level.
func (s *spectrum) upTo(level float64) int {
	n, _ := slices.BinarySearch(s.exposure, math.Nextafter(level, 2))
	return n
}

// estimate returns about the sum of the largest eigenvalues of the mean of v·vᵀ
// over the whole sample, one for two classes and one more for each other, with
// v = 0 for instances that are not exposed or above level.
func (s *spectrum) estimate(ctx context.Context, ctl run.Control, level float64) (float64, error) {
	top, err := sumRitz(ctx, ctl, s.matrix, s.upTo(level), s.classes-1)
	return s.mean(top), err
}

// upper returns an upper bound on the same, and overwrites the matrix.
func (s *spectrum) upper(ctx context.Context, ctl run.Control, level float64) (float64, error) {
	top, err := sumUpper(ctx, ctl, s.matrix, s.upTo(level), s.classes-1)
	return s.mean(top), err
}

func (s *spectrum) mean(top float64) float64 {
	if s.whole == 0 {
		return 0
	}
	return max(0, top)/float64(s.whole) + float64(s.classes-1)*s.slack
}

// measure is estimate or upper.
type measure func(s *spectrum, ctx context.Context, ctl run.Control, level float64) (float64, error)
