package text

import (
	"fmt"
	"unicode"
)

// Words is the kernel of words and of N or fewer that follow each other,
//
//	K(x, y) = Σ_s (1 + ln count_x(s))·(1 + ln count_y(s))
//
// over the sequences s of 1 to N words that both have, where count_x(s) is how often
// x has s. A word is a run of letters, digits and marks of UTF-8, as many as follow
// each other, or one of any other signs but blanks: "don't!" is don ' t !. Capitals
// count as small letters.
//
// It is a kernel. Sequences are numbered by a 64-bit hash, see graded.go. Terms
// takes time |x| + N·words.
type Words struct {
	N int
}

// NewWords returns the kernel of words and of pairs of neighbours.
func NewWords() Words { return Words{N: 2} }

// maxWords bounds how many words count together.
const maxWords = 16

// Validate reports an N that is out of range.
func (k Words) Validate() error {
	if k.N < 1 || k.N > maxWords {
		return fmt.Errorf("words: n is %d and must be from 1 to %d", k.N, maxWords)
	}
	return nil
}

func (k Words) String() string { return fmt.Sprintf("words(n=%d)", k.N) }

// Terms lists the sequences in the order of their numbers, each once.
func (k Words) Terms(x string, emit func(term uint64, weight float64)) {
	words := wordNumbers(x)
	terms := make([]uint64, 0, len(words)*max(0, k.N))
	for i := range words {
		h := uint64(fnvStart)
		for _, w := range words[i:min(i+max(0, k.N), len(words))] {
			h = (h ^ w) * fnvPrime
			h ^= h >> 32 // the words' high bits count among the low ones of the next
			terms = append(terms, fnvEnd(h))
		}
	}
	graded(terms, emit)
}

// wordNumbers returns the numbers of the words of x in their order.
func wordNumbers(x string) []uint64 {
	letters := folded(x)
	var out []uint64
	for i := 0; i < len(letters); {
		h, begin := uint64(fnvStart), i
		for i < len(letters) && inWord(letters[i]) {
			h = fnvAdd(h, letters[i])
			i++
		}
		if i == begin {
			r := letters[i]
			i++
			if unicode.IsSpace(r) {
				continue
			}
			h = fnvAdd(h, r)
		}
		out = append(out, fnvEnd(h))
	}
	return out
}

// inWord reports letters, digits and marks, and bytes that are no UTF-8.
func inWord(r rune) bool {
	if r < 0x80 {
		return r >= 'a' && r <= 'z' || r >= '0' && r <= '9'
	}
	return r > unicode.MaxRune || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// Eval returns K(x, y).
func (k Words) Eval(x, y string) float64 { return against(k, y)(x) }

// Diag returns the sum of the squares of the weights.
func (k Words) Diag(x string) float64 { return gradedNorm2(k, x) }

// Prepare counts the sequences of y once.
func (k Words) Prepare(y string) func(x string) float64 { return against(k, y) }
