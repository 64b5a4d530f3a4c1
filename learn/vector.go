package learn

import (
	"context"
	"fmt"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/run"
)

// MaxNorm2 is the largest squared length of a vector to learn from: with it
// inner products, their sums over a sample and their squares stay finite.
const MaxNorm2 = 1e280

// CheckVector returns the squared length of vector i of a sample, and says what
// keeps it from being learnt from (*DataError): coordinates that are out of order
// or below 0, not finite, or too large.
func CheckVector(i int, x data.Vector) (norm2 float64, err error) {
	if x.IsSparse() {
		if len(x.Index) != len(x.Value) {
			return 0, &DataError{Row: i, Problem: fmt.Sprintf("%d coordinates have %d values", len(x.Index), len(x.Value))}
		}
		last := int32(-1)
		for _, j := range x.Index {
			if j <= last {
				return 0, &DataError{Row: i, Problem: fmt.Sprintf("coordinate %d comes after %d and must be above it", j, last)}
			}
			last = j
		}
	}
	if norm2 = x.Norm2(); norm2 <= MaxNorm2 {
		return norm2, nil
	}
	for k, v := range x.Value {
		if v-v == 0 {
			continue
		}
		j := k
		if x.IsSparse() {
			j = int(x.Index[k])
		}
		return norm2, &DataError{Row: i, Problem: fmt.Sprintf("coordinate %d is %v and must be finite", j, v)}
	}
	return norm2, &DataError{Row: i, Problem: "the squared length is near overflow; scale the data down"}
}

// readRows is how many rows a worker reads at a time.
const readRows = 512

// ReadVectors returns the rows of x in memory with their |x|², or the error of the
// first that CheckVector reports. The error is the context's own when it ended
// meanwhile.
func ReadVectors(
	ctx context.Context, ctl run.Control, x data.Source[data.Vector],
) (rows []data.Vector, norm2 []float64, err error) {
	n := x.Len()
	rows, norm2 = make([]data.Vector, n), make([]float64, n)
	bad := make([]error, par.Blocks(n, readRows))
	err = par.For(ctx, ctl, "", len(bad), func(b int) error {
		lo, hi := par.Range(b, n, readRows)
		for i := lo; i < hi && bad[b] == nil; i++ {
			rows[i] = x.At(i)
			norm2[i], bad[b] = CheckVector(i, rows[i])
		}
		return nil
	})
	for _, fault := range bad {
		if err == nil {
			err = fault
		}
	}
	if err != nil {
		return nil, nil, err
	}
	return rows, norm2, nil
}
