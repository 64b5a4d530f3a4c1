package gen_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/gen"
)

func make3000(t *testing.T, name string, change func(*gen.Options)) (*data.Matrix, []string, gen.Options) {
	t.Helper()
	o := gen.Defaults()
	o.N = 3000
	if change != nil {
		change(&o)
	}
	x, labels, err := gen.Make(context.Background(), name, o)
	if err != nil {
		t.Fatal(err)
	}
	if x.Rows != o.N || len(labels) != o.N || len(x.Data) != x.Rows*x.Cols {
		t.Fatalf("%d × %d with %d labels, want %d rows", x.Rows, x.Cols, len(labels), o.N)
	}
	return x, labels, o
}

// rules are the definitions of the labels, written from the doc comments. They
// return the label and whether the point is one that may come at all.
var rules = map[string]func(p []float64) (label string, possible bool){
	"circle": func(p []float64) (string, bool) {
		side := math.Sqrt(math.Pi / 2)
		return sign(math.Hypot(p[0], p[1]) <= 1), math.Abs(p[0]) <= side && math.Abs(p[1]) <= side
	},
	"xor": func(p []float64) (string, bool) {
		return sign((p[0] > 0) == (p[1] > 0)), math.Abs(p[0]) <= 1 && math.Abs(p[1]) <= 1
	},
	"rings": func(p []float64) (string, bool) {
		r := math.Hypot(p[0], p[1])
		const rounding = 1e-12
		inner := r >= 0.8-rounding && r <= 1.2+rounding
		outer := r >= 1.8-rounding && r <= 2.2+rounding
		return sign(inner), inner || outer
	},
	"interval": func(p []float64) (string, bool) { return sign(math.Abs(p[0]) > 2), math.Abs(p[0]) <= 10 },
	"halfspace": func(p []float64) (string, bool) {
		w := gen.Normal(gen.Defaults())
		t := dot(w, p)
		return sign(t > 0), math.Abs(t) >= gen.Defaults().Margin-1e-14 && math.Abs(math.Sqrt(dot(p, p))-1) < 1e-14
	},
}

func sign(positive bool) string {
	if positive {
		return "1"
	}
	return "-1"
}

func dot(v, w []float64) float64 {
	sum := 0.0
	for j := range v {
		sum += v[j] * w[j]
	}
	return sum
}

func TestLabelRule(t *testing.T) {
	for name, rule := range rules {
		x, labels, _ := make3000(t, name, nil)
		for i := range labels {
			want, possible := rule(x.Row(i))
			if !possible || labels[i] != want {
				t.Fatalf("%s: row %d is %v with label %s, want %s (possible: %v)", name, i, x.Row(i), labels[i], want, possible)
			}
		}
	}
}

// TestBalance checks the share of label 1. A share has standard deviation
// √(p(1-p)/3000) ≤ 0.0092; the bound is five of them.
func TestBalance(t *testing.T) {
	share := map[string]float64{
		"circle": 0.5, "xor": 0.5, "rings": 0.5, "moons": 0.5, "interval": 0.8, "interleaved": 0.5, "halfspace": 0.5,
	}
	for _, name := range gen.Names() {
		_, labels, _ := make3000(t, name, nil)
		if got := share1(labels); math.Abs(got-share[name]) > 0.046 {
			t.Errorf("%s: share of label 1 is %v, want %v", name, got, share[name])
		}
	}
}

func share1(labels []string) float64 {
	n := 0
	for _, l := range labels {
		if l == "1" {
			n++
		}
	}
	return float64(n) / float64(len(labels))
}

// TestMoons checks that points keep to the arc of their label: a jitter of 0.1 a
// coordinate exceeds 0.6 with a probability below 1e-7 a point.
func TestMoons(t *testing.T) {
	x, labels, _ := make3000(t, "moons", nil)
	for i, label := range labels {
		p := x.Row(i)
		nearest := math.Inf(1)
		for k := range 1001 {
			s, c := math.Sincos(math.Pi * float64(k) / 1000)
			if label == "-1" {
				c, s = 1-c, 0.5-s
			}
			nearest = min(nearest, math.Hypot(p[0]-c, p[1]-s))
		}
		if nearest > 0.6 {
			t.Fatalf("row %d: %v with label %s is %v from its arc", i, p, label, nearest)
		}
	}
}

func TestIntervalOfTheChapter(t *testing.T) {
	x, labels, err := gen.Make(context.Background(), "interval", gen.Options{N: 21, Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 21 {
		if want := float64(i - 10); x.Data[i] != want || labels[i] != sign(math.Abs(want) > 2) {
			t.Errorf("row %d: %v with label %s", i, x.Data[i], labels[i])
		}
	}
}

func TestInterleaved(t *testing.T) {
	for _, n := range []int{1, 2, 3, 8, 1025} {
		x, labels, err := gen.Make(context.Background(), "interleaved", gen.Options{N: n})
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			want := 0.0
			if n > 1 {
				want = -1 + 2*float64(i)/float64(n-1)
			}
			if math.Abs(x.Data[i]-want) > 1e-15 || labels[i] != sign(i%2 == 1) {
				t.Fatalf("n = %d, row %d: %v with label %s", n, i, x.Data[i], labels[i])
			}
		}
		if n > 1 && (x.Data[0] != -1 || x.Data[n-1] != 1) {
			t.Errorf("n = %d: from %v to %v", n, x.Data[0], x.Data[n-1])
		}
	}
}

func TestSeedAndPrefix(t *testing.T) {
	for _, name := range gen.Names() {
		noisy := func(o *gen.Options) { o.Noise = 0.3 }
		x, labels, o := make3000(t, name, noisy)
		again, labelsAgain, _ := make3000(t, name, noisy)
		if !slices.Equal(x.Data, again.Data) || !slices.Equal(labels, labelsAgain) {
			t.Errorf("%s: the same seed gives different data", name)
		}
		if name == "interleaved" {
			continue // neither random nor the same for all N
		}
		o.N = 1025
		few, fewLabels, err := gen.Make(context.Background(), name, o)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(few.Data, x.Data[:len(few.Data)]) || !slices.Equal(fewLabels, labels[:o.N]) {
			t.Errorf("%s: the first rows depend on N", name)
		}
		other, _, _ := make3000(t, name, func(o *gen.Options) { o.Seed = 2 })
		if slices.Equal(x.Data, other.Data) {
			t.Errorf("%s: the seed has no effect", name)
		}
	}
}

// TestNoise checks that labels alone change, and as many as they should: the
// standard deviation of the share is √(0.2·0.8/3000) = 0.0073.
func TestNoise(t *testing.T) {
	for _, name := range gen.Names() {
		clean, labels, _ := make3000(t, name, nil)
		noisy, flipped, _ := make3000(t, name, func(o *gen.Options) { o.Noise = 0.2 })
		_, all, _ := make3000(t, name, func(o *gen.Options) { o.Noise = 1 })
		if !slices.Equal(clean.Data, noisy.Data) {
			t.Errorf("%s: noise changes the instances", name)
		}
		changed := 0.0
		for i := range labels {
			if labels[i] != flipped[i] {
				changed++
			}
			if labels[i] == all[i] {
				t.Fatalf("%s: noise 1 keeps label %d", name, i)
			}
		}
		if share := changed / 3000; math.Abs(share-0.2) > 0.037 {
			t.Errorf("%s: share of flipped labels is %v, want 0.2", name, share)
		}
	}
}

func TestValidate(t *testing.T) {
	_, _, err := gen.Make(context.Background(), "spiral", gen.Options{N: 0, Noise: math.NaN()})
	for _, want := range []string{`"spiral"`, "circle, halfspace", "n is 0", "noise is NaN"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v lacks %s", err, want)
		}
	}
	_, _, err = gen.Make(context.Background(), "halfspace", gen.Options{N: 1, Noise: -1, Margin: 1, Dim: 1})
	for _, want := range []string{"noise is -1", "margin is 1", "dim is 1"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v lacks %s", err, want)
		}
	}
	if _, _, err = gen.Make(context.Background(), "halfspace", gen.Options{N: math.MaxInt, Dim: math.MaxInt}); err == nil {
		t.Error("no error for a size that fits no memory")
	}
	if _, _, err = gen.Make(context.Background(), "xor", gen.Options{N: 1, Margin: 5, Dim: -1}); err != nil {
		t.Errorf("margin and dim count for xor: %v", err)
	}
}

func ExampleMake() {
	x, labels, err := gen.Make(context.Background(), "interval", gen.Options{N: 21})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(x.Row(0), labels[0])
	fmt.Println(x.Row(10), labels[10])
	// Output:
	// [-10] 1
	// [0] -1
}
