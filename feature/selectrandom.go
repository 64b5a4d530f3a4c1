package feature

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/internal/linalg"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/run"
)

// random takes pivots by RPCholesky (Chen, Epperly, Tropp and Webber 2025): the
// next one is an instance with probability proportional to its squared distance
// to the span of those before. With block 1 it evaluates the kernel
// (pivots+1)·n times. It takes n·pivots² operations.
//
// With a larger block, it proposes so many instances at once and accepts some
// (Epperly, Tropp and Webber 2024). The pivots have the same law. A round of b
// different proposals evaluates the kernel b·(b+1)/2 times more, and what it
// accepts goes into the factor by matrix products.
func (p *partial[T]) random(
	ctx context.Context, ctl run.Control, progress run.Progress, block int, rng *rand.Rand,
) error {
	for len(p.pivot) < p.size {
		lot := newLottery(p.rest)
		first := lot.draw(rng)
		if first < 0 {
			return nil
		}
		// One proposal is always accepted.
		b := min(block, p.size-len(p.pivot))
		if b == 1 {
			if err := p.add(ctx, ctl, first); err != nil {
				return err
			}
			progress.Advance(int64(len(p.pivot)))
			continue
		}
		proposals := []int{first}
		for len(proposals) < b {
			proposals = append(proposals, lot.draw(rng))
		}
		accepted, triangle, err := p.accept(ctx, ctl, proposals, rng)
		if err != nil {
			return err
		}
		if err := p.addBlock(ctx, ctl, accepted, triangle); err != nil {
			return err
		}
		progress.Advance(int64(len(p.pivot)))
	}
	return nil
}

// accept goes through proposals, each drawn with probability proportional to
// rest, and takes q with probability rest'_q/rest_q, where rest' is what is left
// of rest after those that it has taken before. Given that a proposal is taken
// it is q with probability proportional to rest'_q, whatever became of the ones
// before it: this is rejection sampling of the next pivot. The first proposal is
// always taken.
//
// It returns what it has taken, with the Cholesky factor of what is left of
// their Gram matrix.
func (p *partial[T]) accept(
	ctx context.Context, ctl run.Control, proposals []int, rng *rand.Rand,
) ([]int, *data.Matrix, error) {
	distinct := slices.Compact(slices.Sorted(slices.Values(proposals)))
	left, err := p.schur(ctx, ctl, distinct)
	if err != nil {
		return nil, nil, err
	}
	b := len(distinct)
	rest := make([]float64, b)
	for a, q := range distinct {
		rest[a] = p.rest[q]
	}
	taken := make([]int, 0, b)       // places in distinct
	small := make([]float64, 0, b*b) // the columns of a partial factor of left, one after the other
	least := make([]float64, 1)
	for _, q := range proposals {
		a, _ := slices.BinarySearch(distinct, q)
		if !(rng.Float64()*p.rest[q] < rest[a]) {
			continue
		}
		t, root := len(taken), math.Sqrt(rest[a])
		column := slices.Clone(left.Row(a))
		for j := range t {
			vmath.Axpy(column, -small[j*b+a], small[j*b:(j+1)*b])
		}
		vmath.Scale(column, 1/root)
		column[a] = root
		for i, v := range column {
			d, scale := rest[i]-v*v, p.limit.scale[distinct[i]]
			if i != a {
				least[0] = min(least[0], d/scale)
			}
			rest[i] = p.limit.clamp(d, scale)
		}
		rest[a] = 0
		small, taken = append(small, column...), append(taken, a)
	}
	triangle := data.NewMatrix(len(taken), len(taken))
	index := make([]int, len(taken))
	for i, a := range taken {
		index[i] = distinct[a]
		for j := range i + 1 {
			triangle.Row(i)[j] = small[j*b+a]
		}
	}
	return index, triangle, p.check(least)
}

// schur returns what is left of the Gram matrix of some instances when their
// projections onto the span of the pivots are taken off.
func (p *partial[T]) schur(ctx context.Context, ctl run.Control, index []int) (*data.Matrix, error) {
	g, err := gram.Symmetric(ctx, ctl, p.pool.Kernel(), data.Subset[T]{Of: p.pool.Instances(), Index: index})
	if err != nil {
		return nil, renumber(err, index, index)
	}
	b, t := len(index), len(p.pivot)
	if t == 0 {
		return g, nil
	}
	f := &data.Matrix{Rows: b, Cols: t, Data: p.rows(index)}
	return g, linalg.MulT(ctx, ctl, -1, f, f, 1, g)
}
