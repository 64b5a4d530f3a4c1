package text_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/kerf-ml/kerf/kerftest"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/kernel/text"
)

// samples has strings shorter than any k, related ones, repeats and bytes that
// are no text.
func samples() []string {
	x := []string{"", "A", "AC", "acgt", "日本語 text", "\x00\xff\x80\x7f\x00\xff\x80\x7f\x00\xff", strings.Repeat("A", 100)}
	for i := range uint64(8) {
		s := dna(int(30+13*i), i)
		x = append(x, s, s[:len(s)/2]+dna(40, 100+i))
	}
	return append(x, x[len(x)-1])
}

func TestConformance(t *testing.T) {
	for _, k := range append(kernels(),
		text.Mismatch{K: 5, M: 1, Letters: 4}, text.Mismatch{K: 2, M: 1, Letters: 20}, text.Mismatch{K: 2, M: 1, Letters: 26},
		text.Subsequence{K: 5, Decay: 0.5}, text.NewNgrams(), text.Ngrams{From: 1, To: 3}, text.NewWords(),
		text.Degree{D: 4, Shift: 2},
	) {
		t.Run(fmt.Sprint(k), func(t *testing.T) {
			kerftest.Kernel(t, k, samples())
			kerftest.Kernel(t, kernel.Kernel[string](kernel.Normalize(k)), samples())
		})
	}
}

// TestAbilities holds which kernels gram computes by sparse products and which
// pair by pair.
func TestAbilities(t *testing.T) {
	for _, test := range []struct {
		kernel             kernel.Kernel[string]
		explicit, prepared bool
	}{
		{text.Degree{D: 5}, false, false},
		{text.Substring{}, false, true},
		{text.Spectrum{K: 3}, true, true},
		{text.NewMismatch(5, 1), true, true},
		{text.NewSubsequence(3), false, false},
		{text.NewWords(), true, true},
		{text.NewNgrams(), true, true},
	} {
		_, _, explicit := kernel.ExplicitOf(test.kernel)
		_, prepared := test.kernel.(kernel.Preparer[string])
		if explicit != test.explicit || prepared != test.prepared {
			t.Errorf("%v: explicit %t, prepared %t", test.kernel, explicit, prepared)
		}
		if _, ok := test.kernel.(kernel.Diagonal[string]); !ok &&
			test.kernel != kernel.Kernel[string](text.NewSubsequence(3)) {
			t.Errorf("%v has no diagonal", test.kernel)
		}
	}
}

func TestText(t *testing.T) {
	for _, test := range []struct {
		kernel kernel.Kernel[string]
		want   string
	}{
		{text.Degree{D: 5}, "degree(d=5)"},
		{text.Degree{D: 5, Shift: 1}, "degree(d=5,shift=1)"},
		{text.NewWords(), "words(n=2)"},
		{text.NewNgrams(), "ngrams(from=2,to=5,edges=1)"},
		{text.Substring{}, "substring"},
		{text.Substring{Max: 8}, "substring(p=8)"},
		{text.Spectrum{K: 3}, "spectrum(k=3)"},
		{text.NewMismatch(5, 1), "mismatch(k=5,m=1,letters=4)"},
		{text.NewSubsequence(3), "subsequence(k=3,decay=0.5)"},
		{text.Subsequence{K: 4, Decay: 1e-07}, "subsequence(k=4,decay=1e-07)"},
		{kernel.Normalize[string](text.Spectrum{K: 3}), "normalize(spectrum(k=3))"},
	} {
		if got := fmt.Sprint(test.kernel); got != test.want {
			t.Errorf("prints as %s and must as %s", got, test.want)
		}
		if err := kernel.Validate(test.kernel); err != nil {
			t.Errorf("%v: %v", test.kernel, err)
		}
	}
}

func TestValidate(t *testing.T) {
	for _, test := range []struct {
		kernel kernel.Kernel[string]
		want   []string // one for each fault
	}{
		{text.Degree{}, []string{"degree: d is 0"}},
		{text.Degree{D: 1, Shift: -1}, []string{"degree: shift is -1"}},
		{text.Words{}, []string{"words: n is 0"}},
		{text.Ngrams{From: 3, To: 2, Edges: 2}, []string{"ngrams: to is 2", "edges is 2"}},
		{text.Degree{D: 1_000_001}, []string{"d is 1000001"}},
		{text.Substring{Max: -1}, []string{"substring: p is -1"}},
		{text.Spectrum{}, []string{"spectrum: k is 0"}},
		{text.Spectrum{K: 5000}, []string{"k is 5000"}},
		{text.Mismatch{}, []string{"letters is 0", "k is 0"}},
		{text.Mismatch{K: 3, M: 3, Letters: 4}, []string{"m is 3"}},
		{text.Mismatch{K: 3, M: -1, Letters: 5}, []string{"letters is 5", "m is -1"}},
		{text.Mismatch{K: 32, M: 1, Letters: 4}, []string{"k is 32 and must be from 1 to 31"}},
		{text.Mismatch{K: 12, M: 6, Letters: 26}, []string{"neighbours"}},
		{text.Subsequence{}, []string{"k is 0", "decay is 0"}},
		{text.Subsequence{K: 1001, Decay: 1.5}, []string{"k is 1001", "decay is 1.5"}},
	} {
		err := kernel.Validate(test.kernel)
		if err == nil {
			t.Errorf("%v has no fault", test.kernel)
			continue
		}
		if got := strings.Count(err.Error(), "\n") + 1; got != len(test.want) {
			t.Errorf("%v has %d faults and must have %d: %v", test.kernel, got, len(test.want), err)
		}
		for _, want := range test.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%v: %q does not say %q", test.kernel, err, want)
			}
		}
	}
}

// TestPreparedConcurrently uses prepared functions from several goroutines.
func TestPreparedConcurrently(t *testing.T) {
	x := samples()
	for _, k := range []kernel.Kernel[string]{text.Substring{}, text.Spectrum{K: 3}, text.NewMismatch(4, 1)} {
		y := x[len(x)-2]
		with := kernel.Prepare(k, y)
		var wait sync.WaitGroup
		for range 4 {
			wait.Go(func() {
				for _, s := range x {
					if got, want := with(s), k.Eval(s, y); got != want {
						t.Errorf("%v of %q is %v and must be %v", k, s, got, want)
					}
				}
			})
		}
		wait.Wait()
	}
}

// TestSubstringOfAllLetters has an alphabet of more letters than a word has bits.
func TestSubstringOfAllLetters(t *testing.T) {
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i * 7) // 7 is odd, so every byte occurs
	}
	x := string(all)
	if got, want := (text.Substring{}).Diag(x), 256*257/2.0; got != want {
		t.Errorf("%v different substrings and must be %v", got, want)
	}
	agree(t, text.Substring{}, x, x[128:]+x[:128])
	agree(t, text.Substring{Max: 5}, x[100:]+"\x00\x07", x)
}

func FuzzKernels(f *testing.F) {
	f.Add("ACGTACGT", "ACGTTCGA")
	f.Add("banana", "ananas")
	f.Add("", "\x00\xff")
	f.Fuzz(func(t *testing.T, x, y string) {
		if len(x) > 300 || len(y) > 300 {
			return
		}
		for _, k := range kernels() {
			if _, slow := k.(text.Subsequence); slow && len(x)+len(y) > 24 {
				continue
			}
			agree(t, k, x, y)
			agree(t, k, x, x)
		}
	})
}
