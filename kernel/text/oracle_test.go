package text_test

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/kernel/text"
)

// The kernels from their definitions.

func naiveDegree(k text.Degree, x, y string) float64 {
	sum, d := 0.0, float64(k.D)
	for n := 1; n <= k.D; n++ {
		same := 0
		for i := 0; i+n <= min(len(x), len(y)); i++ {
			if x[i:i+n] == y[i:i+n] {
				same++
			}
		}
		sum += 2 * (d - float64(n) + 1) / (d * (d + 1)) * float64(same)
	}
	return sum
}

func naiveSubstring(k text.Substring, x, y string) float64 {
	common := map[string]bool{}
	for i := range len(x) {
		for j := i + 1; j <= len(x) && (k.Max == 0 || j-i <= k.Max); j++ {
			if strings.Contains(y, x[i:j]) {
				common[x[i:j]] = true
			}
		}
	}
	return float64(len(common))
}

func naiveSpectrum(k text.Spectrum, x, y string) float64 {
	sum := 0
	for i := 0; i+k.K <= len(x); i++ {
		for j := 0; j+k.K <= len(y); j++ {
			if x[i:i+k.K] == y[j:j+k.K] {
				sum++
			}
		}
	}
	return float64(sum)
}

// naiveMismatch goes through all strings s of the DNA alphabet.
func naiveMismatch(k text.Mismatch, x, y string) float64 {
	near := func(x, s string) (count float64) {
		for i := 0; i+len(s) <= len(x); i++ {
			differ := 0
			for j := range len(s) {
				if s[j] != x[i+j] && s[j]|0x20 != x[i+j] { // neither A nor a
					differ++
				}
			}
			if differ <= k.M {
				count++
			}
		}
		return count
	}
	var each func(s string) float64
	each = func(s string) float64 {
		if len(s) == k.K {
			return near(x, s) * near(y, s)
		}
		sum := 0.0
		for _, c := range "ACGT" {
			sum += each(s + string(c))
		}
		return sum
	}
	return each("")
}

// naiveSubsequence goes through all places of both strings.
func naiveSubsequence(k text.Subsequence, x, y string) float64 {
	phi := func(x string) map[string]float64 {
		out := map[string]float64{}
		var each func(s string, first, next int)
		each = func(s string, first, next int) {
			if len(s) == k.K {
				out[s] += math.Pow(k.Decay, float64(next-first))
				return
			}
			for i := next; i < len(x); i++ {
				begin := first
				if s == "" {
					begin = i
				}
				each(s+x[i:i+1], begin, i+1)
			}
		}
		each("", 0, 0)
		return out
	}
	sum, other := 0.0, phi(y)
	for s, v := range phi(x) {
		sum += v * other[s]
	}
	return sum
}

// naive returns the value of any kernel of the package from its definition.
func naive(k kernel.Kernel[string], x, y string) float64 {
	switch k := k.(type) {
	case text.Degree:
		return naiveDegree(k, x, y)
	case text.Substring:
		return naiveSubstring(k, x, y)
	case text.Spectrum:
		return naiveSpectrum(k, x, y)
	case text.Mismatch:
		return naiveMismatch(k, x, y)
	case text.Subsequence:
		return naiveSubsequence(k, x, y)
	}
	panic("no such kernel")
}

// kernels are kernels of every type whose oracles end in time.
func kernels() []kernel.Kernel[string] {
	return []kernel.Kernel[string]{
		text.Degree{D: 1}, text.Degree{D: 2}, text.Degree{D: 3}, text.Degree{D: 5}, text.Degree{D: 20},
		text.Degree{D: 63}, text.Degree{D: 64}, text.Degree{D: 65}, text.Degree{D: 100},
		text.Substring{}, text.Substring{Max: 1}, text.Substring{Max: 3}, text.Substring{Max: 8},
		text.Spectrum{K: 1}, text.Spectrum{K: 3}, text.Spectrum{K: 8}, text.Spectrum{K: 9}, text.Spectrum{K: 17},
		text.Mismatch{K: 1, M: 0, Letters: 4}, text.Mismatch{K: 2, M: 1, Letters: 4},
		text.Mismatch{K: 3, M: 1, Letters: 4}, text.Mismatch{K: 3, M: 2, Letters: 4},
		text.Subsequence{K: 1, Decay: 0.5}, text.Subsequence{K: 2, Decay: 0.5},
		text.Subsequence{K: 3, Decay: 0.25}, text.Subsequence{K: 4, Decay: 1},
	}
}

// agree fails unless Eval, the prepared function and, for equal strings, Diag
// give what the definition gives. Both sides add at most 10⁵ positive terms, each
// rounded a few times: relative errors are below 10⁵·2⁻⁵⁰ < 1e-10.
func agree(t interface {
	Helper()
	Fatalf(format string, args ...any)
}, k kernel.Kernel[string], x, y string) {
	t.Helper()
	want := naive(k, x, y)
	check := func(what string, got float64) {
		if math.Abs(got-want) > 1e-10*want {
			t.Fatalf("%v: %s of %q and %q is %v and must be %v", k, what, x, y, got, want)
		}
	}
	check("Eval", k.Eval(x, y))
	check("Eval, turned round,", k.Eval(y, x))
	with := kernel.Prepare(k, y)
	check("Prepare", with(x))
	check("Prepare, used again,", with(x))
	if x == y {
		check("Diag", kernel.Diag(k, x))
	}
}

func TestDefinition(t *testing.T) {
	pairs := [][2]string{
		{"", ""}, {"", "A"}, {"A", "A"}, {"A", "C"}, {"AAAA", "AAAA"}, {"AAAAAAAAA", "AAA"},
		{"ACGTACGTAC", "ACGTACGTAC"}, {"ACGTNACGTA", "ACGTAACGTT"}, {"acgt", "ACGT"},
		{"GATTACA", "TACATAGAT"}, {"banana", "ananas"}, {"\x00\x00\xff", "\x00\xff\x00\xff"},
		{"Grüße", "Füße"}, {"日本語", "日本"},
	}
	for _, k := range kernels() {
		for _, p := range pairs {
			agree(t, k, p[0], p[1])
		}
	}
}

func TestDefinitionAtRandom(t *testing.T) {
	for _, k := range kernels() {
		top := 80
		if s, ok := k.(text.Subsequence); ok {
			top = 24 - 4*s.K // the oracle is exponential
		}
		rapid.Check(t, func(t *rapid.T) {
			letters := rapid.SampledFrom([]string{"A", "AC", "ACGT", "ACGTNacgt", "\x00\x7f\x80\xff"}).Draw(t, "letters")
			pick := func(name string) string {
				n := rapid.SampledFrom([]int{0, 1, 2, 3, top / 2, top - 1, top}).Draw(t, "length")
				b := rapid.SliceOfN(rapid.SampledFrom([]byte(letters)), n, n).Draw(t, name)
				return string(b)
			}
			x, y := pick("x"), pick("y")
			agree(t, k, x, y)
			agree(t, k, x, x)
		})
	}
}

// TestDegreeAtEdges has lengths and runs that straddle words and blocks.
func TestDegreeAtEdges(t *testing.T) {
	sizes := []int{0, 1, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 71, 72, 73, 127, 128, 129, 200}
	for _, d := range []int{1, 4, 5, 63, 64, 65, 130} {
		k := text.Degree{D: d}
		for _, n := range sizes {
			x := strings.Repeat("A", n)
			agree(t, k, x, x)
			agree(t, k, x, x+"A")
			for _, hole := range sizes {
				if hole < n {
					agree(t, k, x, x[:hole]+"\xc1"+x[hole+1:])
				}
			}
		}
	}
}

// TestMismatchClosedForm checks values of substrings alone against the number of
// strings that are near both: with h places that differ, i of the others
// changed, j and l of the h as in one and the other and r in neither,
//
//	Σ (k-h choose i)(A-1)^i · h!/(j!l!r!) · (A-2)^r,   i+l+r ≤ m, i+j+r ≤ m.
func TestMismatchClosedForm(t *testing.T) {
	factorial := func(n int) float64 { return math.Round(math.Gamma(float64(n + 1))) }
	for _, k := range []text.Mismatch{
		{K: 5, M: 1, Letters: 4}, {K: 6, M: 2, Letters: 4}, {K: 4, M: 2, Letters: 20}, {K: 3, M: 1, Letters: 26},
	} {
		a := float64(k.Letters)
		for h := 0; h <= k.K; h++ {
			want := 0.0
			for i := 0; i <= k.K-h; i++ {
				for j := 0; j <= h; j++ {
					for l := 0; l <= h-j; l++ {
						if r := h - j - l; i+l+r <= k.M && i+j+r <= k.M {
							ways := factorial(k.K-h) / factorial(i) / factorial(k.K-h-i) * math.Pow(a-1, float64(i))
							want += ways * factorial(h) / factorial(j) / factorial(l) / factorial(r) * math.Pow(a-2, float64(r))
						}
					}
				}
			}
			x := strings.Repeat("A", k.K)
			if got := k.Eval(x, strings.Repeat("C", h)+x[h:]); got != want {
				t.Errorf("%v with %d letters different is %v and must be %v", k, h, got, want)
			}
		}
	}
}

func TestMismatchOfNoneIsSpectrum(t *testing.T) {
	x, y := dna(100, 1), dna(90, 2)
	for k := 1; k <= 8; k++ {
		if got, want := (text.Mismatch{K: k, Letters: 4}).Eval(x, y), (text.Spectrum{K: k}).Eval(x, y); got != want {
			t.Errorf("k=%d: mismatch is %v, spectrum %v", k, got, want)
		}
	}
}
