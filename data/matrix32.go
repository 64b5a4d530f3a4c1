package data

import "github.com/kerf-ml/kerf/internal/alloc"

// Matrix32 stores Rows dense vectors of Cols coordinates each in float32, row
// after row in Data: half the memory of a Matrix, for data that came in single
// precision, such as embeddings. It is a Source of Vector.
//
// At makes a copy in float64. Kernels' tiles, maps and projections, which take
// most of the time, read rows where they are (see Row32).
type Matrix32 struct {
	Rows, Cols int
	Data       []float32
}

// NewMatrix32 returns a matrix of zeros.
func NewMatrix32(rows, cols int) *Matrix32 {
	return &Matrix32{Rows: rows, Cols: cols, Data: alloc.Zeros[float32](rows * cols)}
}

// Len returns the number of rows.
func (m *Matrix32) Len() int { return m.Rows }

// At returns a copy of row i as a dense vector.
func (m *Matrix32) At(i int) Vector {
	row := m.Row(i)
	value := make([]float64, len(row))
	for j, a := range row {
		value[j] = float64(a)
	}
	return Vector{Value: value}
}

// Row returns row i. Writing to it writes to the matrix.
func (m *Matrix32) Row(i int) []float32 {
	return m.Data[i*m.Cols : (i+1)*m.Cols : (i+1)*m.Cols]
}

// Row32 returns vector i of x as it lies in memory, where that is in float32: in
// a Matrix32, or a Range or Subset of one.
func Row32(x Source[Vector], i int) (row []float32, ok bool) {
	switch x := x.(type) {
	case *Matrix32:
		return x.Row(i), true
	case Range[Vector]:
		return Row32(x.Of, x.Lo+i)
	case Subset[Vector]:
		return Row32(x.Of, x.Index[i])
	}
	return nil, false
}

// Widen returns the vectors of x in float64: x itself, or a copy where they lie
// in memory as float32. Who reads rows more than once widens a block of them.
func Widen(x Source[Vector]) Source[Vector] {
	n := x.Len()
	if n == 0 {
		return x
	}
	first, ok := Row32(x, 0)
	if !ok {
		return x
	}
	wide := NewMatrix(n, len(first))
	for i := range n {
		row, _ := Row32(x, i)
		for j, a := range row {
			wide.Data[i*len(first)+j] = float64(a)
		}
	}
	return wide
}
