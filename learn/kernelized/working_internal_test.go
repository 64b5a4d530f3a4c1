package kernelized

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kerf-ml/kerf/run"
)

// The best are those that come first in order, whatever the order that they stand in and with ties.
func TestBest(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 2, 3, 7, 100, 1000} {
		for _, values := range []int{1, 3, 1 << 30} {
			for _, order := range []string{"none", "up", "down"} {
				list := make([]ranked, n)
				for i, at := range r.Perm(n) {
					list[at] = ranked{i, float64(r.IntN(values))}
				}
				sorted := slices.Clone(list)
				slices.SortFunc(sorted, byRank)
				switch order {
				case "up":
					list = slices.Clone(sorted)
				case "down":
					list = slices.Clone(sorted)
					slices.Reverse(list)
				}
				for _, k := range []int{0, 1, 2, n / 2, n - 1, n, n + 1} {
					if k < 0 {
						continue
					}
					got := best(slices.Clone(list), k)
					slices.SortFunc(got, byRank)
					if !slices.Equal(got, sorted[:min(k, n)]) {
						t.Fatalf("%d of %d, %d values, order %s: got %v, want %v", k, n, values, order, got, sorted[:min(k, n)])
					}
				}
			}
		}
	}
}

// The working set is that of all variables sorted by how much they violate the conditions, for any number of
// workers and of blocks.
func TestChoose(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{1, 2, 5, dualBlock, 2*dualBlock + 7} {
		for _, ties := range []ties{free, all, sided} {
			d, scores := randomDual(r, n, ties)
			var some []int
			for i := range n {
				if r.IntN(3) > 0 {
					some = append(some, i)
				}
			}
			for _, active := range [][]int{nil, some} {
				if active != nil && len(active) == 0 {
					continue
				}
				var before []int
				for round := range 3 {
					size := min(len(d.b), 128<<round)
					want := naiveChoice(d, scores, active, before, size)
					for _, workers := range []int{1, 3} {
						ctl := run.Control{Workers: workers}
						seen, err := d.survey(t.Context(), ctl, scores, active)
						if err != nil {
							t.Fatal(err)
						}
						got, err := d.choose(t.Context(), ctl, scores, seen, active, before, size)
						if err != nil {
							t.Fatal(err)
						}
						if !slices.Equal(got, want) {
							t.Fatalf("%d variables, ties %d, %d active, %d workers, round %d: %v, want %v", n, ties, len(active),
								workers, round, got, want)
						}
					}
					before = want
				}
			}
		}
	}
}

// randomDual has one variable an instance, or two, at bounds and between them, and slopes with ties.
func randomDual(r *rand.Rand, n int, ties ties) (*dual, []float64) {
	m := n * (1 + r.IntN(2))
	v := func() []float64 { return make([]float64, m) }
	d := &dual{n: n, e: v(), lo: v(), hi: v(), b: v(), ties: ties}
	for t := range m {
		if d.hi[t] = 1; r.IntN(2) == 0 {
			d.lo[t], d.hi[t] = -1, 0
		}
		d.b[t] = d.lo[t] + float64(r.IntN(3))/2*(d.hi[t]-d.lo[t])
		d.e[t] = float64(r.IntN(50))
	}
	scores := make([]float64, n)
	for i := range scores {
		scores[i] = float64(r.IntN(50)) - 25
	}
	return d, scores
}

// naiveChoice is choose by sorting all variables.
func naiveChoice(d *dual, scores []float64, active, before []int, size int) []int {
	var of []int
	for t := range d.b {
		if active == nil || slices.Contains(active, t%d.n) {
			of = append(of, t)
		}
	}
	up, down := d.extremes(scores, active)
	fresh := size
	if len(before) > 0 {
		fresh = size / 2
	}
	chosen := map[int]bool{}
	for g := range d.groups() {
		low, high := down[g], up[g]
		if d.ties == free {
			low, high = 0, 0
		}
		for _, sign := range []float64{1, -1} {
			var ends []ranked
			for _, t := range of {
				f := d.slope(scores, t)
				if d.group(t) == g && (sign > 0 && f > low && d.b[t] < d.hi[t] || sign < 0 && f < high && d.b[t] > d.lo[t]) {
					ends = append(ends, ranked{t, sign * f})
				}
			}
			slices.SortFunc(ends, byRank)
			for _, r := range ends[:min(len(ends), max(1, fresh/(2*d.groups())))] {
				chosen[r.t] = true
			}
		}
	}
	for _, inside := range []bool{true, false} {
		for _, t := range before {
			if len(chosen) < size && inside == (d.lo[t] < d.b[t] && d.b[t] < d.hi[t]) {
				chosen[t] = true
			}
		}
	}
	var set []int
	for g := range d.groups() {
		for t := range d.b {
			if chosen[t] && d.group(t) == g {
				set = append(set, t)
			}
		}
	}
	return set
}

func byRank(a, b ranked) int {
	if a.before(b) {
		return -1
	}
	return 1
}
