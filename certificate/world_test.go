package certificate_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kerf-ml/kerf/certificate"
	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/internal/linalg"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// world is a distribution on a few points of the plane with known
// probabilities, under a Gaussian kernel: whatever a certificate says of it can
// be computed exactly.
type world struct {
	points data.Slice[data.Vector]
	prob   []float64
	kernel kernel.Kernel[data.Vector]
	phi    [][]float64 // unit vectors with the kernel's inner products
}

func newWorld(rng *rand.Rand, size int) *world {
	w := &world{kernel: kernel.Gaussian{Gamma: math.Exp(rng.Float64()*4 - 2)}}
	sum := 0.0
	for range size {
		w.points = append(w.points, data.Dense(2*rng.Float64(), 2*rng.Float64()))
		p := math.Pow(rng.Float64(), 1+2*rng.Float64())
		w.prob = append(w.prob, p)
		sum += p
	}
	g := data.NewMatrix(size, size)
	for i := range size {
		w.prob[i] /= sum
		for j := range size {
			g.Row(i)[j] = w.kernel.Eval(w.points[i], w.points[j])
		}
	}
	values, vectors, _ := linalg.Eigen(context.Background(), run.Control{}, g)
	for i := range size {
		row := make([]float64, size)
		for k, v := range values {
			row[k] = vectors.Row(i)[k] * math.Sqrt(max(0, v))
		}
		w.phi = append(w.phi, row)
	}
	return w
}

// draw returns the indices of n independent draws.
func (w *world) draw(rng *rand.Rand, n int) []int {
	out := make([]int, n)
	for i := range out {
		u := rng.Float64()
		for out[i] < len(w.prob)-1 && u >= w.prob[out[i]] {
			u -= w.prob[out[i]]
			out[i]++
		}
	}
	return out
}

func dot(a, b []float64) (s float64) {
	for i := range a {
		s += a[i] * b[i]
	}
	return s
}

// split returns the parts of all points inside and outside of the span of some,
// by the process of Gram and Schmidt, twice.
func (w *world) split(marks []int) (in, out [][]float64) {
	var basis [][]float64
	reject := func(v []float64) []float64 {
		v = slices.Clone(v)
		for range 2 {
			for _, b := range basis {
				c := dot(v, b)
				for k := range v {
					v[k] -= c * b[k]
				}
			}
		}
		return v
	}
	for _, m := range marks {
		v := reject(w.phi[m])
		if norm := math.Sqrt(dot(v, v)); norm > 1e-5 {
			for k := range v {
				v[k] /= norm
			}
			basis = append(basis, v)
		}
	}
	for _, p := range w.phi {
		o := reject(p)
		i := slices.Clone(p)
		for k := range i {
			i[k] -= o[k]
		}
		in, out = append(in, i), append(out, o)
	}
	return in, out
}

// truth knows what a map loses in a world.
type truth struct {
	*world
	in, out  [][]float64
	exposure []float64
	keep     float64
}

func (w *world) truth(marks []int, keep float64) *truth {
	t := &truth{world: w, keep: keep}
	t.in, t.out = w.split(marks)
	for _, o := range t.out {
		r := dot(o, o)
		t.exposure = append(t.exposure, r/(1-keep*keep*(1-r)))
	}
	return t
}

// pointwise is Pr[ρ ≥ γ²].
func (t *truth) pointwise(margin float64) (sum float64) {
	for i, e := range t.exposure {
		if e >= margin*margin {
			sum += t.prob[i]
		}
	}
	return sum
}

// spectral is Pr[ρ > L] + λ(L)/γ².
func (t *truth) spectral(margin, level float64) float64 { return t.spectralSum(margin, level, 2) }

// spectralSum is the same for some classes, with the sum of one eigenvalue less.
func (t *truth) spectralSum(margin, level float64, classes int) float64 {
	n, lost := len(t.phi), 0.0
	c := data.NewMatrix(n, n)
	for i, e := range t.exposure {
		if e > level {
			lost += t.prob[i]
		} else if e >= margin*margin {
			scale := t.prob[i] * e / dot(t.out[i], t.out[i])
			for a := range n {
				for b := range n {
					c.Row(a)[b] += scale * t.out[i][a] * t.out[i][b]
				}
			}
		}
	}
	values, _, _ := linalg.Eigen(context.Background(), run.Control{}, c)
	sum := 0.0
	for _, v := range values[max(0, n-classes+1):] {
		sum += max(0, v)
	}
	return lost + sum/(margin*margin)
}

// lost is the part of the distribution at which a target has margin γ and the
// image of the target keeps less than κ·γ. Where w_in is the target's part in
// the span, w_in·z_in = w·z_in.
func (t *truth) lost(target []float64, margin float64) (sum float64) {
	norm := math.Sqrt(dot(target, target))
	length := t.insideLength(target)
	for i, p := range t.phi {
		score := dot(target, p) / norm
		if math.Abs(score) < margin {
			continue
		}
		kept := 0.0
		if size := math.Sqrt(dot(t.in[i], t.in[i])); size > 1e-9 && length > 1e-9*norm {
			kept = dot(target, t.in[i]) / (length * size)
		}
		if score < 0 {
			kept = -kept
		}
		if kept < t.keep*margin-1e-9 {
			sum += t.prob[i]
		}
	}
	return sum
}

// insideLength is |w_in| for a target that is a combination of points: the
// length of the part that t.in spans.
func (t *truth) insideLength(target []float64) float64 {
	var basis [][]float64
	left := slices.Clone(target)
	total := 0.0
	for _, v := range t.in {
		v = slices.Clone(v)
		for range 2 {
			for _, b := range basis {
				c := dot(v, b)
				for k := range v {
					v[k] -= c * b[k]
				}
			}
		}
		norm := math.Sqrt(dot(v, v))
		if norm < 1e-5 {
			continue
		}
		for k := range v {
			v[k] /= norm
		}
		basis = append(basis, v)
		c := dot(left, v)
		total += c * c
	}
	return math.Sqrt(total)
}

// worst looks for the target that loses most: directions outside of the span
// that lean to random sets of points, mixed with directions inside.
func (t *truth) worst(rng *rand.Rand, margin float64, tries int) float64 {
	n, worst := len(t.phi), 0.0
	target := make([]float64, n)
	for range tries {
		clear(target)
		mix := 0.5 * rng.Float64()
		for i := range n {
			if rng.Float64() < 0.5 {
				continue
			}
			a := rng.NormFloat64()
			for k := range n {
				target[k] += a * (t.out[i][k]/math.Sqrt(dot(t.out[i], t.out[i])+1e-12) + mix*t.in[i][k])
			}
		}
		if dot(target, target) > 0 {
			worst = max(worst, t.lost(target, margin))
		}
	}
	return worst
}

// problem is a world with a fitted map and a claim.
type problem struct {
	*truth
	fitted *feature.Orthogonal[data.Vector]
	fresh  data.Subset[data.Vector]
	claim  certificate.Claim
}

func newProblem(t testing.TB, rng *rand.Rand, confidence float64) *problem {
	w := newWorld(rng, 4+rng.IntN(20))
	marks := w.draw(rng, 1+rng.IntN(8))
	claim := certificate.Claim{Margin: 0.15 + 0.7*rng.Float64(), Keep: 0.9 * rng.Float64(), Error: 0.1,
		Confidence: confidence}
	p := &problem{truth: w.truth(marks, claim.Keep), claim: claim}
	p.fresh = data.Subset[data.Vector]{Of: w.points, Index: w.draw(rng, 20+rng.IntN(250))}
	r := feature.NewF2(w.kernel, len(marks))
	r.Tolerance = 1e-10
	var err error
	p.fitted, err = r.FitTo(t.Context(), data.Subset[data.Vector]{Of: w.points, Index: marks})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// bound is the exact value of what a certificate bounds.
func (p *problem) bound(c certificate.Certificate) float64 {
	if c.Kind == certificate.Pointwise {
		return p.pointwise(c.Margin)
	}
	return p.spectralSum(c.Margin, c.Level, c.Classes)
}
