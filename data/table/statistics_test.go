package table_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/data/table"
	"github.com/kerf-ml/kerf/internal/seed"
)

// manyCities has n rows of a category of so many values, some of them missing, and
// a class and a number that depend on it.
func manyCities(n, cities, classes int) (text string, city, label []string, value []float64) {
	rng := rand.New(rand.NewPCG(11, 12))
	text = "city,x,y\n"
	for range n {
		k := rng.IntN(cities)
		name := fmt.Sprintf("c%03d", k)
		if k == 7 {
			name = ""
		}
		class := fmt.Sprint((k + rng.IntN(2)) % classes)
		city, label = append(city, name), append(label, class)
		value = append(value, float64(k%5)+rng.NormFloat64())
		text += fmt.Sprintf("%s,%v,%s\n", name, rng.Float64(), class)
	}
	return text, city, label, value
}

// statistic is the smoothed mean of y over the rows of a city, looking at the given
// rows but those of a fold.
func statistic(city string, cities []string, y []float64, rows []int, seed uint64, fold int) float64 {
	all, n, sum, of := 0.0, 0.0, 0.0, 0.0
	for _, i := range rows {
		if foldOf(seed, i) == fold {
			continue
		}
		all, n = all+y[i], n+1
		if cities[i] == city && city != "" {
			sum, of = sum+y[i], of+1
		}
	}
	return (sum + 10*all/n) / (of + 10)
}

func foldOf(s uint64, row int) int { return seed.Stream(s, seed.Crossing, uint64(row)).IntN(5) }

func encodedRows(x data.Source[data.Vector], width int) [][]float64 {
	out := make([][]float64, x.Len())
	for i := range out {
		out[i] = make([]float64, width)
		x.At(i).CopyTo(out[i])
	}
	return out
}

// TestStatistics compares statistics of the target with their formulas, of classes
// and of numbers, of rows that were looked at and of others.
func TestStatistics(t *testing.T) {
	const n, seed = 400, 5
	for _, classes := range []int{0, 2, 4} { // 0 is for numbers
		text, city, label, value := manyCities(n, 60, max(classes, 2))
		tab := mustRead(t, text, table.Options{})
		rows := make([]int, 0, n)
		for i := 0; i < n; i += 1 + i%2 {
			rows = append(rows, i)
		}
		r := table.Recipe{Scale: scale.None, Categories: table.AutoCategories, Seed: seed}
		targets := [][]float64{value}
		if r.Values = value; classes > 0 {
			r.Values, targets = nil, nil
			for c := range classes {
				if classes == 2 && c == 0 {
					continue
				}
				y := make([]float64, n)
				for i := range y {
					if label[i] == fmt.Sprint(c) {
						y[i] = 1
					}
				}
				targets = append(targets, y)
			}
		}
		s, x, _, err := r.FitEncode(tab, rows)
		if err != nil || s.Validate() != nil {
			t.Fatal(err, s.Validate())
		}
		plain, err := r.Fit(tab, rows)
		if err != nil || !reflect.DeepEqual(s, plain) {
			t.Fatalf("Fit and FitEncode are two: %v", err)
		}
		got, later := encodedRows(x, s.Width), func() [][]float64 { rows, _ := dense(t, s, tab); return rows }()
		from := len(s.Columns[0].Statistics.Frequent)
		if from != 20 || s.Columns[0].Size != 20+len(targets)+2 {
			t.Fatalf("%+v", s.Columns[0])
		}
		for q := range len(targets) + 1 {
			trained, new := make([]float64, n), make([]float64, n)
			for i := range n {
				if q == len(targets) {
					for _, j := range rows {
						if city[i] == city[j] && city[i] != "" {
							new[i]++
						}
					}
					new[i] = math.Log1p(new[i])
					trained[i] = new[i]
					continue
				}
				new[i] = statistic(city[i], city, targets[q], rows, seed, -1)
				if trained[i] = new[i]; slices.Contains(rows, i) {
					trained[i] = statistic(city[i], city, targets[q], rows, seed, foldOf(seed, i))
				}
			}
			mean, square := 0.0, 0.0
			for _, i := range rows {
				mean += trained[i] / float64(len(rows))
			}
			for _, i := range rows {
				square += (trained[i] - mean) * (trained[i] - mean) / float64(len(rows))
			}
			for i := range n {
				for name, pair := range map[string][2]float64{
					"trained": {got[i][from+q], trained[i]}, "new": {later[i][from+q], new[i]},
				} {
					// A few hundred roundings of sums whose terms are of order 1.
					if want := (pair[1] - mean) / math.Sqrt(square); math.Abs(pair[0]-want) > 1e-10 {
						t.Fatalf("%d classes, statistic %d, %s row %d: %v, want %v", classes, q, name, i, pair[0], want)
					}
				}
			}
		}
		known := map[string]bool{}
		for _, i := range rows {
			known[city[i]] = true
		}
		for i := range n {
			if mark := later[i][from+len(targets)+1]; (mark == 1) != (city[i] == "" || !known[city[i]]) {
				t.Fatalf("row %d with city %q has mark %v", i, city[i], mark)
			}
		}
	}
}

// TestStatisticsDoNotLeak has labels without any relation to categories of a few rows
// each: statistics of the rows' own labels would tell them apart.
func TestStatisticsDoNotLeak(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	const n = 2000
	text := rowsOf("city,y\n", n, func(int) string { return fmt.Sprintf("c%d,%d", rng.IntN(500), rng.IntN(2)) })
	tab := mustRead(t, text, table.Options{})
	r := table.Recipe{Scale: scale.None, Categories: table.ByTarget}
	s, x, labels, err := r.FitEncode(tab, nil)
	if err != nil {
		t.Fatal(err)
	}
	at := len(s.Columns[0].Statistics.Frequent)
	apart := func(rows [][]float64) float64 {
		sum := 0.0
		for i, row := range rows {
			if labels[i] == "1" {
				sum += row[at] / n
			} else {
				sum -= row[at] / n
			}
		}
		return sum
	}
	naive, _ := dense(t, s, tab)
	// Statistics have deviation 1: a mean of 2000 of them is within 0.09 but for one time in 20,000.
	if d := apart(encodedRows(x, s.Width)); math.Abs(d) > 0.09 {
		t.Errorf("training rows see their labels: %v", d)
	}
	if d := apart(naive); d < 0.2 {
		t.Errorf("the test has no power: %v", d)
	}
}

func TestStatisticsFaults(t *testing.T) {
	text, _, _, _ := manyCities(200, 60, 40)
	tab := mustRead(t, text, table.Options{})
	s, err := table.Recipe{Scale: scale.None, Categories: table.ByTarget}.Fit(tab, nil)
	if err != nil || s.Columns[0].Statistics != nil {
		t.Errorf("statistics of many classes: %v", err)
	}
	if _, err := (table.Recipe{Scale: scale.None, Categories: "weird"}).Fit(tab, nil); err == nil {
		t.Error("weird categories")
	}
	tab = mustRead(t, text, table.Options{Target: "none"})
	_, err = table.Recipe{Scale: scale.None, Categories: table.ByTarget}.Fit(tab, nil)
	checkFault(t, err, 0, 0, "there is no target that categories could have statistics of")
	few, _, _, _ := manyCities(200, 5, 2)
	s, err = table.Recipe{Scale: scale.None, Categories: table.AutoCategories}.Fit(mustRead(t, few, table.Options{}), nil)
	if err != nil || s.Columns[0].Statistics != nil {
		t.Errorf("statistics of five categories: %v", err)
	}
}
