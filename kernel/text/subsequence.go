package text

import (
	"errors"
	"fmt"

	"github.com/kerf-ml/kerf/internal/vmath"
)

// Subsequence is the gap-weighted subsequence kernel
//
//	K(x, y) = Σ_s Σ_{i: x[i]=s} Σ_{j: y[j]=s} Decay^(span(i) + span(j))
//
// over all strings s of K letters, where i are places i_1 < … < i_K of x and
// span(i) = i_K - i_1 + 1 (Lodhi et al. 2002). The letters of s need not stand
// next to each other, but each letter between them costs a factor Decay. It is
// a kernel. Values are as small as Decay^(2K), so it is best used as
// kernel.Normalize(Subsequence{…}).
//
// Eval takes time K·|x|·|y| and room for K·min(|x|, |y|) numbers.
type Subsequence struct {
	K     int
	Decay float64
}

// NewSubsequence returns the kernel with Decay 0.5.
func NewSubsequence(k int) Subsequence { return Subsequence{K: k, Decay: 0.5} }

// maxSubsequence bounds the length of subsequences.
const maxSubsequence = 1000

// Validate reports every parameter that is out of range.
func (k Subsequence) Validate() error {
	var faults []error
	if k.K < 1 || k.K > maxSubsequence {
		faults = append(faults, fmt.Errorf("subsequence: k is %d and must be from 1 to %d", k.K, maxSubsequence))
	}
	if !(k.Decay > 0 && k.Decay <= 1) {
		faults = append(faults, fmt.Errorf("subsequence: decay is %v and must be above 0 and at most 1", k.Decay))
	}
	return errors.Join(faults...)
}

func (k Subsequence) String() string { return fmt.Sprintf("subsequence(k=%d,decay=%v)", k.K, k.Decay) }

// Eval returns K(x, y). The order of the sum depends on which string is longer
// and not on which comes first, so that K(x, y) and K(y, x) are the same bits.
func (k Subsequence) Eval(x, y string) float64 {
	if len(x) < len(y) || len(x) == len(y) && x < y {
		x, y = y, x
	}
	if k.K < 1 || len(y) < k.K {
		return 0
	}
	if k.K == 1 {
		return k.Decay * k.Decay * Spectrum{K: 1}.Eval(x, y)
	}
	return k.sum(x, y)
}

// sum is the recursion of Lodhi et al. (section 3), a letter of x at a time.
// With a the letters of x that were read and b the first j of y,
//
//	open[l][j] = Σ over subsequences of l letters that a and b both have of
//	             Decay^(from its first letter to the end of a, and of b)
//
// and open[0][j] = 1. A letter c of x continues those of l-1 letters in b[:j-1]
// where y[j-1] = c, and all others grow by one letter. Levels are done from the
// longest to the shortest, each from the values that the level below had before.
func (k Subsequence) sum(x, y string) float64 {
	n := len(y)
	open := make([][]float64, k.K)
	memory := make([]float64, k.K*(n+1))
	for l := range open {
		open[l] = memory[l*(n+1):][:n+1]
	}
	for j := range open[0] {
		open[0][j] = 1
	}
	var places [256][]float64
	total := 0.0
	for i := range len(x) {
		same := places[x[i]]
		if same == nil {
			same = k.places(y, x[i])
			places[x[i]] = same
		}
		total += vmath.Dot(same, open[k.K-1][:n])
		for l := k.K - 1; l > 0; l-- {
			extend(open[l], open[l-1], same, k.Decay)
		}
	}
	return total
}

// places returns Decay² where y has the letter c and 0 elsewhere.
func (k Subsequence) places(y string, c byte) []float64 {
	out := make([]float64, len(y))
	for j := range out {
		if y[j] == c {
			out[j] = k.Decay * k.Decay
		}
	}
	return out
}

// extend does one level: with ended, the part of open whose last letter of x is
// the one just read,
//
//	ended   = decay·ended + same[j]·below[j]
//	open[j+1] = decay·open[j+1] + ended
//
// for j from 0 on. Two steps are taken at once, so that each waits for ended of
// two steps before and not of the last one.
func extend(open, below, same []float64, decay float64) {
	n := len(same)
	open, below = open[1:n+1], below[:n]
	ended, decay2, j := 0.0, decay*decay, 0
	for ; j+1 < n; j += 2 {
		a, b := same[j]*below[j], same[j+1]*below[j+1]
		first := decay*ended + a
		ended = decay2*ended + (decay*a + b)
		open[j] = decay*open[j] + first
		open[j+1] = decay*open[j+1] + ended
	}
	if j < n {
		open[j] = decay*open[j] + (decay*ended + same[j]*below[j])
	}
}
