package eval_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kerf-ml/kerf/eval"
)

// combined returns the weighted squared error of a combination.
func combined(a []float64, scores [][]float64, y, weight []float64) float64 {
	sum := 0.0
	for r := range y {
		e := -y[r]
		for i, s := range scores {
			if a[i] > 0 {
				e += a[i] * s[r]
			}
		}
		w := 1.0
		if weight != nil {
			w = weight[r]
		}
		sum += w * e * e
	}
	return sum
}

// simplex calls use with all points of a grid of steps.
func simplex(k, steps int, use func(a []float64)) {
	a := make([]float64, k)
	var walk func(i, left int)
	walk = func(i, left int) {
		if i == k-1 {
			a[i] = float64(left) / float64(steps)
			use(a)
			return
		}
		for n := range left + 1 {
			a[i] = float64(n) / float64(steps)
			walk(i+1, left-n)
		}
	}
	walk(0, steps)
}

// stack returns k candidates for n rows: some near the numbers, some far, some alike.
func stack(rng *rand.Rand, k, n int) (scores [][]float64, y []float64) {
	y = make([]float64, n)
	for r := range y {
		y[r] = 100 + rng.NormFloat64()
	}
	for range k {
		s, bias, noise := make([]float64, n), rng.NormFloat64(), math.Exp(2*rng.NormFloat64())
		for r := range s {
			s[r] = y[r] + bias + noise*rng.NormFloat64()
		}
		scores = append(scores, s)
	}
	return scores, y
}

func wantSimplex(t *testing.T, name string, a []float64, k int) {
	t.Helper()
	sum := 0.0
	for _, v := range a {
		if !(v >= 0) {
			t.Fatalf("%s: coefficients %v", name, a)
		}
		sum += v
	}
	if len(a) != k || math.Abs(sum-1) > 1e-12 {
		t.Fatalf("%s: coefficients %v of %d candidates sum to %v", name, a, k, sum)
	}
}

// TestConvexSquares compares with a grid of the simplex, which cannot do better, and
// in many dimensions with the conditions of the optimum.
func TestConvexSquares(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for trial := range 60 {
		k, n := 1+trial%3, []int{1, 2, 5, 40}[trial%4]
		scores, y := stack(rng, k, n)
		var weight []float64
		if trial%2 == 1 {
			weight = make([]float64, n)
			for r := range weight {
				weight[r] = float64(r % 3)
			}
		}
		a := eval.ConvexSquares(scores, y, weight)
		name := fmt.Sprintf("%d candidates, %d rows, weights %v", k, n, weight != nil)
		wantSimplex(t, name, a, k)
		got, least := combined(a, scores, y, weight), math.Inf(1)
		simplex(k, 200, func(b []float64) {
			least = min(least, combined(b, scores, y, weight))
		})
		// Numbers of about 100 have residuals of rounding 1e-14, of about 0.01 at least.
		if got > least*(1+1e-10)+1e-24 {
			t.Errorf("%s: squared error %v by %v, a grid has %v", name, got, a, least)
		}
	}
	for _, k := range []int{2, 10, 30, 60} {
		scores, y := stack(rng, k, 50)
		a := eval.ConvexSquares(scores, y, nil)
		wantSimplex(t, fmt.Sprint(k), a, k)
		wantOptimal(t, a, scores, y)
		if !slices.Equal(a, eval.ConvexSquares(scores, y, nil)) {
			t.Errorf("%d candidates: another result the second time", k)
		}
	}
}

// wantOptimal checks that no move towards a candidate betters the squared error f: its
// derivative there, ⟨∇f, e_i - a⟩ = 2⟨p, e_i - p⟩ with p the residual, bounds what is
// to be gained.
func wantOptimal(t *testing.T, a []float64, scores [][]float64, y []float64) {
	t.Helper()
	square, squares, along := combined(a, scores, y, nil), make([]float64, len(a)), make([]float64, len(a))
	for i, s := range scores {
		one := make([]float64, len(a))
		one[i] = 1
		squares[i] = combined(one, scores, y, nil)
		for r := range y {
			p := -y[r]
			for j, v := range a {
				p += v * scores[j][r]
			}
			along[i] += p * (s[r] - y[r])
		}
	}
	for i, v := range along {
		if v < square-1e-8*math.Sqrt(square*squares[i]) {
			t.Errorf("%d candidates: a move towards %d gains %v of %v", len(a), i, square-v, square)
		}
	}
}

// TestConvexSquaresOdd has candidates that are alike, exact, constant, not finite or
// of sizes at the ends of the numbers.
func TestConvexSquaresOdd(t *testing.T) {
	y := []float64{1, 2, 3, 5}
	off := []float64{2, 3, 4, 6}
	under := []float64{0, 1, 2, 4}
	bad := []float64{1, math.NaN(), 3, 5}
	scaled := func(x []float64, f float64) []float64 {
		out := slices.Clone(x)
		for i := range out {
			out[i] *= f
		}
		return out
	}
	for name, c := range map[string]struct {
		scores [][]float64
		y      []float64
		want   []float64
	}{
		"none":            {nil, y, nil},
		"one":             {[][]float64{off}, y, []float64{1}},
		"copies":          {[][]float64{off, off, off}, y, []float64{1, 0, 0}},
		"exact":           {[][]float64{off, y, y}, y, []float64{0, 1, 0}},
		"either side":     {[][]float64{off, under, off}, y, []float64{0.5, 0.5, 0}},
		"not finite":      {[][]float64{bad, off, under}, y, []float64{0, 0.5, 0.5}},
		"none is finite":  {[][]float64{bad, {math.Inf(1), 0, 0, 0}}, y, nil},
		"no rows":         {[][]float64{{}, {}}, nil, []float64{1, 0}},
		"large":           {[][]float64{scaled(off, 1e300), scaled(under, 1e300)}, scaled(y, 1e300), []float64{0.5, 0.5}},
		"small":           {[][]float64{scaled(off, 1e-300), scaled(under, 1e-300)}, scaled(y, 1e-300), []float64{0.5, 0.5}},
		"past all":        {[][]float64{{math.MaxFloat64}, {1}}, []float64{-math.MaxFloat64}, []float64{0, 1}},
		"one far off":     {[][]float64{scaled(y, 1e9), off, under, scaled(y, -1e300)}, y, []float64{0, 0.5, 0.5, 0}},
		"farther is less": {[][]float64{off, scaled(y, 3)}, y, []float64{1, 0}},
	} {
		a := eval.ConvexSquares(c.scores, c.y, nil)
		if len(a) != len(c.want) || (a == nil) != (c.want == nil) {
			t.Errorf("%s: %v, want %v", name, a, c.want)
			continue
		}
		for i := range a {
			if math.Abs(a[i]-c.want[i]) > 1e-9 {
				t.Errorf("%s: %v, want %v", name, a, c.want)
				break
			}
		}
	}
}

// TestGreedy compares with all bags of as many candidates: the result is one of them,
// and the best of those that are reached by taking the best each time.
func TestGreedy(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 40 {
		k, most := 1+rng.IntN(4), 1+rng.IntN(6)
		scores, y := stack(rng, k, 12)
		loss := func(a []float64) float64 { return combined(a, scores, y, nil) }
		got := eval.Greedy(k, most, loss)
		wantSimplex(t, "greedy", got, k)
		if want := naiveGreedy(k, most, loss); !slices.Equal(got, want) {
			t.Errorf("%d candidates, %d rounds: %v, want %v", k, most, got, want)
		}
		for i := range k {
			one := make([]float64, k)
			one[i] = 1
			if loss(got) > loss(one) {
				t.Errorf("%v is worse than candidate %d alone", got, i)
			}
		}
		if v := loss(eval.ConvexSquares(scores, y, nil)); v > loss(got)*(1+1e-9) {
			t.Errorf("the least squares are %v, and %v is found greedily", v, loss(got))
		}
	}
}

// naiveGreedy lists the bag of each round.
func naiveGreedy(k, most int, loss func([]float64) float64) []float64 {
	mean := func(bag []int) []float64 {
		a := make([]float64, k)
		for i := range a {
			n := 0
			for _, c := range bag {
				if c == i {
					n++
				}
			}
			a[i] = float64(n) / float64(len(bag))
		}
		return a
	}
	var bag []int
	var means [][]float64
	for range most {
		best := slices.Clone(append(bag, 0))
		for i := 1; i < k; i++ {
			if next := slices.Clone(append(bag, i)); loss(mean(next)) < loss(mean(best)) {
				best = next
			}
		}
		bag = best
		means = append(means, mean(bag))
	}
	return slices.MinFunc(means, func(a, b []float64) int {
		switch x, y := loss(a), loss(b); {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
}

func TestGreedyTies(t *testing.T) {
	calls := 0
	constant := func([]float64) float64 { calls++; return 1 }
	if got := eval.Greedy(3, 5, constant); !slices.Equal(got, []float64{1, 0, 0}) || calls > 15 {
		t.Errorf("of equals %v is taken, by %d calls", got, calls)
	}
	second := func(a []float64) float64 {
		if a[0] == 1 {
			return math.NaN()
		}
		return 1 - a[1]/4 + a[2]
	}
	if got := eval.Greedy(3, 4, second); !slices.Equal(got, []float64{0, 1, 0}) {
		t.Errorf("%v is taken, want the second", got)
	}
	nan := func([]float64) float64 { return math.NaN() }
	if got := eval.Greedy(2, 3, nan); !slices.Equal(got, []float64{1, 0}) {
		t.Errorf("where no loss is a number %v is taken", got)
	}
	if eval.Greedy(0, 3, nan) != nil || eval.Greedy(3, 0, nan) != nil {
		t.Error("something is taken of nothing")
	}
	// Both candidates better the first equally in round 2; the one taken before stays.
	stay := func(a []float64) float64 {
		if a[1] == 1 {
			return 0.5
		}
		return 1
	}
	if got := eval.Greedy(3, 3, stay); !slices.Equal(got, []float64{0, 1, 0}) {
		t.Errorf("%v is taken, want the second alone", got)
	}
}
