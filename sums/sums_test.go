package sums_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/run"
	"github.com/kerf-ml/kerf/sums"
)

var sizes = []int{0, 1, 7, 63, 64, 65, 1023, 1024, 1025, 2500}

// near reports numbers that differ by more than rounding of sums of n terms of the size
// of scale: n·2⁻⁵² each, with a factor for products of several.
func near(a, b, scale float64, n int) bool {
	return math.Abs(a-b) <= 16*float64(n+1)*0x1p-52*max(scale, math.Abs(a), math.Abs(b))
}

func TestMoments(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range sizes {
		values := make([]float64, n)
		var want sums.Moments
		sum := 0.0
		for i := range values {
			values[i] = 1e6 + rng.NormFloat64()
			if i%5 == 3 {
				values[i] = math.NaN()
				want.Missing++
				continue
			}
			if want.Count == 0 {
				want.Min, want.Max = values[i], values[i]
			}
			want.Count++
			sum += values[i] - 1e6
			want.Min, want.Max = min(want.Min, values[i]), max(want.Max, values[i])
		}
		if want.Count > 0 {
			want.Mean = 1e6 + sum/float64(want.Count)
		}
		for _, v := range values {
			if v == v {
				want.Square += (v - want.Mean) * (v - want.Mean)
			}
		}
		for _, cut := range []int{0, n / 3, n} {
			var a, b sums.Moments
			a.Add(values[:cut])
			b.Add(values[cut:])
			a.Merge(&b)
			if a.Count != want.Count || a.Missing != want.Missing || a.Min != want.Min || a.Max != want.Max ||
				!near(a.Mean, want.Mean, 1e6, n) || math.Abs(a.Square-want.Square) > 1e-9*(1+want.Square) {
				t.Errorf("n=%d cut at %d: %+v, want %+v", n, cut, a, want)
			}
		}
	}
}

func TestMomentsOfLargeNumbers(t *testing.T) {
	var m sums.Moments
	m.Add([]float64{math.MaxFloat64, math.MaxFloat64})
	if m.Mean != math.MaxFloat64 || m.Square != 0 {
		t.Errorf("%+v", m)
	}
}

func TestCountsAreExactUpToMost(t *testing.T) {
	a, b := sums.NewCounts(3), sums.NewCounts(3)
	for i, name := range []string{"x", "y", "x", "z", "x"} {
		if i < 2 {
			a.Add(name, 1)
		} else {
			b.Add(name, 2)
		}
	}
	a.Merge(b)
	if !a.Exact() || a.Of("x") != 5 || a.Of("y") != 1 || a.Of("z") != 2 ||
		!slices.Equal(a.Categories(), []string{"x", "y", "z"}) {
		t.Errorf("%v, exact %v", a.Categories(), a.Exact())
	}
}

// Misra and Gries promise that a count is too small by at most n/(Most+1).
func TestCountsBoundWhatTheyLose(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		most := 1 + rng.IntN(20)
		all, parts, n := map[string]int{}, []*sums.Counts{sums.NewCounts(most), sums.NewCounts(most)}, 2000
		for i := range n {
			name := fmt.Sprint(int(math.Exp(4 * rng.Float64() * rng.Float64() * rng.Float64())))
			all[name]++
			parts[i%2].Add(name, 1)
		}
		parts[0].Merge(parts[1])
		c := parts[0]
		if c.Exact() != (c.Lost == 0) || c.Lost > n/(most+1) || len(c.Categories()) > most {
			t.Fatalf("most %d: lost %d of %d, %d categories", most, c.Lost, n, len(c.Categories()))
		}
		for name, want := range all {
			if got := c.Of(name); got > want || got < want-c.Lost {
				t.Fatalf("most %d: %s came %d times, counted %d, lost %d", most, name, want, got, c.Lost)
			}
		}
	}
}

func TestReservoirIsTheSameHoweverRowsCome(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{1, 5, 10, 11, 1000} {
		first := sums.NewReservoir(7, 10)
		for i := range n {
			first.Offer(i)
		}
		want := first.Rows()
		if len(want) != min(n, 10) {
			t.Fatalf("n=%d: %d rows", n, len(want))
		}
		parts := []*sums.Reservoir{sums.NewReservoir(7, 10), sums.NewReservoir(7, 10), sums.NewReservoir(7, 10)}
		for _, i := range rng.Perm(n) {
			parts[rng.IntN(3)].Offer(i)
		}
		parts[2].Merge(parts[0])
		parts[2].Merge(parts[1])
		if got := parts[2].Rows(); !slices.Equal(got, want) {
			t.Errorf("n=%d: %v, want %v", n, got, want)
		}
		for i := range n {
			if first.Kept(i) != slices.Contains(want, i) {
				t.Errorf("n=%d: row %d kept %v", n, i, first.Kept(i))
			}
		}
	}
}

// Parts that leave out rows above the bound have the sample of all rows together, and fewer
// where there are fewer rows than were expected, which they say.
func TestBoundedReservoirsMergeToTheSample(t *testing.T) {
	for _, c := range []struct{ n, expected int }{{5, 5}, {60, 60}, {1000, 1000}, {20000, 20000}, {900, 1000},
		{100, 20000}} {
		whole, parts := sums.NewReservoir(3, 10), sums.NewReservoir(3, 10)
		taken := 0
		for lo := 0; lo < c.n; lo += 100 {
			one := sums.NewReservoir(3, 10)
			one.Below = sums.Bound(10, float64(c.expected))
			for i := lo; i < min(lo+100, c.n); i++ {
				whole.Offer(i)
				if one.Offer(i) {
					taken++
				}
			}
			parts.Merge(one)
		}
		if short := c.expected > 2*c.n; parts.Short(c.n) != short {
			t.Errorf("%v: short is %v", c, !short)
		} else if !short && !slices.Equal(parts.Rows(), whole.Rows()) {
			t.Errorf("%v: %v, want %v", c, parts.Rows(), whole.Rows())
		}
		if most := 10 + 6*math.Sqrt(10) + 36; float64(taken) > 2*most { // expected ones; chance exp(-m/3) of twice as many
			t.Errorf("%v: %d rows were taken", c, taken)
		}
	}
	if most := sums.Bound(20000, 1e6); math.Abs(math.Ldexp(float64(most), -64)-0.020884528) > 1e-9 {
		t.Error(most)
	}
}

// Each of 100 rows is among 10 with the chance 1/10. Over 2000 seeds the count of a
// row has the deviation √(2000·0.09) ≈ 13.4; none of 100 is beyond 5 of them but with a
// chance of 1e-4, and the seeds are fixed.
func TestReservoirIsUniform(t *testing.T) {
	count := make([]int, 100)
	for seed := range uint64(2000) {
		r := sums.NewReservoir(seed, 10)
		for i := range count {
			r.Offer(i)
		}
		for _, i := range r.Rows() {
			count[i]++
		}
	}
	for i, n := range count {
		if math.Abs(float64(n)-200) > 67 {
			t.Errorf("row %d was drawn %d times, about 200 expected", i, n)
		}
	}
}

// sample returns random rows, targets and weights.
func sample(n, d, k int) (x, y *data.Matrix, weight []float64) {
	rng := rand.New(rand.NewPCG(uint64(n), uint64(d)))
	x, y, weight = data.NewMatrix(n, d), data.NewMatrix(n, k), make([]float64, n)
	for i := range x.Data {
		x.Data[i] = rng.NormFloat64()
	}
	for i := range y.Data {
		y.Data[i] = 3 + rng.NormFloat64()
	}
	for i := range weight {
		weight[i] = float64(i%5) / 2
	}
	return x, y, weight
}

func clone(m *data.Matrix) *data.Matrix {
	return &data.Matrix{Rows: m.Rows, Cols: m.Cols, Data: slices.Clone(m.Data)}
}

func rowsOf(m *data.Matrix, lo, hi int) *data.Matrix {
	return &data.Matrix{Rows: hi - lo, Cols: m.Cols, Data: slices.Clone(m.Data[lo*m.Cols : hi*m.Cols])}
}

func TestProducts(t *testing.T) {
	for _, n := range sizes {
		for _, d := range []int{0, 1, 7, 33} {
			x, y, weight := sample(n, d, 2)
			shift, level := make([]float64, d), []float64{3, -1}
			for j := range shift {
				shift[j] = float64(j) / 10
			}
			var first *sums.Products
			for _, workers := range []int{1, 2, 3} {
				p := sums.NewProducts(d, 2, shift, level)
				if err := p.Add(t.Context(), run.Control{Workers: workers}, clone(x), clone(y), weight); err != nil {
					t.Fatal(err)
				}
				if first == nil {
					first = p
				}
				if !reflect.DeepEqual(p, first) {
					t.Fatalf("n=%d d=%d: %d workers give other bits", n, d, workers)
				}
			}
			cut := n / 3
			a, b := sums.NewProducts(d, 2, shift, level), sums.NewProducts(d, 2, shift, level)
			if err := errors.Join(a.Add(t.Context(), run.Control{}, rowsOf(x, 0, cut), rowsOf(y, 0, cut), weight[:cut]),
				b.Add(t.Context(), run.Control{}, rowsOf(x, cut, n), rowsOf(y, cut, n), weight[cut:]), a.Merge(b)); err != nil {
				t.Fatal(err)
			}
			want := sums.NewProducts(d, 2, shift, level)
			w, bias := make([]float64, d), 0.7
			residual := []float64{0, 0}
			for j := range w {
				w[j] = math.Sin(float64(j))
			}
			for i := range n {
				c := weight[i]
				for j, u := range x.Row(i) {
					for l, v := range x.Row(i)[:j+1] {
						want.Gram.Row(j)[l] += c * (u - shift[j]) * (v - shift[l])
					}
					for l, v := range y.Row(i) {
						want.Cross.Row(j)[l] += c * (u - shift[j]) * (v - level[l])
					}
					want.X[j] += c * (u - shift[j])
				}
				for l, v := range y.Row(i) {
					want.Squares[l] += c * (v - level[l]) * (v - level[l])
					want.Y[l] += c * (v - level[l])
					e := bias - v
					for j, u := range x.Row(i) {
						e += w[j] * u
					}
					residual[l] += c * e * e
				}
				want.Weight += c
			}
			for _, got := range []*sums.Products{first, a} {
				if got.Rows != n || got.Weight != want.Weight {
					t.Fatalf("n=%d: %d rows of weight %v", n, got.Rows, got.Weight)
				}
				same(t, got.Gram.Data, want.Gram.Data, n)
				same(t, got.Cross.Data, want.Cross.Data, n)
				same(t, got.X, want.X, n)
				same(t, got.Squares, want.Squares, n)
				same(t, got.Y, want.Y, n)
				same(t, []float64{got.Residual(0, w, bias), got.Residual(1, w, bias)}, residual, n*(d+1))
			}
		}
	}
}

func same(t *testing.T, got, want []float64, n int) {
	t.Helper()
	for i, v := range got {
		if !near(v, want[i], 100*float64(n+1), n) {
			t.Fatalf("place %d: %v, want %v", i, v, want[i])
		}
	}
}
