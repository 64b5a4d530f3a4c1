package linear

import (
	"context"

	"github.com/kerf-ml/kerf/run"
)

// multinomial is the objective of Softmax: one task whose vectors hold the
// weights of the classes one after the other. In a point, f holds the scores of
// a row one after the other and h the chances.
//
// With the chances p of a row and the inner products u of a direction with it,
// the Hessian adds c·(p_k·u_k - p_k·Σ p·u)·x to class k. Weights, gradients
// and steps sum to zero over the classes.
type multinomial struct {
	*primal
	y       []int
	classes int
}

func newMultinomial(s *sample, penalty []float64, y []int, classes int, seed uint64, ctl run.Control) *multinomial {
	return &multinomial{primal: newPrimal(s, penalty, classes, seed, ctl), y: y, classes: classes}
}

// of returns the part of class k of a vector.
func (o *multinomial) of(v []float64, k int) []float64 {
	width := o.dim + 1
	return v[k*width : (k+1)*width]
}

func (o *multinomial) evaluate(ctx context.Context, tasks []*task, at func(*task) *point) error {
	pt, classes := at(tasks[0]), o.classes
	clear(o.value)
	err := o.eachChunk(ctx, classes, func(c, lo, hi int, sum []float64) {
		score := make([]float64, hi-lo)
		for k := range classes {
			o.scores(score, o.of(pt.w, k), lo)
			for i, f := range score {
				pt.f[(lo+i)*classes+k] = f
			}
		}
		for i := lo; i < hi; i++ {
			f := pt.f[i*classes:][:classes]
			o.value[c].value += o.penalty[i] * (softmax(pt.h[i*classes:][:classes], f) - f[o.y[i]])
		}
		for k := range classes {
			v := o.of(sum, k)
			for i := lo; i < hi; i++ {
				a := pt.h[i*classes+k]
				if o.y[i] == k {
					a--
				}
				if a *= o.penalty[i]; a != 0 {
					o.addRow(v, i, a)
				}
			}
		}
	})
	if err != nil {
		return err
	}
	for k := range classes {
		o.total(o.of(pt.g, k), o.of(pt.w, k), k, classes)
	}
	pt.value = squared(pt.w) / 2
	for c := range o.chunks {
		pt.value += o.value[c].value
	}
	pt.meant, pt.excess = pt.value, 0
	return nil
}

func (o *multinomial) multiply(ctx context.Context, tasks []*task) error {
	t, classes := tasks[0], o.classes
	err := o.eachChunk(ctx, classes, func(_, lo, hi int, sum []float64) {
		score, u := make([]float64, hi-lo), make([]float64, (hi-lo)*classes)
		for k := range classes {
			o.scores(score, o.of(t.d, k), lo)
			for i, f := range score {
				u[i*classes+k] = f
			}
		}
		for i := lo; i < hi; i++ {
			p, v := t.now.h[i*classes:][:classes], u[(i-lo)*classes:][:classes]
			mean := 0.0
			for k, a := range p {
				mean += a * v[k]
			}
			for k, a := range p {
				v[k] = o.penalty[i] * a * (v[k] - mean)
			}
		}
		for k := range classes {
			v := o.of(sum, k)
			for i := lo; i < hi; i++ {
				if a := u[(i-lo)*classes+k]; a != 0 {
					o.addRow(v, i, a)
				}
			}
		}
	})
	if err != nil {
		return err
	}
	for k := range classes {
		o.total(o.of(t.q, k), o.of(t.d, k), k, classes)
	}
	return nil
}

// prepare makes the models anew when the last direction took long and the
// chances have changed by much.
func (o *multinomial) prepare(ctx context.Context, tasks []*task) error {
	t, h := tasks[0], make([]float64, len(o.rows)) // there is one, of all classes
	var anew []*model
	for k, m := range o.model {
		for i := range h {
			p := t.now.h[i*o.classes+k]
			h[i] = o.penalty[i] * p * (1 - p)
		}
		if m.h != nil && (t.steps <= 2*patience || !m.stale(h)) {
			continue
		}
		m.h = append(m.h[:0], h...)
		anew = append(anew, m)
	}
	return o.renew(ctx, anew)
}

// solve applies the models of the classes and takes the mean over the classes
// off, which keeps the weights' sum at zero.
func (o *multinomial) solve(t *task) {
	mean := make([]float64, o.dim+1)
	for k, m := range o.model {
		z := o.of(t.z, k)
		m.solve(z, o.of(t.r, k))
		for j, a := range z {
			mean[j] += a / float64(o.classes)
		}
	}
	for k := range o.model {
		for j, a := range mean {
			o.of(t.z, k)[j] -= a
		}
	}
}

func (o *multinomial) search(t *task) float64 {
	pp, wp, classes := squared(t.p), dot(t.now.w, t.p), o.classes
	p, f := make([]float64, classes), make([]float64, classes)
	return zeroOf(func(length float64) (first, second float64) {
		first, second = wp+length*pp, pp
		for i, c := range o.penalty {
			at, ahead := t.now.f[i*classes:][:classes], t.next.f[i*classes:][:classes]
			for k, a := range at {
				f[k] = a + length*(ahead[k]-a)
			}
			softmax(p, f)
			mean, square := 0.0, 0.0
			for k, a := range p {
				u := ahead[k] - at[k]
				mean += a * u
				square += a * u * u
			}
			first += c * (mean - (ahead[o.y[i]] - at[o.y[i]]))
			second += c * (square - mean*mean)
		}
		return first, second
	})
}

func (o *multinomial) refine([]*task, float64) bool { return false }
