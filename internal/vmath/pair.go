package vmath

import "math"

// Lanes is the state that the vectors of a search share: the best values, the
// lowest ones, and the places of the best as integers. It is memory for PairFollow and PairPartner,
// which are called so often that to take it each time would count.
type Lanes = [24]float64

// clearLanes makes it the state before any element.
func clearLanes(l *Lanes, best float64) {
	for k := range 8 {
		l[k], l[8+k], l[16+k] = best, math.Inf(1), math.Float64frombits(^uint64(0))
	}
}

// joinLanes returns the largest value, the last place that has it, -1 where there is
// none, and the lowest value.
func joinLanes(l *Lanes) (place int, most, low float64) {
	place, most, low = -1, l[0], l[8]
	for k := range 8 {
		at := int(int64(math.Float64bits(l[16+k])))
		if l[k] > most || l[k] == most && at > place {
			place, most = at, l[k]
		}
		low = min(low, l[8+k])
	}
	return place, most, low
}

// pairWidth is how many elements go through the vectors of a level at once, 0 for
// none.
func pairWidth() int {
	switch Active() {
	case AVX512:
		return 8
	case AVX2:
		return 4
	}
	return 0
}

// PairFollow updates slopes after a step of two variables, and finds who is next:
//
//	f[k] -= delta·(ki[k] - kj[k])
//	top = max f[k] + grow[k], best the last k that has it
//	bottom = min f[k] + fall[k]
//
// The difference is rounded to F and the product to float64, so that the result has
// the same bits at every level. best is -1 and top -Inf where there is no k. The
// slices must have the same length.
func PairFollow[F Float](l *Lanes, f []float64, delta float64, ki, kj []F, grow, fall []float64) (
	best int, top, bottom float64,
) {
	n := len(f)
	if len(ki) != n || len(kj) != n || len(grow) != n || len(fall) != n {
		panic(lengths)
	}
	best, top, bottom = -1, math.Inf(-1), math.Inf(1)
	done := 0
	if w := pairWidth(); w > 0 && n >= w {
		clearLanes(l, top)
		at[F]().pairFollow(f, delta, ki, kj, grow, fall, l)
		best, top, bottom = joinLanes(l)
		done = n / w * w
	}
	for k := done; k < n; k++ {
		s := f[k] - float64(delta*float64(ki[k]-kj[k]))
		f[k] = s
		if v := s + grow[k]; v >= top {
			best, top = k, v
		}
		if v := s + fall[k]; v < bottom {
			bottom = v
		}
	}
	return best, top, bottom
}

// PairPartner returns the last k with the largest
//
//	d·|d| / max(least, mine + own[k] - 2·ki[k]),   d = top - (f[k] + fall[k])
//
// of at least floor, -1 where there is none. The slices must have the same length.
func PairPartner[F Float](
	l *Lanes, f []float64, ki []F, own, fall []float64, top, mine, least, floor float64,
) int {
	n := len(f)
	if len(ki) != n || len(own) != n || len(fall) != n {
		panic(lengths)
	}
	best, most, done := -1, floor, 0
	if w := pairWidth(); w > 0 && n >= w {
		clearLanes(l, floor)
		at[F]().pairPartner(f, ki, own, fall, top, mine, least, l)
		best, most, _ = joinLanes(l)
		done = n / w * w
	}
	for k := done; k < n; k++ {
		d := top - (f[k] + fall[k])
		bend := (mine + own[k]) - 2*float64(ki[k])
		if bend < least {
			bend = least
		}
		if q := d * math.Abs(d) / bend; q >= most {
			best, most = k, q
		}
	}
	return best
}

// In plain Go everything is done by what does the rest.
func pairFollowPlain[F Float]([]float64, float64, []F, []F, []float64, []float64, *Lanes) {}

func pairPartnerPlain[F Float]([]float64, []F, []float64, []float64, float64, float64, float64, *Lanes) {
}
