package vmath_test

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kerf-ml/kerf/internal/vmath"
)

func TestHadamard(t *testing.T) {
	atLevels(t, func(t *testing.T) {
		t.Run("float32", testHadamard[float32])
		t.Run("float64", testHadamard[float64])
	})
}

// testHadamard compares with the n² formula on whole numbers, where every sum
// is exact, and with the passes one after the other bit for bit.
func testHadamard[F vmath.Float](t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for n := 0; n <= 1<<16; n = max(1, 2*n) {
		guarded := slices.Repeat([]F{42}, n+2)
		x := guarded[1 : n+1 : n+1]
		if n <= 1<<11 {
			want := make([]F, n)
			for i := range x {
				x[i] = F(r.IntN(201) - 100)
			}
			for k := range want {
				for i, v := range x {
					want[k] += v * F(1-2*(bits.OnesCount(uint(i&k))%2))
				}
			}
			vmath.Hadamard(x)
			if !slices.Equal(x, want) {
				t.Fatalf("n = %d: not the transform", n)
			}
		}
		for i := range x {
			x[i] = F(r.NormFloat64())
		}
		want := slices.Clone(x)
		for h := 1; h < n; h *= 2 {
			for i := range want {
				if i&h == 0 {
					want[i], want[i+h] = want[i]+want[i+h], want[i]-want[i+h]
				}
			}
		}
		vmath.Hadamard(x)
		if !slices.Equal(x, want) {
			t.Fatalf("n = %d: other bits than the passes one after the other", n)
		}
		if guarded[0] != 42 || guarded[n+1] != 42 {
			t.Fatalf("n = %d: wrote outside", n)
		}
	}
}

func TestHadamardRefuses(t *testing.T) {
	for _, n := range []int{3, 6, 1000} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("a length of %d is taken", n)
				}
			}()
			vmath.Hadamard(make([]float64, n))
		}()
	}
}

func TestSumStrips(t *testing.T) {
	atLevels(t, func(t *testing.T) {
		t.Run("float32", testSumStrips[float32])
		t.Run("float64", testSumStrips[float64])
	})
}

func testSumStrips[F vmath.Float](t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	w := vmath.Strip[F]()
	for _, strips := range []int{0, 1, 2, 9, 40} {
		x := make([]F, strips*w)
		for i := range x {
			x[i] = F(r.NormFloat64())
		}
		var index []int32
		for i := range strips {
			if r.IntN(3) > 0 {
				index = append(index, int32(i))
			}
		}
		guarded := slices.Repeat([]F{42}, w+2)
		dst := guarded[1 : w+1]
		want := make([]F, w)
		for l := range dst {
			dst[l] = F(r.NormFloat64())
			want[l] = dst[l]
			for _, i := range index {
				want[l] += x[int(i)*w+l]
			}
		}
		vmath.SumStrips(dst, x, index)
		if !slices.Equal(dst, want) || guarded[0] != 42 || guarded[w+1] != 42 {
			t.Fatalf("%d of %d strips: %v, want %v", len(index), strips, guarded, want)
		}
	}
	for _, c := range []struct {
		dst   int
		index []int32
	}{{w - 1, nil}, {w, []int32{3}}, {w, []int32{-1}}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%v is taken", c)
				}
			}()
			vmath.SumStrips(make([]F, c.dst), make([]F, 3*w), c.index)
		}()
	}
}

func BenchmarkHadamard(b *testing.B) {
	for _, n := range []int{64, 1024, 1 << 16} {
		b.Run(fmt.Sprintf("float32/%d", n), func(b *testing.B) { benchmarkHadamard[float32](b, n) })
		b.Run(fmt.Sprintf("float64/%d", n), func(b *testing.B) { benchmarkHadamard[float64](b, n) })
	}
}

func benchmarkHadamard[F vmath.Float](b *testing.B, n int) {
	x := make([]F, n)
	for i := range x {
		x[i] = F(math.Sin(float64(i)))
	}
	for b.Loop() {
		vmath.Hadamard(x)
		vmath.Scale(x, F(1/math.Sqrt(float64(n))))
	}
}
