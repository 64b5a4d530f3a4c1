package text

import (
	"errors"
	"fmt"
	"unicode"
)

// Ngrams is the kernel of runs of From to To letters,
//
//	K(x, y) = Σ_s (1 + ln count_x(s))·(1 + ln count_y(s))
//
// over the strings s of From to To letters that both have, where count_x(s) is how
// often x has s. Unlike those of the other kernels of the package its letters are
// those of UTF-8, a byte that is none standing for itself, and capitals count as
// small letters.
//
// With Edges 1, the default, runs are taken from each word apart, with a blank put
// before and behind it: " the", "he ", "the". A beginning or an end of a word is
// then told from its middle, and no run goes from one word into the next. A word is
// what stands between blanks. With Edges 0 runs are taken from the whole string as
// it is, with its blanks.
//
// It is a kernel. Runs are numbered by a 64-bit hash, see graded.go. Terms takes
// time |x|·(To - From + 1), and as many numbers to sort.
type Ngrams struct {
	From, To int
	Edges    int
}

// NewNgrams returns the kernel of runs of 2 to 5 letters within words.
func NewNgrams() Ngrams { return Ngrams{From: 2, To: 5, Edges: 1} }

// maxNgrams bounds the length of runs.
const maxNgrams = 64

// Validate reports every parameter that is out of range.
func (k Ngrams) Validate() error {
	var faults []error
	if k.From < 1 || k.From > maxNgrams {
		faults = append(faults, fmt.Errorf("ngrams: from is %d and must be from 1 to %d", k.From, maxNgrams))
	}
	if k.To < k.From || k.To > maxNgrams {
		faults = append(faults, fmt.Errorf("ngrams: to is %d and must be at least from and at most %d", k.To, maxNgrams))
	}
	if k.Edges != 0 && k.Edges != 1 {
		faults = append(faults, fmt.Errorf("ngrams: edges is %d and must be 0 or 1", k.Edges))
	}
	return errors.Join(faults...)
}

func (k Ngrams) String() string {
	return fmt.Sprintf("ngrams(from=%d,to=%d,edges=%d)", k.From, k.To, k.Edges)
}

// Terms lists the runs in the order of their numbers, each once.
func (k Ngrams) Terms(x string, emit func(term uint64, weight float64)) {
	letters := folded(x)
	terms := make([]uint64, 0, len(letters)*max(0, k.To-k.From+1))
	if k.Edges == 0 {
		graded(k.runs(terms, letters), emit)
		return
	}
	var word []rune
	for len(letters) > 0 {
		n := 0
		for n < len(letters) && !unicode.IsSpace(letters[n]) {
			n++
		}
		if n > 0 {
			word = append(append(append(word[:0], ' '), letters[:n]...), ' ')
			terms = k.runs(terms, word)
		}
		letters = letters[min(n+1, len(letters)):]
	}
	graded(terms, emit)
}

// runs appends the numbers of all runs of the letters.
func (k Ngrams) runs(terms []uint64, letters []rune) []uint64 {
	for i := range letters {
		h := uint64(fnvStart)
		for n, letter := range letters[i:min(i+k.To, len(letters))] {
			h = fnvAdd(h, letter)
			if n+1 >= k.From {
				terms = append(terms, fnvEnd(h))
			}
		}
	}
	return terms
}

// folded returns the letters of x, capitals as small ones. A byte that is no UTF-8
// is a letter past all others.
func folded(x string) []rune {
	out := make([]rune, 0, len(x))
	for i, r := range x {
		if r == unicode.ReplacementChar && x[i] != "\uFFFD"[0] {
			r = unicode.MaxRune + 1 + rune(x[i])
		} else if r >= 'A' && r <= 'Z' {
			r += 'a' - 'A'
		} else if r >= 0x80 {
			r = unicode.ToLower(r)
		}
		out = append(out, r)
	}
	return out
}

// Eval returns K(x, y).
func (k Ngrams) Eval(x, y string) float64 { return against(k, y)(x) }

// Diag returns the sum of the squares of the weights.
func (k Ngrams) Diag(x string) float64 { return gradedNorm2(k, x) }

// Prepare counts the runs of y once.
func (k Ngrams) Prepare(y string) func(x string) float64 { return against(k, y) }
