package text

import (
	"fmt"
	"math"
)

// Substring is K(x, y) = the number of different non-empty strings, of at most
// Max letters where Max is not 0, that are substrings of both x and y
// (Shalev-Shwartz and Ben-David 2014, section 16.2.1). It is a kernel: φ(x) has
// a coordinate for every string, 1 if x has it and 0 if not, so that "contains
// the string v" is a separator of norm 1.
//
// K(x, x) of a string of n different letters in a row is about n²/2: long common
// substrings count for all that they contain. Max and kernel.Normalize temper
// that.
//
// Eval builds the suffix automaton of one string, Prepare does so once. Then a
// value takes time |x|, however large Max. Strings may have up to 2²⁹ letters.
type Substring struct {
	Max int // letters of a substring; 0 for no limit
}

// Validate reports a Max that is negative.
func (k Substring) Validate() error {
	if k.Max < 0 {
		return fmt.Errorf("substring: p is %d and must be at least 1, or left out", k.Max)
	}
	return nil
}

func (k Substring) String() string {
	if k.Max == 0 {
		return "substring"
	}
	return fmt.Sprintf("substring(p=%d)", k.Max)
}

// limit returns the longest length that counts.
func (k Substring) limit() int32 {
	if k.Max <= 0 || k.Max > math.MaxInt32 {
		return math.MaxInt32
	}
	return int32(k.Max)
}

// Eval returns K(x, y).
func (k Substring) Eval(x, y string) float64 {
	if len(x) < len(y) {
		x, y = y, x
	}
	return k.Prepare(y)(x)
}

// Diag returns the number of different substrings of x.
func (k Substring) Diag(x string) float64 {
	a, p, sum := newAutomaton(x), k.limit(), 0
	for _, s := range a.state[1:] {
		sum += int(min(s.length, p) - min(a.state[s.link].length, p))
	}
	return float64(sum)
}

// Prepare builds the suffix automaton of y.
func (k Substring) Prepare(y string) func(x string) float64 {
	a, p := newAutomaton(y), k.limit()
	return func(x string) float64 { return float64(a.common(x, p)) }
}

// marked says how long a substring of each state was met, 0 for none. states
// lists those with more.
type marked struct {
	longest []int32
	states  []int32
}

// common counts the different substrings of x of at most p letters that the
// automaton has. It reads x and keeps the longest suffix of what is read that
// the automaton has: all substrings of x that it has are suffixes of these.
func (a *automaton) common(x string, p int32) int {
	m, ok := a.marks.Get().(*marked)
	if !ok {
		m = &marked{longest: make([]int32, len(a.state))}
	}
	sum := 0
	v, length := int32(0), int32(0)
	for i := range len(x) {
		number := a.number[x[i]]
		if number < 0 {
			v, length = 0, 0
			continue
		}
		to := a.step(v, number)
		for to < 0 && v > 0 {
			v = a.state[v].link
			length = a.state[v].length
			to = a.step(v, number)
		}
		// State 0 has a step by every letter that occurs, so to is a state.
		v, length = to, length+1
		if length > m.longest[v] {
			sum += a.mark(m, v, length, p)
		}
	}
	for _, v := range m.states {
		m.longest[v] = 0
	}
	m.states = m.states[:0]
	a.marks.Put(m)
	return sum
}

// mark notes that the suffixes of a state's substring of the given length were
// met, and returns how many of them are new and have at most p letters. Once a
// state is marked, all states along its links are marked to their full length.
func (a *automaton) mark(m *marked, v, length, p int32) int {
	sum := 0
	for v > 0 && m.longest[v] < length {
		before, link := m.longest[v], a.state[v].link
		shorter := a.state[link].length
		sum += int(min(length, p) - min(max(before, shorter), p))
		m.longest[v] = length
		if before > 0 {
			break
		}
		m.states = append(m.states, v)
		v, length = link, shorter
	}
	return sum
}
