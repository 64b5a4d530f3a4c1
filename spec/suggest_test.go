package spec_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/spec"
)

// TestSuggest checks what is suggested for strings of several sorts, and that all of
// it can be made.
func TestSuggest(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	made := func(rows, shortest, longest int, letters string) (x data.Slice[string]) {
		for range rows {
			s := make([]byte, shortest+rng.IntN(longest-shortest+1))
			for i := range s {
				s[i] = letters[rng.IntN(len(letters))]
			}
			x = append(x, string(s))
		}
		return x
	}
	const dna, protein = "ACGT", "ACDEFGHIKLMNPQRSTVWY"
	names := data.Slice[string]{"Müller", "van Dyck", "O'Neill", "Katz", "Abe", "de la Cruz", "Smith"}
	var prose data.Slice[string]
	for i := range 50 {
		prose = append(prose, fmt.Sprintf("This is text number %d, and it is short!", i))
	}
	for _, c := range []struct {
		what        string
		x           data.Source[string]
		first       string
		with, never []string
	}{
		{"aligned DNA", made(100, 60, 60, dna), "normalize(degree(d=5))", []string{"shift=1", "spectrum", "mismatch"},
			[]string{"words", "idf"}},
		{"long aligned DNA", repeated{made(100, 400, 400, dna), 80000}, "normalize(degree(d=3))", []string{"spectrum"},
			[]string{"d=5", "words", "mismatch"}},
		{"endless aligned DNA", repeated{made(10, 9000, 9000, dna), 80000}, "normalize(degree(d=2))", nil,
			[]string{"d=3", "ngrams"}},
		{"DNA", made(100, 40, 90, "acgt"), "normalize(ngrams(from=1,to=6,edges=0))",
			[]string{"spectrum(k=8)", "mismatch(k=6,m=1,letters=4)"}, []string{"degree", "words"}},
		{"proteins", made(100, 40, 90, protein), "normalize(ngrams(from=1,to=4,edges=0))",
			[]string{"spectrum(k=3)", "letters=20"}, []string{"degree", "words", "letters=4"}},
		{"plates", made(100, 7, 7, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"), "normalize(degree(d=5))",
			[]string{"edges=1"}, []string{"mismatch"}},
		{"names", names, "normalize(ngrams(from=1,to=4,edges=1))", []string{"words"}, []string{"degree", "spectrum"}},
		{"prose", prose, "normalize(words(n=2))+normalize(ngrams(from=2,to=5,edges=1))", []string{"idf"},
			[]string{"degree", "spectrum"}},
		{"much prose", repeated{prose, 5_000_000}, "normalize(words(n=2))", []string{"idf"}, []string{"ngrams"}},
		{"nothing", data.Slice[string]{}, "normalize(spectrum(k=6))", nil, []string{"words"}},
		{"empty strings", data.Slice[string]{"", ""}, "normalize(ngrams(from=1,to=6,edges=0))", nil, []string{"words"}},
	} {
		got := spec.Strings{}.Suggest(c.x)
		if len(got) == 0 {
			t.Errorf("%s: nothing", c.what)
			continue
		}
		all := fmt.Sprint(got)
		if got[0].Kernel != c.first && c.x.Len() > 0 {
			t.Errorf("%s: first %s, want %s", c.what, got[0].Kernel, c.first)
		}
		for _, part := range c.with {
			if !strings.Contains(all, part) {
				t.Errorf("%s: no %s in %s", c.what, part, all)
			}
		}
		for _, part := range c.never {
			if strings.Contains(all, part) {
				t.Errorf("%s: %s in %s", c.what, part, all)
			}
		}
		for _, s := range got {
			k, err := spec.Strings{}.Kernel(s.Kernel)
			if err != nil {
				t.Errorf("%s: %v", c.what, err)
				continue
			}
			if _, ok := kernel.ListingOf(k); !ok {
				t.Errorf("%s: %v does not list its features", c.what, k)
			}
		}
	}
	for _, s := range (spec.Sets{}).Suggest(nil) {
		k, err := spec.Sets{}.Kernel(s.Kernel)
		if err != nil {
			t.Error(err)
			continue
		}
		if _, ok := kernel.ListingOf(k); !ok && s.Map.Name != "" {
			t.Errorf("%v does not list its features", k)
		}
	}
}

// repeated is many of a few strings.
type repeated struct {
	data.Slice[string]
	n int
}

func (r repeated) Len() int        { return r.n }
func (r repeated) At(i int) string { return r.Slice[i%len(r.Slice)] }
