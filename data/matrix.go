package data

import (
	"fmt"

	"github.com/kerf-ml/kerf/internal/alloc"
)

// Matrix stores Rows dense vectors of Cols coordinates each, row after row in
// Data. It is a Source of Vector.
type Matrix struct {
	Rows, Cols int
	Data       []float64
}

// NewMatrix returns a matrix of zeros.
func NewMatrix(rows, cols int) *Matrix {
	return &Matrix{Rows: rows, Cols: cols, Data: alloc.Zeros[float64](rows * cols)}
}

// Len returns the number of rows.
func (m *Matrix) Len() int { return m.Rows }

// At returns row i as a dense vector that shares the matrix's memory.
func (m *Matrix) At(i int) Vector { return Vector{Value: m.Row(i)} }

// Row returns row i. Writing to it writes to the matrix.
func (m *Matrix) Row(i int) []float64 {
	return m.Data[i*m.Cols : (i+1)*m.Cols : (i+1)*m.Cols]
}

// CSR stores sparse vectors row after row: row i holds the values
// Value[Ptr[i]:Ptr[i+1]] at the coordinates Index[Ptr[i]:Ptr[i+1]]. It is a
// Source of Vector. Cols is the number of coordinates.
type CSR struct {
	Cols  int
	Ptr   []int
	Index []int32
	Value []float64
}

// Len returns the number of rows.
func (m *CSR) Len() int { return max(0, len(m.Ptr)-1) }

// At returns row i as a sparse vector that shares the matrix's memory.
func (m *CSR) At(i int) Vector {
	lo, hi := m.Ptr[i], m.Ptr[i+1]
	if lo == hi {
		return Vector{Index: []int32{}} // sparse even where nothing is stored
	}
	return Vector{Index: m.Index[lo:hi:hi], Value: m.Value[lo:hi:hi]}
}

// Append adds a row. The indices must be non-negative and strictly increasing.
func (m *CSR) Append(index []int32, value []float64) {
	if len(m.Ptr) == 0 {
		m.Ptr = append(m.Ptr, 0)
	}
	m.Index = append(m.Index, index...)
	m.Value = append(m.Value, value...)
	m.Ptr = append(m.Ptr, len(m.Index))
	if n := len(index); n > 0 {
		m.Cols = max(m.Cols, int(index[n-1])+1)
	}
}

// Validate reports whether the parts of the matrix fit together.
func (m *CSR) Validate() error {
	n := len(m.Ptr)
	if n == 0 || m.Ptr[0] != 0 || m.Ptr[n-1] != len(m.Index) || len(m.Index) != len(m.Value) {
		return fmt.Errorf("sparse matrix: row pointers, indices and values do not fit together")
	}
	for i := 1; i < n; i++ {
		lo, hi := m.Ptr[i-1], m.Ptr[i]
		if lo > hi || hi > len(m.Index) {
			return fmt.Errorf("sparse matrix: row %d ends before it begins", i)
		}
		for k := lo; k < hi; k++ {
			if m.Index[k] < 0 || int(m.Index[k]) >= m.Cols || k > lo && m.Index[k] <= m.Index[k-1] {
				return fmt.Errorf("sparse matrix: row %d: index %d is out of order or out of range", i, m.Index[k])
			}
		}
	}
	return nil
}

// Dim returns the largest dimension of the vectors of a source.
func Dim(x Source[Vector]) int {
	switch x := x.(type) {
	case *Matrix:
		return x.Cols
	case *Matrix32:
		return x.Cols
	case *CSR:
		return x.Cols
	}
	d := 0
	for i := range x.Len() {
		d = max(d, x.At(i).Dim())
	}
	return d
}
