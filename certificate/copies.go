package certificate

import (
	"context"
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// anchors is the number of instances to which similarities tell instances apart.
const anchors = 8

// Copies returns for each instance the place of the first that is the same under
// the kernel: its own where there is none before it. Instances are the same where
// |φ(x) - φ(y)|² = K(x,x) + K(y,y) - 2K(x,y) is zero but for rounding; only those
// with the same bits of similarity to a few others are compared. It takes about
// nine kernel evaluations an instance, and up to n²/2 where many are orthogonal
// to nearly all others.
func Copies[T any](ctx context.Context, ctl run.Control, k kernel.Kernel[T], x data.Source[T]) ([]int, error) {
	n := x.Len()
	marks := data.Subset[T]{Of: x, Index: seed.Choose(n, min(n, anchors), 0, seed.Noise)}
	similar, err := gram.Bind(k, marks).Block(ctx, ctl.Quiet(), x)
	if err != nil {
		return nil, err
	}
	first := make([]int, n)
	groups := map[[anchors + 1]float64][]int{} // the first instance of each, by similarities
	diagonal := make([]float64, n)
	for i := range n {
		if i%blockRows == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		diagonal[i] = kernel.Diag(k, x.At(i))
		var key [anchors + 1]float64
		copy(key[:], similar.Row(i))
		key[anchors] = diagonal[i]
		first[i] = i
		for _, j := range groups[key] {
			size := diagonal[i] + diagonal[j]
			if math.Abs(size-2*k.Eval(x.At(i), x.At(j))) <= 0x1p-40*size {
				first[i] = j
				break
			}
		}
		if first[i] == i {
			groups[key] = append(groups[key], i)
		}
	}
	ctl.Counter.Add(int64(n))
	return first, nil
}

// Distinct returns the places of the fresh instances that are no copies of one
// that was seen, nor of one before them.
func Distinct[T any](
	ctx context.Context, ctl run.Control, k kernel.Kernel[T], seen, fresh data.Source[T],
) ([]int, error) {
	first, err := Copies(ctx, ctl, k, joined[T]{seen, fresh})
	if err != nil {
		return nil, err
	}
	var out []int
	for i := range fresh.Len() {
		if at := seen.Len() + i; first[at] == at {
			out = append(out, i)
		}
	}
	return out, nil
}

// joined is one source after the other.
type joined[T any] struct{ a, b data.Source[T] }

func (j joined[T]) Len() int { return j.a.Len() + j.b.Len() }

func (j joined[T]) At(i int) T {
	if i < j.a.Len() {
		return j.a.At(i)
	}
	return j.b.At(i - j.a.Len())
}

// worse is the certificate that says less, the second where both say the same.
func worse(a, b Certificate) Certificate {
	if b.Bound >= a.Bound {
		return b
	}
	return a
}
