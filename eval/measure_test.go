package eval_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/eval"
)

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s is %v and should be %v", what, got, want)
	}
}

// said draws what a model says of n rows: probabilities by the softmax of noisy
// scores.
func said(rng *rand.Rand, n, classes int, lift float64) eval.Said {
	s := eval.Said{Classes: classes, Truth: make([]int, n), Probabilities: data.NewMatrix(n, classes)}
	for i := range s.Truth {
		s.Truth[i] = rng.IntN(classes)
		row, sum := s.Probabilities.Row(i), 0.0
		for k := range row {
			v := rng.NormFloat64()
			if k == s.Truth[i] {
				v += lift
			}
			row[k] = math.Exp(math.Round(4*v) / 4) // ties
			sum += row[k]
		}
		for k := range row {
			row[k] /= sum
		}
	}
	return s
}

func TestAgainstScikitLearn(t *testing.T) {
	b, err := os.ReadFile("testdata/sklearn.json")
	if err != nil {
		t.Fatal(err)
	}
	var peer struct {
		Classes []struct {
			Classes               int
			Y                     []int
			P                     []float64
			Accuracy, Brier, AUC  float64
			Balanced              float64 `json:"balanced_accuracy"`
			Precision, Recall, F1 []float64
			MacroF1               float64 `json:"macro_f1"`
			LogLoss               float64 `json:"log_loss"`
		}
		Regression struct {
			Y, P          []float64
			RMSE, MAE, R2 float64
		}
	}
	if err := json.Unmarshal(b, &peer); err != nil {
		t.Fatal(err)
	}
	for _, p := range peer.Classes {
		c, err := eval.NewMeasure().Classification(t.Context(), eval.Said{
			Classes: p.Classes, Truth: p.Y, Probabilities: &data.Matrix{Rows: len(p.Y), Cols: p.Classes, Data: p.P},
		})
		if err != nil {
			t.Fatal(err)
		}
		near(t, "accuracy", c.Accuracy, p.Accuracy, 1e-12)
		near(t, "balanced accuracy", c.BalancedAccuracy, p.Balanced, 1e-12)
		near(t, "macro F1", *c.MacroF1, p.MacroF1, 1e-12)
		near(t, "log loss", *c.LogLoss, p.LogLoss, 1e-12)
		near(t, "Brier", *c.Brier, p.Brier, 1e-12)
		near(t, "AUC", *c.AUC, p.AUC, 1e-12)
		for k, one := range c.PerClass {
			near(t, "precision", *one.Precision, p.Precision[k], 1e-12)
			near(t, "recall", *one.Recall, p.Recall[k], 1e-12)
			near(t, "F1", *one.F1, p.F1[k], 1e-12)
		}
	}
	r, err := eval.NewMeasure().Regression(peer.Regression.P, peer.Regression.Y)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "RMSE", r.RMSE, peer.Regression.RMSE, 1e-12)
	near(t, "MAE", r.MAE, peer.Regression.MAE, 1e-12)
	near(t, "R²", *r.R2, peer.Regression.R2, 1e-12)
}

// TestProportion compares with the tables of the binomial distribution: 0 and
// 20 of 20 have ends 1 - 0.025^(1/20), and 5 of 10 is 0.1871 to 0.8129.
func TestProportion(t *testing.T) {
	for _, c := range []struct {
		count, n  int
		low, high float64
	}{
		{0, 20, 0, 1 - math.Pow(0.025, 1.0/20)}, {20, 20, math.Pow(0.025, 1.0/20), 1},
		{5, 10, 0.187086, 0.812914}, {1, 100, 0.000253, 0.054459}, {0, 0, 0, 1},
	} {
		i, err := eval.Proportion(c.count, c.n, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "low", i.Low, c.low, 1e-6)
		near(t, "high", i.High, c.high, 1e-6)
	}
	for _, c := range []float64{0, 1, math.NaN(), -1} {
		if _, err := eval.Proportion(1, 2, c); err == nil {
			t.Errorf("confidence %v is let through", c)
		}
	}
	if _, err := eval.Proportion(3, 2, 0.9); err == nil {
		t.Error("3 of 2 are let through")
	}
}

// TestDeLong compares AUC and the end of its interval with the definitions in
// O(n²): the kernel 1, 1/2 or 0 of each pair, its means over rows and columns,
// and their variances.
func TestDeLong(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	for _, n := range []int{4, 7, 8, 9, 63, 64, 65, 200} {
		s := said(rng, n, 2, 1)
		s.Truth[0], s.Truth[1], s.Truth[2], s.Truth[3] = 0, 0, 1, 1
		c, err := eval.NewMeasure().Classification(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		var pos, neg []float64
		for i, y := range s.Truth {
			d := s.Probabilities.Row(i)[1]
			if y == 1 {
				pos = append(pos, d)
			} else {
				neg = append(neg, d)
			}
		}
		byPos, byNeg := make([]float64, len(pos)), make([]float64, len(neg))
		auc := 0.0
		for i, p := range pos {
			for j, q := range neg {
				v := 0.0
				if p > q {
					v = 1
				} else if p == q {
					v = 0.5
				}
				auc += v / float64(len(pos)*len(neg))
				byPos[i] += v / float64(len(neg))
				byNeg[j] += v / float64(len(pos))
			}
		}
		near(t, "AUC", *c.AUC, auc, 1e-12)
		if auc == 1 {
			continue
		}
		variance := 0.0
		for _, side := range [][]float64{byPos, byNeg} {
			sum := 0.0
			for _, v := range side {
				sum += (v - auc) * (v - auc)
			}
			variance += sum / float64(len(side)-1) / float64(len(side))
		}
		reach := 1.959963984540054 * math.Sqrt(variance) / (auc * (1 - auc))
		low := 1 / (1 + math.Exp(-(math.Log(auc/(1-auc)) - reach)))
		near(t, "low end", c.Intervals.AUC.Low, low, 1e-9)
	}
}

// measures are the numbers of a report that have an interval.
func measures(c *eval.Classification) map[string]struct {
	value *float64
	in    *eval.Interval
} {
	type one = struct {
		value *float64
		in    *eval.Interval
	}
	m := map[string]one{
		"error": {&c.Error, c.Intervals.Error}, "accuracy": {&c.Accuracy, c.Intervals.Accuracy},
		"balanced accuracy": {&c.BalancedAccuracy, c.Intervals.BalancedAccuracy}, "macro F1": {c.MacroF1,
			c.Intervals.MacroF1},
		"AUC": {c.AUC, c.Intervals.AUC}, "log loss": {c.LogLoss, c.Intervals.LogLoss}, "Brier": {c.Brier, c.Intervals.Brier},
	}
	if len(c.PerClass) > 1 {
		p := c.PerClass[1]
		m["precision"], m["recall"], m["F1"] = one{p.Precision, p.Intervals.Precision}, one{p.Recall,
			p.Intervals.Recall}, one{p.F1, p.Intervals.F1}
	}
	return m
}

// TestIntervalsCover draws many samples from a distribution and counts how often
// the true value, that of a sample of 200,000 rows, is inside. For intervals of
// 95% and 300 samples fewer than 92% are seen with probability below 0.013 if
// the interval holds what it says, and fewer than 89% below 1e-5; those that are
// normal have the second as their limit, which leaves 3% for small samples.
func TestIntervalsCover(t *testing.T) {
	if testing.Short() {
		t.Skip("draws many samples")
	}
	const samples = 300
	for _, classes := range []int{2, 4} {
		rng := rand.New(rand.NewPCG(3, uint64(classes)))
		m := eval.NewMeasure()
		m.Resamples = 500
		all, err := m.Classification(t.Context(), said(rng, 200_000, classes, 1))
		if err != nil {
			t.Fatal(err)
		}
		truth := measures(all)
		hits := map[string]int{}
		for range samples {
			c, err := m.Classification(t.Context(), said(rng, 150, classes, 1))
			if err != nil {
				t.Fatal(err)
			}
			for name, one := range measures(c) {
				if one.in.Low <= *truth[name].value && *truth[name].value <= one.in.High {
					hits[name]++
				}
			}
			if i := c.Intervals.ECE; i.Low <= all.Calibration.ECE && all.Calibration.ECE <= i.High {
				hits["ECE"]++
			}
		}
		for name, h := range hits {
			t.Logf("%d classes, %s: %.3f covered", classes, name, float64(h)/samples)
			if float64(h) < 0.89*samples {
				t.Errorf("%d classes, %s: only %d of %d covered", classes, name, h, samples)
			}
		}
	}
}

// TestMacroF1Interval compares the standard error with the jackknife, which
// agrees with the delta method up to terms of order 1/n.
func TestMacroF1Interval(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	s := said(rng, 400, 3, 1)
	m := eval.NewMeasure()
	c, err := m.Classification(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	predicted := make([]int, len(s.Truth))
	for i := range predicted {
		row := s.Probabilities.Row(i)
		for k := range row {
			if row[k] > row[predicted[i]] {
				predicted[i] = k
			}
		}
	}
	without := make([]float64, len(s.Truth))
	mean := 0.0
	for i := range without {
		y := append(append([]int{}, s.Truth[:i]...), s.Truth[i+1:]...)
		p := append(append([]int{}, predicted[:i]...), predicted[i+1:]...)
		one, err := m.Classification(t.Context(), eval.Said{Classes: 3, Truth: y, Predicted: p})
		if err != nil {
			t.Fatal(err)
		}
		without[i] = *one.MacroF1
		mean += without[i] / float64(len(without))
	}
	sum := 0.0
	for _, v := range without {
		sum += (v - mean) * (v - mean)
	}
	n := float64(len(without))
	want := math.Sqrt(sum * (n - 1) / n)
	got := (c.Intervals.MacroF1.High - c.Intervals.MacroF1.Low) / 2 / 1.959963984540054
	near(t, "standard error relative to the jackknife", got/want, 1, 0.02)
}

func TestReliability(t *testing.T) {
	// Four bins; probabilities of the predicted class 0.5 (in the second bin,
	// which includes its upper end), 0.6, 0.7 and 1.
	s := eval.Said{Classes: 2, Truth: []int{0, 0, 1, 1}, Probabilities: &data.Matrix{Rows: 4, Cols: 2, Data: []float64{
		0.5, 0.5, 0.6, 0.4, 0.7, 0.3, 0, 1,
	}}}
	m := eval.NewMeasure()
	m.Bins = 4
	c, err := m.Classification(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	r := c.Calibration
	if len(r.Bins) != 3 || r.Bins[0].N != 1 || r.Bins[1].N != 2 || r.Bins[2].N != 1 || r.Bins[1].Low != 0.5 ||
		r.Bins[1].High != 0.75 {
		t.Fatalf("%+v", r.Bins)
	}
	near(t, "mean", r.Bins[1].Mean, 0.65, 1e-15)
	near(t, "accuracy", r.Bins[1].Accuracy, 0.5, 0)
	near(t, "ECE", r.ECE, (0.5+2*0.15+0)/4, 1e-15)
	near(t, "MCE", r.MCE, 0.5, 1e-15)
	near(t, "log loss", *c.LogLoss, -(math.Log(0.5)+math.Log(0.6)+math.Log(0.3))/4, 1e-15)
	near(t, "Brier", *c.Brier, (0.5+0.32+0.98)/4, 1e-15)
}

// finite fails for a number in JSON that could not have been written, which
// Marshal reports, and returns the text.
func finite(t interface{ Fatal(...any) }, v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestUndefined has rows that leave measures without a value: they are absent.
func TestUndefined(t *testing.T) {
	m := eval.NewMeasure()
	one := &data.Matrix{Rows: 1, Cols: 2, Data: []float64{0.25, 0.75}}
	c, err := m.Classification(t.Context(), eval.Said{Classes: 2, Truth: []int{1}, Probabilities: one})
	if err != nil {
		t.Fatal(err)
	}
	text := finite(t, c)
	if c.AUC != nil || c.Intervals.LogLoss != nil || strings.Contains(text, `"auc"`) || c.PerClass[0].F1 != nil ||
		*c.MacroF1 != 1 {
		t.Errorf("one row: %s", text)
	}
	if c.Intervals.MacroF1.High != 1 || !(c.Intervals.MacroF1.Low < 0.1) {
		t.Errorf("one row: %+v", c.Intervals.MacroF1)
	}
	c, err = m.Classification(t.Context(), eval.Said{Classes: 2, Truth: []int{-1}, Probabilities: one})
	if err != nil {
		t.Fatal(err)
	}
	if text = finite(t, c); c.Error != 1 || c.Unknown != 1 || c.AUC != nil || c.LogLoss != nil || c.Brier != nil ||
		c.Intervals.BalancedAccuracy != nil || *c.MacroF1 != 0 {
		t.Errorf("unknown class: %s", text)
	}
	c, err = m.Classification(t.Context(), eval.Said{Classes: 2, Truth: []int{1, 0}, Predicted: []int{1, 1}})
	if err != nil {
		t.Fatal(err)
	}
	if text = finite(t, c); c.AUC != nil || c.Calibration != nil || c.PerClass[0].Precision != nil ||
		*c.PerClass[0].F1 != 0 {
		t.Errorf("classes only: %s", text)
	}
	if _, err := m.Classification(t.Context(), eval.Said{Classes: 2, Predicted: []int{}}); !errors.Is(err,
		eval.ErrNoRows) {
		t.Errorf("no rows: %v", err)
	}
	r, err := m.Regression([]float64{1}, []float64{3})
	if err != nil || r.RMSE != 2 || r.MAE != 2 || r.R2 != nil || r.Intervals.MAE != nil {
		t.Errorf("one row: %s, %v", finite(t, r), err)
	}
	r, err = m.Regression([]float64{1, 2, 4}, []float64{0.1, 0.1, 0.1})
	if err != nil || r.R2 != nil || r.Intervals.RMSE == nil {
		t.Errorf("constant: %s, %v", finite(t, r), err)
	}
	if _, err := m.Regression(nil, nil); !errors.Is(err, eval.ErrNoRows) {
		t.Errorf("no rows: %v", err)
	}
}

// TestPerfectOrder has AUC 1, 0 and 1/2 without spread: the interval is that of
// disjoint pairs, 0.025^(1/m) to 1 for the first.
func TestPerfectOrder(t *testing.T) {
	for _, c := range []struct {
		score          func(y int) float64
		auc, low, high float64
	}{
		{func(y int) float64 { return float64(y) }, 1, math.Pow(0.025, 0.1), 1},
		{func(y int) float64 { return -float64(y) }, 0, 0, 1 - math.Pow(0.025, 0.1)},
		// KL(½‖q) = -½·ln(4q(1-q)) = ln(40)/10
		{func(int) float64 { return 3 }, 0.5, (1 - math.Sqrt(1-math.Pow(40, -0.2))) / 2,
			(1 + math.Sqrt(1-math.Pow(40, -0.2))) / 2},
	} {
		s := eval.Said{Classes: 2, Scores: data.NewMatrix(40, 2)}
		for i := range 40 {
			y := min(i/10, 1) // ten of class 0, thirty of class 1
			s.Truth = append(s.Truth, y)
			s.Scores.Row(i)[1] = c.score(y)
		}
		got, err := eval.NewMeasure().Classification(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "AUC", *got.AUC, c.auc, 1e-15)
		near(t, "low", got.Intervals.AUC.Low, c.low, 1e-9)
		near(t, "high", got.Intervals.AUC.High, c.high, 1e-9)
		if got.Intervals.AUC.Method != eval.Chernoff {
			t.Errorf("by %s", got.Intervals.AUC.Method)
		}
	}
}

// TestAnyInput: whatever is let through gives finite numbers that lie in their
// ranges, with ordered intervals.
func TestAnyInput(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, classes := rapid.IntRange(1, 12).Draw(t, "n"), rapid.IntRange(1, 4).Draw(t, "classes")
		s := eval.Said{Classes: classes, Scores: data.NewMatrix(n, classes), Probabilities: data.NewMatrix(n, classes)}
		for i := range n {
			s.Truth = append(s.Truth, rapid.IntRange(-1, classes-1).Draw(t, "truth"))
			sum := 0.0
			for k := range classes {
				s.Scores.Row(i)[k] = rapid.Float64Range(-math.MaxFloat64, math.MaxFloat64).Draw(t, "score")
				s.Probabilities.Row(i)[k] = float64(rapid.IntRange(0, 3).Draw(t, "part")) + 1e-30
				sum += s.Probabilities.Row(i)[k]
			}
			for k := range classes {
				s.Probabilities.Row(i)[k] /= sum
			}
		}
		c, err := eval.NewMeasure().Classification(context.Background(), s)
		if err != nil {
			t.Fatal(err)
		}
		finite(t, c)
		for name, one := range measures(c) {
			if (one.value == nil) && one.in != nil {
				t.Fatalf("%s: an interval of nothing", name)
			}
			if one.in != nil && !(one.in.Low <= *one.value+1e-12 && *one.value <= one.in.High+1e-12) {
				t.Fatalf("%s: %v is not in %+v", name, *one.value, *one.in)
			}
		}
		predicted, truth := make([]float64, n), make([]float64, n)
		for i := range truth {
			predicted[i] = rapid.Float64Range(-1e307, 1e307).Draw(t, "predicted")
			truth[i] = rapid.Float64Range(-1e307, 1e307).Draw(t, "value")
		}
		r, err := eval.NewMeasure().Regression(predicted, truth)
		if err != nil {
			t.Fatal(err)
		}
		finite(t, r)
		if !(r.MAE <= r.RMSE*(1+1e-12)) || r.R2 != nil && *r.R2 > 1 {
			t.Fatalf("%+v", r)
		}
	})
}

// TestRegressionIntervals covers as TestIntervalsCover does.
func TestRegressionIntervals(t *testing.T) {
	const samples = 500
	rng := rand.New(rand.NewPCG(5, 1))
	draw := func(n int) (*eval.Regression, error) {
		predicted, truth := make([]float64, n), make([]float64, n)
		for i := range truth {
			predicted[i] = 2 * rng.NormFloat64()
			truth[i] = predicted[i] + rng.NormFloat64()
		}
		return eval.NewMeasure().Regression(predicted, truth)
	}
	hits := [3]int{}
	for range samples {
		r, err := draw(150)
		if err != nil {
			t.Fatal(err)
		}
		for k, c := range []struct {
			in   *eval.Interval
			true float64
		}{{r.Intervals.RMSE, 1}, {r.Intervals.MAE, math.Sqrt(2 / math.Pi)}, {r.Intervals.R2, 0.8}} {
			if c.in.Low <= c.true && c.true <= c.in.High {
				hits[k]++
			}
		}
	}
	t.Logf("of %d samples %v covered RMSE, MAE, R²", samples, hits)
	for k, h := range hits {
		if float64(h) < 0.90*samples {
			t.Errorf("measure %d: only %d of %d covered", k, h, samples)
		}
	}
}

func TestMeasureBadInput(t *testing.T) {
	m := eval.NewMeasure()
	half := &data.Matrix{Rows: 1, Cols: 2, Data: []float64{0.5, 0.5}}
	with := func(a, b float64) *data.Matrix { return &data.Matrix{Rows: 1, Cols: 2, Data: []float64{a, b}} }
	for _, s := range []eval.Said{
		{Classes: 0, Truth: []int{0}, Predicted: []int{0}},
		{Classes: 2, Truth: []int{0}},
		{Classes: 2, Truth: []int{0}, Predicted: []int{0, 1}},
		{Classes: 2, Truth: []int{2}, Predicted: []int{0}},
		{Classes: 2, Truth: []int{-2}, Predicted: []int{0}},
		{Classes: 2, Truth: []int{0}, Predicted: []int{-1}},
		{Classes: 2, Truth: []int{0, 1}, Probabilities: half},
		{Classes: 3, Truth: []int{0}, Scores: half},
		{Classes: 2, Truth: []int{0}, Scores: with(math.NaN(), 0)},
		{Classes: 2, Truth: []int{0}, Scores: with(math.Inf(1), 0)},
		{Classes: 2, Truth: []int{0}, Probabilities: with(-0.5, 1.5)},
		{Classes: 2, Truth: []int{0}, Probabilities: with(0.5, 0.4)},
	} {
		if _, err := m.Classification(t.Context(), s); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%+v: %v", s, err)
		}
	}
	for _, v := range [][2][]float64{{{1}, nil}, {{math.NaN()}, {1}}, {{1}, {math.Inf(-1)}}, {{-1.7e308}, {1.7e308}}} {
		if _, err := m.Regression(v[0], v[1]); err == nil {
			t.Errorf("%v is let through", v)
		}
	}
	err := eval.Measure{Confidence: 1, Bins: 0, Resamples: -1}.Validate()
	for _, field := range []string{"confidence", "bins", "resamples"} {
		if err == nil || !strings.Contains(err.Error(), field) {
			t.Errorf("%v does not name %s", err, field)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.Classification(ctx, eval.Said{Classes: 2, Truth: []int{0}, Scores: half}); !errors.Is(err,
		context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestMeasureRepeats(t *testing.T) {
	s := said(rand.New(rand.NewPCG(6, 1)), 2000, 3, 3)
	m := eval.NewMeasure()
	a, err := m.Classification(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	b, _ := m.Classification(t.Context(), s)
	if !reflect.DeepEqual(a, b) {
		t.Error("the same seed gives something else")
	}
	m.Seed = 9
	c, _ := m.Classification(t.Context(), s)
	if *c.Intervals.ECE == *a.Intervals.ECE || c.Calibration.ECE != a.Calibration.ECE {
		t.Error("the seed should change the interval of the calibration error, and nothing else")
	}
}
