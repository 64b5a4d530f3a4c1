package text

import "fmt"

// Spectrum is the spectrum kernel
//
//	K(x, y) = Σ_s count_x(s)·count_y(s)
//
// over all strings s of K letters, where count_x(s) is at how many places x has
// s (Leslie, Eskin and Noble 2002). It is a kernel. Where in x a substring
// stands does not matter. A string of fewer than K letters has no substring
// that counts: K(x, ·) = 0.
//
// Up to 8 letters a substring is its own term number and values are exact. A
// longer one is numbered by a 64-bit hash that is universal, so that among n
// different substrings two meet with probability n²/2⁶⁵ at most (see hash):
// 3·10⁻⁶ for ten million of them. Eval takes the same numbers, so that it is
// the kernel of a map φ in any case, and equal to what blocks have.
//
// Terms takes time |x| for K ≤ 8 and |x|·K/8 beyond.
type Spectrum struct {
	K int
}

// maxSpectrum bounds the length of substrings.
const maxSpectrum = 4096

// Validate reports a K that is out of range.
func (k Spectrum) Validate() error {
	if k.K < 1 || k.K > maxSpectrum {
		return fmt.Errorf("spectrum: k is %d and must be from 1 to %d", k.K, maxSpectrum)
	}
	return nil
}

func (k Spectrum) String() string { return fmt.Sprintf("spectrum(k=%d)", k.K) }

// Terms lists the substrings of K letters, in their order in x.
func (k Spectrum) Terms(x string, emit func(term uint64, weight float64)) {
	switch {
	case k.K < 1 || len(x) < k.K:
	case k.K <= 8:
		packed, mask := uint64(0), ^uint64(0)>>(64-8*k.K)
		for i := range len(x) {
			packed = packed<<8 | uint64(x[i])
			if i >= k.K-1 {
				emit(packed&mask, 1)
			}
		}
	default:
		h := newHash(k.K)
		for i := range len(x) - k.K + 1 {
			emit(h.of(x[i:i+k.K]), 1)
		}
	}
}

// Eval returns K(x, y).
func (k Spectrum) Eval(x, y string) float64 { return against(k, y)(x) }

// Diag returns the sum of the squares of the counts.
func (k Spectrum) Diag(x string) float64 { return norm2(k, x) }

// Prepare counts the substrings of y once.
func (k Spectrum) Prepare(y string) func(x string) float64 { return against(k, y) }
