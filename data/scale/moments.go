package scale

import (
	"iter"
	"math"
)

const (
	lanes     = 4    // sums that do not wait for each other
	laneBlock = 1024 // numbers that are added up before their sum is added to that of all
)

// moments are what is known of numbers after one look at each: how many there are, their sum,
// the least and the largest. Number k of a block of laneBlock is added to sum k mod lanes, and the
// block to the sum of all, so that n numbers lose no more than laneBlock/lanes + n/laneBlock
// roundings would.
type moments struct {
	n         int
	lane      [lanes]float64
	sum       float64 // of whole blocks
	low, high float64
}

func newMoments() moments { return moments{low: math.Inf(1), high: math.Inf(-1)} }

func (m *moments) add(v float64) {
	m.lane[m.n%lanes] += v
	if m.n++; m.n%laneBlock == 0 {
		m.fold()
	}
	if v < m.low {
		m.low = v
	}
	if v > m.high {
		m.high = v
	}
}

// fold adds the block to the sum of all.
func (m *moments) fold() {
	m.sum += (m.lane[0] + m.lane[1]) + (m.lane[2] + m.lane[3])
	m.lane = [lanes]float64{}
}

// addAll adds numbers, but for NaN.
func (m *moments) addAll(values []float64) {
	for len(values) > 0 {
		if m.n%lanes == 0 {
			if values = values[m.addLanes(values):]; len(values) == 0 {
				return
			}
		}
		if v := values[0]; v == v {
			m.add(v)
		}
		values = values[1:]
	}
}

// addLanes adds the first numbers, all lanes at a time, and returns how many there are before those
// among which one is NaN, or the last few. Numbers are mostly within those there were, which says
// that they are none of these in two comparisons each.
func (m *moments) addLanes(values []float64) (added int) {
	for {
		n := min(len(values)-added, laneBlock-m.n%laneBlock) / lanes * lanes
		part, low, high := values[added:added+n], m.low, m.high
		a, b, c, d := m.lane[0], m.lane[1], m.lane[2], m.lane[3]
		k := 0
		for ; len(part) >= lanes; part = part[lanes:] {
			x, y, z, w := part[0], part[1], part[2], part[3]
			if !(x >= low && x <= high && y >= low && y <= high && z >= low && z <= high && w >= low && w <= high) {
				least, most := min(x, y, z, w), max(x, y, z, w)
				if least != least {
					break
				}
				low, high = min(low, least), max(high, most)
			}
			a, b, c, d = a+x, b+y, c+z, d+w
			k += lanes
		}
		m.lane, m.low, m.high = [lanes]float64{a, b, c, d}, low, high
		m.n, added = m.n+k, added+k
		if k > 0 && m.n%laneBlock == 0 {
			m.fold()
		}
		if k < n || n == 0 {
			return added
		}
	}
}

// mean returns the mean of the numbers, which are walked over again where their sum is too large.
func (m *moments) mean(values iter.Seq[float64]) float64 {
	m.fold()
	if mean := m.sum / float64(m.n); mean-mean == 0 {
		return mean
	}
	n, mean := 0.0, 0.0
	for v := range values {
		n++
		mean += v/n - mean/n // never larger than the values
	}
	return mean
}
