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
		for m.n%lanes == 0 && len(values) >= lanes {
			if !m.addFour((*[lanes]float64)(values)) {
				break
			}
			values = values[lanes:]
		}
		if len(values) == 0 {
			return
		}
		if v := values[0]; v == v {
			m.add(v)
		}
		values = values[1:]
	}
}

// addFour adds the first numbers of four lanes. It adds none and reports false where one is NaN.
func (m *moments) addFour(v *[lanes]float64) bool {
	least, most := min(v[0], v[1], v[2], v[3]), max(v[0], v[1], v[2], v[3])
	if least != least {
		return false
	}
	for k := range lanes {
		m.lane[k] += v[k]
	}
	if m.n += lanes; m.n%laneBlock == 0 {
		m.fold()
	}
	if least < m.low {
		m.low = least
	}
	if most > m.high {
		m.high = most
	}
	return true
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
