package text

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
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
// 64, about 0.4 ns a letter on strings that have little in common, and letter by
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
	if k.D > 64 {
		return k.runs(x[:n], y[:n])
	}
	return k.blocks(x[:n], y[:n])
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

// blocks returns the sum for D ≤ 64, block by block of 64 letters. A match of k
// letters that begins in a block ends in it or in the next.
func (k Degree) blocks(x, y string) int {
	sum := 0
	current := matches(x, y)
	for len(x) > 64 {
		x, y = x[64:], y[64:]
		next := matches(x, y)
		sum += k.block(current, next)
		current = next
	}
	return sum + k.block(current, 0)
}

// block returns the part of the sum that begins in a block, given where it and
// the next one match. Bit i of begin is set if and only if k matches begin at i;
// the first four rounds are unrolled, because few runs of unlike strings are
// longer and a loop that ends sooner or later costs more than it saves.
func (k Degree) block(at, next uint64) int {
	two := at & (at>>1 | next<<63)
	three := two & (at>>2 | next<<62)
	four := three & (at>>3 | next<<61)
	sum := k.D*bits.OnesCount64(at) + max(k.D-1, 0)*bits.OnesCount64(two) +
		max(k.D-2, 0)*bits.OnesCount64(three) + max(k.D-3, 0)*bits.OnesCount64(four)
	at, next = at>>4|next<<60, next>>4
	begin := four & at
	for weight := k.D - 4; begin != 0 && weight > 0; weight-- {
		sum += weight * bits.OnesCount64(begin)
		at, next = at>>1|next<<63, next>>1
		begin &= at
	}
	return sum
}

// matches returns the word whose bit i says that x[i] == y[i], for the first 64
// letters of two strings of the same length.
func matches(x, y string) uint64 {
	if len(x) >= 64 {
		return matches64(x, y)
	}
	at, done := uint64(0), 0
	for ; len(x)-done >= 8; done += 8 {
		at |= zeros(load(x[done:])^load(y[done:])) << done
	}
	for ; done < len(x); done++ {
		if x[done] == y[done] {
			at |= 1 << done
		}
	}
	return at
}

// matches64 is matches for 64 letters or more.
func matches64(x, y string) uint64 {
	x, y = x[:64], y[:64]
	return zeros(load(x)^load(y)) |
		zeros(load(x[8:])^load(y[8:]))<<8 |
		zeros(load(x[16:])^load(y[16:]))<<16 |
		zeros(load(x[24:])^load(y[24:]))<<24 |
		zeros(load(x[32:])^load(y[32:]))<<32 |
		zeros(load(x[40:])^load(y[40:]))<<40 |
		zeros(load(x[48:])^load(y[48:]))<<48 |
		zeros(load(x[56:])^load(y[56:]))<<56
}

// zeros returns the 8 bits that say which bytes of v are zero.
func zeros(v uint64) uint64 {
	const low = 0x7f7f7f7f7f7f7f7f
	// The sum carries into a byte's top bit where one of its lower bits is set,
	// never beyond it; so top has the top bit of a byte set where all 8 are 0.
	top := ^((v&low + low) | v) & ^uint64(low)
	// Bit 8j times 2^(7(8-j)) is bit 56+j. No two products of a bit of top>>7
	// and one of the factor meet, so that nothing carries.
	return (top >> 7) * 0x0102040810204080 >> 56
}

// load returns the first 8 bytes of s, the first of them lowest. The compiler
// makes one load of it.
func load(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}
