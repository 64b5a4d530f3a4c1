package kernel

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/kerf-ml/kerf/data"
)

// Block is a kernel on a range of the coordinates of a vector: K(x, y) = Of(x', y')
// where x' has coordinates From to To - 1 of x, counted from 0. It is a kernel if Of
// is. A sum of them on ranges that lie apart lets each have a width of its own.
//
// It copies the coordinates of sparse vectors, for each value of Eval, but once for
// each vector where tiles are computed.
type Block struct {
	From, To int
	Of       Kernel[data.Vector]
}

// Validate reports a range without coordinates, and what is wrong with the inner
// kernel.
func (k Block) Validate() error {
	if k.From < 0 || k.To <= k.From || k.To > math.MaxInt32 {
		return fmt.Errorf("block has coordinates from %d to %d and needs one or more", k.From, k.To)
	}
	if k.Of == nil {
		return errors.New("block has no kernel")
	}
	return Validate(k.Of)
}

// Get returns the coordinates of the range, counted from its beginning.
func (k Block) Get(x data.Vector) data.Vector {
	if !x.IsSparse() {
		from, to := min(k.From, len(x.Value)), min(k.To, len(x.Value))
		return data.Vector{Value: x.Value[from:to]}
	}
	from, _ := slices.BinarySearch(x.Index, int32(k.From))
	to, _ := slices.BinarySearch(x.Index, int32(k.To))
	index := make([]int32, to-from)
	for i, j := range x.Index[from:to] {
		index[i] = j - int32(k.From)
	}
	return data.Vector{Index: index, Value: x.Value[from:to]}
}

// Eval returns Of(x', y').
func (k Block) Eval(x, y data.Vector) float64 { return k.Of.Eval(k.Get(x), k.Get(y)) }

// Diag returns Of(x', x').
func (k Block) Diag(x data.Vector) float64 { return Diag(k.Of, k.Get(x)) }

// Prepare takes the range of y once.
func (k Block) Prepare(y data.Vector) func(x data.Vector) float64 {
	with := Prepare(k.Of, k.Get(y))
	return func(x data.Vector) float64 { return with(k.Get(x)) }
}

// Vectors returns Get and Of.
func (k Block) Vectors() (get func(x data.Vector) data.Vector, of Kernel[data.Vector], ok bool) {
	return k.Get, k.Of, true
}

func (k Block) String() string { return fmt.Sprintf("block(from=%d,to=%d,%v)", k.From, k.To, k.Of) }
