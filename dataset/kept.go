package dataset

import "github.com/kerf-ml/kerf/sums"

// Kept is a uniform sample of rows that come part by part. It is not safe for concurrent use.
type Kept struct {
	sample  *sums.Reservoir
	parts   []*Rows
	numbers [][]int // in the file, from 0
	held    int     // rows in parts
	offered int
}

// NewKept returns the sample of at most so many rows.
func NewKept(seed uint64, most int) *Kept { return &Kept{sample: sums.NewReservoir(seed, most)} }

// Add offers rows of a part, which begins with row first of the file, that index names.
func (k *Kept) Add(r *Rows, first int, index []int) {
	var taken, numbers []int
	for _, i := range index {
		if k.sample.Offer(first + i) {
			taken, numbers = append(taken, i), append(numbers, first+i)
		}
	}
	k.offered += len(index)
	if len(taken) == 0 {
		return
	}
	k.parts, k.numbers, k.held = append(k.parts, r.pick(taken)), append(k.numbers, numbers), k.held+len(taken)
	if k.held > k.sample.Most+k.sample.Most/4+PartRows {
		k.compact()
	}
}

// compact forgets rows that have lost their place in the sample.
func (k *Kept) compact() {
	parts, numbers := k.parts, k.numbers
	k.parts, k.numbers, k.held = nil, nil, 0
	for p, part := range parts {
		var index, own []int
		for i, row := range numbers[p] {
			if k.sample.Kept(row) {
				index, own = append(index, i), append(own, row)
			}
		}
		if len(index) > 0 {
			k.parts, k.numbers, k.held = append(k.parts, part.pick(index)), append(k.numbers, own), k.held+len(index)
		}
	}
}

// Offered returns how many rows the sample is of.
func (k *Kept) Offered() int { return k.offered }

// Parts returns the rows of the sample in their order, and the numbers that they have in the
// file, from 0.
func (k *Kept) Parts() (parts []*Rows, numbers [][]int) {
	k.compact()
	return k.parts, k.numbers
}
