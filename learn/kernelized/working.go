package kernelized

import (
	"cmp"
	"context"
	"iter"
	"math"
	"slices"

	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/run"
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

// badPivots is after how many rounds best sorts what is left: the pivots were bad ones.
const badPivots = 64

// best moves the k variables that come before all others to the front, in no order, and returns them.
func best(list []ranked, k int) []ranked {
	if k >= len(list) {
		return list
	}
	lo, hi := 0, len(list)
	for rounds := 0; lo < k && k < hi; rounds++ {
		if rounds == badPivots {
			slices.SortFunc(list[lo:hi], func(a, b ranked) int {
				if a.before(b) {
					return -1
				}
				return 1
			})
			break
		}
		mid := lo + (hi-1-lo)/2
		for _, pair := range [3][2]int{{lo, mid}, {lo, hi - 1}, {mid, hi - 1}} { // the median into the middle
			if list[pair[1]].before(list[pair[0]]) {
				list[pair[0]], list[pair[1]] = list[pair[1]], list[pair[0]]
			}
		}
		pivot, i, j := list[mid], lo-1, hi
		for {
			for i++; list[i].before(pivot); i++ {
			}
			for j--; pivot.before(list[j]); j-- {
			}
			if i >= j {
				break
			}
			list[i], list[j] = list[j], list[i]
		}
		if k <= j+1 {
			hi = j + 1
		} else {
			lo = j + 1
		}
	}
	return list[:k]
}

// choose returns the next working set, at most size variables of active instances
// in increasing order, group by group. Half of it or more are those that violate the optimality conditions
// most, from both ends of the slopes and from each group alike, the worst pair
// always among them; the rest are kept from the set before, those inside their
// ranges first, so that variables which depend on each other are solved
// together.
func (d *dual) choose(
	ctx context.Context, ctl run.Control, scores []float64, seen survey, active, before []int, size int,
) ([]int, error) {
	groups, fresh := d.groups(), size
	if len(before) > 0 {
		fresh = size / 2
	}
	share := max(1, fresh/(2*groups))
	ends := make([][4][]ranked, d.blocks(active)) // the best of each block, those of a group that grow and that fall
	err := d.each(ctx, ctl, active, func(block int, variables iter.Seq[int]) {
		var end [4][]ranked
		for t := range variables {
			b, f, g := d.b[t], d.slope(scores, t), d.group(t)
			low, high := seen.down[g], seen.up[g]
			if d.ties == free {
				low, high = 0, 0
			}
			if f > low && b < d.hi[t] {
				end[2*g] = append(end[2*g], ranked{t, f})
			}
			if f < high && b > d.lo[t] {
				end[2*g+1] = append(end[2*g+1], ranked{t, -f})
			}
		}
		for k := range end {
			end[k] = best(end[k], share)
		}
		ends[block] = end
	})
	if err != nil {
		return nil, err
	}
	set := make([]int, 0, size)
	for k := range 2 * groups {
		var all []ranked
		for _, end := range ends {
			all = append(all, end[k]...)
		}
		for _, r := range best(all, share) {
			set = append(set, r.t)
		}
	}
	slices.Sort(set)
	set = slices.Compact(set)
	violating := set
	for _, inside := range [2]bool{true, false} {
		for _, t := range before {
			if len(set) < size && inside == (d.lo[t] < d.b[t] && d.b[t] < d.hi[t]) {
				if _, found := slices.BinarySearch(violating, t); !found {
					set = append(set, t)
				}
			}
		}
	}
	slices.SortFunc(set, func(s, t int) int {
		return cmp.Or(cmp.Compare(d.group(s), d.group(t)), cmp.Compare(s, t))
	})
	return set, nil
}

// dualBlock is how many instances one task looks through.
const dualBlock = 2048

// blocks returns in how many blocks each looks through the active instances.
func (d *dual) blocks(active []int) int { return par.Blocks(d.live(active), dualBlock) }

// live returns how many instances are active.
func (d *dual) live(active []int) int {
	if active == nil {
		return d.n
	}
	return len(active)
}

// each calls body for blocks of the active instances, all where active is nil, with their variables.
func (d *dual) each(
	ctx context.Context, ctl run.Control, active []int, body func(block int, variables iter.Seq[int]),
) error {
	return par.For(ctx, ctl.Quiet(), "", d.blocks(active), func(block int) error {
		lo, hi := par.Range(block, d.live(active), dualBlock)
		body(block, func(yield func(int) bool) {
			for first := 0; first < len(d.b); first += d.n {
				for k := lo; k < hi; k++ {
					i := k
					if active != nil {
						i = active[k]
					}
					if !yield(first + i) {
						return
					}
				}
			}
		})
		return nil
	})
}

// survey is what the choice of a working set goes by: the extremes of the slopes and how many variables are
// strictly inside their ranges.
type survey struct {
	up, down [2]float64
	inside   int
}

// survey looks through the active instances, all where active is nil.
func (d *dual) survey(ctx context.Context, ctl run.Control, scores []float64, active []int) (survey, error) {
	none := survey{up: [2]float64{math.Inf(-1), math.Inf(-1)}, down: [2]float64{math.Inf(1), math.Inf(1)}}
	parts := make([]survey, d.blocks(active))
	err := d.each(ctx, ctl, active, func(block int, variables iter.Seq[int]) {
		s := none
		for t := range variables {
			b, f, g := d.b[t], d.slope(scores, t), d.group(t)
			low, high := d.lo[t] < b, b < d.hi[t]
			if high && f > s.up[g] {
				s.up[g] = f
			}
			if low && f < s.down[g] {
				s.down[g] = f
			}
			if low && high {
				s.inside++
			}
		}
		parts[block] = s
	})
	all := none
	for _, s := range parts {
		for g := range all.up {
			all.up[g], all.down[g] = max(all.up[g], s.up[g]), min(all.down[g], s.down[g])
		}
		all.inside += s.inside
	}
	return all, err
}
