package kernelized_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn/kernelized"
	"github.com/kerf-ml/kerf/run"
)

// Scores stay, no weight is 0 and no instance comes twice.
func TestCompressVectors(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		grid := rapid.SampledFrom([]float64{-1, 0, 0.5, 2})
		weights := rapid.SampledFrom([]float64{-1, 0, 0, 0.25, 1})
		n := rapid.IntRange(0, 40).Draw(t, "n")
		e := &kernelized.Expansion[data.Vector]{Kernel: kernel.Gaussian{Gamma: 0.3}, Bias: 0.5}
		var support data.Slice[data.Vector]
		for range n {
			a, b := grid.Draw(t, "x"), grid.Draw(t, "y")
			x := data.Dense(a, b)
			if rapid.Bool().Draw(t, "sparse") {
				x = data.Vector{Index: []int32{0, 1}, Value: []float64{a, b}}
			}
			support = append(support, x)
			e.Weight = append(e.Weight, weights.Draw(t, "weight"))
		}
		e.Support = support
		c, err := kernelized.Compress(t.Context(), run.Control{}, e)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[[2]float64]bool{}
		for k, a := range c.Weight {
			var x [2]float64
			c.Support.At(k).CopyTo(x[:])
			if a == 0 || seen[x] {
				t.Fatalf("instance %v with weight %v", x, a)
			}
			seen[x] = true
		}
		for _, x := range []data.Vector{data.Dense(0, 0), data.Dense(1, -2), data.Dense(0.5, 2)} {
			if got, want := c.Score(x), e.Score(x); math.Abs(got-want) > 1e-14*float64(1+n) {
				t.Fatalf("score %v, before %v", got, want)
			}
		}
	})
}

func TestCompressOtherTypes(t *testing.T) {
	same := func(x, y string) float64 {
		if x == y {
			return 1
		}
		return 0
	}
	strings := &kernelized.Expansion[string]{Kernel: kernel.Func[string](same),
		Support: data.Slice[string]{"a", "b", "a", "c", "b"}, Weight: []float64{1, 2, 3, 0, -2}}
	c, err := kernelized.Compress(t.Context(), run.Control{}, strings)
	if err != nil || !slices.Equal(c.Weight, []float64{4}) || c.Support.At(0) != "a" {
		t.Errorf("strings: %v %v", c, err)
	}

	sets := &kernelized.Expansion[data.Set]{
		Kernel: kernel.Func[data.Set](func(x, y data.Set) float64 { return float64(x.Shared(y)) }),
		Support: data.Slice[data.Set]{data.NewSet("a", "b"), data.NewSet("ab"),
			data.NewSet("b", "a")}, Weight: []float64{1, 1, 1},
	}
	if c, err := kernelized.Compress(t.Context(), run.Control{}, sets); err != nil ||
		!slices.Equal(c.Weight, []float64{2, 1}) {
		t.Errorf("sets: %v %v", c, err)
	}

	// Slices cannot be compared; the kernel sees their sums alone.
	var lists data.Slice[[]int]
	var weight []float64
	for i := range 50 {
		lists = append(lists, []int{i % 7, 1})
		weight = append(weight, float64(1+i))
	}
	sum := func(x []int) float64 { return float64(x[0] + x[1]) }
	k := kernel.Func[[]int](func(x, y []int) float64 { return sum(x) * sum(y) })
	e := &kernelized.Expansion[[]int]{Kernel: k, Support: lists, Weight: weight}
	short, err := kernelized.Compress(t.Context(), run.Control{}, e)
	if err != nil || len(short.Weight) != 7 {
		t.Fatalf("lists: %v %v", short, err)
	}
	isNear(t, "score", short.Score([]int{3, 4}), e.Score([]int{3, 4}), 1e-9)
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := kernelized.Compress(stopped, run.Control{}, e); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestCompressMulti(t *testing.T) {
	e := &kernelized.MultiExpansion[string]{
		Kernel:  kernel.Func[string](func(x, y string) float64 { return float64(len(x) * len(y)) }),
		Support: data.Slice[string]{"a", "bb", "a", "cc"},
		Weight:  &data.Matrix{Rows: 4, Cols: 2, Data: []float64{1, 2, 0, 1, 3, -2, 0, 0}},
		Bias:    []float64{5, 6},
	}
	c, err := kernelized.CompressMulti(t.Context(), run.Control{}, e)
	if err != nil || !slices.Equal(c.Weight.Data, []float64{4, 0, 0, 1}) || c.Support.Len() != 2 || c.Weight.Rows != 2 {
		t.Fatalf("%+v %v", c, err)
	}
	got, want := make([]float64, 2), make([]float64, 2)
	c.Scores(got, "xyz")
	e.Scores(want, "xyz")
	if !slices.Equal(got, want) {
		t.Errorf("scores %v, before %v", got, want)
	}
}
