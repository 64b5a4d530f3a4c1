package bound

import (
	"errors"
	"math"
)

// PolynomialDim is C(d+c, c), the dimensions of the space that the polynomial kernel
// (x·y + 1)^c takes d coordinates to.
//
// Reference: Tao's lecture on kernels.
func PolynomialDim(coordinates, degree int) (int, error) {
	if fault := errors.Join(checkCount("coordinates", coordinates), checkCount("degree", degree)); fault != nil {
		return 0, fault
	}
	v := 1.0
	for i := 1; i <= degree; i++ {
		v = math.Round(v * float64(coordinates+i) / float64(i))
	}
	return Count(v).fit("dimensions")
}

// InterleavedDegree is n - 1, the least degree of a polynomial whose sign is right on n
// points of a line with alternating labels: it has a root between each two neighbours.
//
// Reference: Tao's lecture on kernels, whose theorem is that n - 1 is enough.
func InterleavedDegree(points int) (int, error) {
	if fault := checkCount("points", points); fault != nil {
		return 0, fault
	}
	return points - 1, nil
}

// MinimumEigenvalue is 1/(4·cos²(π/(2n+1))), the least eigenvalue of the matrix
// min(i, j), i and j from 1 to n. It is above 1/4 for every n, so that min is a kernel
// and positive definite.
//
// Reference: Shalev-Shwartz and Ben-David 2014, exercise 16.4, for the kernel; the inverse
// has 2 on the diagonal, 1 at its end and -1 beside it, and the eigenvalues
// 2 - 2·cos((2k-1)π/(2n+1)).
func MinimumEigenvalue(n int) (float64, error) {
	if fault := checkCount("n", n); fault != nil {
		return 0, fault
	}
	c := math.Cos(math.Pi / (2*float64(n) + 1))
	return 1 / (4 * c * c), nil
}

// BasketMargin is 1/√((4k+1)(s+1)), the margin of baskets of at most s items of which k
// decide, with a constant coordinate of 1, whatever the number of items.
//
// Reference: Shalev-Shwartz and Ben-David 2014, exercise 16.5; docs/math/baskets.md.
func BasketMargin(relevant, size int) (float64, error) {
	if fault := errors.Join(checkCount("relevant", relevant), checkCount("size", size)); fault != nil {
		return 0, fault
	}
	return 1 / math.Sqrt((4*float64(relevant)+1)*(float64(size)+1)), nil
}

// SubstringSquare is n(n+1)/2, the most different substrings of n letters: the largest
// |ψ(x)|² of the substring kernel, so that |ψ(x)| ≤ n.
//
// Reference: Shalev-Shwartz and Ben-David 2014, section 16.2.1.
func SubstringSquare(letters int) (float64, error) {
	if fault := checkCount("letters", letters); fault != nil {
		return 0, fault
	}
	return float64(letters) * (float64(letters) + 1) / 2, nil
}

// SpreadMargin is √((1-ρ)/n), a margin that n instances have under some separator for any
// labels, where K(x, x) = 1 and the other similarities of each sum to at most ρ < 1: the Gram
// matrix G has eigenvalues of at least 1 - ρ (Gershgorin), and a vector w of the span with
// w·φ(x_i) = y_i has the length √(yᵀG⁻¹y) ≤ √(n/(1-ρ)).
//
// Reference: it makes a number of the theorem of Tao's lecture that a Gaussian kernel
// separates any finite set.
func SpreadMargin(n int, rho float64) (float64, error) {
	fault := errors.Join(checkCount("n", n), checkRange("rho", rho, rho >= 0 && rho < 1, "at least 0 and below 1"))
	if fault != nil {
		return 0, fault
	}
	return math.Sqrt((1 - rho) / float64(n)), nil
}
