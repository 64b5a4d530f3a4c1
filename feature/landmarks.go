package feature

import (
	"context"
	"errors"
	"fmt"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// F1 is the recipe of F1(x) = (K(x, z_1), …, K(x, z_d)): the similarities of x
// to d landmarks that are drawn from the data (Blum's survey, corollary 1). It
// works for any similarity function, kernel or not.
//
// If the data have margin γ in K's feature space and Size is at least
// bound.Landmarks(γ, ε, 1-δ), then with probability 1-δ the mapped data are
// linearly separable with error at most ε. The margin is not preserved. This
// supposes landmarks that are drawn alike (Uniform, Independent); the other
// selections often need fewer, and promise what docs/math/selection.md says.
type F1[T any] struct {
	Kernel kernel.Kernel[T]
	Size   int       // landmarks to draw; all of the data if it has fewer
	Select Selection // how to draw them; empty means Uniform, without replacement
	Pool   int       // instances that Select looks at; 0 means max(20·Size, 10,000)
	Seed   uint64    // of the draw
	Run    run.Control
}

// NewF1 returns the recipe with seed 1.
func NewF1[T any](k kernel.Kernel[T], size int) F1[T] { return F1[T]{Kernel: k, Size: size, Seed: 1} }

// Validate reports every field that is out of range.
func (r F1[T]) Validate() error {
	return errors.Join(validate(r.Kernel, r.Size), r.Select.Validate(), validatePool(r.Pool))
}

func validate[T any](k kernel.Kernel[T], size int) error {
	var faults []error
	if k == nil {
		faults = append(faults, errors.New("no kernel is set"))
	} else if err := kernel.Validate(k); err != nil {
		faults = append(faults, err)
	}
	if size < 1 {
		faults = append(faults, fmt.Errorf("size is %d and must be at least 1", size))
	}
	return errors.Join(faults...)
}

// Fit draws the landmarks from x. It evaluates the kernel only where Select
// looks at it: Chooser says how often.
func (r F1[T]) Fit(ctx context.Context, x data.Source[T]) (*Landmarks[T], error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	if x.Len() == 0 {
		return nil, errors.New("no data to draw landmarks from")
	}
	chooser := Chooser[T]{Kernel: r.Kernel, Select: r.Select, Size: r.Size, Pool: r.Pool, Tolerance: DefaultTolerance,
		Seed: r.Seed, Run: r.Run}
	z, err := chooser.landmarks(ctx, x)
	if err != nil {
		return nil, err
	}
	return NewLandmarks(r.Kernel, z, r.Run.Precision), nil
}

// Draw returns size instances of x drawn uniformly without replacement, all of
// them if there are fewer.
func Draw[T any](x data.Source[T], size int, s uint64) data.Source[T] {
	chosen := make(data.Slice[T], 0, min(size, x.Len()))
	for _, i := range seed.Choose(x.Len(), size, s, seed.Landmarks) {
		chosen = append(chosen, x.At(i))
	}
	return chosen
}

// Landmarks is the fitted map F1.
type Landmarks[T any] struct {
	columns *gram.Columns[T]
}

// NewLandmarks returns F1 with the given landmarks, computed in the given
// precision. It is also how a sum
// Σ α_p K(x_p, ·) becomes a map and a separator: the features are K(x, x_p) and
// the weights are α.
func NewLandmarks[T any](k kernel.Kernel[T], z data.Source[T], p run.Precision) *Landmarks[T] {
	return &Landmarks[T]{columns: gram.BindPrecision(k, z, p)}
}

// Dim returns the number of landmarks.
func (m *Landmarks[T]) Dim() int { return m.columns.Len() }

// Instances returns the landmarks.
func (m *Landmarks[T]) Instances() data.Source[T] { return m.columns.Instances() }

// Precision returns the precision in which similarities are computed.
func (m *Landmarks[T]) Precision() run.Precision { return m.columns.Precision() }

// Kernel returns the kernel.
func (m *Landmarks[T]) Kernel() kernel.Kernel[T] { return m.columns.Kernel() }

// MapTo sets dst[j] = K(x, z_j).
func (m *Landmarks[T]) MapTo(dst []float64, x T) { m.columns.Row(dst[:m.Dim()], x) }

// MapBlock maps the instances of x into the rows of dst.
func (m *Landmarks[T]) MapBlock(ctl run.Control, dst []float64, x data.Source[T], first int) error {
	ctl.Counter.Add(int64(x.Len()) * int64(m.Dim()))
	return m.columns.Tile(dst, x, first)
}

// MapBlock32 maps the instances of x into the rows of dst.
func (m *Landmarks[T]) MapBlock32(ctl run.Control, dst []float32, x data.Source[T], first int) error {
	ctl.Counter.Add(int64(x.Len()) * int64(m.Dim()))
	return m.columns.Tile32(dst, x, first)
}
