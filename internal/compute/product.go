package compute

import (
	"context"

	"github.com/kerf-ml/kerf/internal/gemm"
	"github.com/kerf-ml/kerf/run"
)

// alone keeps a product on the calling goroutine.
var alone = run.Control{Workers: 1}

// Mul sets c[i*ldc+j] = Σ_p a[i*lda+p]·b[p*ldb+j] for i < m, j < n and p < k, on the
// calling goroutine. A row of c depends on that of a alone, bit for bit.
func Mul[F gemm.Float](c []F, ldc int, a []F, lda int, b []F, ldb, m, n, k int) {
	multiply(gemm.Rows(a, m, k, lda), gemm.Rows(b, k, n, ldb), gemm.Rows(c, m, n, ldc))
}

// MulT sets c[i*ldc+j] = Σ_p a[i*lda+p]·b[j*ldb+p], as Mul does.
func MulT[F gemm.Float](c []F, ldc int, a []F, lda int, b []F, ldb, m, n, k int) {
	multiply(gemm.Rows(a, m, k, lda), gemm.Rows(b, n, k, ldb).T(), gemm.Rows(c, m, n, ldc))
}

// multiply sets c = a·b. Without a context to end it there is no error.
func multiply[F gemm.Float](a, b, c gemm.Matrix[F]) {
	if err := gemm.Mul(context.Background(), alone, 1, a, b, 0, c); err != nil {
		panic(err)
	}
}
