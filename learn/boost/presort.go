package boost

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/kerf-ml/kerf/internal/par"
)

// chunkNumbers is how many numbers a task of a round looks at, about.
const chunkNumbers = 1 << 14

// sort fills first, row, negative and chunk.
func (f *stumps) sort(ctx context.Context) error {
	n, d := len(f.s.X), f.s.Dim
	advice := "use fewer rows or coordinates"
	if err := f.ctl.Reserve("the coordinates", 32*float64(d), advice); err != nil {
		return err
	}
	f.first, f.negative = make([]int, d+1), make([]int, d)
	for i := range n {
		if i%blockRows == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		f.stored(i, func(j int, _ float64) { f.first[j+1]++ })
	}
	for j := range d {
		f.first[j+1] += f.first[j]
	}
	count := f.first[d]
	if err := f.ctl.Reserve("the order of the coordinates", 12*float64(count)+32*float64(f.ctl.Cores())*float64(n),
		advice); err != nil {
		return err
	}
	f.row = make([]uint32, count)
	value := make([]float64, count)
	next := slices.Clone(f.first[:d])
	for i := range n {
		if i%blockRows == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		f.stored(i, func(j int, v float64) {
			k := next[j]
			f.row[k], value[k] = uint32(i), v
			next[j] = k + 1
		})
	}
	f.chunk = append(f.chunk, 0)
	for j := range d {
		if j+1 == d || f.first[j+1]-f.first[f.chunk[len(f.chunk)-1]] >= chunkNumbers {
			f.chunk = append(f.chunk, j+1)
		}
	}
	return par.For(ctx, f.ctl, "", len(f.chunk)-1, func(c int) error {
		var s sorter
		for j := f.chunk[c]; j < f.chunk[c+1]; j++ {
			if err := f.order(ctx, &s, j, value[f.first[j]:f.first[j+1]]); err != nil {
				return err
			}
		}
		return nil
	})
}

// stored calls visit for every coordinate of row i that is not zero.
func (f *stumps) stored(i int, visit func(j int, v float64)) {
	x := f.s.X[i]
	for k, v := range x.Value {
		if v == 0 {
			continue
		}
		if x.Index == nil {
			visit(k, v)
		} else {
			visit(int(x.Index[k]), v)
		}
	}
}

// order sorts the list of coordinate j by value and flags its cuts.
func (f *stumps) order(ctx context.Context, s *sorter, j int, value []float64) error {
	list := f.row[f.first[j]:f.first[j+1]]
	if err := s.sort(ctx, value, list); err != nil {
		return err
	}
	k := 0
	for k < len(value) && value[k] < 0 {
		k++
	}
	f.negative[j] = k
	zeros := len(list) < len(f.s.X)
	for i := range list {
		var flag bool
		switch {
		case i+1 < k:
			flag = value[i] < value[i+1]
		case i+1 == k:
			flag = zeros || k < len(list)
		case i == k:
			flag = zeros
		default:
			flag = value[i-1] < value[i]
		}
		if flag {
			list[i] |= cutFlag
		}
	}
	return nil
}

// sorter sorts numbers with the rows they come from: by digits of digitBits
// bits from the last to the first, each pass keeping the order of equal ones.
// Where all numbers share a digit the pass is left out.
type sorter struct {
	key, other []keyed
}

type keyed struct {
	bits uint64 // in the order of the numbers
	row  uint32
}

const (
	digitBits = 11
	digits    = (64 + digitBits - 1) / digitBits
	fewKeys   = 256 // sorted by comparisons
)

// sort sorts value and row by value, rows of equal value in the order they
// have. It looks at ctx once a digit.
func (s *sorter) sort(ctx context.Context, value []float64, row []uint32) error {
	n := len(value)
	s.key, s.other = grow(s.key, n), grow(s.other, n)
	for i, v := range value {
		s.key[i] = keyed{bits: sortable(v), row: row[i]}
	}
	if n <= fewKeys {
		slices.SortStableFunc(s.key, func(a, b keyed) int { return cmp.Compare(a.bits, b.bits) })
	} else if err := s.radix(ctx); err != nil {
		return err
	}
	for i, k := range s.key {
		value[i], row[i] = unsortable(k.bits), k.row
	}
	return nil
}

// radix leaves the sorted keys in s.key.
func (s *sorter) radix(ctx context.Context) error {
	var count [digits][1 << digitBits]int32
	for _, k := range s.key {
		for g := range digits {
			count[g][k.bits>>(g*digitBits)&(1<<digitBits-1)]++
		}
	}
	for g := range digits {
		shift := g * digitBits
		if count[g][s.key[0].bits>>shift&(1<<digitBits-1)] == int32(len(s.key)) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		at := int32(0)
		for i, c := range count[g] {
			count[g][i] = at
			at += c
		}
		for _, k := range s.key {
			digit := k.bits >> shift & (1<<digitBits - 1)
			s.other[count[g][digit]] = k
			count[g][digit]++
		}
		s.key, s.other = s.other, s.key
	}
	return nil
}

// sortable maps numbers to bits in the same order: the sign is turned, and of
// negative numbers all the rest.
func sortable(v float64) uint64 {
	b := math.Float64bits(v)
	if b>>63 != 0 {
		return ^b
	}
	return b | 1<<63
}

// unsortable is the inverse of sortable.
func unsortable(b uint64) float64 {
	if b>>63 != 0 {
		return math.Float64frombits(b &^ (1 << 63))
	}
	return math.Float64frombits(^b)
}
