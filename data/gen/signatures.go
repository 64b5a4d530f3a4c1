package gen

import (
	"context"
	"math/rand/v2"
	"strings"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/seed"
)

// Signatures makes strings of which one half hold a hidden word, as the files of
// the substring kernel's example hold the signature of a virus
// (Shalev-Shwartz and Ben-David 2014, section 16.2). The label is 1 if and only
// if the word is a substring.
//
// Letters are drawn uniformly one by one, except that a letter which would
// complete the word is drawn again among the others, so that the word comes
// nowhere by chance. In strings of label 1 it is then written over the letters
// from a uniform place on. A string costs O(Length).
type Signatures struct {
	N        int     // strings, at least 1
	Length   int     // of each string, at least Word
	Word     int     // length of the hidden word, at least 1
	Alphabet string  // at least two different ASCII letters
	Noise    float64 // probability that a label is flipped, from 0 to 1
	Seed     uint64
}

// NewSignatures returns the recipe for 1000 strings of 200 letters A, C, G, T
// with a word of 8, without noise, seed 1.
func NewSignatures() Signatures {
	return Signatures{N: 1000, Length: 200, Word: 8, Alphabet: "ACGT", Seed: 1}
}

// Validate reports every fault of the recipe.
func (s Signatures) Validate() error {
	var f faults
	f.unless(Options{N: 1, Noise: s.Noise}.Validate("") == nil,
		"noise is %v and must be a probability, from 0 to 1", s.Noise)
	f.unless(s.N >= 1, "n is %d and must be at least 1", s.N)
	f.unless(s.Word >= 1, "length of the word is %d and must be at least 1", s.Word)
	f.unless(s.Length >= s.Word && s.Length >= 1,
		"length is %d and must be at least that of the word, %d", s.Length, max(s.Word, 1))
	f.unless(s.N < 1 || s.Length <= maxValues/s.N, "n is %d and that many strings do not fit any memory", s.N)
	f.unless(isAlphabet(s.Alphabet), "alphabet is %q and must be two or more different ASCII letters", s.Alphabet)
	return f.err()
}

func isAlphabet(s string) bool {
	for i, c := range []byte(s) {
		if c|0x20 < 'a' || c|0x20 > 'z' || strings.IndexByte(s, c) != i {
			return false
		}
	}
	return len(s) >= 2
}

// Hidden returns the word that strings of label 1 hold.
func (s Signatures) Hidden() string {
	rng := seed.Stream(s.Seed, seed.Generator, normalBlock)
	word := make([]byte, s.Word)
	for i := range word {
		word[i] = s.Alphabet[rng.IntN(len(s.Alphabet))]
	}
	return string(word)
}

// Make returns the strings and their labels, every fault of the recipe at once,
// or the context's error when that ends before all is made.
func (s Signatures) Make(ctx context.Context) (data.Slice[string], []string, error) {
	if err := s.Validate(); err != nil {
		return nil, nil, err
	}
	word := s.Hidden()
	border := borders(word)
	text := make([]byte, s.Length)
	return blocks(ctx, Options{N: s.N, Noise: s.Noise, Seed: s.Seed}, func(rng *rand.Rand) (string, bool) {
		positive := rng.IntN(2) == 0
		at := rng.IntN(s.Length - s.Word + 1)
		s.avoid(rng, text, word, border)
		if positive {
			copy(text[at:], word)
		}
		return string(text), positive
	})
}

// avoid fills text with letters so that word is no substring of it. matched is
// the length of the longest beginning of word that text[:i] ends with; it is
// less than len(word) throughout, so the word is never complete.
func (s Signatures) avoid(rng *rand.Rand, text []byte, word string, border []int) {
	matched := 0
	for i := range text {
		letter := rng.IntN(len(s.Alphabet))
		if matched == len(word)-1 && s.Alphabet[letter] == word[matched] {
			other := rng.IntN(len(s.Alphabet) - 1)
			if other >= letter {
				other++
			}
			letter = other
		}
		text[i] = s.Alphabet[letter]
		for matched > 0 && word[matched] != text[i] {
			matched = border[matched]
		}
		if word[matched] == text[i] {
			matched++
		}
	}
}

// borders returns for each length k the length of the longest proper beginning
// of word[:k] that is also its end: the failure function of Knuth, Morris and
// Pratt (1977).
func borders(word string) []int {
	border := make([]int, len(word)+1)
	for k := 2; k <= len(word); k++ {
		b := border[k-1]
		for b > 0 && word[b] != word[k-1] {
			b = border[b]
		}
		if word[b] == word[k-1] {
			b++
		}
		border[k] = b
	}
	return border
}
