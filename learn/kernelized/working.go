package kernelized

import (
	"cmp"
	"slices"
)

// ranked is a variable with how much it calls for being changed.
type ranked struct {
	t    int
	rank float64
}

// before orders variables: the higher rank first, in a tie the smaller index.
func (r ranked) before(s ranked) bool {
	return r.rank > s.rank || r.rank == s.rank && r.t < s.t
}

// top collects the best few of many: a heap with the worst of them in front.
type top struct {
	size int
	heap []ranked
}

// offer takes r in if it is among the best so far.
func (q *top) offer(r ranked) {
	if len(q.heap) < q.size {
		q.heap = append(q.heap, r)
		for k := len(q.heap) - 1; k > 0 && q.heap[(k-1)/2].before(q.heap[k]); k = (k - 1) / 2 {
			q.heap[k], q.heap[(k-1)/2] = q.heap[(k-1)/2], q.heap[k]
		}
		return
	}
	if q.size == 0 || !r.before(q.heap[0]) {
		return
	}
	q.heap[0] = r
	for k := 0; ; {
		worst := k
		for _, c := range [2]int{2*k + 1, 2*k + 2} {
			if c < len(q.heap) && q.heap[worst].before(q.heap[c]) {
				worst = c
			}
		}
		if worst == k {
			return
		}
		q.heap[k], q.heap[worst] = q.heap[worst], q.heap[k]
		k = worst
	}
}

// sorted returns what was collected, the best first.
func (q *top) sorted() []ranked {
	slices.SortFunc(q.heap, func(a, b ranked) int {
		if a.before(b) {
			return -1
		}
		return 1
	})
	return q.heap
}

// choose returns the next working set, at most size variables of active instances
// in increasing order, group by group. Half of it or more are those that violate the optimality conditions
// most, from both ends of the slopes and from each group alike, the worst pair
// always among them; the rest are kept from the set before, those inside their
// ranges first, so that variables which depend on each other are solved
// together.
func (d *dual) choose(scores []float64, up, down [2]float64, active, before []int, size int) []int {
	groups := d.groups()
	fresh := size
	if len(before) > 0 {
		fresh = size / 2
	}
	share := max(1, fresh/(2*groups))
	var grow, fall [2]top
	for g := range groups {
		grow[g].size, fall[g].size = share, share
	}
	for t := range d.variables(active) {
		b, f, g := d.b[t], d.slope(scores, t), d.group(t)
		low, high := down[g], up[g]
		if d.ties == free {
			low, high = 0, 0
		}
		if f > low && b < d.hi[t] {
			grow[g].offer(ranked{t, f})
		}
		if f < high && b > d.lo[t] {
			fall[g].offer(ranked{t, -f})
		}
	}
	set := make([]int, 0, size)
	taken := make(map[int]bool, size)
	take := func(t int) {
		if len(set) < size && !taken[t] {
			taken[t] = true
			set = append(set, t)
		}
	}
	ends := [4][]ranked{}
	for g := range groups {
		ends[2*g], ends[2*g+1] = grow[g].sorted(), fall[g].sorted()
	}
	for k := range share {
		for _, end := range ends {
			if k < len(end) {
				take(end[k].t)
			}
		}
	}
	for _, inside := range [2]bool{true, false} {
		for _, t := range before {
			if inside == (d.lo[t] < d.b[t] && d.b[t] < d.hi[t]) {
				take(t)
			}
		}
	}
	slices.SortFunc(set, func(s, t int) int {
		return cmp.Or(cmp.Compare(d.group(s), d.group(t)), cmp.Compare(s, t))
	})
	return set
}
