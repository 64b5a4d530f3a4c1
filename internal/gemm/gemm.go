// Package gemm multiplies matrices of float32 or float64 at the speed of the
// machine: panels packed for a register-blocked micro-kernel, blocks that stay
// in cache, all cores.
//
//	Mul, MulLower   C ← α·op(A)·op(B) + β·C, all of it or its lower triangle
//	Pack, Left, Tile  rows of A times rows of B, one tile in the caller's cache
//	Norm2, Norms2   ⟨x, x⟩ with the bits that a tile has on its diagonal
//
// # The order of a sum
//
// An element of a product is a sum over the depth k. It is cut into blocks of
// KC terms (see the table of blockings); the sum of a block starts at zero and
// takes its terms one after the other, and the sums of the blocks are added to
// the result one after the other. With AVX2 and AVX-512 a term is added by a
// fused multiply-add, in plain Go as the compiler for the architecture has it.
// That order depends on k alone. Hence an element has the same bits for any number of
// workers, any number of rows and columns around it and any place in the tile;
// A·Aᵀ is symmetric bit for bit; and AVX2 and AVX-512, which have the same KC,
// agree bit for bit.
//
// # Instruction sets
//
// The level is found when the program starts. The build tag purego, and any
// architecture but amd64, leaves plain Go.
package gemm

// Float is the type of an element.
type Float interface{ float32 | float64 }

// Matrix is a view of a matrix in a slice: element (i, j) is Data[i·Stride+j],
// or Data[j·Stride+i] for a transposed view. The product neither keeps nor
// copies the slice beyond the call.
type Matrix[F Float] struct {
	Data       []F
	Rows, Cols int // of the view
	Stride     int

	transposed bool
}

// Rows returns the view of a matrix of the given size stored row after row.
func Rows[F Float](data []F, rows, cols, stride int) Matrix[F] {
	return Matrix[F]{Data: data, Rows: rows, Cols: cols, Stride: stride}
}

// T returns the transposed view of the same data.
func (m Matrix[F]) T() Matrix[F] {
	m.Rows, m.Cols = m.Cols, m.Rows
	m.transposed = !m.transposed
	return m
}

// check panics unless the slice holds the view.
func (m Matrix[F]) check() {
	rows, cols := m.Rows, m.Cols
	if m.transposed {
		rows, cols = cols, rows
	}
	checkRows(m.Data, m.Stride, rows, cols)
}

// checkRows panics unless data holds rows rows of cols elements, ld apart.
func checkRows[F Float](data []F, ld, rows, cols int) {
	if rows < 0 || cols < 0 || ld < cols {
		panic("gemm: negative size, or stride below the width")
	}
	if rows > 0 && cols > 0 && len(data) < (rows-1)*ld+cols {
		panic("gemm: slice too short for its matrix")
	}
}
