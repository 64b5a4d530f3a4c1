package vmath

import "math/bits"

// Runs returns how much the letters have in common that x and y have at the same places,
//
//	Σ_{k=1..d} (d-k+1)·#{i : x[i:i+k] = y[i:i+k]}
//
// for strings of the same length and d from 1 to 64. The result is the same at every level.
func Runs(x, y string, d int) int {
	const least = 32 // letters that assembly can do with
	switch {
	case len(x) != len(y):
		panic(lengths)
	case d < 1 || d > 64:
		panic("vmath: runs of no length, or beyond a block")
	case len(x) < least:
		return runsPlain(x, y, d)
	}
	return at[float64]().runs(x, y, d)
}

// runsPlain goes block by block of 64 letters. A match of k letters that begins in a
// block ends in it or in the next.
func runsPlain(x, y string, d int) int {
	sum := 0
	current := matches(x, y)
	for len(x) > 64 {
		x, y = x[64:], y[64:]
		next := matches(x, y)
		sum += runsOf(d, current, next)
		current = next
	}
	return sum + runsOf(d, current, 0)
}

// runsOf returns the part of the sum that begins in a block, given where it and
// the next one match. Bit i of begin is set if and only if k matches begin at i;
// the first four rounds are unrolled, because few runs of unlike strings are
// longer and a loop that ends sooner or later costs more than it saves.
func runsOf(d int, at, next uint64) int {
	two := at & (at>>1 | next<<63)
	three := two & (at>>2 | next<<62)
	four := three & (at>>3 | next<<61)
	sum := d*bits.OnesCount64(at) + max(d-1, 0)*bits.OnesCount64(two) +
		max(d-2, 0)*bits.OnesCount64(three) + max(d-3, 0)*bits.OnesCount64(four)
	at, next = at>>4|next<<60, next>>4
	begin := four & at
	for weight := d - 4; begin != 0 && weight > 0; weight-- {
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
		at |= zeros(Word(x[done:])^Word(y[done:])) << done
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
	return zeros(Word(x)^Word(y)) |
		zeros(Word(x[8:])^Word(y[8:]))<<8 |
		zeros(Word(x[16:])^Word(y[16:]))<<16 |
		zeros(Word(x[24:])^Word(y[24:]))<<24 |
		zeros(Word(x[32:])^Word(y[32:]))<<32 |
		zeros(Word(x[40:])^Word(y[40:]))<<40 |
		zeros(Word(x[48:])^Word(y[48:]))<<48 |
		zeros(Word(x[56:])^Word(y[56:]))<<56
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

// Word returns the first 8 bytes of s, the first of them lowest. The compiler
// makes one load of it.
func Word(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}
