package scale

import (
	"fmt"
	"math"

	"github.com/kerf-ml/kerf/data"
)

// Counts weighs counts of terms, sparse vectors of numbers of at least 0, as texts
// are weighed: a count c of term j becomes
//
//	(1 + ln c)·idf_j,   idf_j = 1 + ln((1 + n)/(1 + n_j))
//
// with n_j of n rows that have the term, and c itself in the place of 1 + ln c where
// it is below 1; then the row is divided by its length. Terms that no row had are
// left out. It is plain data that encoding/json writes and reads.
type Counts struct {
	IDF []float64 `json:"idf"` // of each coordinate; 0 for one that no row had
}

// FitCounts looks at the given rows of x, all if rows is nil, and reports a value
// that is no count.
func FitCounts(x data.Source[data.Vector], rows []int) (*Counts, error) {
	if rows != nil {
		x = data.Subset[data.Vector]{Of: x, Index: rows}
	}
	seen := make([]float64, data.Dim(x))
	for i := range x.Len() {
		v := x.At(i)
		for k, c := range v.Value {
			if !(c >= 0) {
				return nil, fmt.Errorf("row %d has the value %v, which is no count", i+1, c)
			}
			if c > 0 {
				seen[at(v, k)]++
			}
		}
	}
	for j, n := range seen {
		if n > 0 {
			seen[j] = 1 + math.Log((1+float64(x.Len()))/(1+n))
		}
	}
	return &Counts{seen}, nil
}

// at returns the coordinate of the k-th stored value.
func at(v data.Vector, k int) int {
	if v.IsSparse() {
		return int(v.Index[k])
	}
	return k
}

// Apply returns the vectors weighed, sparse. A value below 0 is left out.
func (s *Counts) Apply(x data.Source[data.Vector]) *data.CSR {
	out := &data.CSR{Ptr: make([]int, 1, x.Len()+1), Index: []int32{}}
	var index []int32
	var value []float64
	for i := range x.Len() {
		v := x.At(i)
		index, value = index[:0], value[:0]
		sum := 0.0
		for k, c := range v.Value {
			j := at(v, k)
			if !(c > 0) || j >= len(s.IDF) || s.IDF[j] == 0 {
				continue
			}
			if c >= 1 {
				c = 1 + math.Log(c)
			}
			w := c * s.IDF[j]
			index, value, sum = append(index, int32(j)), append(value, w), sum+w*w
		}
		if sum > 0 {
			length := math.Sqrt(sum)
			for k := range value {
				value[k] /= length
			}
		}
		out.Append(index, value)
	}
	out.Cols = len(s.IDF)
	return out
}

// Validate reports what Counts from elsewhere may have wrong.
func (s *Counts) Validate() error {
	for j, w := range s.IDF {
		if !(w >= 0) || math.IsInf(w, 0) {
			return fmt.Errorf("term %d has the weight %v", j, w)
		}
	}
	return nil
}
