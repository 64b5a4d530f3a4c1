package linear_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/linear"
	"github.com/kerf-ml/kerf/margin"
	"github.com/kerf-ml/kerf/run"
)

// checkProof verifies a certificate from its definition: α ≥ 0, Σ α = 1 and
// |Σ α·y·x| = Bound, and Margin is that of the separator.
func checkProof(t interface {
	Errorf(format string, args ...any)
}, d sample, unit float64, s *linear.Separator, c linear.Certificate) {
	alpha := make([]float64, len(d.Y))
	sum := 0.0
	for k, i := range c.Row {
		alpha[i] += c.Alpha[k]
		sum += c.Alpha[k]
		if c.Alpha[k] < 0 {
			t.Errorf("α of row %d is %v", i, c.Alpha[k])
		}
	}
	if math.Abs(sum-1) > 1e-12 || !slices.IsSorted(c.Row) {
		t.Errorf("Σ α = %v over rows %v", sum, c.Row)
	}
	p := combined(d, alpha, unit)
	length := p.Bias * p.Bias
	for _, a := range p.W {
		length += a * a
	}
	longest := 0.0
	for i := range d.Y {
		longest = max(longest, d.X.At(i).Norm()+unit)
	}
	if math.Abs(math.Sqrt(length)-c.Bound) > 1e-13*longest {
		t.Errorf("|Σ α·y·x| = %v and the bound is %v", math.Sqrt(length), c.Bound)
	}
	if w := marginOf(d, s); w == w && math.Abs(w-c.Margin) > 1e-9*longest {
		t.Errorf("margin %v and the certificate says %v", w, c.Margin)
	}
}

// marginOf is the least y(w·x)/|w|.
func marginOf(d sample, s *linear.Separator) float64 {
	norm, least := s.Bias*s.Bias, math.Inf(1)
	for _, a := range s.W {
		norm += a * a
	}
	for i, y := range d.Y {
		least = min(least, y*s.Score(d.X.At(i)))
	}
	return least / math.Sqrt(norm)
}

func TestHardMarginTwoPoints(t *testing.T) {
	d := sample{X: data.Slice[data.Vector]{data.Dense(3, 4), data.Dense(-3, -4)}, Y: []float64{1, -1}}
	h := linear.NewHardMargin()
	h.Unit = 0
	s, c, r, err := h.Prove(t.Context(), d)
	if err != nil || r.Status != learn.Converged {
		t.Fatalf("%v, %+v", err, r)
	}
	near(t, "margin", c.Margin, 5, 1e-12)
	near(t, "w", s.W[0], 3.0/25, 1e-12)
	near(t, "P", r.Objective, 1.0/50, 1e-12)

	// One line, labels + - +: no separator of whatever bias.
	d = sample{X: data.Slice[data.Vector]{data.Dense(0), data.Dense(1), data.Dense(2)}, Y: []float64{1, -1, 1}}
	s, c, r, err = linear.NewHardMargin().Prove(t.Context(), d)
	if err != nil || r.Status != learn.BelowTolerance || c.Margin > 0 {
		t.Fatalf("%v, %+v, %+v", err, r, c)
	}
	checkProof(t, d, 1, s, c)
	near(t, "α of the middle", c.Alpha[1], 0.5, 1e-12)

	// A row without length is on no side.
	d.X.(data.Slice[data.Vector])[1] = data.Vector{}
	h.Unit = 0
	if _, _, r, err = h.Prove(t.Context(), d); err != nil || r.Status != learn.BelowTolerance {
		t.Errorf("row without length: %v, %+v", err, r)
	}
	// The same instance with both labels.
	d = sample{X: data.Slice[data.Vector]{data.Dense(1, 2), data.Dense(1, 2)}, Y: []float64{1, -1}}
	if _, c, r, err = linear.NewHardMargin().Prove(t.Context(), d); err != nil || r.Status != learn.BelowTolerance ||
		c.Bound > 1e-12 {
		t.Errorf("same instance: %v, %+v", err, r)
	}
}

// Separable or not, the answer comes with a proof, and where the soft machine
// with a large C separates, so does this with no smaller a margin.
func TestHardMarginProofs(t *testing.T) {
	separable := 0
	rapid.Check(t, func(t *rapid.T) {
		n, dim := rapid.IntRange(2, 60).Draw(t, "n"), rapid.IntRange(1, 8).Draw(t, "d")
		flip := rapid.SampledFrom([]float64{0, 0, 0.02, 0.2}).Draw(t, "flip")
		d := noisy(n, dim, flip, rapid.Uint64().Draw(t, "seed"))
		h := linear.NewHardMargin()
		h.Unit = rapid.SampledFrom([]float64{0, 1}).Draw(t, "unit")
		s, c, r, err := h.Prove(context.Background(), d)
		if err != nil {
			t.Fatal(err)
		}
		checkProof(t, d, h.Unit, s, c)
		switch r.Status {
		case learn.Converged:
			separable++
			if !(c.Margin > 0) || c.Margin < c.Bound*(1-h.Tolerance) {
				t.Errorf("converged with %+v", c)
			}
			if m := marginOf(d, s); math.Abs(1/math.Sqrt(2*r.Objective)-m) > 1e-9 {
				t.Errorf("margin %v with objective %v", m, r.Objective)
			}
		case learn.BelowTolerance:
			if c.Margin > 0 {
				t.Errorf("below tolerance with %+v", c)
			}
		default:
			t.Errorf("nothing proved: %+v, %+v", r, c)
		}
	})
	if separable == 0 {
		t.Error("no sample was separable")
	}
}

func TestHardMarginLarge(t *testing.T) {
	for _, flip := range []float64{0, 0.01} {
		d := noisy(3000, 40, flip, 11)
		s, c, r, err := linear.NewHardMargin().Prove(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("flip %v: %+v, margin %v bound %v rows %d", flip, r, c.Margin, c.Bound, len(c.Row))
		checkProof(t, d, 1, s, c)
		want := learn.BelowTolerance
		if flip == 0 {
			want = learn.Converged
		}
		if r.Status != want {
			t.Errorf("flip %v: %v, want %v", flip, r.Status, want)
		}
	}
}

// Of dimension d, d+1 points around the origin: nearly and just separable.
func TestHardMarginSimplex(t *testing.T) {
	rng := seed.Stream(4, seed.Generator, 4)
	for _, dim := range []int{1, 7, 8, 9, 33, 64, 65} {
		for _, shift := range []float64{0, 1e-3, 0.5} {
			rows, y := make(data.Slice[data.Vector], dim+1), make([]float64, dim+1)
			for i := range rows {
				x := make([]float64, dim+1)
				x[i] = 1
				// z = e_i - (1-shift)/(dim+1): the hull's nearest point has length shift/√(dim+1).
				for j := range x {
					x[j] -= (1 - shift) / float64(dim+1)
				}
				y[i] = float64(2*rng.IntN(2) - 1)
				if i < 2 {
					y[i] = float64(2*i - 1)
				}
				for j := range x {
					x[j] *= y[i]
				}
				rows[i] = data.Dense(x...)
			}
			h := linear.NewHardMargin()
			h.Unit = 0
			_, c, r, err := h.Prove(t.Context(), sample{X: rows, Y: y})
			if err != nil {
				t.Fatal(err)
			}
			if shift == 0 {
				if r.Status != learn.BelowTolerance || len(c.Row) != dim+1 {
					t.Errorf("d=%d: %+v, %+v", dim, r, c)
				}
				continue
			}
			if r.Status != learn.Converged {
				t.Errorf("d=%d shift %v: %+v", dim, shift, r)
			}
			near(t, "margin", c.Margin, shift/math.Sqrt(float64(dim+1)), 1e-6)
		}
	}
}

func TestHardMarginStops(t *testing.T) {
	d := noisy(600, 30, 0, 5)
	h := linear.NewHardMargin()
	h.MaxPasses = 1
	s, c, r, err := h.Prove(t.Context(), d)
	if err != nil || r.Status != learn.IterationLimit {
		t.Errorf("one pass: %v, %+v", err, r)
	}
	checkProof(t, d, 1, s, c)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, r, err = h.Prove(ctx, d); err != nil || r.Status != learn.Cancelled {
		t.Errorf("cancelled: %v, %+v", err, r)
	}
	err = linear.HardMargin{Tolerance: -1, Zero: math.NaN(), Unit: -1}.Validate()
	for _, want := range []string{"tolerance is -1", "zero is NaN", "max passes is 0", "unit is -1"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("fault %q is not in: %v", want, err)
		}
	}
}

// TestHardMarginNormalize: the margin is that of rows divided by their lengths,
// the constant coordinate included, and no other separator has a larger cosine.
func TestHardMarginNormalize(t *testing.T) {
	for _, unit := range []float64{0, 1} {
		d := withMargin(200, 6, 0.1, 3)
		long, short := data.NewMatrix(200, 6), data.NewMatrix(200, 7)
		for i := range 200 {
			d.X.At(i).AddTo(long.Row(i), math.Exp(3*math.Sin(float64(i))))
			length := math.Hypot(long.At(i).Norm(), unit)
			long.At(i).AddTo(short.Row(i), 1/length)
			short.Row(i)[6] = unit / length
		}
		h := linear.NewHardMargin()
		h.Unit, h.Normalize = unit, true
		s, c, r, err := h.Prove(t.Context(), sample{X: long, Y: d.Y})
		if err != nil || r.Status != learn.Converged {
			t.Fatalf("%v, %+v", err, r)
		}
		m, err := margin.Separator(*s).Sample(t.Context(), run.Control{}, long, d.Y)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "the least cosine", m.Min(), c.Margin, 1e-12)
		plain := linear.HardMargin{Tolerance: h.Tolerance, Zero: h.Zero, MaxPasses: h.MaxPasses}
		_, want, _, err := plain.Prove(t.Context(), sample{X: short, Y: d.Y})
		if err != nil {
			t.Fatal(err)
		}
		near(t, "margin", c.Margin, want.Margin, 1e-6*want.Margin)
	}
}
