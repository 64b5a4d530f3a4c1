package margin

// merge walks through several ascending lists at once, in the order of their
// values. Each list has some values passed; the heap holds the lists with any
// left, so that of list heap[i] the next value is at most those of heap[2i+1]
// and heap[2i+2].
type merge struct {
	lists  []Margins
	passed []int
	heap   []int
}

// newMerge begins with nothing passed. No list may be empty.
func newMerge(lists []Margins) *merge {
	m := &merge{lists: lists, passed: make([]int, len(lists)), heap: make([]int, len(lists))}
	for i := range lists {
		m.heap[i] = i
	}
	for i := len(lists)/2 - 1; i >= 0; i-- {
		m.down(i)
	}
	return m
}

func (m *merge) done() bool { return len(m.heap) == 0 }

// head returns the smallest value that is not passed.
func (m *merge) head() float64 { return m.next(0) }

// next returns the next value of list heap[i].
func (m *merge) next(i int) float64 {
	list := m.heap[i]
	return m.lists[list][m.passed[list]]
}

// below returns the part of a list that is passed.
func (m *merge) below(list int) float64 {
	return float64(m.passed[list]) / float64(len(m.lists[list]))
}

// pass passes all values equal to v, which is the head.
func (m *merge) pass(v float64) {
	for !m.done() && m.head() == v {
		list := m.heap[0]
		values, n := m.lists[list], m.passed[list]
		for n < len(values) && values[n] == v {
			n++
		}
		m.passed[list] = n
		if n == len(values) {
			last := len(m.heap) - 1
			m.heap[0] = m.heap[last]
			m.heap = m.heap[:last]
		}
		m.down(0)
	}
}

// down moves the list at i down to where it belongs, all others being in order.
func (m *merge) down(i int) {
	for {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(m.heap); child++ {
			if m.next(child) < m.next(least) {
				least = child
			}
		}
		if least == i {
			return
		}
		m.heap[i], m.heap[least] = m.heap[least], m.heap[i]
		i = least
	}
}
