package spec

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/kernel"
)

// Vectors is the kind of instances that are vectors: how model files store them
// and how their kernels are read.
type Vectors struct{}

// Name returns "vectors".
func (Vectors) Name() string { return string(dataset.Vectors) }

// Make makes a kernel. A width that is left open becomes the median distance of
// x, of the coordinates of the block where it stands in one.
func (Vectors) Make(k Kernel, x data.Source[data.Vector], seed uint64) (kernel.Kernel[data.Vector], error) {
	return build(k, k.root, vectorKernelsOf(x, seed), func() float64 { return kernel.MedianDistance(x, seed) })
}

// Kernel reads a kernel that leaves nothing open.
func (v Vectors) Kernel(text string) (kernel.Kernel[data.Vector], error) {
	k, err := Parse(text)
	if err != nil {
		return nil, err
	}
	if k.Open() {
		return nil, k.fail(0, "the width is missing")
	}
	return v.Make(k, nil, 0)
}

// Layouts of stored vectors.
const (
	layoutDense  = 0 // rows, columns, then rows·columns numbers
	layoutSparse = 1 // rows, columns, values, then row ends, coordinates, numbers
)

// Encode writes the vectors little-endian: a layout word, the shape, and the
// numbers; sparse vectors row by row as CSR.
func (Vectors) Encode(x data.Source[data.Vector]) []byte {
	var b bytes.Buffer
	put := func(v any) { _ = binary.Write(&b, binary.LittleEndian, v) } // a Buffer cannot fail
	n, d, stored := x.Len(), data.Dim(x), 0
	sparse := n > 0 && d == 0 // rows without width would be a count and no bytes
	for i := range n {
		stored += len(x.At(i).Value)
		sparse = sparse || x.At(i).IsSparse()
	}
	if !sparse {
		put([]uint64{layoutDense, uint64(n), uint64(d)})
		row := make([]float64, min(n, 1)*d) // no rows, no memory: a damaged file may claim any width
		for i := range n {
			x.At(i).CopyTo(row)
			put(row)
		}
		return b.Bytes()
	}
	var m data.CSR
	for i := range n {
		v := x.At(i)
		if !v.IsSparse() {
			index := make([]int32, len(v.Value))
			for j := range index {
				index[j] = int32(j)
			}
			v.Index = index
		}
		m.Append(v.Index, v.Value)
	}
	put([]uint64{layoutSparse, uint64(n), uint64(d), uint64(stored)})
	for i := range n {
		put(uint64(m.Ptr[i+1]))
	}
	put(m.Index)
	put(m.Value)
	return b.Bytes()
}

// errVectors reports stored vectors whose parts do not fit together.
var errVectors = errors.New("the stored vectors are damaged")

// Decode reads what Encode wrote. It never allocates more than a small multiple
// of len(b).
func (Vectors) Decode(b []byte) (data.Source[data.Vector], error) {
	r := reader{rest: b}
	layout, n, d := r.count(), r.count(), r.count()
	var x data.Source[data.Vector]
	switch {
	case r.failed || d > math.MaxInt32: // coordinates are counted by int32
		return nil, errVectors
	case layout == layoutDense:
		if n > 0 && (d == 0 || d > math.MaxInt/8/n) {
			return nil, errVectors
		}
		x = &data.Matrix{Rows: n, Cols: d, Data: r.floats(n * d)}
	case layout == layoutSparse:
		stored := r.count()
		m := &data.CSR{Cols: d, Ptr: []int{0}}
		m.Ptr = append(m.Ptr, r.counts(n)...)
		m.Index = r.indices(stored)
		m.Value = r.floats(stored)
		if !r.failed {
			if err := m.Validate(); err != nil {
				return nil, err
			}
		}
		x = m
	default:
		return nil, fmt.Errorf("the stored vectors have the unknown layout %d", layout)
	}
	if r.failed || len(r.rest) > 0 {
		return nil, errVectors
	}
	for i := range n {
		if !x.At(i).Finite() {
			return nil, errVectors
		}
	}
	return x, nil
}

// reader takes numbers off a byte slice and remembers when it ran short.
type reader struct {
	rest   []byte
	failed bool
}

// take returns the next n·size bytes, nil where there are fewer.
func (r *reader) take(n, size int) []byte {
	if r.failed || n < 0 || n > len(r.rest)/size {
		r.failed = true
		return nil
	}
	b := r.rest[:n*size]
	r.rest = r.rest[n*size:]
	return b
}

func (r *reader) count() int {
	c := r.counts(1)
	if r.failed {
		return 0
	}
	return c[0]
}

func (r *reader) counts(n int) []int {
	b := r.take(n, 8)
	out := make([]int, len(b)/8)
	for i := range out {
		v := binary.LittleEndian.Uint64(b[8*i:])
		if v > math.MaxInt32*uint64(math.MaxInt16) {
			r.failed = true
			return nil
		}
		out[i] = int(v)
	}
	return out
}

func (r *reader) indices(n int) []int32 {
	b := r.take(n, 4)
	out := make([]int32, len(b)/4)
	for i := range out {
		out[i] = int32(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return out
}

func (r *reader) floats(n int) []float64 {
	b := r.take(n, 8)
	out := make([]float64, len(b)/8)
	for i := range out {
		out[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
	}
	return out
}
