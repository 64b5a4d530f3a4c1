package boost_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/bound"
	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/gen"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/boost"
)

// known is Halfspace for a margin that is known.
func known(margin, part float64, s uint64) boost.Halfspace {
	h := boost.NewHalfspace()
	h.Margin, h.Least, h.Part, h.Seed, h.Confidence = margin, margin, part, s, 0.999999
	return h
}

// Theorem 1: of draws at error 1/2 - γ/4 at least a part WeakChance is taken.
// One fit of one round a seed counts draws until the first that is.
func TestTheorem1(t *testing.T) {
	seeds := 300
	if testing.Short() {
		seeds = 60
	}
	for _, c := range []struct {
		margin float64
		dim    int
	}{{0.9, 3}, {0.5, 5}, {0.5, 30}, {0.2, 10}, {0.1, 5}, {0.1, 40}, {0.05, 20}} {
		d := made(t, "halfspace", gen.Options{N: 200, Seed: 7, Margin: c.margin, Dim: c.dim})
		tries := 0
		for s := range seeds {
			a := boost.NewAdaBoost(known(c.margin, 0.25, uint64(s)))
			a.Rounds = 1
			e := fit(t, a, d)
			if len(e.History) != 1 || e.History[0].Error > 0.5-c.margin/4 {
				t.Fatalf("margin %v, seed %d: %+v", c.margin, s, e.History)
			}
			tries += e.History[0].Tries
		}
		p, err := bound.WeakChance(c.margin)
		if err != nil {
			t.Fatal(err)
		}
		// Draws until the k-th success: the rate k/tries has a relative standard
		// deviation of √((1-p)/k) at most.
		rate := float64(seeds) / float64(tries)
		lowest := rate * (1 - 4*math.Sqrt((1-rate)/float64(seeds)))
		t.Logf("margin %v, dimension %d: %.3f of draws taken, at least %.3f with four standard deviations; promised %.4f",
			c.margin, c.dim, rate, lowest, p)
		if lowest < p {
			t.Errorf("margin %v, dimension %d: %.4f of draws taken, %.4f promised", c.margin, c.dim, rate, p)
		}
	}
}

// Algorithm 1 and AdaBoost as the formulas have them: one direction after the
// other, weights and errors in floating point.
func TestHalfspaceAgainstOracle(t *testing.T) {
	for _, n := range []int{12, 64, 65, 200} {
		d := made(t, "halfspace", gen.Options{N: n, Seed: 3, Margin: 0.2, Dim: 6})
		h := known(0.2, 1.0/6, 5)
		a := boost.NewAdaBoost(h)
		a.Rounds = 40
		e := fit(t, a, d)
		weight := make([]float64, n)
		for i := range weight {
			weight[i] = 1 / float64(n)
		}
		draw := uint64(0)
		for k, r := range e.History {
			tries := 0
			for {
				rng := seed.Stream(5, seed.Directions, draw)
				w := make([]float64, 6)
				for j := range w {
					w[j] = rng.NormFloat64()
				}
				draw++
				tries++
				wrong, total := 0.0, 0.0
				for i, y := range d.Y {
					if (d.X.At(i).DotWith(w) >= 0) != (y > 0) {
						wrong += weight[i]
					}
					total += weight[i]
				}
				if wrong/total > 0.5-0.2/6 {
					continue
				}
				if math.Abs(wrong/total-r.Error) > 1e-9 || tries != r.Tries {
					t.Fatalf("n = %d, round %d: error %v after %d tries, %v after %d by the oracle", n, k, r.Error, r.Tries,
						wrong/total, tries)
				}
				if len(e.Alpha) == len(e.History) {
					own, _ := e.Votes.Halfspaces()
					for j, v := range own.Row(k) {
						if math.Abs(v-w[j]/data.Dense(w...).Norm()) > 1e-15 {
							t.Fatalf("n = %d, round %d: another direction", n, k)
						}
					}
				}
				for i, y := range d.Y {
					h := -1.0
					if d.X.At(i).DotWith(w) >= 0 {
						h = 1
					}
					weight[i] *= math.Exp(-r.Alpha * y * h)
				}
				break
			}
		}
	}
}

func TestBatchIsOneByOne(t *testing.T) {
	for _, n := range []int{2, 63, 64, 65, 500} {
		d := rough(n, 5, 7, uint64(n))
		for _, symmetric := range []bool{false, true} {
			h := boost.NewHalfspace()
			h.Symmetric, h.Batch = symmetric, 1
			a := boost.NewAdaBoost(h)
			a.Rounds = 50
			one := fit(t, a, d)
			for _, batch := range []int{2, 7, 63, 64} {
				h.Batch = batch
				a.Weak = h
				same(t, fmt.Sprintf("n = %d, batch %d", n, batch), one, fit(t, a, d))
				same(t, "sparse", one, fit(t, a, binary{X: sparse(d.X), Y: d.Y}))
			}
		}
	}
}

// With γ = 0.1 the vote is right on all rows within the rounds of the bound,
// the edge of every round being γ/4 at least, and each round within its tries.
func TestHalfspaceWithinTheBound(t *testing.T) {
	const margin, n = 0.1, 300
	for _, part := range []float64{1.0 / 6, 0.25} {
		rounds, err := bound.BoostingSampleRounds(margin*part, n)
		if err != nil {
			t.Fatal(err)
		}
		tries, err := bound.WeakTries(margin, 1-1e-6)
		if err != nil {
			t.Fatal(err)
		}
		d := made(t, "halfspace", gen.Options{N: n, Seed: 2, Margin: margin, Dim: 10})
		a := boost.NewAdaBoost(known(margin, part, 1))
		a.Rounds, a.StopAtZero = rounds, true
		e, report, err := a.Fit(context.Background(), d)
		if err != nil {
			t.Fatal(err)
		}
		last := e.History[len(e.History)-1]
		t.Logf("part %.3f: no errors after %d rounds of %d", part, len(e.History), rounds)
		if report.Status != learn.Converged || last.TrainError != 0 {
			t.Fatalf("status %q, error %v after %d rounds", report.Status, last.TrainError, len(e.History))
		}
		for i, y := range d.Y {
			if e.Predict(d.X.At(i)) != y {
				t.Fatalf("row %d is wrong", i)
			}
		}
		for k, r := range e.History {
			if r.Edge < margin*part || r.Tries > tries || r.Margin != margin {
				t.Fatalf("round %d: %+v", k, r)
			}
		}
	}
}

// γ is halved from round to round and never rises.
func TestHalfspaceHalves(t *testing.T) {
	d := made(t, "halfspace", gen.Options{N: 400, Seed: 2, Margin: 0.05, Dim: 20})
	h := boost.NewHalfspace()
	h.Margin, h.Confidence = 1, 0.5
	a := boost.NewAdaBoost(h)
	a.Rounds = 200
	e := fit(t, a, d)
	last := 1.0
	for k, r := range e.History {
		if r.Margin > last || math.Exp2(math.Round(math.Log2(r.Margin))) != r.Margin || r.Error > 0.5-r.Margin/6 {
			t.Fatalf("round %d: %+v after margin %v", k, r, last)
		}
		last = r.Margin
	}
	if last == 1 {
		t.Error("the margin was never halved")
	}
}

// Two rows that contradict each other leave no edge at all: the tries end.
func TestHalfspaceTriesRunOut(t *testing.T) {
	d := binary{X: data.Slice[data.Vector]{data.Dense(1, 2), data.Dense(1, 2)}, Y: []float64{1, -1}}
	e, report, err := boost.NewAdaBoost(boost.NewHalfspace()).Fit(context.Background(), d)
	if err != nil || report.Status != learn.IterationLimit || len(e.Alpha) != 0 {
		t.Fatalf("%v %+v %v", e, report, err)
	}
	if e.Score(data.Dense(1, 2)) != 0 || e.Votes.Dim() != 0 {
		t.Error("an empty vote must score 0")
	}
}

// Rows of zeros are +1 for h and for -h: tries of -h must count them so.
func TestHalfspaceZeroRows(t *testing.T) {
	d := rough(90, 3, 5, 4)
	m := d.X.(*data.Matrix)
	for i := range 30 {
		clear(m.Row(3 * i))
	}
	h := boost.NewHalfspace()
	h.Symmetric = true
	a := boost.NewAdaBoost(h)
	e := fit(t, a, d)
	if len(e.Alpha) == 0 {
		t.Fatal("no rules")
	}
	for k, r := range e.History {
		if r.Error > 0.5-r.Margin/6 {
			t.Fatalf("round %d: %+v", k, r)
		}
	}
	clear(m.Data)
	if _, _, err := a.Fit(context.Background(), d); !errors.Is(err, boost.ErrConstant) {
		t.Errorf("rows of zeros: %v", err)
	}
}

func TestHalfspaceValidate(t *testing.T) {
	if err := boost.NewHalfspace().Validate(); err != nil {
		t.Error(err)
	}
	err := boost.Halfspace{Margin: 2, Least: math.NaN(), Part: 0.3, Confidence: 1, Batch: 65}.Validate()
	for _, want := range []string{"margin is 2", "least margin is NaN", "part is 0.3", "confidence is 1", "batch is 65"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
}
