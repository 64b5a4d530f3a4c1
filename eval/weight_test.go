package eval_test

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/eval"
	"github.com/kerf-ml/kerf/internal/seed"
)

// weighedRows are rows with scores and probabilities, some of unknown class, with
// whole weights, and the list that has each row as often as its weight says.
func weighedRows(n, classes int, stream uint64) (s eval.Said, weight []float64, index []int) {
	r := seed.Stream(21, seed.Generator, stream)
	s = eval.Said{Classes: classes, Scores: data.NewMatrix(n, classes), Probabilities: data.NewMatrix(n, classes)}
	for i := range n {
		t := r.IntN(classes+1) - 1
		s.Truth = append(s.Truth, t)
		sum, row := 0.0, s.Scores.Row(i)
		for k := range row {
			row[k] = math.Round(4*r.NormFloat64()) / 2 // ties
		}
		if t >= 0 {
			row[t] += 1.5
		}
		for k, v := range row {
			s.Probabilities.Row(i)[k] = math.Exp(v)
			sum += math.Exp(v)
		}
		for k := range row {
			s.Probabilities.Row(i)[k] /= sum
		}
		w := r.IntN(4)
		weight = append(weight, float64(w))
		for range w {
			index = append(index, i)
		}
	}
	return s, weight, index
}

func selectSaid(s eval.Said, index []int) eval.Said {
	out := eval.Said{Classes: s.Classes, Scores: data.NewMatrix(len(index), s.Classes),
		Probabilities: data.NewMatrix(len(index), s.Classes)}
	for a, i := range index {
		out.Truth = append(out.Truth, s.Truth[i])
		copy(out.Scores.Row(a), s.Scores.Row(i))
		copy(out.Probabilities.Row(a), s.Probabilities.Row(i))
	}
	return out
}

// same asks that two values that may be missing are the same but for rounding.
func same(t *testing.T, what string, a, b *float64) {
	t.Helper()
	if (a == nil) != (b == nil) || a != nil && math.Abs(*a-*b) > 1e-12*(1+math.Abs(*b)) {
		t.Errorf("%s: %v and %v", what, show(a), show(b))
	}
}

func show(v *float64) any {
	if v == nil {
		return nil
	}
	return *v
}

// TestWeightIsRepetition: in every measure a row of weight k is k rows.
func TestWeightIsRepetition(t *testing.T) {
	for _, classes := range []int{1, 2, 4} {
		for stream, n := range []int{3, 8, 40, 200} {
			s, weight, index := weighedRows(n, classes, uint64(stream))
			if len(index) == 0 {
				continue
			}
			m := eval.NewMeasure()
			b, err := m.Classification(t.Context(), selectSaid(s, index))
			if err != nil {
				t.Fatal(err)
			}
			m.Weight = weight
			a, err := m.Classification(t.Context(), s)
			if err != nil {
				t.Fatal(err)
			}
			same(t, "error", &a.Error, &b.Error)
			same(t, "accuracy", &a.Accuracy, &b.Accuracy)
			same(t, "balanced accuracy", &a.BalancedAccuracy, &b.BalancedAccuracy)
			same(t, "macro F1", a.MacroF1, b.MacroF1)
			same(t, "AUC", a.AUC, b.AUC)
			same(t, "log loss", a.LogLoss, b.LogLoss)
			same(t, "Brier", a.Brier, b.Brier)
			same(t, "ECE", &a.Calibration.ECE, &b.Calibration.ECE)
			same(t, "MCE", &a.Calibration.MCE, &b.Calibration.MCE)
			for k := range a.PerClass {
				same(t, "precision", a.PerClass[k].Precision, b.PerClass[k].Precision)
				same(t, "recall", a.PerClass[k].Recall, b.PerClass[k].Recall)
				same(t, "class F1", a.PerClass[k].F1, b.PerClass[k].F1)
			}
			for i := range a.Calibration.Bins {
				same(t, "mean of a bin", &a.Calibration.Bins[i].Mean, &b.Calibration.Bins[i].Mean)
				same(t, "accuracy of a bin", &a.Calibration.Bins[i].Accuracy, &b.Calibration.Bins[i].Accuracy)
			}
			if a.Weights.Sum != float64(len(index)) || a.N+a.Weights.Zero != n {
				t.Errorf("weights %+v of %d rows, %d", *a.Weights, a.N, n)
			}
		}
	}
}

func TestRegressionWeightIsRepetition(t *testing.T) {
	r := seed.Stream(22, seed.Generator, 0)
	for _, n := range []int{2, 9, 100} {
		var p, y, weight, p2, y2 []float64
		for i := range n {
			v := 5 * r.NormFloat64()
			p, y, weight = append(p, v+r.NormFloat64()), append(y, v), append(weight, float64((i+1)%4))
			for range (i + 1) % 4 {
				p2, y2 = append(p2, p[i]), append(y2, v)
			}
		}
		m := eval.NewMeasure()
		b, err := m.Regression(p2, y2)
		if err != nil {
			t.Fatal(err)
		}
		m.Weight = weight
		a, err := m.Regression(p, y)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "RMSE", &a.RMSE, &b.RMSE)
		same(t, "MAE", &a.MAE, &b.MAE)
		same(t, "R²", a.R2, b.R2)
	}
}

// TestEqualWeights: weights that are all the same, in any unit, change nothing,
// the intervals included.
func TestEqualWeights(t *testing.T) {
	s, _, _ := weighedRows(120, 3, 9)
	m := eval.NewMeasure()
	plain, err := m.Classification(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	m.Weight = make([]float64, 120)
	for i := range m.Weight {
		m.Weight[i] = 0.3e7
	}
	equal, err := m.Classification(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(equal.Weights.Effective-120) > 1e-9 {
		t.Errorf("120 rows of equal weight are worth %v", equal.Weights.Effective)
	}
	equal.Weights = nil
	alike(t, "", tree(t, plain), tree(t, equal))
}

func tree(t *testing.T, v any) any {
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var out any
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// alike compares what JSON says, but for rounding and the name of a method.
func alike(t *testing.T, at string, a, b any) {
	t.Helper()
	switch a := a.(type) {
	case map[string]any:
		b, _ := b.(map[string]any)
		if len(a) != len(b) {
			t.Errorf("%s: %v and %v", at, a, b)
			return
		}
		for k := range a {
			if k != "method" {
				alike(t, at+"."+k, a[k], b[k])
			}
		}
	case []any:
		b, _ := b.([]any)
		if len(a) != len(b) {
			t.Errorf("%s: %v and %v", at, a, b)
			return
		}
		for i := range a {
			alike(t, at, a[i], b[i])
		}
	case float64:
		if b, ok := b.(float64); !ok || math.Abs(a-b) > 1e-9*(1+math.Abs(a)) {
			t.Errorf("%s: %v and %v", at, a, b)
		}
	default:
		if !reflect.DeepEqual(a, b) {
			t.Errorf("%s: %v and %v", at, a, b)
		}
	}
}

// TestWeightedIntervalsCover: with weights that go with the row, intervals cover
// the measure over the weighted distribution about as often as they say. A row is
// wrong with chance 0.1 where its weight is 1 and 0.4 where it is 3: by weight, of
// as many of both, (0.1 + 3·0.4)/4 are.
func TestWeightedIntervalsCover(t *testing.T) {
	const trials, n, truth = 400, 150, 0.325
	r := seed.Stream(23, seed.Generator, 0)
	errors, means := 0, 0
	for range trials {
		s := eval.Said{Classes: 2}
		m := eval.NewMeasure()
		var e, zero []float64
		for range n {
			w, chance := 1.0, 0.1
			if r.Float64() < 0.5 {
				w, chance = 3, 0.4
			}
			wrong := 0
			if r.Float64() < chance {
				wrong = 1
			}
			y := r.IntN(2)
			s.Truth, s.Predicted, m.Weight = append(s.Truth, y), append(s.Predicted, (y+wrong)%2), append(m.Weight, w)
			e, zero = append(e, float64(wrong)), append(zero, 0)
		}
		c, err := m.Classification(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		if i := c.Intervals.Error; i.Low <= truth && truth <= i.High {
			errors++
		}
		g, err := m.Regression(e, zero)
		if err != nil {
			t.Fatal(err)
		}
		if i := g.Intervals.MAE; i.Low <= truth && truth <= i.High {
			means++
		}
	}
	t.Logf("covered: error %d, mean %d of %d", errors, means, trials)
	// 95% but for three standard deviations, and the normal one for its approximation
	if errors < 0.92*trials || means < 0.91*trials {
		t.Errorf("covered: error %d, mean %d of %d", errors, means, trials)
	}
}

func TestOddWeights(t *testing.T) {
	s, _, _ := weighedRows(30, 3, 5)
	m := eval.NewMeasure()
	for _, odd := range [][]float64{{-1}, {math.NaN()}, {math.Inf(1)}, {0}} {
		m.Weight = make([]float64, 30)
		m.Weight[7] = odd[0]
		if _, err := m.Classification(t.Context(), s); err == nil {
			t.Errorf("weights with %v were taken", odd[0])
		}
		if _, err := m.Regression(make([]float64, 30), make([]float64, 30)); err == nil {
			t.Errorf("weights with %v were taken", odd[0])
		}
	}
	m.Weight = m.Weight[1:]
	if _, err := m.Classification(t.Context(), s); err == nil {
		t.Error("29 weights of 30 rows were taken")
	}
	m.Weight = make([]float64, 30)
	for i := range m.Weight {
		m.Weight[i] = []float64{1e150, 1e-150, 0}[i%3]
	}
	c, err := m.Classification(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	tree(t, c) // no NaN is there to write
	g, err := m.Regression(s.Scores.Data[:30], make([]float64, 30))
	if err != nil {
		t.Fatal(err)
	}
	tree(t, g)
}
