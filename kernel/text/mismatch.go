package text

import (
	"errors"
	"fmt"
	"math"
)

// Mismatch is the (k, m)-mismatch kernel K(x, y) = Σ_s φ(x)_s·φ(y)_s over all
// strings s of K letters of an alphabet, where φ(x)_s counts the substrings of
// K letters of x that differ from s in at most M places (Leslie et al. 2004).
// It is a kernel, and with M = 0 and strings over the alphabet it is Spectrum.
//
// Letters says which alphabet, by its size; case does not matter:
//
//	 4  A C G T, of DNA
//	20  A C D E F G H I K L M N P Q R S T V W Y, of proteins
//	26  A to Z
//
// A letter of x that is not in the alphabet (an N in DNA, a blank) differs from
// every letter of s.
//
// Each substring counts for Σ_{i≤M} (K choose i)·(Letters-1)^i strings s: 16 for
// K = 5, M = 1, Letters = 4. Terms takes time |x| times that number.
type Mismatch struct {
	K, M    int
	Letters int
}

// NewMismatch returns the kernel for DNA.
func NewMismatch(k, m int) Mismatch { return Mismatch{K: k, M: m, Letters: 4} }

// maxNeighbours bounds how many strings s a substring may count for.
const maxNeighbours = 100_000

// alphabet returns the alphabet of a size, "" where there is none.
func alphabet(letters int) string {
	switch letters {
	case 4:
		return "ACGT"
	case 20:
		return "ACDEFGHIKLMNPQRSTVWY"
	case 26:
		return "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	}
	return ""
}

// Validate reports every parameter that is out of range.
func (k Mismatch) Validate() error {
	var faults []error
	fault := func(format string, args ...any) {
		faults = append(faults, fmt.Errorf("mismatch: "+format, args...))
	}
	top := 13 // of 26 letters
	if alphabet(k.Letters) == "" {
		fault("letters is %d and must be 4 (DNA), 20 (proteins) or 26 (A to Z)", k.Letters)
	} else {
		top = longest(k.Letters)
	}
	if k.K < 1 || k.K > top {
		fault("k is %d and must be from 1 to %d", k.K, top)
	}
	if k.M < 0 || k.M >= max(k.K, 1) {
		fault("m is %d and must be at least 0 and less than k", k.M)
	}
	if len(faults) == 0 && k.neighbours() > maxNeighbours {
		fault("a substring has %.3g neighbours and may have %d; take a smaller k or m", k.neighbours(), maxNeighbours)
	}
	return errors.Join(faults...)
}

// longest returns the largest k for which strings of k letters have numbers of
// 63 bits.
func longest(letters int) int { return int(63 / math.Log2(float64(letters))) }

// neighbours returns how many strings differ from a given one in at most M
// places.
func (k Mismatch) neighbours() float64 {
	sum, some := 1.0, 1.0
	for i := 1; i <= k.M; i++ {
		some *= float64(k.K-i+1) / float64(i) * float64(k.Letters-1)
		sum += some
	}
	return sum
}

func (k Mismatch) String() string {
	return fmt.Sprintf("mismatch(k=%d,m=%d,letters=%d)", k.K, k.M, k.Letters)
}

// Terms lists for every substring of x the strings s that it counts for. The
// term is s as a number to the base Letters.
func (k Mismatch) Terms(x string, emit func(term uint64, weight float64)) {
	if k.K < 1 || len(x) < k.K {
		return
	}
	w := walk{size: uint64(k.Letters), emit: emit, digits: digits(x, alphabet(k.Letters)), k: k.K}
	for i := range len(x) - k.K + 1 {
		w.from(i, i, k.M, 0)
	}
}

// digits returns the places of the letters of x in the alphabet, -1 for letters
// that are not in it.
func digits(x, alphabet string) []int8 {
	var place [256]int8
	for c := range place {
		place[c] = -1
	}
	for i := range len(alphabet) {
		place[alphabet[i]], place[alphabet[i]|0x20] = int8(i), int8(i)
	}
	out := make([]int8, len(x))
	for i := range out {
		out[i] = place[x[i]]
	}
	return out
}

// walk lists the neighbours of substrings.
type walk struct {
	size   uint64 // of the alphabet
	k      int
	digits []int8
	emit   func(term uint64, weight float64)
}

// from lists the neighbours of digits[begin:begin+k] that continue term, which
// stands for the places before at, with at most left mismatches from there on.
func (w *walk) from(begin, at, left int, term uint64) {
	if left == 0 {
		for ; at < begin+w.k; at++ {
			if w.digits[at] < 0 {
				return
			}
			term = term*w.size + uint64(w.digits[at])
		}
		w.emit(term, 1)
		return
	}
	if at == begin+w.k {
		w.emit(term, 1)
		return
	}
	for d := range w.size {
		if int8(d) == w.digits[at] {
			w.from(begin, at+1, left, term*w.size+d)
		} else {
			w.from(begin, at+1, left-1, term*w.size+d)
		}
	}
}

// Eval returns K(x, y).
func (k Mismatch) Eval(x, y string) float64 { return against(k, y)(x) }

// Diag returns the sum of the squares of φ(x).
func (k Mismatch) Diag(x string) float64 { return norm2(k, x) }

// Prepare computes φ(y) once.
func (k Mismatch) Prepare(y string) func(x string) float64 { return against(k, y) }
