package certificate

import (
	"context"
	"fmt"
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
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
	out, err := outside(ctx, ctl, m, x)
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
	features *data.Matrix // F2(z), a row each
	diagonal []float64    // K(z, z)
	residual []float64    // r(z)
	slack    float64      // the most by which a residual may be off
}

const blockRows = 256

// outside maps the instances and measures what is left of them.
func outside[T any](ctx context.Context, ctl run.Control, m *feature.Orthogonal[T], x data.Source[T]) (parts, error) {
	marks := m.Landmarks()
	k := marks.Kernel()
	if marks.Precision() != run.Float64 {
		m = feature.NewOrthogonal(k, marks.Instances(), m.Drawn(), m.Inverse(), run.Float64)
	}
	n, d := x.Len(), m.Dim()
	f, err := feature.Apply(ctx, ctl, m, x)
	if err != nil {
		return parts{}, err
	}
	out := parts{features: f, diagonal: make([]float64, n), residual: make([]float64, n)}
	err = par.For(ctx, ctl, "", par.Blocks(n, blockRows), func(b int) error {
		lo, hi := par.Range(b, n, blockRows)
		linalg.Norms2(out.residual[lo:hi], &data.Matrix{Rows: hi - lo, Cols: d, Data: f.Data[lo*d : hi*d]})
		for i := lo; i < hi; i++ {
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
	own := make([]float64, d)
	for j := range own {
		own[j] = kernel.Diag(k, m.Landmarks().Instances().At(j))
	}
	ctl.Counter.Add(int64(n + d))
	out.slack = slack(m.Inverse(), own)
	return out, nil
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
