package linalg

import (
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/kerf-ml/kerf/data"
)

// RandomOrthogonal returns a rows×cols matrix with orthonormal columns, rows ≥
// cols, drawn uniformly (from the Haar measure): the factor Q of a Gaussian
// matrix, with the signs chosen so that R has a positive diagonal (Stewart
// 1980). The cost is 2·rows·cols² operations, by gonum.
func RandomOrthogonal(rows, cols int, rng *rand.Rand) *data.Matrix {
	if cols > rows || cols < 1 {
		panic("linalg: more columns than rows cannot be orthonormal")
	}
	g := make([]float64, rows*cols)
	for i := range g {
		g[i] = rng.NormFloat64()
	}
	var qr mat.QR
	qr.Factorize(mat.NewDense(rows, cols, g))
	var q, r mat.Dense
	qr.QTo(&q)
	qr.RTo(&r)
	out := data.NewMatrix(rows, cols)
	for i := range rows {
		for j := range cols {
			v := q.At(i, j)
			if r.At(j, j) < 0 {
				v = -v
			}
			out.Row(i)[j] = v
		}
	}
	return out
}

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
