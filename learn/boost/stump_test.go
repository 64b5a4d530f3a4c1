package boost_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/learn/boost"
	"github.com/kerf-ml/kerf/run"
)

// bestCut tries every threshold between different values of every coordinate,
// in the order of ties, and counts errors row by row. Weights are whole.
func bestCut(d binary, dim int, weight []int64) (best boost.Cut, wrong int64) {
	wrong = math.MaxInt64
	for j := range dim {
		var values []float64
		for i := range d.Y {
			values = append(values, at(d.X.At(i), j))
		}
		slices.Sort(values)
		values = slices.Compact(values)
		for k := 1; k < len(values); k++ {
			a, b := values[k-1], values[k]
			for _, sign := range []float64{1, -1} {
				c := boost.Cut{Feature: j, Threshold: a + (b-a)/2, Sign: sign}
				sum := int64(0)
				for i, y := range d.Y {
					if c.Predict(d.X.At(i)) != y {
						sum += weight[i]
					}
				}
				if sum < wrong {
					best, wrong = c, sum
				}
			}
		}
	}
	return best, wrong
}

// orConstant returns the constant rule where it is better.
func orConstant(d binary, weight []int64, best boost.Cut, wrong int64) (boost.Cut, int64) {
	for _, c := range []boost.Cut{{Threshold: -1}, {Threshold: 1}} {
		sum := int64(0)
		for i, y := range d.Y {
			if c.Predict(d.X.At(i)) != y {
				sum += weight[i]
			}
		}
		if sum < wrong {
			best, wrong = c, sum
		}
	}
	return best, wrong
}

func at(x data.Vector, j int) float64 {
	w := make([]float64, j+1)
	x.CopyTo(w)
	return w[j]
}

func TestStumpAgainstOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 40).Draw(t, "n")
		dim := rapid.IntRange(1, 4).Draw(t, "d")
		m := data.NewMatrix(n, dim)
		for i := range m.Data {
			m.Data[i] = float64(rapid.IntRange(-3, 3).Draw(t, "x")) / 2
		}
		// Zeros have two signs, and one value.
		if m.Data[0] == 0 {
			m.Data[0] = math.Copysign(0, -1)
		}
		d := binary{X: m, Y: make([]float64, n)}
		weight := make([]int64, n)
		real := make([]float64, n)
		for i := range n {
			d.Y[i] = float64(2*rapid.IntRange(0, 1).Draw(t, "y") - 1)
			weight[i] = int64(rapid.IntRange(1, 5).Draw(t, "w"))
			real[i] = float64(weight[i])
		}
		d.Y[0], d.Y[1] = 1, -1
		want, wrong := bestCut(d, dim, weight)
		var total int64
		for _, w := range weight {
			total += w
		}
		constant := rapid.Bool().Draw(t, "constant")
		a := boost.NewAdaBoost(boost.Stump{Constant: constant})
		a.Rounds = 1
		if constant && wrong != math.MaxInt64 {
			want, wrong = orConstant(d, weight, want, wrong)
		}
		for _, rows := range []data.Source[data.Vector]{m, sparse(m)} {
			e, report, err := a.Fit(context.Background(), binary{X: rows, Y: d.Y, Weight: real})
			if wrong == math.MaxInt64 {
				if !errors.Is(err, boost.ErrConstant) {
					t.Fatalf("constant coordinates: %v", err)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			if 2*wrong >= total {
				if len(e.Alpha) != 0 || report.Status != "below tolerance" {
					t.Fatalf("%d rules, status %q, without an edge", len(e.Alpha), report.Status)
				}
				continue
			}
			if got := e.Votes.Cuts()[0]; got != want {
				t.Fatalf("cut %+v and %+v by the oracle", got, want)
			}
			if got := e.History[0].Error; math.Abs(got-float64(wrong)/float64(total)) > 1e-15 {
				t.Fatalf("error %v and %d/%d by the oracle", got, wrong, total)
			}
		}
	})
}

// Sizes around those at which sorting and tasks change. What is found in later
// rounds is checked against the error of every cut, by the weights of AdaBoost
// computed as in the formula.
func TestStumpRoundsAgainstOracle(t *testing.T) {
	for _, n := range []int{7, 8, 9, 63, 64, 65, 255, 256, 257, 300} {
		d := smooth(n, 3, uint64(n))
		d.Y[0], d.Y[1] = 1, -1
		a := boost.NewAdaBoost(boost.NewStump())
		a.Rounds = 6
		e := fit(t, a, d)
		weight := make([]float64, n)
		for i := range weight {
			weight[i] = 1
		}
		for k, c := range e.Votes.Cuts() {
			if len(e.History) > len(e.Alpha) {
				break // the vote is the last rule alone
			}
			whole := make([]int64, n)
			total := 0.0
			for _, w := range weight {
				total += w
			}
			for i, w := range weight {
				whole[i] = int64(w / total * (1 << 52))
			}
			cut, wrong := bestCut(d, 3, whole)
			_, wrong = orConstant(d, whole, cut, wrong)
			if want := float64(wrong) / (1 << 52); math.Abs(want-e.History[k].Error) > 1e-9 {
				t.Fatalf("n = %d, round %d: error %v, the best is %v", n, k, e.History[k].Error, want)
			}
			for i := range weight {
				weight[i] *= math.Exp(-e.Alpha[k] * d.Y[i] * c.Predict(d.X.At(i)))
			}
		}
	}
}

func TestStumpSparseIsDense(t *testing.T) {
	for _, n := range []int{2, 9, 65, 300, 3000} {
		d := rough(n, 6, 5, uint64(n))
		a := boost.NewAdaBoost(boost.NewStump())
		a.Rounds = 20
		same(t, fmt.Sprint(n), fit(t, a, d), fit(t, a, binary{X: sparse(d.X), Y: d.Y}))
	}
}

// A threshold must part neighbours between which there is no number, or none
// that is normal.
func TestStumpNeighbours(t *testing.T) {
	tiny := math.SmallestNonzeroFloat64
	for _, p := range [][2]float64{
		{1, math.Nextafter(1, 2)}, {-math.Nextafter(1, 2), -1}, {0, tiny}, {-tiny, 0}, {-tiny, tiny}, {-1e140, 1e140},
		{-2, 3}, {0, 1}, {-1, 0},
	} {
		for _, sign := range []float64{1, -1} {
			d := binary{X: data.Slice[data.Vector]{data.Dense(p[0]), data.Dense(p[1])}, Y: []float64{-sign, sign}}
			e, report, err := boost.NewAdaBoost(boost.NewStump()).Fit(context.Background(), d)
			if err != nil {
				t.Fatal(err)
			}
			for i, y := range d.Y {
				if e.Predict(d.X.At(i)) != y {
					t.Errorf("%v with sign %v: %+v has row %d wrong", p, sign, e.Votes.Cuts(), i)
				}
			}
			if report.Status != "converged" || e.Alpha[0] != 1 {
				t.Errorf("%v: status %q, weight %v of a perfect rule", p, report.Status, e.Alpha[0])
			}
		}
	}
}

// Of coordinates that are copies the first is taken.
func TestStumpTies(t *testing.T) {
	d := smooth(500, 2, 3)
	double := data.NewMatrix(500, 4)
	for i := range 500 {
		x := d.X.At(i).Value
		copy(double.Row(i), []float64{x[0], x[0], x[1], x[1]})
	}
	a := boost.NewAdaBoost(boost.NewStump())
	a.Rounds = 30
	for _, c := range fit(t, a, binary{X: double, Y: d.Y}).Votes.Cuts() {
		if c.Feature%2 != 0 {
			t.Fatalf("a copy was taken: %+v", c)
		}
	}
}

func TestStumpWideSparse(t *testing.T) {
	rows := make(data.Slice[data.Vector], 400)
	y := make([]float64, len(rows))
	for i := range rows {
		rows[i] = data.Vector{Index: []int32{int32(i * 97 % 5000), int32(5000 + i%2)}, Value: []float64{float64(i%5) - 2, 1}}
		y[i] = float64(2*(i%2) - 1)
	}
	e, report, err := boost.NewAdaBoost(boost.NewStump()).Fit(context.Background(), binary{X: rows, Y: y})
	if err != nil || report.Status != "converged" || e.Votes.Cuts()[0].Feature != 5000 {
		t.Fatalf("%v %v %v", e, report, err)
	}
	scores, err := e.ScoreAll(context.Background(), run.Control{}, rows)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range scores {
		if s != y[i] {
			t.Fatalf("row %d scores %v", i, s)
		}
	}
}
