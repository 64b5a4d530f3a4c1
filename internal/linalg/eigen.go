package linalg

import (
	"gonum.org/v1/gonum/mat"

	"github.com/kerf-ml/kerf/data"
)

// Eigen returns the eigenvalues of a symmetric matrix in increasing order and
// its eigenvectors in the columns of a matrix, by gonum. It reports false where
// the iteration did not converge.
func Eigen(a *data.Matrix) (values []float64, vectors *data.Matrix, ok bool) {
	n := a.Rows
	if n == 0 {
		return nil, data.NewMatrix(0, 0), true
	}
	var e mat.EigenSym
	if !e.Factorize(mat.NewSymDense(n, append([]float64(nil), a.Data...)), true) {
		return nil, nil, false
	}
	var v mat.Dense
	e.VectorsTo(&v)
	return e.Values(nil), &data.Matrix{Rows: n, Cols: n, Data: v.RawMatrix().Data}, true
}
