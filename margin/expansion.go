package margin

import (
	"context"
	"fmt"
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// Expansion is the separator w = Σ Weight[p]·φ(Support[p]) in the feature space
// of a kernel, with a bias as in Separator. Margins are taken there, from values
// of the kernel alone:
//
//	y·(Σ Weight[p]·K(Support[p], x) + Bias·Unit) / (√(|w|² + Bias²)·√(K(x, x) + Unit²))
//	|w|² = Σ Weight[p]·Weight[q]·K(Support[p], Support[q])
//
// It is for kernel machines, whose separator has no other form (Blum 2006,
// section 4.2). The kernel must be a legal one: of a mere similarity there are
// no angles. An Expansion shares its fields, and is safe for concurrent use
// while nobody writes to them.
type Expansion[T any] struct {
	Kernel  kernel.Kernel[T]
	Support data.Source[T]
	Weight  []float64 // one an instance of Support
	Bias    float64
	Unit    float64
}

// Norm returns √(|w|² + Bias²), or |w| where Unit is 0, in O(support²) values of
// the kernel. It returns an error where |w|² is negative, which no kernel gives,
// or not finite.
func (e Expansion[T]) Norm(ctx context.Context, ctl run.Control) (float64, error) {
	if err := e.check(); err != nil {
		return 0, fmt.Errorf("margins: %w", err)
	}
	return e.norm(ctx, ctl, e.bind())
}

func (e Expansion[T]) bind() *gram.Columns[T] { return gram.Bind(e.Kernel, e.Support) }

func (e Expansion[T]) norm(ctx context.Context, ctl run.Control, columns *gram.Columns[T]) (float64, error) {
	scores := make([]float64, len(e.Weight))
	if len(scores) > 0 {
		if err := columns.Product(ctx, ctl, scores, e.Support, e.Weight); err != nil {
			return 0, err
		}
	}
	square, size := 0.0, 0.0
	for p, a := range e.Weight {
		square += a * scores[p]
		size += math.Abs(a * scores[p])
	}
	// Terms that cancel leave the rounding of each, 2⁻⁵³ for every one summed
	// up in its score.
	rounding := size * float64(len(scores)+1) * 0x1p-52
	if square < -rounding || !finite(square) {
		return 0, fmt.Errorf("margins: the separator has squared length %v in the kernel's feature space: this is no kernel, or its values are too large", square)
	}
	_, bias := e.extra()
	return math.Hypot(math.Sqrt(max(0, square)), bias), nil
}

// extra returns Unit and the Bias that counts.
func (e Expansion[T]) extra() (unit, bias float64) {
	if e.Unit == 0 {
		return 0, 0
	}
	return e.Unit, e.Bias
}

// Sample returns the margins of the instances x with labels y, each +1 or -1, in
// tiles of K on all cores: O(support·(support + instances)) values of the
// kernel, in float64. Where the separator or an instance is zero the margin is
// 0. It returns an error unless there is a label for each instance, every label
// is +1 or -1, and all is finite.
func (e Expansion[T]) Sample(ctx context.Context, ctl run.Control, x data.Source[T], y []float64) (Margins, error) {
	if x.Len() != len(y) {
		return nil, fmt.Errorf("margins: %d instances and %d labels", x.Len(), len(y))
	}
	if err := e.check(); err != nil {
		return nil, fmt.Errorf("margins: %w", err)
	}
	if err := ctl.Reserve("margins", 16*float64(len(y)), "take fewer instances"); err != nil {
		return nil, err
	}
	columns := e.bind()
	norm, err := e.norm(ctx, ctl, columns)
	if err != nil {
		return nil, err
	}
	scores := make([]float64, len(y))
	if len(e.Weight) > 0 && len(y) > 0 {
		if err := columns.Product(ctx, ctl, scores, x, e.Weight); err != nil {
			return nil, err
		}
	}
	unit, bias := e.extra()
	return sample(ctx, ctl, len(y), func(i int) (float64, error) {
		if y[i] != 1 && y[i] != -1 {
			return 0, fmt.Errorf("margins: label %d is %v and must be +1 or -1", i, y[i])
		}
		own := kernel.Diag(e.Kernel, x.At(i))
		if !finite(own) || own < 0 {
			return 0, fmt.Errorf("margins: instance %d has K(x, x) = %v: this is no kernel, or its values are too large", i, own)
		}
		length := math.Hypot(math.Sqrt(own), unit)
		if norm == 0 || length == 0 {
			return 0, nil
		}
		return clamp(y[i] * (scores[i] + bias*unit) / norm / length), nil
	})
}

// check reports weights that do not fit the support or are not finite.
func (e Expansion[T]) check() error {
	if e.Support == nil && len(e.Weight) > 0 || e.Support != nil && e.Support.Len() != len(e.Weight) {
		n := 0
		if e.Support != nil {
			n = e.Support.Len()
		}
		return fmt.Errorf("the separator has %d instances and %d weights", n, len(e.Weight))
	}
	if j := vmath.Finite(e.Weight); j >= 0 {
		return fmt.Errorf("weight %d of the separator is %v", j, e.Weight[j])
	}
	if unit, bias := e.extra(); !finite(bias) || !finite(unit) {
		return fmt.Errorf("the separator has bias %v and unit %v", e.Bias, e.Unit)
	}
	return nil
}
