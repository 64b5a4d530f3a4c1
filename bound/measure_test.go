package bound_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kerf-ml/kerf/bound"
	"github.com/kerf-ml/kerf/project"
)

// The tests of this file take the theorems at their word: they draw data that
// meet the assumption, do what the theorem says, and count how often its
// promise is broken.

// limit is the count that N trials with failure probability at most p stay
// under but with probability 10⁻⁶, by Bernstein's inequality: for t = √(2NpL) +
// 2L/3 and L = ln 10⁶, exp(-t²/(2Np + 2t/3)) ≤ exp(-L).
func limit(p float64, trials int) float64 {
	mean, l := p*float64(trials), math.Log(1e6)
	return mean + math.Sqrt(2*mean*l) + 2*l/3
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

func add64(dst []float64, a float64, b []float64) {
	for i := range dst {
		dst[i] += a * b[i]
	}
}

func scaleTo(a []float64, length float64) {
	f := length / math.Sqrt(dot(a, a))
	for i := range a {
		a[i] *= f
	}
}

// sampler draws unit vectors x with labels; the separator is the first axis.
type sampler func(r *rand.Rand, dim int) (x []float64, label float64)

// halfspace draws a uniform direction and rejects it while its margin is below
// γ: it is separated by margin γ and not more.
func halfspace(margin float64) sampler {
	return func(r *rand.Rand, dim int) ([]float64, float64) {
		for {
			x := direction(r, dim)
			if math.Abs(x[0]) >= margin {
				return x, math.Copysign(1, x[0])
			}
		}
	}
}

// shell draws x with margin γ exactly, uniform otherwise, which is the hardest
// case that has margin γ.
func shell(margin float64) sampler {
	return func(r *rand.Rand, dim int) ([]float64, float64) {
		x := direction(r, dim)
		x[0] = 0
		scaleTo(x, math.Sqrt(1-margin*margin))
		label := float64(2*r.IntN(2) - 1)
		x[0] = margin * label
		return x, label
	}
}

// noisy gives, with probability α, a vector that says nothing of the separator
// and is on the wrong side of every margin.
func noisy(alpha float64, of sampler) sampler {
	return func(r *rand.Rand, dim int) ([]float64, float64) {
		if r.Float64() >= alpha {
			return of(r, dim)
		}
		x := make([]float64, dim)
		x[dim-1] = 1
		return x, 1
	}
}

func direction(r *rand.Rand, dim int) []float64 {
	x := make([]float64, dim)
	for i := range x {
		x[i] = r.NormFloat64()
	}
	scaleTo(x, 1)
	return x
}

// span returns an orthonormal basis of the span of count draws, by the
// Gram–Schmidt process, done twice over for accuracy.
func span(r *rand.Rand, draw sampler, dim, count int) [][]float64 {
	var basis [][]float64
	for range count {
		z, _ := draw(r, dim)
		for range 2 {
			for _, b := range basis {
				add64(z, -dot(z, b), b)
			}
		}
		if dot(z, z) < 1e-18 || len(basis) == dim {
			continue
		}
		scaleTo(z, 1)
		basis = append(basis, z)
	}
	return basis
}

// coordinates returns the inner products of x with the basis: F2(x).
func coordinates(basis [][]float64, x []float64) []float64 {
	c := make([]float64, len(basis))
	for i, b := range basis {
		c[i] = dot(x, b)
	}
	return c
}

// inSpan returns the orthogonal projection of w onto the span of count draws.
func inSpan(r *rand.Rand, draw sampler, w []float64, count int) []float64 {
	in := make([]float64, len(w))
	for _, b := range span(r, draw, len(w), count) {
		add64(in, dot(w, b), b)
	}
	return in
}

// errorAt is the part of fresh draws whose margin under w is below γ.
func errorAt(r *rand.Rand, draw sampler, w []float64, margin float64, fresh int) float64 {
	bad, norm := 0, math.Sqrt(dot(w, w))
	for range fresh {
		x, label := draw(r, len(w))
		if norm == 0 || label*dot(w, x)/norm < margin {
			bad++
		}
	}
	return float64(bad) / float64(fresh)
}

func TestLemma1Measured(t *testing.T) {
	const (
		trials = 60
		fresh  = 300
	)
	for _, c := range []struct {
		name                     string
		dim                      int
		margin, err, conf, noise float64
		draw                     sampler
	}{
		{"halfspace", 20, 0.3, 0.3, 0.8, 0, halfspace(0.3)},
		{"shell in a space larger than the span", 120, 0.6, 0.5, 0.75, 0, shell(0.6)},
		{"shell", 200, 0.5, 0.5, 0.8, 0, shell(0.5)},
		{"noise", 120, 0.6, 0.5, 0.75, 0.3, noisy(0.3, shell(0.6))},
		{"much noise", 200, 0.6, 0.5, 0.75, 0.45, noisy(0.45, shell(0.6))},
	} {
		t.Run(c.name, func(t *testing.T) {
			marks := must2(bound.NoisyLandmarks(c.margin, c.err, c.conf, c.noise))
			promised, err := bound.NoisyError(c.err, c.noise)
			if err != nil {
				t.Fatal(err)
			}
			w := make([]float64, c.dim)
			w[0] = 1
			broken, worst := 0, 0.0
			for trial := range trials {
				r := rand.New(rand.NewPCG(8, uint64(trial)))
				in := inSpan(r, c.draw, w, marks)
				// The measurement itself has a standard deviation of at most
				// √(1/4/fresh) = 0.029; two of them are let pass.
				e := errorAt(r, c.draw, in, c.margin/2, fresh)
				worst = max(worst, e)
				if e > promised+0.058 {
					broken++
				}
			}
			t.Logf("%d landmarks in dimension %d: error at γ/2 at most %.3f, promised %.3f; broken in %d of %d",
				marks, c.dim, worst, promised, broken, trials)
			if l := limit(1-c.conf, trials); float64(broken) > l {
				t.Errorf("broken in %d of %d trials, at most %.1f are allowed", broken, trials, l)
			}
		})
	}
}

// TestLemma1Needs shows that the measurement can fail: with a handful of
// landmarks the span does not hold a separator.
func TestLemma1Needs(t *testing.T) {
	w := make([]float64, 200)
	w[0] = 1
	r := rand.New(rand.NewPCG(1, 1))
	if e := errorAt(r, shell(0.3), inSpan(r, shell(0.3), w, 2), 0.15, 300); e < 0.2 {
		t.Errorf("two landmarks give error %v", e)
	}
}

func TestTheorem2Measured(t *testing.T) {
	const in, trials = 16, 1500
	ones, two := make([]float64, in), make([]float64, in)
	for i := range ones {
		ones[i] = 1
	}
	two[3], two[9] = 1, -1
	for _, dim := range []int{16, 64, 192} {
		for _, kind := range []string{project.KindGaussian, project.KindSign} {
			for _, v := range [][]float64{ones, two} {
				t.Run(fmt.Sprintf("%s/%d/%v", kind, dim, dot(v, v)), func(t *testing.T) {
					ratios := make([]float64, trials)
					for trial := range ratios {
						image := mapped(t, kind, dim, uint64(trial), v)
						ratios[trial] = dot(image, image) / dot(v, v)
					}
					for _, g := range []float64{0.2, 0.35, 0.5} {
						promised, err := bound.DistortionFailure(g, dim)
						if err != nil {
							t.Fatal(err)
						}
						failed := 0
						for _, q := range ratios {
							if q < 1-g || q > 1+g {
								failed++
							}
						}
						t.Logf("g %.2f: measured %.4f, promised %.4f", g, float64(failed)/trials, promised)
						if float64(failed) > limit(promised, trials) {
							t.Errorf("g %v: %d of %d fail, promised %v", g, failed, trials, promised)
						}
					}
				})
			}
		}
	}
}

func mapped(t *testing.T, kind string, dim int, seed uint64, vectors ...[]float64) []float64 {
	t.Helper()
	recipe, err := project.Recall(kind, dim, seed)
	if err != nil {
		t.Fatal(err)
	}
	p, err := recipe.Fit(len(vectors[0]))
	if err != nil {
		t.Fatal(err)
	}
	images := make([]float64, len(vectors)*dim)
	for i, v := range vectors {
		p.Apply(images[i*dim:(i+1)*dim], v)
	}
	return images
}

// TestTheorem3Measured projects the separator and fresh points together and
// measures the error at γ/2 of the separator's image.
func TestTheorem3Measured(t *testing.T) {
	const in, trials, fresh = 300, 30, 60
	const margin, err, conf = 0.8, 0.5, 0.5
	dim := must2(bound.ProjectionDim(margin, err, conf))
	draw := shell(margin)
	for _, kind := range []string{project.KindGaussian, project.KindSign} {
		broken, mean := 0, 0.0
		for trial := range trials {
			r := rand.New(rand.NewPCG(9, uint64(trial)))
			bad := badAfter(t, r, draw, kind, dim, uint64(trial), margin/2, in, fresh)
			mean += bad / trials
			// Two standard deviations of the measurement: 2·√(1/4/60) = 0.13.
			if bad > err+0.13 {
				broken++
			}
		}
		t.Logf("%s, %d coordinates: mean error at γ/2 %.4f, promised %.2f; broken in %d of %d", kind, dim, mean, err, broken,
			trials)
		if float64(broken) > limit(1-conf, trials) {
			t.Errorf("%s: broken in %d of %d trials", kind, broken, trials)
		}
		// In expectation the bad mass is at most εδ.
		if mean > err*(1-conf)+0.05 {
			t.Errorf("%s: mean error at γ/2 is %v, promised %v", kind, mean, err*(1-conf))
		}
	}
}

// badAfter is the part of fresh points whose margin under the image of the
// separator is below γ after one projection.
func badAfter(
	t *testing.T, r *rand.Rand, draw sampler, kind string, dim int, seed uint64, margin float64, in, fresh int,
) float64 {
	vectors, labels := [][]float64{make([]float64, in)}, []float64{0}
	vectors[0][0] = 1
	for range fresh {
		x, label := draw(r, in)
		vectors, labels = append(vectors, x), append(labels, label)
	}
	return badImages(mapped(t, kind, dim, seed, vectors...), dim, labels, margin)
}

// badImages is the part of images below the margin under the first of them,
// the image of the separator.
func badImages(images []float64, dim int, labels []float64, margin float64) float64 {
	w, bad := images[:dim], 0
	for i := 1; i < len(labels); i++ {
		x := images[i*dim : (i+1)*dim]
		if labels[i]*dot(w, x)/math.Sqrt(dot(w, w)*dot(x, x)) < margin {
			bad++
		}
	}
	return float64(bad) / float64(len(labels)-1)
}

// TestTheorem5Measured composes both stages: coordinates in the span of
// landmarks, which are F2, then a projection of them.
func TestTheorem5Measured(t *testing.T) {
	const dim, trials, fresh = 120, 12, 60
	const margin, err, conf = 0.8, 0.5, 0.5
	marks, small, fault := bound.Compressed(margin, err, conf)
	if fault != nil {
		t.Fatal(fault)
	}
	w := make([]float64, dim)
	w[0] = 1
	broken, worst := 0, 0.0
	for trial := range trials {
		r := rand.New(rand.NewPCG(10, uint64(trial)))
		basis := span(r, shell(margin), dim, marks)
		vectors, labels := [][]float64{coordinates(basis, w)}, []float64{0}
		for range fresh {
			x, label := shell(margin)(r, dim)
			vectors, labels = append(vectors, coordinates(basis, x)), append(labels, label)
		}
		images := mapped(t, project.KindGaussian, small, uint64(trial), vectors...)
		bad := badImages(images, small, labels, margin/4)
		worst = max(worst, bad)
		// Two standard deviations of the measurement, as for theorem 3.
		if bad > err+0.13 {
			broken++
		}
	}
	t.Logf("%d landmarks, %d features: error at γ/4 at most %.3f, promised %.2f", marks, small, worst, err)
	if float64(broken) > limit(1-conf, trials) {
		t.Errorf("broken in %d of %d trials", broken, trials)
	}
}
