package kernelized

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"math"
	"reflect"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/run"
)

// Compress returns the expansion with as few instances as give the same scores
// to rounding: instances of weight 0 are dropped, and of equal ones the first is
// kept with the sum of their weights. Vectors and sets are equal where
// their content is, values of comparable types where == says so, which takes one
// pass.
// Instances of other types are equal where the kernel cannot tell them apart:
// their values with the whole support, and so with each other and themselves,
// are the same. That takes an evaluation for each pair of instances.
func Compress[T any](ctx context.Context, ctl run.Control, e *Expansion[T]) (*Expansion[T], error) {
	m := &MultiExpansion[T]{Kernel: e.Kernel, Support: e.Support,
		Weight: &data.Matrix{Rows: len(e.Weight), Cols: 1, Data: e.Weight}}
	c, err := CompressMulti(ctx, ctl, m)
	if err != nil {
		return nil, err
	}
	return &Expansion[T]{Kernel: e.Kernel, Support: c.Support, Weight: c.Weight.Data, Bias: e.Bias}, nil
}

// CompressMulti is Compress for many classes. An instance is dropped where it
// weighs nothing in all of them.
func CompressMulti[T any](ctx context.Context, ctl run.Control, e *MultiExpansion[T]) (*MultiExpansion[T], error) {
	index := []int{}
	for p := range e.Weight.Rows {
		if !zeros(e.Weight.Row(p)) {
			index = append(index, p)
		}
	}
	keys, err := keysOf(ctx, ctl, e, index)
	if err != nil {
		return nil, err
	}
	place := make(map[any]int, len(index))
	kept, sums := []int{}, [][]float64{}
	for k, p := range index {
		at, ok := place[keys[k]]
		if !ok {
			at = len(kept)
			place[keys[k]] = at
			kept, sums = append(kept, p), append(sums, make([]float64, e.Weight.Cols))
		}
		for j, a := range e.Weight.Row(p) {
			sums[at][j] += a
		}
	}
	c := &MultiExpansion[T]{Kernel: e.Kernel, Weight: &data.Matrix{Cols: e.Weight.Cols, Data: []float64{}}, Bias: e.Bias}
	index = index[:0]
	for k, p := range kept {
		if !zeros(sums[k]) { // the weights of equal instances may cancel
			index = append(index, p)
			c.Weight.Data = append(c.Weight.Data, sums[k]...)
		}
	}
	c.Weight.Rows = len(index)
	c.Support = take(e.Support, index)
	return c, nil
}

func zeros(v []float64) bool {
	for _, a := range v {
		if a != 0 {
			return false
		}
	}
	return true
}

// keysOf returns comparable values that are equal for equal instances.
func keysOf[T any](ctx context.Context, ctl run.Control, e *MultiExpansion[T], index []int) ([]any, error) {
	keys := make([]any, len(index))
	for k, p := range index {
		var ok bool
		if keys[k], ok = keyOf(e.Support.At(p)); !ok {
			return rowKeys(ctx, ctl, e, index)
		}
	}
	return keys, nil
}

// vectorKey and setKey are the content of an instance, in types of their own so
// that neither is taken for a string.
type (
	vectorKey string
	setKey    string
)

// keyOf returns the content of an instance, and false for a type whose content
// cannot be compared.
func keyOf[T any](x T) (any, bool) {
	switch v := any(x).(type) {
	case data.Vector:
		var key []byte
		for k, a := range v.Value {
			if a == 0 {
				continue
			}
			j := uint64(k)
			if v.IsSparse() {
				j = uint64(v.Index[k])
			}
			key = binary.LittleEndian.AppendUint64(key, j)
			key = binary.LittleEndian.AppendUint64(key, math.Float64bits(a))
		}
		return vectorKey(key), true
	case data.Set:
		var key []byte
		for _, item := range v {
			key = binary.LittleEndian.AppendUint64(key, uint64(len(item)))
			key = append(key, item...)
		}
		return setKey(key), true
	}
	// A struct may hold an interface whose value cannot be compared.
	if v := reflect.ValueOf(x); v.IsValid() && v.Comparable() {
		return x, true
	}
	return nil, false
}

// keyRows is how many instances one task compares by their kernel values.
const keyRows = 16

// rowKeys returns a hash of the kernel values of each instance with all others.
func rowKeys[T any](ctx context.Context, ctl run.Control, e *MultiExpansion[T], index []int) ([]any, error) {
	n := len(index)
	if err := ctl.Reserve("kernel values of the support", 16*float64(n)*keyRows*float64(ctl.Cores()),
		"use fewer workers"); err != nil {
		return nil, err
	}
	x := data.Source[T](data.Subset[T]{Of: e.Support, Index: index})
	columns := gram.Bind(e.Kernel, x)
	keys := make([]any, n)
	err := par.For(ctx, ctl, "compress", par.Blocks(n, keyRows), func(b int) error {
		lo, hi := par.Range(b, n, keyRows)
		values := make([]float64, (hi-lo)*n)
		if err := columns.Tile(values, data.Range[T]{Of: x, Lo: lo, Hi: hi}, lo); err != nil {
			return err
		}
		content := make([]byte, 0, 8*n)
		for i := range hi - lo {
			content = content[:0]
			for _, v := range values[i*n : (i+1)*n] {
				content = binary.LittleEndian.AppendUint64(content, math.Float64bits(v))
			}
			keys[lo+i] = sha256.Sum256(content)
		}
		return nil
	})
	if err == nil {
		ctl.Counter.Add(int64(n) * int64(n))
	}
	return keys, err
}
