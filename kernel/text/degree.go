package text

import (
	"errors"
	"fmt"
	"math"

	"github.com/kerf-ml/kerf/internal/vmath"
)

// Degree is the weighted degree kernel of aligned sequences,
//
//	K(x, y) = Σ_{k=1..D} β_k · #{i : x[i:i+k] = y[i:i+k]},   β_k = 2(D-k+1)/(D(D+1)),
//
// that is, Σ_k β_k times the places at which both have the same k letters
// (Rätsch and Sonnenburg 2004). The β_k sum to 1. Of strings of different
// length the common part from the beginning is compared. It is a kernel, whose
// feature space has a coordinate for every place and every 1 to D letters.
//
// With a Shift S of more than 0, places may differ by up to S,
//
//	K(x, y) = Σ_{|s|≤S} (1 - |s|/(S+1)) · Σ_k β_k · #{i : x[i:i+k] = y[i+s:i+s+k]},
//
// which is a kernel too: what begins at place i counts for each of the places i to
// i+S, with the weight 1/√(S+1), and two such runs have S+1-|s| places in common.
// Eval then takes 2S+1 times as long.
//
// Eval takes time proportional to the length: 64 letters at a time for D up to
// 64, about 0.1 ns a letter on strings that have little in common, and letter by
// letter beyond. That is less than it takes to list the D features of a letter
// and look them up, so the kernel is no kernel.Explicit; List lists them for those
// who want the features themselves.
type Degree struct {
	D     int
	Shift int
}

// maxDegree keeps sums of strings of up to 2²³ letters within 63 bits, of shifted
// ones of up to 2¹².
const (
	maxDegree = 1_000_000
	maxShift  = 1000
)

// Validate reports every parameter that is out of range.
func (k Degree) Validate() error {
	var faults []error
	if k.D < 1 || k.D > maxDegree {
		faults = append(faults, fmt.Errorf("degree: d is %d and must be from 1 to %d", k.D, maxDegree))
	}
	if k.Shift < 0 || k.Shift > maxShift {
		faults = append(faults, fmt.Errorf("degree: shift is %d and must be from 0 to %d", k.Shift, maxShift))
	}
	return errors.Join(faults...)
}

func (k Degree) String() string {
	if k.Shift == 0 {
		return fmt.Sprintf("degree(d=%d)", k.D)
	}
	return fmt.Sprintf("degree(d=%d,shift=%d)", k.D, k.Shift)
}

// Eval returns K(x, y). The sum is one of integers, rounded at its end.
func (k Degree) Eval(x, y string) float64 {
	sum := (k.Shift + 1) * k.aligned(x, y)
	for s := 1; s <= k.Shift; s++ {
		sum += (k.Shift + 1 - s) * (k.aligned(x[min(s, len(x)):], y) + k.aligned(x, y[min(s, len(y)):]))
	}
	return k.shifted(sum)
}

// shifted divides a sum over shifts by S+1 and by that of the weights.
func (k Degree) shifted(sum int) float64 {
	if k.Shift == 0 {
		return k.scaled(sum)
	}
	return k.scaled(sum) / float64(k.Shift+1)
}

// aligned returns Σ_k (D-k+1)·#{i : x[i:i+k] = y[i:i+k]}.
func (k Degree) aligned(x, y string) int {
	n := min(len(x), len(y))
	if k.D < 1 || k.D > 64 {
		return k.runs(x[:n], y[:n])
	}
	return vmath.Runs(x[:n], y[:n], k.D)
}

// Diag returns K(x, x), without shifts in constant time.
func (k Degree) Diag(x string) float64 {
	if k.Shift == 0 {
		return k.scaled(k.run(len(x)))
	}
	return k.Eval(x, x)
}

// List lists for every place i the strings x[i:i+k] of k = 1 to D letters that begin
// there, with the weight √β_k, at each of the places i to i+S. Places and letters are
// numbered by a 64-bit hash (see graded.go). It takes time |x|·min(D, |x|)·(S+1).
func (k Degree) List(x string, emit func(term uint64, weight float64)) {
	weight := make([]float64, max(0, min(k.D, len(x))))
	for n := range weight {
		weight[n] = math.Sqrt(k.scaled(k.D-n) / float64(k.Shift+1))
	}
	for i := range len(x) {
		for s := range k.Shift + 1 {
			h := fnvEnd(uint64(i+s) + 1)
			for n, w := range weight[:min(len(weight), len(x)-i)] {
				h = fnvAdd(h, rune(x[i+n]))
				h ^= h >> 29
				emit(h, w)
			}
		}
	}
}

// scaled turns Σ_k (D-k+1)·count_k into Σ_k β_k·count_k.
func (k Degree) scaled(sum int) float64 {
	return float64(sum) * (2 / (float64(k.D) * float64(k.D+1)))
}

// run returns what a run of n matching letters adds to the sum. It has n-j
// matches of j+1 letters, so with q = min(n, D) that is
//
//	Σ_{j=0..q-1} (D-j)(n-j) = q·D·n - (D+n)·q(q-1)/2 + (q-1)q(2q-1)/6
func (k Degree) run(n int) int {
	q := min(n, k.D)
	return q*k.D*n - (k.D+n)*(q*(q-1)/2) + (q-1)*q*(2*q-1)/6
}

// runs adds up the runs of matches letter by letter, for any D.
func (k Degree) runs(x, y string) int {
	sum, n := 0, 0
	for i := range len(x) {
		if x[i] == y[i] {
			n++
			continue
		}
		sum, n = sum+k.run(n), 0
	}
	return sum + k.run(n)
}
