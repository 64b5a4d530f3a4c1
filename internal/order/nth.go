package order

import "slices"

// fewNth is up to how many numbers are sorted rather than parted.
const fewNth = 32

// Nth returns what would stand at place k of x if it were sorted, in time that grows with len(x) (Hoare 1961). It
// reorders x, which must hold no NaN.
func Nth(x []float64, k int) float64 {
	for rounds := 0; len(x) > fewNth; rounds++ {
		if rounds == 64 { // pivots that were all bad
			break
		}
		pivot := median3(x[0], x[len(x)/2], x[len(x)-1])
		i, j := 0, len(x)-1
		for i <= j { // all before i are at most the pivot, all behind j at least
			for x[i] < pivot {
				i++
			}
			for x[j] > pivot {
				j--
			}
			if i <= j {
				x[i], x[j] = x[j], x[i]
				i++
				j--
			}
		}
		switch {
		case k <= j:
			x = x[:j+1]
		case k >= i:
			x, k = x[i:], k-i
		default:
			return pivot
		}
	}
	slices.Sort(x)
	return x[k]
}

func median3(a, b, c float64) float64 { return max(min(a, b), min(max(a, b), c)) }
