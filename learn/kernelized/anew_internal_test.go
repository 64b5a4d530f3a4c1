package kernelized

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// overlapping returns two normal classes that overlap.
func overlapping(n, d int) (*data.Matrix, []float64) {
	rng := seed.Stream(3, seed.Generator, 0)
	x, y := data.NewMatrix(n, d), make([]float64, n)
	for i := range n {
		y[i] = float64(2*(i%2) - 1)
		for j := range x.Row(i) {
			x.Row(i)[j] = rng.NormFloat64() + 0.4*y[i]
		}
	}
	return x, y
}

// TestAnew solves a problem whose rows are computed anew and the same one with rows
// that are kept, which problems that share them do: they agree within the tolerance,
// and the former has the same bits for any number of workers. On both sides of the
// limits of rows and coordinates it says which is done.
func TestAnew(t *testing.T) {
	const n = sequenceMost + 500
	x, y := overlapping(n, 4)
	fit := func(keep bool, workers int) (*smo[data.Vector], float64) {
		s := &smo[data.Vector]{kernel: kernel.Gaussian{Gamma: 0.3}, x: x, tolerance: 1e-3, iterations: 1e7, shrinks: true,
			ctl: run.Control{Workers: workers}, dual: hingeDual(y, slices.Repeat([]float64{1}, n), 1, all),
			rows: &rowStore[data.Vector]{keep: keep}}
		if s.anew() == keep {
			t.Fatalf("rows that are kept: %v, computed anew: %v", keep, s.anew())
		}
		report, err := s.solve(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return s, report.Objective
	}
	one, objective := fit(false, 1)
	for _, workers := range []int{2, 3} {
		if other, _ := fit(false, workers); !slices.Equal(other.dual.b, one.dual.b) {
			t.Errorf("%d workers have other weights", workers)
		}
	}
	// Both violate the conditions by at most the tolerance, so that neither objective
	// is more than n·C times it above the optimum; in fact they are much nearer.
	if _, kept := fit(true, 2); math.Abs(kept-objective) > 1e-4*math.Abs(kept) {
		t.Errorf("the objective is %v, with rows that are kept %v", objective, kept)
	}
	for _, c := range []struct {
		rows, coordinates int
		want              bool
	}{{sequenceMost, 4, false}, {sequenceMost + 1, 4, true}, {sequenceMost + 1, anewMost, true},
		{sequenceMost + 1, anewMost + 1, false}} {
		s := &smo[data.Vector]{kernel: kernel.Gaussian{Gamma: 1}, x: data.NewMatrix(c.rows, c.coordinates),
			dual: &dual{n: c.rows}, rows: &rowStore[data.Vector]{}}
		if s.anew() != c.want {
			t.Errorf("%d rows of %d coordinates: anew is %v", c.rows, c.coordinates, s.anew())
		}
	}
}

// TestAnewBlame holds that a value that is no number is blamed on the instances that
// it is of, also where some are set aside.
func TestAnewBlame(t *testing.T) {
	const n = sequenceMost + 10
	x, y := overlapping(n, 2)
	x.Row(n - 3)[0] = 1e200 // its square overflows
	s := &smo[data.Vector]{kernel: kernel.NewPolynomial(2), x: x,
		dual: hingeDual(y, slices.Repeat([]float64{1}, n), 1, all), rows: &rowStore[data.Vector]{}}
	w := &round[data.Vector, float64]{smo: s}
	for _, first := range []int{0, 5} { // how many are set aside
		active := make([]int, n-first)
		for k := range active {
			active[k] = first + k
		}
		if first > 0 {
			s.state.shrunk.active = active
		}
		err := w.add(t.Context(), make([]float64, len(active)), []int{7, n - 3 - first}, []float64{1, 1})
		var v *gram.ValueError
		if !errors.As(err, &v) || v.Row != n-3 && v.Col != n-3 {
			t.Errorf("with %d set aside: %v", first, err)
		}
	}
}
