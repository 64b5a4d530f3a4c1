package scale_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/scale"
)

// quantile is the quantile of p, from the definition.
func quantile(v []float64, p float64) float64 {
	v = slices.Sorted(slices.Values(v))
	at := p * float64(len(v)-1)
	low, high := v[int(math.Floor(at))], v[int(math.Ceil(at))]
	return low + (at-math.Floor(at))*(high-low)
}

// naive scales x by the formulas, looking at v. Quantile is for few different
// numbers, each of which is a knot.
func naive(k scale.Kind, v []float64, x float64) float64 {
	switch k {
	case scale.Robust:
		spread := (quantile(v, 0.75) - quantile(v, 0.25)) / 1.3489795003921634
		if spread == 0 {
			for _, a := range v {
				spread += (a - quantile(v, 0.5)) * (a - quantile(v, 0.5)) / float64(len(v))
			}
			spread = math.Sqrt(spread)
		}
		if spread == 0 {
			spread = 1
		}
		return (x - quantile(v, 0.5)) / spread
	case scale.Quantile:
		low, high := math.Inf(-1), math.Inf(1)
		for _, a := range v {
			if a <= x {
				low = max(low, a)
			}
			if a >= x {
				high = min(high, a)
			}
		}
		if math.IsInf(low, 0) {
			return middle(v, high)
		}
		if math.IsInf(high, 0) || low == high {
			return middle(v, low)
		}
		return middle(v, low) + (x-low)/(high-low)*(middle(v, high)-middle(v, low))
	case scale.Log:
		var sizes, logs []float64
		for _, a := range v {
			if a != 0 {
				sizes = append(sizes, math.Abs(a))
			}
		}
		unit := 1.0
		if sizes != nil {
			unit = quantile(sizes, 0.5)
		}
		of := func(a float64) float64 { return math.Copysign(math.Log(1+math.Abs(a)/unit), a) }
		for _, a := range v {
			logs = append(logs, of(a))
		}
		center, spread := moments(scale.Standard, logs)
		return (of(x) - center) / spread
	}
	center, spread := moments(k, v)
	return (x - center) / spread
}

// middle is the normal score of the middle rank of x among v.
func middle(v []float64, x float64) float64 {
	below, same := 0.0, 0.0
	for _, a := range v {
		if a < x {
			below++
		}
		if a == x {
			same++
		}
	}
	return math.Sqrt2 * math.Erfinv(2*(below+same/2)/float64(len(v))-1)
}

func columns(rng *rand.Rand) map[string][]float64 {
	all := map[string][]float64{"one": {3}, "same": {2, 2, 2, 2}, "zeros": {0, 0, 0}, "half": {0, 0, 0, 0, 0, 9, 1}}
	for _, n := range []int{2, 7, 8, 9, 255, 256} {
		for range n {
			z := rng.NormFloat64()
			all["normal"] = append(all["normal"], z)
			all["exp"] = append(all["exp"], math.Exp(2*z))
			all["ties"] = append(all["ties"], math.Round(2*z))
			all["heavy"] = append(all["heavy"], z*z*z*z*z)
		}
	}
	for name, v := range all {
		all[name] = v[:min(len(v), 250)] // as many knots as numbers
	}
	return all
}

func TestKinds(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for name, v := range columns(rng) {
		for _, k := range scale.Kinds() {
			f := k.Fit(slices.Values(v))
			of := f.Kind
			if k != scale.Mixed && of != k || of == scale.Mixed || f.N != len(v) {
				t.Errorf("%s: %s is %s of %d numbers", name, k, of, f.N)
			}
			if f.Spread == 0 {
				continue
			}
			for _, x := range append([]float64{-1e9, 0, 0.3, 1e9}, v...) {
				got, want := f.Of(x), naive(of, v, x)
				// Scores are rounded to five decimals; all else is a few roundings of float64.
				if !(math.Abs(got-want) <= 1.1e-5*max(1, math.Abs(want)*1e-6)) {
					t.Fatalf("%s, %s (%s): %v is %v, want %v", name, k, of, x, got, want)
				}
			}
		}
	}
}

// TestManyKnots checks normal scores of more numbers than there are knots.
func TestManyKnots(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	v := make([]float64, 5000)
	for i := range v {
		v[i] = math.Exp(rng.NormFloat64())
	}
	for _, most := range []int{2, 16, scale.MostKnots} {
		f := scale.Quantile.FitKnots(slices.Values(v), most)
		if len(f.Knots) != most || f.Curve.Validate() != nil {
			t.Fatalf("%d knots of %d, %v", len(f.Knots), most, f.Curve.Validate())
		}
		last := math.Inf(-1)
		for i, x := range slices.Sorted(slices.Values(v)) {
			got := f.Of(x)
			if got < last {
				t.Fatal("scores do not increase")
			}
			// Within 1/255 of the numbers, a rank is off by no more than that.
			if p := (1 + math.Erf(got/math.Sqrt2)) / 2; most == scale.MostKnots && math.Abs(p-(float64(i)+0.5)/5000) > 1.0/255 {
				t.Fatalf("%v has rank %v, want %v", x, p, (float64(i)+0.5)/5000)
			}
			last = got
		}
		if f.Of(math.MaxFloat64) != f.Scores[most-1] || f.Of(-math.MaxFloat64) != f.Scores[0] {
			t.Error("scores beyond the ends are not those of the ends")
		}
	}
	if n := scale.KnotsOf(784); n != 83 || scale.KnotsOf(0) != 256 || scale.KnotsOf(1<<20) != 16 {
		t.Errorf("%d knots", n)
	}
}

func TestChoose(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	all := map[scale.Kind][]float64{}
	var few []float64
	for range 2000 {
		z := rng.NormFloat64()
		all[scale.Standard] = append(all[scale.Standard], 5+z)
		all[scale.Log] = append(all[scale.Log], math.Exp(1.5*z))
		all[scale.Quantile] = append(all[scale.Quantile], math.Pow(z, 5))
		few = append(few, math.Trunc(z*z))
	}
	for want, v := range all {
		slices.Sort(v)
		negative := make([]float64, len(v))
		for i, x := range v {
			negative[len(v)-1-i] = -x
		}
		if got, other := scale.Choose(v), scale.Choose(negative); got != want || other != want {
			t.Errorf("%s and %s, want %s", got, other, want)
		}
	}
	slices.Sort(few)
	if k := scale.Choose(slices.DeleteFunc(few, func(x float64) bool { return x > 8 })); k != scale.Standard {
		t.Errorf("%s of few different numbers", k)
	}
}

// TestFinite checks that no scale of finite numbers is other than finite.
func TestFinite(t *testing.T) {
	for _, v := range [][]float64{
		{1.7e308, -1.7e308, 1.7e308}, {5e-324, 0, -5e-324}, {1e308, 1e-308}, {1e-170, 2e-170}, {math.MaxFloat64, 1},
		{-1.7e308, -1.7e308, 1.7e308, 1.7e308},
	} {
		for _, k := range scale.Kinds() {
			f := k.Fit(slices.Values(v))
			for _, x := range v {
				if y := f.Of(x); y-y != 0 {
					t.Errorf("%s of %v: %v is %v", k, v, x, y)
				}
			}
		}
	}
}

// TestVectorCurves checks that vectors are scaled as their columns are, again after
// they were stored.
func TestVectorCurves(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	x, columns := data.NewMatrix(300, 3), make([][]float64, 3)
	for i := range x.Rows {
		for j := range 3 {
			x.Row(i)[j] = math.Exp(float64(j) * rng.NormFloat64())
			columns[j] = append(columns[j], x.Row(i)[j])
		}
	}
	for _, k := range scale.Kinds() {
		s := scale.FitVectors(k, x, nil)
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var again scale.Vectors
		if err := json.Unmarshal(text, &again); err != nil || again.Validate() != nil {
			t.Fatal(err, again.Validate())
		}
		m := again.Apply(x)
		for j := range 3 {
			f := k.Fit(slices.Values(columns[j]))
			for i := range x.Rows {
				if m.Row(i)[j] != f.Of(columns[j][i]) {
					t.Fatalf("%s: row %d, coordinate %d is %v, want %v", k, i, j, m.Row(i)[j], f.Of(columns[j][i]))
				}
			}
		}
	}
}
