package text

import (
	"math/bits"
	"slices"
	"sync"
)

// automaton is the suffix automaton of a string y (Blumer et al. 1985): paths
// from state 0 spell the substrings of y. A state stands for the substrings
// that end at the same places of y, which are the suffixes of the longest of
// them down to one letter more than the longest of its link, a state with more
// places. It has at most 2|y| states and 3|y| transitions and is built in time
// |y| times the size of the alphabet. It is immutable and safe for concurrent
// use.
//
// Transitions take room for those that exist: of state v, word w says which of
// letters 64w to 64w+63 lead on, and to[first] is where the first of them leads.
type automaton struct {
	number [256]int16 // of a letter that occurs, -1 for others
	words  int32      // a state
	word   []transitions
	to     []int32
	state  []state
	marks  sync.Pool
}

type state struct {
	length int32 // of the longest substring
	link   int32 // -1 for state 0
}

type transitions struct {
	has   uint64
	first int32
}

// step returns the state that the letter of the given number leads to, or -1.
func (a *automaton) step(v int32, number int16) int32 {
	t := &a.word[v*a.words+int32(number>>6)]
	bit := uint64(1) << (number & 63)
	if t.has&bit == 0 {
		return -1
	}
	return a.to[t.first+int32(bits.OnesCount64(t.has&(bit-1)))]
}

// newAutomaton builds the automaton of y.
func newAutomaton(y string) *automaton {
	n := len(y)
	b := builder{state: make([]state, 0, 2*n+1), head: make([]int32, 0, 2*n+1), edges: make([]edge, 0, 3*n)}
	b.add(0, -1)
	for i := range len(y) {
		b.extend(y[i])
	}
	a := &automaton{state: b.state}
	letters := int16(0)
	for c := range a.number {
		a.number[c] = -1
	}
	for _, e := range b.edges {
		if a.number[e.letter] < 0 {
			a.number[e.letter] = letters
			letters++
		}
	}
	a.words = max(1, (int32(letters)+63)/64)
	a.word = make([]transitions, int(a.words)*len(a.state))
	a.to = make([]int32, 0, len(b.edges))
	for v := range b.head {
		b.freeze(a, v)
	}
	return a
}

// builder is an automaton that grows by a letter at a time. The transitions of a
// state are a list.
type builder struct {
	state []state
	head  []int32 // first edge of a state, -1 for none
	edges []edge
	last  int32 // the state of the whole string so far
	order []edge
}

type edge struct {
	next   int32 // edge of the same state, -1 for none
	to     int32
	letter byte
}

// add returns a new state without edges.
func (b *builder) add(length, link int32) int32 {
	b.state, b.head = append(b.state, state{length, link}), append(b.head, -1)
	return int32(len(b.state) - 1)
}

// find returns the edge of a state by its letter, -1 where there is none.
func (b *builder) find(v int32, letter byte) int32 {
	e := b.head[v]
	for e >= 0 && b.edges[e].letter != letter {
		e = b.edges[e].next
	}
	return e
}

func (b *builder) connect(v int32, letter byte, to int32) {
	b.edges = append(b.edges, edge{b.head[v], to, letter})
	b.head[v] = int32(len(b.edges) - 1)
}

// extend appends a letter. The suffixes of the string so far are the states from
// last along the links. Those without an edge by the letter get one to the new
// state. The first that has one, p, has it to a state q in which all substrings
// that are a suffix of the new string end at one place more than the others: if
// not all are, q is split.
func (b *builder) extend(letter byte) {
	whole := b.add(b.state[b.last].length+1, 0)
	p := b.last
	b.last = whole
	e := b.find(p, letter)
	for ; e < 0; e = b.find(p, letter) {
		b.connect(p, letter, whole)
		if p = b.state[p].link; p < 0 {
			return
		}
	}
	q := b.edges[e].to
	if b.state[q].length == b.state[p].length+1 {
		b.state[whole].link = q
		return
	}
	part := b.add(b.state[p].length+1, b.state[q].link)
	for f := b.head[q]; f >= 0; f = b.edges[f].next {
		b.connect(part, b.edges[f].letter, b.edges[f].to)
	}
	b.state[q].link, b.state[whole].link = part, part
	for p >= 0 {
		e := b.find(p, letter)
		if e < 0 || b.edges[e].to != q {
			return
		}
		b.edges[e].to = part
		p = b.state[p].link
	}
}

// freeze stores the transitions of a state in the order of their letters'
// numbers.
func (b *builder) freeze(a *automaton, v int) {
	b.order = b.order[:0]
	for e := b.head[v]; e >= 0; e = b.edges[e].next {
		b.order = append(b.order, b.edges[e])
	}
	slices.SortFunc(b.order, func(e, f edge) int { return int(a.number[e.letter]) - int(a.number[f.letter]) })
	words := a.word[v*int(a.words):][:a.words]
	i := 0
	for w := range words {
		words[w].first = int32(len(a.to))
		for ; i < len(b.order) && int(a.number[b.order[i].letter])>>6 == w; i++ {
			words[w].has |= 1 << (a.number[b.order[i].letter] & 63)
			a.to = append(a.to, b.order[i].to)
		}
	}
}
