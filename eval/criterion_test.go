package eval_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/eval"
)

// naiveLoss is a criterion of classes from its formula, row by row and pair by pair; weights are whole
// numbers, and a row of weight k is k rows.
func naiveLoss(c eval.Criterion, scores *data.Matrix, y []int, weight []float64) float64 {
	k := scores.Cols
	var rows []int
	for i := range y {
		for range int(weight[i]) {
			rows = append(rows, i)
		}
	}
	best := func(i int) int {
		at := 0
		for c, v := range scores.Row(i) {
			if v > scores.Row(i)[at] {
				at = c
			}
		}
		return at
	}
	count := func(keep func(i int) bool) float64 {
		n := 0.0
		for _, i := range rows {
			if keep(i) {
				n++
			}
		}
		return n
	}
	switch c {
	case eval.ByError:
		return count(func(i int) bool { return best(i) != y[i] }) / float64(len(rows))
	case eval.ByBalanced:
		sum, present := 0.0, 0.0
		for c := range k {
			if n := count(func(i int) bool { return y[i] == c }); n > 0 {
				sum += count(func(i int) bool { return y[i] == c && best(i) == c }) / n
				present++
			}
		}
		return 1 - sum/present
	case eval.ByF1:
		f1 := func(c int) float64 {
			both := count(func(i int) bool { return y[i] == c && best(i) == c })
			return 2 * both / (count(func(i int) bool { return y[i] == c }) + count(func(i int) bool { return best(i) == c }))
		}
		if k == 2 {
			if count(func(i int) bool { return y[i] == 0 }) < count(func(i int) bool { return y[i] == 1 }) {
				return 1 - f1(0)
			}
			return 1 - f1(1)
		}
		sum := 0.0
		for c := range k {
			sum += f1(c)
		}
		return 1 - sum/float64(k)
	case eval.ByAUC:
		area := func(score func(i int) float64, c int) float64 {
			won, pairs := 0.0, 0.0
			for _, i := range rows {
				for _, j := range rows {
					if y[i] != c || y[j] == c {
						continue
					}
					pairs++
					switch {
					case score(i) > score(j):
						won++
					case score(i) == score(j):
						won += 0.5
					}
				}
			}
			return won / pairs
		}
		if k == 2 {
			return 1 - area(func(i int) float64 { return scores.Row(i)[1] - scores.Row(i)[0] }, 1)
		}
		sum := 0.0
		for c := range k {
			sum += area(func(i int) float64 { return scores.Row(i)[c] }, c)
		}
		return 1 - sum/float64(k)
	}
	least := math.Inf(1) // of the log loss, over a fine grid of temperatures
	for step := -400; step <= 400; step++ {
		t, sum := math.Exp(float64(step)/100), 0.0
		for _, i := range rows {
			all := 0.0
			for _, v := range scores.Row(i) {
				all += math.Exp((v - scores.Row(i)[y[i]]) / t)
			}
			sum += math.Log(all)
		}
		least = min(least, sum/float64(len(rows)))
	}
	return least
}

func TestCriteria(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, k := range []int{2, 3, 5} {
		n := 120
		scores, y, weight := data.NewMatrix(n, k), make([]int, n), make([]float64, n)
		for i := range y {
			y[i], weight[i] = min(r.IntN(k+2), k-1), float64(r.IntN(4))
			for c := range k {
				scores.Row(i)[c] = math.Round(4*r.NormFloat64()) / 4
			}
			scores.Row(i)[y[i]] += 1
		}
		for _, c := range eval.Criteria {
			if c.OfNumbers() {
				continue
			}
			got, want, bound := c.Classes(scores, y, weight), naiveLoss(c, scores, y, weight), 1e-12
			if c == eval.ByLogLoss {
				// The grid is 1% apart, and the targets of the fit are not quite 0 and 1.
				bound = 1e-3
			}
			if math.Abs(got-want) > bound {
				t.Errorf("%s of %d classes: %v, want %v", c, k, got, want)
			}
		}
	}
	predicted, truth, weight := []float64{1, 2, 4}, []float64{0, 2, 1}, []float64{1, 5, 2}
	if got := eval.ByMAE.Numbers(predicted, truth, weight); got != 7.0/8 {
		t.Errorf("MAE %v, want 7/8", got)
	}
	if got := eval.ByRMSE.Numbers(predicted, truth, weight); math.Abs(got-math.Sqrt(19.0/8)) > 1e-15 {
		t.Errorf("RMSE %v, want √(19/8)", got)
	}
}

// TestCriteriaOfNothing: rows of one class, of no known class and none at all have a finite loss.
func TestCriteriaOfNothing(t *testing.T) {
	for _, y := range [][]int{nil, {1, 1, 1}, {-1, -1}} {
		scores := data.NewMatrix(len(y), 2)
		for _, c := range eval.Criteria {
			if v := c.Classes(scores, y, nil); !(v >= 0 && v <= 1) {
				t.Errorf("%s of %v: %v", c, y, v)
			}
		}
	}
	for name, want := range map[string]eval.Criterion{"AUC": eval.ByAUC, "r2": eval.ByRMSE, "accuracy": eval.ByError} {
		if got, err := eval.ParseCriterion(name); got != want || err != nil {
			t.Errorf("%s is %s, %v", name, got, err)
		}
	}
	if _, err := eval.ParseCriterion("nothing"); err == nil {
		t.Error("nothing is a metric")
	}
}
