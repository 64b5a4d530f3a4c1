package kernelized

import (
	"context"
	"math"
	"sync"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/internal/alloc"
	"github.com/kerf-ml/kerf/internal/compute"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/run"
)

// predictBlock is how many instances are predicted by one task.
const predictBlock = 64

// PredictAll returns the classes of many instances, with the values of the
// kernel in tiles and their sums by matrix products on all cores. Scores can
// differ from those of Scores in the last digits. For a Gaussian in float64 they are
// computed in float32 first, with a bound on what they can be off, as by Expansion.PredictAll;
// instances whose class it leaves open are predicted again. So classes are those of float64.
func (e *PairExpansion[T]) PredictAll(ctx context.Context, ctl run.Control, x data.Source[T]) ([]int, error) {
	m, classes := e.Support.Len(), e.Classes()
	memory := 8 * float64(m) * (float64(ctl.Cores())*predictBlock + float64(classes))
	if err := ctl.Reserve("kernel values of the support", memory, "use fewer workers"); err != nil {
		return nil, err
	}
	predicted := make([]int, x.Len())
	if screens(ctl, x.Len()*m) {
		if rough := gram.RoughOn(ctl, e.Kernel, e.Support, compute.Roundings(m)); rough != nil {
			open, err := e.rough(ctx, ctl, predicted, rough, x)
			if err != nil {
				return nil, err
			}
			again := make([]int, len(open))
			if err := e.predict(ctx, ctl, again, data.Subset[T]{Of: x, Index: open}); err != nil {
				return nil, among(open, err)
			}
			for k, i := range open {
				predicted[i] = again[k]
			}
			return predicted, nil
		}
	}
	if err := e.predict(ctx, ctl, predicted, x); err != nil {
		return nil, err
	}
	return predicted, nil
}

// predict is PredictAll in the precision of the run.
func (e *PairExpansion[T]) predict(ctx context.Context, ctl run.Control, predicted []int, x data.Source[T]) error {
	if len(predicted) == 0 {
		return nil
	}
	classes := e.Classes()
	columns := gram.BindOn(ctl, e.Kernel, e.Support, ctl.Precision)
	p := packPairs[float64](e, nil)
	return p.blocks(ctx, ctl, x.Len(), func(lo, hi int, room *pairRoom[float64]) error {
		if err := columns.Tile(room.values, data.Range[T]{Of: x, Lo: lo, Hi: hi}, lo); err != nil {
			return err
		}
		p.multiply(room, hi-lo)
		scores := make([]float64, len(e.Bias))
		for i := lo; i < hi; i++ {
			e.meet(scores, room.sums[(i-lo)*p.width:(i-lo+1)*p.width])
			predicted[i] = learn.Vote(scores, classes)
		}
		return nil
	})
}

// rough predicts from sums in float32, and returns the instances whose class they leave open.
func (e *PairExpansion[T]) rough(
	ctx context.Context, ctl run.Control, predicted []int, rough *gram.Rough[T], x data.Source[T],
) ([]int, error) {
	classes := e.Classes()
	// The largest weight of an instance is for the sum that bounds those of its class.
	most := make([]float64, e.Support.Len())
	for p := range most {
		for _, w := range e.Weight.Row(p) {
			most[p] = max(most[p], math.Abs(w))
		}
	}
	lost := 2 * rough.Lost(most)
	rough.Bounds(most, most)
	p := packPairs[float32](e, most)
	found := make([][]int, par.Blocks(x.Len(), predictBlock))
	err := p.blocks(ctx, ctl, x.Len(), func(lo, hi int, room *pairRoom[float32]) error {
		own, v := make([]float64, hi-lo), newVotes(classes)
		rough.Tile(room.values, own, data.Range[T]{Of: x, Lo: lo, Hi: hi})
		p.multiply(room, hi-lo)
		for i := lo; i < hi; i++ {
			sums := room.sums[(i-lo)*p.width : (i-lo+1)*p.width]
			if predicted[i] = v.class(e.Bias, sums, func(b float64) float64 {
				return rough.Off(own[i-lo], b) + lost + 1e-12*rough.Size(own[i-lo], b)
			}); predicted[i] < 0 {
				found[lo/predictBlock] = append(found[lo/predictBlock], i)
			}
		}
		return nil
	})
	var open []int
	for _, some := range found {
		open = append(open, some...)
	}
	return open, err
}

// votes counts the pairs that each class wins for sure, and those that it may win.
type votes struct{ sure, may []int }

func newVotes(classes int) *votes { return &votes{make([]int, classes), make([]int, classes)} }

// class returns the class that learn.Vote finds in the scores, -1 where it may be another. The sums
// of each class against the others stand together, with the sum behind them that bounds what
// they are off: off says by how much, for two of them together.
func (v *votes) class(bias []float64, sums []float32, off func(b float64) float64) int {
	classes := len(v.sure)
	clear(v.sure)
	clear(v.may)
	p := 0
	for i := range classes {
		for j := i + 1; j < classes; j++ {
			of, against := sums[i*classes:(i+1)*classes], sums[j*classes:(j+1)*classes]
			score := float64(of[opponent(i, j)]) + float64(against[opponent(j, i)]) + bias[p]
			within := off(float64(of[classes-1])+float64(against[classes-1])) + 1e-12*math.Abs(bias[p])
			switch {
			case score > within:
				v.sure[i]++
				v.may[i]++
			case score < -within:
				v.sure[j]++
				v.may[j]++
			default: // or no number
				v.may[i]++
				v.may[j]++
			}
			p++
		}
	}
	best := 0
	for c, n := range v.sure {
		if n > v.sure[best] {
			best = c
		}
	}
	for c, n := range v.may {
		if c != best && (n > v.sure[best] || n == v.sure[best] && c < best) {
			return -1
		}
	}
	return best
}

// packedPairs is the weights of the support of each class for products.
type packedPairs[F float32 | float64] struct {
	first   []int
	weights []*compute.Fixed[F] // of each class; nil for one without support
	each    int                 // how many sums a class has
	width   int                 // and all of them
	pool    sync.Pool           // of *pairRoom[F]
}

// pairRoom is memory for a block of instances: values of K and their sums.
type pairRoom[F float32 | float64] struct{ values, sums []F }

// packPairs packs the weights of each class against the others, and behind them those of
// one more sum, where they are given.
func packPairs[F float32 | float64, T any](e *PairExpansion[T], more []float64) *packedPairs[F] {
	p := &packedPairs[F]{first: e.First, weights: make([]*compute.Fixed[F], e.Classes()), each: e.Classes() - 1}
	if more != nil {
		p.each++
	}
	p.width = e.Classes() * p.each
	for c := range p.weights {
		n := e.First[c+1] - e.First[c]
		if n == 0 {
			continue
		}
		b := make([]float64, p.each*n)
		for k := range n {
			for j, w := range e.Weight.Row(e.First[c] + k) {
				b[j*n+k] = w
			}
		}
		if more != nil {
			copy(b[(p.each-1)*n:], more[e.First[c]:e.First[c+1]])
		}
		p.weights[c] = compute.NewFixed[F](b, p.each, n)
	}
	return p
}

// multiply sets the sums of so many instances from their values of K.
func (p *packedPairs[F]) multiply(room *pairRoom[F], rows int) {
	m := p.first[len(p.first)-1]
	for c, w := range p.weights {
		if w != nil {
			w.Mul(room.sums[c*p.each:], p.width, room.values[p.first[c]:], m, rows)
		}
	}
}

// blocks calls body for blocks of n instances, with memory whose sums are 0.
func (p *packedPairs[F]) blocks(
	ctx context.Context, ctl run.Control, n int, body func(lo, hi int, room *pairRoom[F]) error,
) error {
	m := p.first[len(p.first)-1]
	err := par.For(ctx, ctl, "predict", par.Blocks(n, predictBlock), func(b int) error {
		lo, hi := par.Range(b, n, predictBlock)
		room, ok := p.pool.Get().(*pairRoom[F])
		if !ok {
			room = &pairRoom[F]{alloc.Slice[F](predictBlock * m), make([]F, predictBlock*p.width)}
		}
		defer p.pool.Put(room)
		part := pairRoom[F]{room.values[:(hi-lo)*m], room.sums[:(hi-lo)*p.width]}
		clear(part.sums) // those of classes without support stay
		return body(lo, hi, &part)
	})
	if err == nil {
		ctl.Counter.Add(int64(n) * int64(m))
	}
	return err
}
