package margin_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/margin"
	"github.com/kerf-ml/kerf/run"
)

// naiveClasses is the definition by its letter.
func naiveClasses(w [][]float64, x []float64, class int) float64 {
	lowest := math.Inf(1)
	for j := range w {
		if j == class {
			continue
		}
		d := make([]float64, len(x))
		for i := range d {
			d[i] = w[class][i] - w[j][i]
		}
		lowest = min(lowest, naive(d, x, 1))
	}
	return lowest
}

func pairwise(t rapid.TB, s []margin.Separator) *margin.Pairwise {
	t.Helper()
	p, err := margin.NewPairwise(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPairwiseAgainstDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, k := rapid.IntRange(1, 20).Draw(t, "n"), rapid.IntRange(2, 6).Draw(t, "k")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		unit := rapid.SampledFrom([]float64{0, 1, 0.5}).Draw(t, "unit")
		class := rapid.IntRange(0, k-1).Draw(t, "class")
		x := normals(r, n)
		long := append(slices.Clone(x), unit)
		w, separators := make([][]float64, k), make([]margin.Separator, k)
		for c := range w {
			w[c] = normals(r, n+1)
			separators[c] = margin.Separator{W: w[c][:n], Bias: w[c][n], Unit: unit}
			if unit == 0 {
				w[c][n] = 0
			}
		}
		want := naiveClasses(w, long, class)
		v := data.Dense(x...)
		if got := margin.OfClasses(w, data.Dense(long...), class); !(math.Abs(got-want) <= rounding) {
			t.Fatalf("OfClasses %v, want %v", got, want)
		}
		p := pairwise(t, separators)
		// The score of a pair is the difference of two scores of size up to
		// |w||x|, where the definition subtracts first: |w|/|w_y - w_j| more
		// rounding, under 1e4 here.
		if got := p.Of(v, class); !(math.Abs(got-want) <= 1e4*rounding) {
			t.Fatalf("Of %v, want %v", got, want)
		}
		scores := make([]float64, k)
		for c := range scores {
			scores[c] = separators[c].Score(v)
		}
		if got := p.OfScores(scores, data.Dense(long...).Norm(), class); !(math.Abs(got-want) <= 1e4*rounding) {
			t.Fatalf("OfScores %v, want %v", got, want)
		}
		// Positive exactly where the class wins.
		winner := 0
		for c := range scores {
			if scores[c] > scores[winner] {
				winner = c
			}
		}
		if m := p.Of(v, class); (m > 0) != (winner == class) {
			t.Fatalf("class %d, winner %d, margin %v", class, winner, m)
		}
	})
}

func TestTwoClassesAreDefinition1(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	w := normals(r, 5)
	minus := make([]float64, 5)
	for i := range w {
		minus[i] = -w[i]
	}
	p := pairwise(t, []margin.Separator{{W: minus}, {W: w}})
	for range 50 {
		x := data.Dense(normals(r, 5)...)
		for class, y := range []float64{-1, 1} {
			if got, want := p.Of(x, class), margin.Of(w, x, y); math.Abs(got-want) > rounding {
				t.Errorf("class %d: %v, want %v", class, got, want)
			}
		}
	}
}

func TestPairwiseEdges(t *testing.T) {
	same := pairwise(t, []margin.Separator{{W: []float64{1, 2}}, {W: []float64{1, 2}}, {W: []float64{-5}}})
	if got := same.Of(data.Dense(1, 1), 0); got != 0 {
		t.Errorf("equal separators: %v, want 0", got)
	}
	if got := same.OfScores([]float64{3, 3, -5}, math.Sqrt2, 0); got != 0 {
		t.Errorf("equal separators by scores: %v, want 0", got)
	}
	if got := same.Of(data.Dense(0, 0), 2); got != 0 {
		t.Errorf("zero instance: %v, want 0", got)
	}
	if got := same.OfScores([]float64{0, 0, 0}, 0, 2); got != 0 {
		t.Errorf("zero instance by scores: %v, want 0", got)
	}
	if got := same.Of(data.Dense(math.NaN()), 2); got != -1 {
		t.Errorf("NaN: %v, want -1", got)
	}
	if got := same.OfScores([]float64{math.NaN(), 0, 0}, 1, 0); got != -1 {
		t.Errorf("NaN by scores: %v, want -1", got)
	}
	large := pairwise(t, []margin.Separator{{W: []float64{1e200, 0}}, {W: []float64{0, 1e200}}})
	if got := large.Of(data.Dense(1e200, 0), 0); math.Abs(got-math.Sqrt2/2) > rounding {
		t.Errorf("overflow: %v, want %v", got, math.Sqrt2/2)
	}
	if got := margin.OfClasses([][]float64{{1}}, data.Dense(1), 0); got != 0 {
		t.Errorf("one class: %v, want 0", got)
	}
	for name, f := range map[string]func(){
		"OfClasses": func() { margin.OfClasses([][]float64{{1}}, data.Dense(1), 1) },
		"Of":        func() { same.Of(data.Dense(1), -1) },
		"OfScores":  func() { same.OfScores([]float64{1, 2}, 1, 0) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s takes a class that there is not", name)
				}
			}()
			f()
		}()
	}
}

func TestPairwiseSample(t *testing.T) {
	ctx := context.Background()
	r := rand.New(rand.NewPCG(3, 3))
	s := []margin.Separator{
		{W: normals(r, 7), Bias: 1, Unit: 1}, {W: normals(r, 7), Bias: -1, Unit: 1}, {W: normals(r, 7), Unit: 1},
	}
	p := pairwise(t, s)
	if p.Classes() != 3 {
		t.Errorf("%d classes", p.Classes())
	}
	x, class, want := data.NewMatrix(600, 7), make([]int, 600), make([]float64, 600)
	for i := range class {
		copy(x.Row(i), normals(r, 7))
		class[i] = r.IntN(3)
		want[i] = p.Of(x.At(i), class[i])
	}
	slices.Sort(want)
	for workers := range 4 {
		got, err := p.Sample(ctx, run.Control{Workers: workers}, x, class)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%d workers: %v", workers, err)
		}
	}
	class[300] = 3
	if _, err := p.Sample(ctx, run.Control{}, x, class); err == nil || !strings.Contains(err.Error(), "instance 300 has class 3") {
		t.Errorf("class 3 of 3: %v", err)
	}
	class[300] = 0
	x.Row(299)[2] = math.Inf(1)
	if _, err := p.Sample(ctx, run.Control{}, x, class); err == nil || !strings.Contains(err.Error(), "instance 299") {
		t.Errorf("infinite instance: %v", err)
	}
	if _, err := p.Sample(ctx, run.Control{}, x, class[:5]); err == nil {
		t.Error("5 classes of 600 instances are taken")
	}
}

func TestNewPairwiseRefuses(t *testing.T) {
	for _, c := range []struct {
		s    []margin.Separator
		want string
	}{
		{nil, "0 classes"},
		{make([]margin.Separator, 1), "1 classes"},
		{[]margin.Separator{{Unit: 1}, {Unit: 2}}, "class 1 has unit 2"},
		{[]margin.Separator{{W: []float64{1}}, {W: []float64{math.NaN()}}}, "class 1: weight 0"},
		{[]margin.Separator{{W: []float64{1.7e308}}, {W: []float64{-1.7e308}}}, "classes 1 and 0 differ"},
	} {
		if _, err := margin.NewPairwise(c.s); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}
