package text_test

import (
	"math"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/kernel/text"
)

// naiveGraded is Σ (1 + ln a)·(1 + ln b) over what both lists have, a and b times.
func naiveGraded(x, y []string) float64 {
	count := func(list []string) map[string]float64 {
		m := map[string]float64{}
		for _, s := range list {
			m[s]++
		}
		return m
	}
	sum, other := 0.0, count(y)
	for s, a := range count(x) {
		if b := other[s]; b > 0 {
			sum += (1 + math.Log(a)) * (1 + math.Log(b))
		}
	}
	return sum
}

func naiveNgrams(k text.Ngrams, x, y string) float64 {
	runs := func(x string) (out []string) {
		parts := []string{strings.ToLower(x)}
		if k.Edges == 1 {
			parts = strings.FieldsFunc(strings.ToLower(x), unicode.IsSpace)
			for i, w := range parts {
				parts[i] = " " + w + " "
			}
		}
		for _, part := range parts {
			letters := []rune(part)
			for i := range letters {
				for n := k.From; n <= k.To && i+n <= len(letters); n++ {
					out = append(out, string(letters[i:i+n]))
				}
			}
		}
		return out
	}
	return naiveGraded(runs(x), runs(y))
}

func naiveWords(k text.Words, x, y string) float64 {
	sequences := func(x string) (out []string) {
		var words []string
		word := ""
		for _, r := range strings.ToLower(x) + " " {
			if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) {
				word += string(r)
				continue
			}
			if word != "" {
				words, word = append(words, word), ""
			}
			if !unicode.IsSpace(r) {
				words = append(words, string(r))
			}
		}
		for i := range words {
			for n := 1; n <= k.N && i+n <= len(words); n++ {
				out = append(out, strings.Join(words[i:i+n], "\x00"))
			}
		}
		return out
	}
	return naiveGraded(sequences(x), sequences(y))
}

func naiveShifted(k text.Degree, x, y string) float64 {
	sum, plain := 0.0, text.Degree{D: k.D}
	for s := -k.Shift; s <= k.Shift; s++ {
		a, b := x, y
		if s > 0 {
			b = y[min(s, len(y)):]
		} else {
			a = x[min(-s, len(x)):]
		}
		sum += (1 - math.Abs(float64(s))/float64(k.Shift+1)) * naiveDegree(plain, a, b)
	}
	return sum
}

// TestProse compares the kernels of prose, and shifted places, with their
// definitions. The sums have fewer than a thousand terms of one sign.
func TestProse(t *testing.T) {
	near := func(t *rapid.T, k kernel.Kernel[string], x, y string, want float64) {
		got := k.Eval(x, y)
		if math.Abs(got-want) > 1e-12*(1+want) || k.Eval(y, x) != got || kernel.Prepare(k, y)(x) != got {
			t.Fatalf("%v at %q and %q: %v, want %v", k, x, y, got, want)
		}
		if self := kernel.Diag(k, x); math.Abs(self-k.Eval(x, x)) > 1e-12*(1+self) {
			t.Fatalf("%v: diagonal %v, want %v", k, self, k.Eval(x, x))
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		prose := rapid.StringOfN(rapid.SampledFrom([]rune("abAÄäß é.,'\t\n1日")), 0, 40, -1)
		x, y := prose.Draw(t, "x"), prose.Draw(t, "y")
		from := rapid.IntRange(1, 4).Draw(t, "from")
		to, edges := from+rapid.IntRange(0, 3).Draw(t, "more"), rapid.IntRange(0, 1).Draw(t, "edges")
		n := text.Ngrams{From: from, To: to, Edges: edges}
		near(t, n, x, y, naiveNgrams(n, x, y))
		w := text.Words{N: rapid.IntRange(1, 3).Draw(t, "n")}
		near(t, w, x, y, naiveWords(w, x, y))
		d := text.Degree{D: rapid.IntRange(1, 70).Draw(t, "d"), Shift: rapid.IntRange(0, 4).Draw(t, "shift")}
		near(t, d, x, y, naiveShifted(d, x, y))
	})
}

// TestBytes keeps bytes that are no UTF-8 apart.
func TestBytes(t *testing.T) {
	for _, k := range []kernel.Kernel[string]{text.NewNgrams(), text.NewWords()} {
		if got := k.Eval("\xff\xfe", "\xfd\xfc"); got != 0 {
			t.Errorf("%v: %v", k, got)
		}
		if got := k.Eval("\xff\xfe", "\ufffd\ufffd"); got != 0 {
			t.Errorf("%v: %v", k, got)
		}
	}
}
