package certificate

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/internal/linalg"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// Residuals returns r(z) = 1 - |F2(z)|²/K(z,z) of all instances of x: the
// squared length of the part of φ(z)/|φ(z)| that is outside of the landmarks'
// span, in [0, 1]. It is 0 where K(z,z) = 0: no target has a margin there.
//
// It takes n·m kernel evaluations and n·m² operations for n instances and m
// features, in float64 whatever the precision of the map. It returns a
// *feature.NotPSDError where a negative K(z,z) or a length above that of φ(z)
// shows that K is no kernel.
func Residuals[T any](
	ctx context.Context, ctl run.Control, m *feature.Orthogonal[T], x data.Source[T],
) ([]float64, error) {
	out, err := outside(ctx, ctl, m, x, false)
	if err != nil {
		return nil, err
	}
	return out.residual, nil
}

// rounding is the least that is added to a residual and to a largest eigenvalue
// before anything is claimed, for the error that float64 leaves in them.
const rounding = 1e-9

// slack returns what to add for a map with the inverse factor L⁻¹ whose m
// landmarks have K(z_j,z_j) = d_j. Similarities are rounded by δ_j of at most
// 2⁻⁵²·√d_j·|φ(z)|, so that L⁻¹δ is no longer than |L⁻¹D^½|·√m·2⁻⁵²·|φ(z)| in
// the Frobenius norm, and changes |F2(z)|²/K(z,z) by at most twice that to first
// order; twice that again is for the sums in F2. It is relative to each instance
// and does not depend on the lengths of landmarks. At the default tolerance of
// F2 it is about 1e-9·√m times a few; a map with a smaller one pays more.
func slack(inverse *data.Matrix, landmarks []float64) float64 {
	sum := 0.0
	for i := range inverse.Rows {
		for j, v := range inverse.Row(i)[:i+1] {
			sum += v * v * landmarks[j]
		}
	}
	return max(rounding, 4*math.Sqrt(float64(inverse.Rows))*0x1p-52*math.Sqrt(sum))
}

// indefinite is the residual, below zero, from which on it is no rounding.
const indefinite = -1e-6

// parts are instances as a map sees them.
type parts struct {
	features *data.Matrix // F2(z), a row each; nil where they are not kept
	diagonal []float64    // K(z, z)
	residual []float64    // r(z)
	slack    float64      // the most by which a residual may be off
}

const (
	blockRows = 256
	chunkRows = 4096 // that are mapped at a time
)

// inFloat64 returns a map that computes in float64.
func inFloat64[T any](m *feature.Orthogonal[T]) *feature.Orthogonal[T] {
	marks := m.Landmarks()
	if marks.Precision() == run.Float64 {
		return m
	}
	return feature.NewOrthogonal(marks.Kernel(), marks.Instances(), m.Drawn(), m.Inverse(), run.Float64)
}

// outside maps the instances, in chunks, and measures what is left of them. The
// features of all are kept if asked for.
func outside[T any](
	ctx context.Context, ctl run.Control, m *feature.Orthogonal[T], x data.Source[T], keep bool,
) (parts, error) {
	m = inFloat64(m)
	k := m.Landmarks().Kernel()
	n, d := x.Len(), m.Dim()
	out := parts{diagonal: make([]float64, n), residual: make([]float64, n)}
	size := chunkRows
	if keep {
		size = max(n, 1)
	}
	for lo := 0; lo < n || lo == 0; lo += size {
		chunk := data.Range[T]{Of: x, Lo: lo, Hi: min(lo+size, n)}
		f, err := feature.Apply(ctx, ctl, m, chunk)
		if err != nil {
			return parts{}, shift(err, lo)
		}
		if keep {
			out.features = f
		}
		err = par.For(ctx, ctl, "", par.Blocks(f.Rows, blockRows), func(b int) error {
			from, to := par.Range(b, f.Rows, blockRows)
			linalg.Norms2(out.residual[lo+from:lo+to], &data.Matrix{Rows: to - from, Cols: d, Data: f.Data[from*d : to*d]})
			for i := lo + from; i < lo+to; i++ {
				out.diagonal[i] = kernel.Diag(k, x.At(i))
				r, err := residual(out.residual[i], out.diagonal[i])
				if err != nil {
					return fmt.Errorf("instance %d: %w", i, err)
				}
				out.residual[i] = r
			}
			return nil
		})
		if err != nil {
			return parts{}, err
		}
	}
	own := make([]float64, d)
	for j := range own {
		own[j] = kernel.Diag(k, m.Landmarks().Instances().At(j))
	}
	ctl.Counter.Add(int64(n + d))
	out.slack = slack(m.Inverse(), own)
	return out, nil
}

// shift adds to the row that an error of a chunk names.
func shift(err error, by int) error {
	var (
		row   *feature.RowError
		value *gram.ValueError
	)
	switch {
	case errors.As(err, &row):
		return &feature.RowError{Row: row.Row + by, Problem: row.Problem}
	case errors.As(err, &value):
		return &gram.ValueError{Row: value.Row + by, Col: value.Col, Value: value.Value}
	}
	return err
}

// residual is 1 - inside/whole in [0, 1], for inside = |F2(z)|² and whole =
// K(z,z).
func residual(inside, whole float64) (float64, error) {
	if math.IsNaN(whole) || math.IsInf(whole, 0) {
		return 0, fmt.Errorf("K(z,z) is %v", whole)
	}
	if whole < 0 {
		return 0, &feature.NotPSDError{Value: -1, What: fmt.Sprintf("K(z,z) is %g", whole)}
	}
	if whole == 0 {
		return 0, nil
	}
	r := 1 - inside/whole
	if !(r >= indefinite) {
		return 0, &feature.NotPSDError{Value: r, What: "an instance is longer among the features than under the kernel"}
	}
	return max(0, r), nil
}

// exposure is ρ = r/(1 - κ²(1-r)), which grows with r from 0 to 1.
func exposure(r, keep float64) float64 {
	r = min(1, r)
	return r / (1 - keep*keep*(1-r))
}
