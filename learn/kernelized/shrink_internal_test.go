package kernelized

import (
	"context"
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/run"
)

// overlap returns n points in d dimensions whose labels are wrong for the part
// given: most variables of their duals end at a bound.
func overlap(n, d int, wrong float64) data.Labeled[data.Vector, float64] {
	rng := seed.Stream(11, seed.Generator, uint64(n))
	m, y := data.NewMatrix(n, d), make([]float64, n)
	for i := range n {
		sum := 0.0
		for j := range m.Row(i) {
			m.Row(i)[j] = rng.NormFloat64()
			sum += m.Row(i)[j]
		}
		y[i] = 1
		if (sum < 0) == (rng.Float64() >= wrong) {
			y[i] = -1
		}
	}
	return data.Labeled[data.Vector, float64]{X: m, Y: y}
}

// fewest runs the machine and returns the smallest active set that a round had,
// and how often instances were taken back.
func fewest(
	t *testing.T, m machine[data.Vector], x data.Source[data.Vector], d *dual,
) (fewest, back int, s *smo[data.Vector]) {
	t.Helper()
	s = &smo[data.Vector]{kernel: m.kernel, x: x, tolerance: m.tolerance, iterations: m.iterations, shrinks: m.shrinks,
		ctl: m.ctl, dual: d, rows: &rowStore[data.Vector]{}}
	fewest = d.n
	before := d.n
	s.checkpoint = Checkpoint{Every: 1, Save: func([]byte) error {
		now := d.n
		if a := s.state.shrunk.active; a != nil {
			now = len(a)
		}
		if now > before {
			back++
		}
		before, fewest = now, min(fewest, now)
		return nil
	}}
	r, err := s.solve(context.Background())
	if err != nil || r.Status != learn.Converged {
		t.Fatalf("%v, %+v", err, r)
	}
	within := m.tolerance
	if m.ctl.Precision == run.Float32 {
		within = max(within, 2*noise[float32](s))
	}
	if v := d.violation(d.extremes(s.scores, nil)); v > within {
		t.Errorf("the violation is %v", v)
	}
	return fewest, back, s
}

// TestShrinks: where most variables end at a bound most instances are set aside,
// for every dual, in both precisions, and the optimum is the same as without.
func TestShrinks(t *testing.T) {
	for _, c := range []struct {
		n         int
		tolerance float64
		precision run.Precision
	}{{900, 1e-8, run.Float64}, {2400, 1e-3, run.Float64}, {2400, 1e-3, run.Float32}} {
		if testing.Short() && c.n > 1000 {
			continue
		}
		n := c.n
		d := overlap(n, 3, 0.2)
		z, one := make([]float64, n), make([]float64, n)
		for i := range z {
			z[i], one[i] = d.Y[i]+d.X.At(i).Value[0], 1
		}
		for name, p := range map[string]func() *dual{
			"svm":      func() *dual { return hingeDual(d.Y, one, 1, all) },
			"soft svm": func() *dual { return hingeDual(d.Y, one, 1, free) },
			"nu-svm": func() *dual {
				p, err := NuSVM[data.Vector]{Nu: 0.5}.dual(d.Y, one)
				if err != nil {
					t.Fatal(err)
				}
				return p
			},
			"one class": func() *dual {
				p := newDual(n, n, all)
				for i := range n {
					p.span(i, 1, 1)
				}
				p.raise(0, n, 0.3*float64(n), 1)
				return p
			},
			"svr": func() *dual { return tubeDual(z, one, 1, 0.1, all) },
			"nu-svr": func() *dual {
				p := tubeDual(z, one, 1, 0, sided)
				p.raise(0, n, 0.2*float64(n), 1)
				p.raise(n, 2*n, 0.2*float64(n), -1)
				return p
			},
		} {
			m := machine[data.Vector]{kernel: kernel.Gaussian{Gamma: 0.5}, tolerance: c.tolerance,
				iterations: defaultIterations, shrinks: true}
			m.ctl.Precision = c.precision
			few, back, with := fewest(t, m, d.X, p())
			m.shrinks = false
			every, _, without := fewest(t, m, d.X, p())
			if few > n/2 && c.tolerance < 1e-6 || every != n { // at the others few rounds are made
				t.Errorf("%s: the smallest active set has %d of %d instances, and %d without shrinking", name, few, n, every)
			}
			a, b := with.dual.objective(with.scores), without.dual.objective(without.scores)
			t.Logf("%s: %d of %d active, %d times back, objectives %.12g and %.12g", name, few, n, back, a, b)
			// Both are within their gaps of the optimum, and at the small tolerance
			// far within.
			within := 1e-9 * math.Abs(b)
			if c.tolerance > 1e-6 {
				within += with.dual.gap(with.scores) + without.dual.gap(without.scores)
			}
			if c.precision == run.Float32 {
				within += 1e-6 * math.Abs(b)
			}
			if math.Abs(a-b) > within {
				t.Errorf("%s: objective %v, and %v without shrinking: more than %v apart", name, a, b, within)
			}
		}
	}
}

// TestShrunkComesBack sets aside what should not be: all but the instances of
// even number, at the start of each phase. The end is the optimum all the same.
func TestShrunkComesBack(t *testing.T) {
	for _, n := range []int{700, 2200} {
		d := overlap(n, 3, 0.1)
		one := make([]float64, n)
		for i := range one {
			one[i] = 1
		}
		m := machine[data.Vector]{kernel: kernel.Gaussian{Gamma: 0.5}, tolerance: 1e-6, iterations: defaultIterations}
		_, _, want := fewest(t, m, d.X, hingeDual(d.Y, one, 5, all))
		s := &smo[data.Vector]{kernel: m.kernel, x: d.X, tolerance: m.tolerance, iterations: m.iterations, shrinks: true,
			dual: hingeDual(d.Y, one, 5, all), rows: &rowStore[data.Vector]{}}
		s.scores = make([]float64, n)
		s.state.shrunk.firm, s.state.shrunk.delay = make([]byte, n), shrinkDelay
		aside := level{beta: make([]float64, n)}
		for i := 0; i < n; i += 2 {
			s.state.shrunk.active = append(s.state.shrunk.active, i)
			aside.instances = append(aside.instances, i+1)
		}
		s.state.shrunk.aside = []level{aside}
		s.state.phase = double
		if n >= singleFrom {
			s.state.phase = single
		}
		s.narrow()
		status, err := s.steps(t.Context())
		if err != nil || status != learn.Converged {
			t.Fatalf("%q, %v", status, err)
		}
		a, b := s.dual.objective(s.scores), want.dual.objective(want.scores)
		if s.place != nil || math.Abs(a-b) > 1e-9*math.Abs(b)+s.dual.gap(s.scores) ||
			s.dual.violation(s.dual.extremes(s.scores, nil)) > m.tolerance {
			t.Errorf("objective %v, want %v", a, b)
		}
	}
}

// TestResumeShrunk ends a fit while instances are set aside and goes on from
// there with other workers: the result is the same bit for bit. A state of another
// recipe is refused.
func TestResumeShrunk(t *testing.T) {
	for _, n := range []int{900, 2300} {
		d := overlap(n, 3, 0.2)
		one := slices.Repeat([]float64{1}, n)
		fit := func(workers int, shrinks bool, c Checkpoint) (*smo[data.Vector], error) {
			s := &smo[data.Vector]{kernel: kernel.Gaussian{Gamma: 0.5}, x: d.X, tolerance: 1e-6,
				iterations: defaultIterations, shrinks: shrinks, checkpoint: c,
				dual: hingeDual(d.Y, one, 1, all), rows: &rowStore[data.Vector]{}}
			s.ctl.Workers = workers
			_, err := s.solve(t.Context())
			return s, err
		}
		var states [][]byte
		want, err := fit(0, true, Checkpoint{Every: 1, Save: func(state []byte) error {
			states = append(states, state)
			return nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		shrunk := 0
		for k, state := range states {
			if binary.LittleEndian.Uint64(state[8*7:]) > 0 {
				shrunk++
			} else if k > 0 {
				continue
			}
			got, err := fit(1+k%3, true, Checkpoint{From: state})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got.dual.b, want.dual.b) || !slices.Equal(got.scores, want.scores) ||
				got.state.steps != want.state.steps {
				t.Fatalf("n = %d, resumed after round %d: another result", n, k+1)
			}
		}
		if shrunk < 2 {
			t.Errorf("n = %d: instances are set aside in %d of %d states", n, shrunk, len(states))
		}
		if _, err := fit(1, false, Checkpoint{From: states[0]}); err == nil {
			t.Error("no error for a state of another recipe")
		}
	}
}

// TestShrinkFrom: a fit of many instances shrinks unless the recipe says not to,
// and has the same optimum either way.
func TestShrinkFrom(t *testing.T) {
	if testing.Short() {
		t.Skip("16,384 rows")
	}
	d := overlap(shrinkFrom, 2, 0.2)
	s := NewSVM[data.Vector](kernel.Gaussian{Gamma: 0.5})
	_, with, err := s.Fit(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	s.Shrink = false
	_, without, err := s.Fit(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(with.Objective-without.Objective) > with.Gap+without.Gap || with.Evaluations == without.Evaluations {
		t.Errorf("with shrinking %+v, without %+v", with, without)
	}
}
