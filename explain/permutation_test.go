package explain_test

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/kerf-ml/kerf/explain"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/run"
)

// TestColumns compares with the formula: cells of records exchanged, predicted one by
// one, and counted.
func TestColumns(t *testing.T) {
	for _, c := range []struct {
		classes int
		learner string
		metrics []string
	}{
		{2, "svm(C=1)", []string{"", "auc", "balanced", "f1", "logloss"}}, {4, "svm(C=1)", []string{"error", "auc"}},
		{4, "kernel-svm(C=1)", []string{"error"}}, {0, "ridge", []string{"", "mae", "r2"}},
	} {
		path := put(t, "t.csv", mixed(60, c.classes))
		mapped := "f2(dim=20)"
		if c.learner == "kernel-svm(C=1)" {
			mapped = ""
		}
		m := trained(t, path, "rbf(gamma=0.3)", mapped, c.learner)
		rows, x := read(t, m, path)
		titles, cells, err := rows.Cells([]string{"all"})
		if err != nil {
			t.Fatal(err)
		}
		y := truth(t, m, rows)
		y.Weight = make([]float64, y.Len())
		for i := range y.Weight {
			y.Weight[i] = float64(1 + i%3)
		}
		for _, metric := range c.metrics {
			p := explain.NewPermutation()
			p.Metric, p.Repeats = metric, 2
			got, err := p.Columns(t.Context(), m, x, y)
			if err != nil {
				t.Fatal(err)
			}
			if len(got.Importance) != 5 {
				t.Fatalf("there are %d columns", len(got.Importance))
			}
			for _, one := range got.Importance {
				j := 0
				for titles[j] != one.Column {
					j++
				}
				want := 0.0
				for pass := range p.Repeats {
					donor := p.Donors(len(cells), pass)
					weight := make([]float64, len(cells))
					before, after := make([]model.Prediction, len(cells)), make([]model.Prediction, len(cells))
					for i := range cells {
						weight[i] = y.Weight[i] * y.Weight[donor[i]]
						record := append([]string(nil), cells[i]...)
						before[i] = predict(t, m, record)
						record[j] = cells[donor[i]][j]
						after[i] = predict(t, m, record)
					}
					want += (naive(metric, m, after, y, weight) - naive(metric, m, before, y, weight)) / float64(p.Repeats)
				}
				if math.Abs(one.Mean-want) > 1e-12 || !(one.Low <= one.Mean && one.Mean <= one.High) {
					t.Errorf("%s by %q: %s is %v in [%v, %v], want %v", c.learner, metric, one.Column, one.Mean, one.Low,
						one.High, want)
				}
			}
		}
	}
}

func predict(t *testing.T, m *model.Model, record []string) model.Prediction {
	t.Helper()
	out, err := m.Predict(record)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// naive is a loss of predictions.
func naive(metric string, m *model.Model, said []model.Prediction, y explain.Truth, weight []float64) float64 {
	n, sum, all := len(said), 0.0, 0.0
	for _, w := range weight {
		all += w
	}
	if m.Regresses() {
		mean, spread := 0.0, 0.0
		for i, v := range y.Values {
			mean += weight[i] * v / all
		}
		for i, v := range y.Values {
			e := said[i].Value - v
			if metric == "mae" {
				sum += weight[i] * math.Abs(e)
			} else {
				sum += weight[i] * e * e
			}
			spread += weight[i] * (v - mean) * (v - mean)
		}
		switch metric {
		case "mae":
			return sum / all
		case "r2":
			return sum / spread
		}
		return math.Sqrt(sum / all)
	}
	k := m.Classes.Len()
	right, total := make([]float64, k), make([]float64, k)
	called := make([]float64, k)
	for i := range n {
		total[y.Classes[i]] += weight[i]
		c, _ := m.Classes.Index(said[i].Label)
		called[c] += weight[i]
		if c == y.Classes[i] {
			right[c] += weight[i]
		} else {
			sum += weight[i]
		}
	}
	switch metric {
	case "auc":
		loss := 0.0
		for c := range k {
			above, pairs := 0.0, 0.0
			for i := range n {
				for j := range n {
					if y.Classes[i] == c && y.Classes[j] != c {
						w := weight[i] * weight[j]
						pairs += w
						if d := said[i].Scores[c] - said[j].Scores[c]; d > 0 {
							above += w
						} else if d == 0 {
							above += w / 2
						}
					}
				}
			}
			loss += (1 - above/pairs) / float64(k)
		}
		return loss
	case "balanced":
		mean := 0.0
		for c := range k {
			mean += right[c] / total[c] / float64(k)
		}
		return 1 - mean
	case "f1":
		rare := 1
		if total[0] < total[1] {
			rare = 0
		}
		return 1 - 2*right[rare]/(total[rare]+called[rare])
	case "logloss":
		loss := 0.0
		for i := range n {
			loss -= weight[i] * math.Log(said[i].Probabilities[y.Classes[i]]) / all
		}
		return loss
	}
	return sum / all
}

// TestWorkers: results are the same for any number of workers.
func TestWorkers(t *testing.T) {
	path := put(t, "t.csv", mixed(80, 4))
	m := trained(t, path, "rbf(gamma=0.3)", "f2(dim=20)", "svm(C=1)")
	rows, x := read(t, m, path)
	var want *explain.Ranking
	var row *explain.Row
	for _, workers := range []int{1, 2, 3, 8} {
		p, why := explain.NewPermutation(), explain.NewWhy(m)
		p.Run, why.Run = run.Control{Workers: workers}, run.Control{Workers: workers}
		got, err := p.Columns(t.Context(), m, x, truth(t, m, rows))
		if err != nil {
			t.Fatal(err)
		}
		one, err := why.Row(t.Context(), rows, x, 3)
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want, row = got, one
		}
		if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(one, row) {
			t.Errorf("%d workers: %v and %v, want %v and %v", workers, got, one, want, row)
		}
	}
}

// TestKinds: rows of each kind have the columns that they should, and the ones that
// decide come first.
func TestKinds(t *testing.T) {
	files := kinds(t)
	files["table"] = put(t, "large.csv", mixed(500, 2))
	for _, c := range []struct {
		kind, kernel string
		columns      int
		first        []string
	}{
		{"table", "rbf(gamma=0.1)", 5, []string{"size", "colour"}},
		{"libsvm", "rbf(gamma=1)", 2, []string{"1", "3"}},
		{"strings", "degree(d=2)", 9, []string{"position 1"}},
		{"sets", "intersection", 11, []string{"milk", "tea"}},
	} {
		m := trained(t, files[c.kind], c.kernel, "f2(dim=40)", "svm(C=1)")
		rows, x := read(t, m, files[c.kind])
		got, err := explain.NewPermutation().Columns(t.Context(), m, x, truth(t, m, rows))
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Importance) != c.columns {
			t.Errorf("%s: %d columns, want %d: %v", c.kind, len(got.Importance), c.columns, got.Importance)
		}
		first := map[string]bool{}
		for _, one := range got.Importance[:len(c.first)] {
			first[one.Column] = true
		}
		for _, name := range c.first {
			if !first[name] {
				t.Errorf("%s: %s is not among the first of %v", c.kind, name, got.Importance)
			}
		}
	}
}

// TestFar: truth of which errors have no squares is an error, and no NaN; the mean absolute error is a number.
func TestFar(t *testing.T) {
	path := wave(t, 100, 1)
	m := trained(t, path, "", "none", "ridge(lambda=0.000001)")
	rows, x := read(t, m, path)
	far := truth(t, m, rows)
	far.Values = slices.Clone(far.Values)
	far.Values[3] = 1e200
	for metric, want := range map[string]error{"": explain.ErrFar, "mae": nil} {
		p := explain.NewPermutation()
		p.Metric = metric
		if _, err := p.Columns(t.Context(), m, x, far); !errors.Is(err, want) {
			t.Errorf("metric %q: %v, want %v", metric, err, want)
		}
	}
}

// TestCoverage: the intervals hold the importance on new rows about as often as they
// say. The model is y = 2a + b of independent standard normal columns, the noise has the
// deviation 1; without the noise's part the squared error is 1 as it is, and
// 1 + 2·2² = 9 with the a of another row.
func TestCoverage(t *testing.T) {
	train := wave(t, 4000, 1)
	m := trained(t, train, "", "none", "ridge(lambda=0.000001)")
	big, bigX := read(t, m, wave(t, 200_000, 2))
	values := truth(t, m, big).Values
	exact := explain.NewPermutation()
	exact.Rows, exact.Repeats = 0, 2
	for _, metric := range []string{"rmse", "r2", "mae"} {
		exact.Metric = metric
		long, err := exact.Columns(t.Context(), m, bigX, explain.Truth{Values: values})
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]float64{}
		for _, one := range long.Importance {
			want[one.Column] = one.Mean
		}
		if metric == "rmse" && math.Abs(want["a"]-2) > 0.03 {
			t.Errorf("the RMSE grows by %v without a, want 2", want["a"])
		}
		held, tried := map[string]int{}, 300
		for i := range tried {
			p := explain.NewPermutation()
			p.Metric, p.Seed, p.Rows = metric, uint64(i), 150
			index := make([]int, 150)
			for k := range index {
				index[k] = 150*i + k
			}
			some, err := m.Pick(bigX, index)
			if err != nil {
				t.Fatal(err)
			}
			got, err := p.Columns(t.Context(), m, some, explain.Truth{Values: values[150*i : 150*i+150]})
			if err != nil {
				t.Fatal(err)
			}
			for _, one := range got.Importance {
				if one.Low <= want[one.Column] && want[one.Column] <= one.High {
					held[one.Column]++
				}
			}
		}
		// 300 trials of 0.95 are 285 ± 3.8; four deviations below, and a part for the
		// jackknife, which is exact for many rows alone.
		for column, n := range held {
			t.Logf("%s: the interval of %s holds %d of %d times", metric, column, n, tried)
			if n < 267 {
				t.Errorf("%s: the interval of %s holds %d of %d times", metric, column, n, tried)
			}
		}
	}
}
