package linear

import (
	"context"
	"math"

	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/run"
)

const (
	mostChunks = 64      // parts of the rows whose sums are kept apart
	chunkRatio = 8       // stored numbers of a part, at least, as a multiple of the sum's
	cacheBytes = 1 << 17 // of rows that are read twice in a row
)

// primal is the objective ½|w|² + Σ c·ℓ(y(w·x)) of several binary problems on
// the same rows. Vectors have a last coordinate for the constant one.
//
// A pass takes each row from memory once, for all tasks: its scores and, while
// it is in cache, what it adds to the gradients. Sums are kept by chunk of rows
// and added in their order.
type primal struct {
	*sample
	penalty []float64   // c of each row
	label   [][]float64 // of each task
	index   map[*task]int
	loss    curve
	model   []*model // what stands in for the Hessian of each task
	seed    uint64
	ctl     run.Control

	diagonal bool // the models are of the diagonal only
	modest   bool // they begin with it
	chunks   int
	block    int // rows that are read twice in a row
	sum      []float64
	value    []sums
}

// sums are what a chunk adds to the numbers of a point.
type sums struct{ value, meant, excess float64 }

// newPrimal returns the objective without tasks, with room for so many sums.
func newPrimal(s *sample, penalty []float64, columns int, seed uint64, ctl run.Control) *primal {
	p := &primal{sample: s, penalty: penalty, index: map[*task]int{}, seed: seed, ctl: ctl.Quiet()}
	width := s.dim + 1
	stored := s.stored()
	p.diagonal = wide(s.dim, stored)
	p.chunks = chunksOf(len(s.rows), stored, width)
	p.block = min(max(cacheBytes/(8*width), 4), 64)
	p.sum = make([]float64, p.chunks*columns*width)
	p.value = make([]sums, p.chunks*columns)
	for range columns {
		p.model = append(p.model, &model{})
	}
	return p
}

// tasks returns a task for each column of labels. They stand at w = 0 and are
// not evaluated.
func (p *primal) tasks(label [][]float64, loss curve) []*task {
	p.label, p.loss = label, loss
	_, logistic := loss.(logisticLoss)
	p.modest = logistic && p.stored() >= costly && len(p.rows) > 0
	tasks := make([]*task, len(label))
	for k := range tasks {
		tasks[k] = newTask(p.dim+1, len(p.rows))
		p.index[tasks[k]] = k
	}
	return tasks
}

// chunksOf returns into how many parts the rows are cut for sums of the given
// width: many, as long as adding the parts up is little beside the rows.
func chunksOf(rows, stored, width int) int {
	return max(1, min(mostChunks, stored/(chunkRatio*width), rows))
}

// wide reports whether a matrix of all pairs of coordinates would cost more than
// it brings.
func wide(dim, stored int) bool {
	d := float64(dim + 1)
	return dim >= widest || d*d*d > dearest*float64(stored)
}

// stored returns how many numbers the rows hold.
func (s *sample) stored() int {
	stored := 0
	for _, x := range s.rows {
		stored += len(x.Value)
	}
	return stored
}

// bytesOfPrimal returns what newPrimal and its model take, about.
func bytesOfPrimal(rows, dim, tasks int) float64 {
	n, w, k := float64(rows), float64(dim+1), float64(tasks)
	factor := 0.0
	if dim < widest {
		factor = 2 * w * w
	}
	return 8 * k * (5*n + (mostChunks+9)*w + factor)
}

// eachChunk calls body for every chunk of rows, with the place of its sums.
func (p *primal) eachChunk(ctx context.Context, tasks int, body func(chunk, lo, hi int, sum []float64)) error {
	n, width := len(p.rows), p.dim+1
	size := par.Blocks(n, p.chunks)
	return par.For(ctx, p.ctl, "", par.Blocks(n, size), func(c int) error {
		sum := p.sum[c*tasks*width : (c+1)*tasks*width]
		clear(sum)
		lo, hi := par.Range(c, n, size)
		for ; lo < hi && ctx.Err() == nil; lo += p.block {
			body(c, lo, min(lo+p.block, hi), sum)
		}
		return ctx.Err()
	})
}

// total sets dst to base plus the sums of task k of the given number.
func (p *primal) total(dst, base []float64, k, tasks int) {
	width := p.dim + 1
	copy(dst, base)
	size := par.Blocks(len(p.rows), p.chunks)
	for c := range par.Blocks(len(p.rows), size) {
		for j, a := range p.sum[(c*tasks+k)*width:][:width] {
			dst[j] += a
		}
	}
}

// evaluate is one pass: scores, loss and gradient.
func (p *primal) evaluate(ctx context.Context, tasks []*task, at func(*task) *point) error {
	width := p.dim + 1
	clear(p.value)
	err := p.eachChunk(ctx, len(tasks), func(c, lo, hi int, sum []float64) {
		for k, t := range tasks {
			pt := at(t)
			y := p.label[p.index[t]]
			v, s := sum[k*width:][:width], &p.value[c*len(tasks)+k]
			p.scores(pt.f[lo:hi], pt.w, lo)
			for i := lo; i < hi; i++ {
				m := y[i] * pt.f[i]
				value, slope, curvature := p.loss.at(m)
				pt.h[i] = p.penalty[i] * curvature
				s.value += p.penalty[i] * value
				s.meant += p.penalty[i] * p.loss.meant(m)
				s.excess += p.penalty[i] * p.loss.excess(m)
				if a := p.penalty[i] * y[i] * slope; a != 0 {
					p.addRow(v, i, a)
				}
			}
		}
	})
	if err != nil {
		return err
	}
	for k, t := range tasks {
		pt := at(t)
		p.total(pt.g, pt.w, k, len(tasks))
		half := squared(pt.w) / 2
		pt.value, pt.meant, pt.excess, pt.loss = half, half, 0, p.loss
		for c := range p.chunks {
			s := p.value[c*len(tasks)+k]
			pt.value += s.value
			pt.meant += s.meant
			pt.excess += s.excess
		}
	}
	return nil
}

// scores sets f to the scores of the rows from lo on.
func (p *primal) scores(f, w []float64, lo int) {
	bias := w[p.dim] * p.unit
	for i := range f {
		f[i] = p.rows[lo+i].DotWith(w[:p.dim]) + bias
	}
}

// addRow adds a times row i, the constant coordinate included, to v.
func (p *primal) addRow(v []float64, i int, a float64) {
	p.rows[i].AddTo(v[:p.dim], a)
	v[p.dim] += a * p.unit
}

// multiply is one pass over the rows with curvature: q = d + Σ h·(x·d)·x.
func (p *primal) multiply(ctx context.Context, tasks []*task) error {
	width := p.dim + 1
	err := p.eachChunk(ctx, len(tasks), func(_, lo, hi int, sum []float64) {
		for k, t := range tasks {
			v, h, bias := sum[k*width:][:width], t.now.h, t.d[p.dim]*p.unit
			for i := lo; i < hi; i++ {
				if h[i] != 0 {
					p.addRow(v, i, h[i]*(p.rows[i].DotWith(t.d[:p.dim])+bias))
				}
			}
		}
	})
	if err != nil {
		return err
	}
	for k, t := range tasks {
		p.total(t.q, t.d, k, len(tasks))
	}
	return nil
}

// search finds the zero of the derivative along the step, which grows with the
// length, by Newton's method kept between two lengths that enclose it.
func (p *primal) search(t *task) float64 {
	y := p.label[p.index[t]]
	pp, wp := squared(t.p), dot(t.now.w, t.p)
	derivative := func(length float64) (first, second float64) {
		first, second = wp+length*pp, pp
		for i, f := range t.now.f {
			u := t.next.f[i] - f
			_, slope, curvature := p.loss.at(y[i] * (f + length*u))
			first += p.penalty[i] * y[i] * slope * u
			second += p.penalty[i] * curvature * u * u
		}
		return first, second
	}
	return zeroOf(derivative)
}

// zeroOf returns where a growing function that is negative at 0 is 0.
func zeroOf(f func(x float64) (value, derivative float64)) float64 {
	lo, hi, x := 0.0, math.Inf(1), 1.0
	first, _ := f(0)
	if !(first < 0) {
		return 0
	}
	for range searchRounds {
		value, derivative := f(x)
		if math.Abs(value) <= 1e-6*math.Abs(first) {
			break
		}
		if value > 0 {
			hi = x
		} else {
			lo = x
		}
		next := x - value/derivative
		switch {
		case next > lo && next < hi:
			x = next
		case math.IsInf(hi, 1):
			x = 2 * lo
		default:
			x = (lo + hi) / 2
		}
	}
	return x
}

// squared returns |v|².
func squared(v []float64) float64 { return dot(v, v) }
