package spec

import (
	"fmt"
	"slices"
	"unicode"

	"github.com/kerf-ml/kerf/data"
)

// Suggestion is a kernel that is worth a trial, with the map that goes with it. A map
// without a name is the caller's choice.
type Suggestion struct {
	Kernel string
	Map    Call
}

// Suggester is the ability of a kind to say which kernels are worth a trial on
// instances, the most promising first. It depends on x alone.
type Suggester[T any] interface {
	Suggest(x data.Source[T]) []Suggestion
}

// What is looked at, and what decides.
const (
	suggestRows = 1000 // instances that are looked at, evenly from all
	mostListed  = 1e8  // features of all instances together, about: 12 bytes each
	proseWords  = 3    // words of a text of prose on average, at least
	spacedPart  = 0.5  // of the texts that have a blank, at least, of prose
	blankPart   = 0.01 // of the sequences that have a blank, at most
	alphabet    = 25   // letters of sequences, at most: amino acids and a few codes
	coverage    = 0.99 // part of all letters that the alphabet makes up
	sequence    = 20   // letters of a sequence on average, at least
	tiny        = 8    // letters of an alphabet that no names are written with
)

// The map of features that kernels list, plain and with the weights of rare words.
var (
	explicit = Call{Name: "explicit"}
	weighted = Call{Name: "explicit", Args: map[string]any{"idf": true}}
)

// look is what a sample of strings looks like.
type look struct {
	rows    int     // in all
	aligned bool    // all have the same length
	mean    float64 // bytes of a string
	words   float64 // between blanks, of a string
	spaced  float64 // part of the strings that have a blank
	letters int     // most frequent ones that make up almost all, capitals as small ones
	dna     bool    // most of them are a, c, g, t, u and n
}

// lookAt looks at some of the strings.
func lookAt(x data.Source[string]) look {
	n := min(x.Len(), suggestRows)
	l := look{rows: x.Len(), aligned: true}
	count := map[rune]int{}
	total, spaced, words, bytes, bases, first := 0, 0, 0, 0, 0, -1
	for i := range n {
		s := x.At(i * x.Len() / n)
		if first < 0 {
			first = len(s)
		}
		l.aligned = l.aligned && len(s) == first && first > 1
		bytes += len(s)
		blank, inside := false, false
		for _, r := range s {
			if unicode.IsSpace(r) {
				blank, inside = true, false
				continue
			}
			if !inside {
				words++
			}
			inside = true
			r = unicode.ToLower(r)
			count[r]++
			total++
			switch r {
			case 'a', 'c', 'g', 't', 'u', 'n':
				bases++
			}
		}
		if blank {
			spaced++
		}
	}
	n, total = max(n, 1), max(total, 1)
	l.mean, l.words, l.spaced = float64(bytes)/float64(n), float64(words)/float64(n), float64(spaced)/float64(n)
	l.dna = float64(bases) >= coverage*float64(total)
	l.letters = covering(count, total)
	return l
}

// covering returns how many letters, the most frequent first, make up almost all.
func covering(count map[rune]int, total int) int {
	many := make([]int, 0, len(count))
	for _, c := range count {
		many = append(many, c)
	}
	slices.SortFunc(many, func(a, b int) int { return b - a })
	sum := 0
	for i, c := range many {
		if sum += c; float64(sum) >= coverage*float64(total) {
			return i + 1
		}
	}
	return len(many)
}

// affords returns whether kernels that list so many features a letter can be tried.
func (l look) affords(each float64) bool { return each*l.mean*float64(l.rows) <= mostListed }

// Suggest tells sequences over a small alphabet, aligned or not, from prose and from
// names, and returns kernels for what the strings look like:
//
//	aligned      degree, of several D and with shifts; beside spectra
//	sequences    spectra of several lengths, and mismatches
//	prose        words and runs of letters, and both
//	names, codes runs of letters with the ends of words; degree where they are aligned
//
// Kernels that would list more than about 10⁸ features of all strings together are
// left out, as long as others are there.
func (Strings) Suggest(x data.Source[string]) []Suggestion {
	l := lookAt(x)
	var out suggestions
	small := l.letters <= alphabet && l.mean >= sequence || l.letters <= tiny
	switch {
	case l.spaced >= spacedPart && l.words >= proseWords:
		out.prose(l)
	case l.spaced <= blankPart && l.aligned:
		out.aligned(l)
		if !small {
			out.names()
		} else {
			out.spectra(l)
		}
	case l.spaced <= blankPart && small:
		out.spectra(l)
	default:
		out.names()
	}
	return out
}

// suggestions is a list that grows.
type suggestions []Suggestion

func (s *suggestions) add(m Call, format string, args ...any) {
	*s = append(*s, Suggestion{Kernel: fmt.Sprintf(format, args...), Map: m})
}

// aligned adds kernels of letters at their places. The number of features a letter
// is that of D.
func (s *suggestions) aligned(l look) {
	const plain, shifted, beside = "normalize(degree(d=%d))", "normalize(degree(d=%d,shift=1))",
		"normalize(degree(d=%d))+normalize(ngrams(from=1,to=%d,edges=0))"
	for _, d := range []int{5, 3, 8} {
		if l.affords(float64(d)) {
			s.add(explicit, plain, d)
		}
	}
	for _, d := range []int{4, 3} {
		if l.affords(2 * float64(d)) {
			s.add(explicit, shifted, d)
			break
		}
	}
	if l.affords(7) {
		s.add(explicit, beside, 3, 4)
	}
	if len(*s) == 0 {
		s.add(explicit, plain, 2)
	}
}

// spectra adds kernels of substrings wherever they stand. Few letters make long
// substrings worth counting.
func (s *suggestions) spectra(l look) {
	const one, many = "normalize(spectrum(k=%d))", "normalize(ngrams(from=1,to=%d,edges=0))"
	lengths := []int{3, 4, 2}
	longest := 4
	if l.letters <= tiny {
		lengths, longest = []int{6, 4, 8, 3}, 6
	}
	if l.affords(float64(longest)) {
		s.add(explicit, many, longest)
	}
	for _, k := range lengths {
		s.add(explicit, one, k)
	}
	switch {
	case l.dna && l.affords(19):
		s.add(explicit, "normalize(mismatch(k=6,m=1,letters=4))")
	case !l.dna && l.letters > tiny && l.affords(58):
		s.add(explicit, "normalize(mismatch(k=3,m=1,letters=20))")
	}
}

// prose adds kernels of words, and of runs of letters where that is not too much.
func (s *suggestions) prose(l look) {
	const words, runs = "normalize(words(n=2))", "normalize(ngrams(from=2,to=5,edges=1))"
	if l.affords(4) {
		s.add(weighted, "%s", words+"+"+runs)
		s.add(weighted, runs)
	}
	s.add(weighted, words)
	s.add(weighted, "normalize(words(n=1))")
	if l.affords(4) {
		s.add(explicit, "%s", words+"+"+runs)
	}
}

// names adds kernels of runs of letters that see where words begin and end.
func (s *suggestions) names() {
	const runs = "normalize(ngrams(from=%d,to=%d,edges=1))"
	s.add(explicit, runs, 1, 4)
	s.add(weighted, runs, 2, 5)
	s.add(weighted, runs+"+normalize(words(n=2))", 2, 5)
	s.add(explicit, runs, 1, 3)
}

// Suggest returns kernels of common items: their number with each item weighed by
// its rarity or not, pairs of items, and the ratio of Jaccard.
func (Sets) Suggest(data.Source[data.Set]) []Suggestion {
	return []Suggestion{
		{Kernel: "normalize(intersection)", Map: explicit},
		{Kernel: "intersection", Map: explicit},
		{Kernel: "normalize(intersection)", Map: weighted},
		{Kernel: "jaccard"},
		{Kernel: "normalize(conjunction(degree=2))"},
		{Kernel: "normalize(conjunction(degree=3))"},
	}
}
