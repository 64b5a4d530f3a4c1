package job

import (
	"math"
	"slices"
	gotest "testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/eval"
	"github.com/kerf-ml/kerf/model"
)

// classed returns rows of k classes in turn.
func classed(n, k int) model.Sample[data.Vector] {
	x, y, names := data.NewMatrix(n, 1), make([]int, n), []string{}
	for c := range k {
		names = append(names, string(rune('a'+c)))
	}
	for i := range n {
		x.Data[i], y[i] = float64(i), i%k
	}
	return model.Sample[data.Vector]{Task: model.Classify, X: x, Classes: data.NewClasses(names), Y: y}
}

// TestDivide sees that no row is fitted to and measured on, and that folds measure all.
func TestDivide(t *gotest.T) {
	size, err := Normal.rungs()
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{20, 299, 301, 1000, 1001, 3750, 3751, 9000} {
		s := classed(n, 3)
		first, second, err := divide(s, size, 1)
		if err != nil {
			t.Fatal(n, err)
		}
		for _, r := range []rung{first, second} {
			times := make([]int, n)
			for _, d := range r.parts {
				for _, i := range d.measure {
					times[i]++
					if slices.Contains(d.fit, i) {
						t.Fatalf("%d rows: row %d is fitted to and measured on", n, i)
					}
				}
			}
			if len(r.parts) > 1 && slices.Min(times) != slices.Max(times) {
				t.Errorf("%d rows: folds measure rows from %d to %d times", n, slices.Min(times), slices.Max(times))
			}
			if len(r.parts) == 1 && (r.rows > size.second || r.sample > size.measure+3) {
				t.Errorf("%d rows: %d are fitted to and %d measured on", n, r.rows, r.sample)
			}
			if spare := n - size.second; len(r.parts) == 1 && r.sample < min(size.measure, spare)-3 {
				t.Errorf("%d rows: %d are measured on, of %d that none is fitted to", n, r.sample, spare)
			}
		}
	}
}

// TestPlace puts scores by the names of classes.
func TestPlace(t *gotest.T) {
	all := data.NewMatrix(3, 3)
	some := &data.Matrix{Rows: 1, Cols: 2, Data: []float64{5, 7}}
	place(all, 1, some, data.NewClasses([]string{"a", "c"}), data.NewClasses([]string{"a", "b", "c"}))
	if want := []float64{0, 0, 0, 5, absent, 7, 0, 0, 0}; !slices.Equal(all.Data, want) {
		t.Errorf("the scores are %v and must be %v", all.Data, want)
	}
}

// TestJudge compares the loss with its definition: the constant answer has the loss 2,
// the perfect one 0.
func TestJudge(t *gotest.T) {
	s := classed(30, 3)
	s.Y[0] = 1 // one class is the most frequent
	j, squared := newJudge(s, false), newJudge(s, true)
	perfect, flat := data.NewMatrix(30, 3), data.NewMatrix(30, 3)
	count := make([]float64, 3)
	for _, c := range s.Y {
		count[c]++
	}
	for i, c := range s.Y {
		for k := range 3 {
			perfect.Row(i)[k] = -1
			flat.Row(i)[k] = 2*count[k]/30 - 1
		}
		perfect.Row(i)[c] = 1
	}
	if v := j.loss(perfect); v != 0 {
		t.Errorf("the perfect scores have the loss %v", v)
	}
	if v := j.loss(flat); math.Abs(v-2) > 1e-12 {
		t.Errorf("the constant scores have the loss %v and must have 2", v)
	}
	if v := squared.loss(perfect); v != 0 {
		t.Errorf("by squares the perfect scores have the loss %v", v)
	}
	if v := squared.loss(flat); math.Abs(v-1) > 1e-12 {
		t.Errorf("by squares the constant scores have the loss %v and must have 1", v)
	}
	near, sure := data.NewMatrix(30, 3), data.NewMatrix(30, 3) // one row is just wrong; all are just right
	copy(near.Data, perfect.Data)
	near.Row(0)[0] = near.Row(0)[1] + 0.01
	for i, v := range perfect.Data {
		sure.Data[i] = 0.1 * v
	}
	if squared.loss(near) > squared.loss(sure) || j.loss(near) < squared.loss(near) {
		t.Errorf("one row that is just wrong has the loss %v, all just right %v", squared.loss(near), squared.loss(sure))
	}
}

// TestBySquares names the rows that a count of errors would choose on by chance.
func TestBySquares(t *gotest.T) {
	for _, c := range []struct {
		rows int
		task model.Task
		by   eval.Criterion
		want bool
	}{
		{foldedRows, model.Classify, "", true},
		{foldedRows, model.Classify, eval.ByError, true},
		{foldedRows + 1, model.Classify, eval.ByError, false},
		{leastSearched, model.Classify, eval.ByAUC, false},
		{leastSearched, model.Classify, eval.ByBalanced, false},
		{leastSearched, model.Regress, eval.ByRMSE, false},
	} {
		s := classed(c.rows, 2)
		s.Task, s.By = c.task, c.by
		if c.task == model.Regress {
			s.Values = make([]float64, c.rows)
		}
		if got := bySquares(s); got != c.want {
			t.Errorf("%d rows, to %s by %q: %v", c.rows, c.task, c.by, got)
		}
	}
}

// TestGrowth goes on by the power that the error fell by, within bounds.
func TestGrowth(t *gotest.T) {
	s := &search{views: []view{{part: &part[data.Vector]{train: classed(4000, 2)}}},
		second: rung{parts: make([]division, 1)}}
	for _, c := range []struct{ before, now, want float64 }{
		{0.2, 0.1, math.Pow(4, -steepest)}, {0.1, 0.1, 1}, {0.1, 0.2, 1}, {0.12, 0.1, math.Pow(4, -math.Log2(1.2))},
	} {
		a := &arm{before: c.before, beforeRows: 500, error: c.now, rows: 1000}
		if got := s.growth(a); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("from %v to %v it grows by %v and must by %v", c.before, c.now, got, c.want)
		}
	}
}

// TestHeld takes the mean of the scores of a row that was measured twice.
func TestHeld(t *gotest.T) {
	s := &search{second: newRung(division{measure: []int{2, 0}}, division{measure: []int{0}})}
	scores := &data.Matrix{Rows: 3, Cols: 1, Data: []float64{4, 1, 3}}
	got := s.held(classed(3, 3), scores)
	if !slices.Equal(got.Scores.Data, []float64{4, 2}) || !slices.Equal(got.Y, []int{2, 0}) {
		t.Errorf("held are %v of the classes %v", got.Scores.Data, got.Y)
	}
}

// TestOdds turns log odds into expected signs.
func TestOdds(t *gotest.T) {
	got := odds(&data.Matrix{Rows: 1, Cols: 3, Data: []float64{0, math.Log(3), math.Inf(-1)}})
	for i, want := range []float64{0, 0.5, -1} { // of log 3 the probability is 3/4
		if math.Abs(got.Data[i]-want) > 1e-15 {
			t.Errorf("%d: %v, want %v", i, got.Data[i], want)
		}
	}
}

// TestSquareLength is the mean over rows, and 1 where it says nothing.
func TestSquareLength(t *gotest.T) {
	if got := squareLength(data.Slice[data.Vector]{data.Dense(3, 4), data.Dense(1, 0)}); got != 13 {
		t.Errorf("%v, want 13", got)
	}
	if got := squareLength(data.Slice[data.Vector]{data.Dense(0, 0)}); got != 1 {
		t.Errorf("of zeros: %v, want 1", got)
	}
}
