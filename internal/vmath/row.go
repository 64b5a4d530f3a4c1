package vmath

// ExpScale replaces each s of the row by exp(a·s + b). The product and the sum
// are rounded, in this order, before the exponential.
func ExpScale[F Float](row []F, a, b F) {
	at[F]().expScale(row, a, b)
}

// Distance2Row replaces each inner product ⟨x, y_j⟩ of the row by the squared
// distance
//
//	|x - y_j|² = max(0, (xx + yy[j]) - 2·row[j])
//
// where xx = ⟨x, x⟩ and yy[j] = ⟨y_j, y_j⟩. It is exactly 0 where the three
// are the same number, and NaN where the difference is NaN. The slices must
// have the same length.
func Distance2Row[F Float](row []F, xx F, yy []F) {
	if len(row) != len(yy) {
		panic(lengths)
	}
	at[F]().distance2Row(row, xx, yy)
}

// RBFRow replaces each inner product ⟨x, y_j⟩ of the row by the Gaussian kernel
//
//	exp(-gamma·|x - y_j|²)
//
// with the squared distance of Distance2Row. It equals Distance2Row followed by
// ExpScale with a = -gamma and b = 0, bit for bit, in one pass.
func RBFRow[F Float](row []F, xx F, yy []F, gamma F) {
	if len(row) != len(yy) {
		panic(lengths)
	}
	at[F]().rbfRow(row, xx, yy, -gamma)
}

// Close returns the first j with near·(xx+yy[j]) - row[j] ≥ 0, rounded, and xx+yy[j] ≥ least, and -1
// where there is none: of squared distances, those that are small beside the squared norms. Where
// both sides of the difference are infinite it is not. The slices must have the same length. The
// result is the same at every level.
func Close[F Float](row, yy []F, xx, near, least F) int {
	if len(row) != len(yy) {
		panic(lengths)
	}
	n := at[F]().farPrefix(row, yy, xx, near, least)
	if j := closePlain(row[n:], yy[n:], xx, near, least); j >= 0 {
		return n + j
	}
	return -1
}

// PowInt replaces each s of the row by (a·s + b)ⁿ, n ≥ 0, as the product of
// repeated squares of the rounded a·s + b; for n = 0 that is 1, of NaN too. The
// bits are the same at every level.
func PowInt[F Float](row []F, a, b F, n int) {
	if n < 0 {
		panic("vmath: negative power")
	}
	at[F]().powInt(row, a, b, n)
}

// Distance1Row adds the L1 distances of a point to many: Σ_k |a[k] - y[k·stride+j]| to
// row[j], coordinate after coordinate. The bits are the same at every level.
func Distance1Row[F Float](row, a, y []F, stride int) {
	if hasCoordinates(row, a, y, stride) {
		at[F]().distance1Row(row, a, y, stride)
	}
}

// ChiSquaredRow adds the chi-squared distances of a point to many: with b = y[k·stride+j]
// Σ_k (a[k] - b)²/(|a[k]| + |b|) to row[j], coordinate after coordinate. 0/0 counts as 0, and
// a denominator below the normal numbers as the least of them. The bits are the same at every
// level.
func ChiSquaredRow[F Float](row, a, y []F, stride int) {
	if hasCoordinates(row, a, y, stride) {
		at[F]().chiSquaredRow(row, a, y, stride)
	}
}

// hasCoordinates reports whether there is anything to add, and panics where y is too short.
func hasCoordinates[F Float](row, a, y []F, stride int) bool {
	if len(a) == 0 || len(row) == 0 {
		return false
	}
	if stride < len(row) || len(y)-len(row) < (len(a)-1)*stride {
		panic(lengths)
	}
	return true
}

// ScaleRow multiplies row[j] by s·yscale[j], rounded first. The slices must
// have the same length. The bits are the same at every level.
func ScaleRow[F Float](row []F, s F, yscale []F) {
	if len(row) != len(yscale) {
		panic(lengths)
	}
	at[F]().scaleRow(row, s, yscale)
}

// Times sets dst to the products of x and y, element by element. The slices must
// have the same length; dst may be x or y. The bits are the same at every level.
func Times[F Float](dst, x, y []F) {
	if len(dst) != len(x) || len(dst) != len(y) {
		panic(lengths)
	}
	at[F]().times(dst, x, y)
}

// Axpy adds a·x to y, each product rounded before the sum. The slices must have
// the same length. The bits are the same at every level.
func Axpy[F Float](y []F, a F, x []F) {
	if len(x) != len(y) {
		panic(lengths)
	}
	at[F]().axpy(y, a, x)
}

// Scale multiplies x by a in place.
func Scale[F Float](x []F, a F) {
	at[F]().scale(x, a)
}

// TanhScale replaces each s of the row by tanh(a·s + b). The product and the
// sum are rounded, in this order, before the hyperbolic tangent, whose special
// cases are those of math.Tanh; tanh(-x) is exactly -tanh(x).
func TanhScale[F Float](row []F, a, b F) {
	at[F]().tanhScale(row, a, b)
}
