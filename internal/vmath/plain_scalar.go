package vmath

import "math"

// Scalar functions behind the plain level. Package math serves where it is
// within 2 ulp on every architecture; on amd64 its Exp overflows from
// 1023.5·ln 2 on, its Log does not normalise subnormal arguments, and its Cos
// and Sin lose digits near large multiples of π/2.

// The polynomials and constants are derived in the generator.
var (
	expPoly = [12]float64{
		1, 1, 0x1.000000000000ap-1, 0x1.55555555554fep-3, 0x1.55555555506bcp-5, 0x1.1111111126b36p-7,
		0x1.6c16c18477083p-10, 0x1.a01a012fee99cp-13, 0x1.a019995efb00fp-16, 0x1.71df18ef76144p-19,
		0x1.28adfccb26cd8p-22, 0x1.ad92e899366cbp-26,
	}
	sinPoly = [6]float64{
		-0x1.5555555555548p-3, 0x1.111111110f75dp-7, -0x1.a01a019bf222ep-13,
		0x1.71de355f05599p-19, -0x1.ae5e5471f55p-26, 0x1.5d8e3511cda67p-33,
	}
	cosPoly = [6]float64{
		0x1.555555555554bp-5, -0x1.6c16c16c15016p-10, 0x1.a01a019c8f3eep-16,
		-0x1.27e4f7f19d4b2p-22, 0x1.1ee9dbd0d86a6p-29, -0x1.8fa681e385241p-37,
	}
)

// exp returns exp(x).
func exp(x float64) float64 {
	switch {
	case x != x:
		return x
	case x > 710:
		return math.Inf(1)
	case x < -746:
		return 0
	}
	const (
		magic = 0x1.8p52
		// ln 2 in two parts; the first has 32 bits, so that its product with
		// the 11 bits of k is exact.
		high = 0x1.62e42feep-1
		low  = 0x1.a39ef35793c76p-33
	)
	k := (float64(x*math.Log2E) + magic) - magic
	r := (x - float64(k*high)) - float64(k*low)
	p := expPoly[11]
	for i := 10; i >= 0; i-- {
		p = float64(p*r) + expPoly[i]
	}
	// Two steps: the first is exact, the second rounds once.
	half := int(k) >> 1
	return p * power2(half) * power2(int(k)-half)
}

// power2 returns 2^k for -1022 ≤ k ≤ 1023.
func power2(k int) float64 { return math.Float64frombits(uint64(k+1023) << 52) }

// log returns log(x).
func log(x float64) float64 {
	if x > 0 && x < 0x1p-1022 {
		return math.Log(x*0x1p54) - 54*math.Ln2
	}
	return math.Log(x)
}

func cosine(x float64) float64 {
	if !(math.Abs(x) <= 1<<30) {
		return math.Cos(x)
	}
	return sinShifted(math.Abs(x), 1)
}

func sine(x float64) float64 {
	if !(math.Abs(x) <= 1<<30) {
		return math.Sin(x)
	}
	return math.Copysign(1, x) * sinShifted(math.Abs(x), 0)
}

// sinShifted returns sin(a + shift·π/2) for 0 ≤ a ≤ 2^30, by the formulas of the
// generator.
func sinShifted(a float64, shift int) float64 {
	const (
		magic = 0x1.8p52
		p1    = 0x1.921fb54442d18p0
		p2    = 0x1.1a62633145c07p-54
		p3    = -0x1.f1976b7ed8fbcp-110
	)
	k := (float64(a*(2/math.Pi)) + magic) - magic
	d := math.FMA(-k, p1, a)
	h := k * p2
	l := math.FMA(k, p2, -h)
	r := d - h
	s := ((d - r) - h - l) - float64(k*p3)

	z := r * r
	w := 1 - z/2
	q := int(k) + shift
	var y float64
	if q&1 == 1 {
		c := cosPoly[5]
		for i := 4; i >= 0; i-- {
			c = float64(c*z) + cosPoly[i]
		}
		e := (1 - w) - z/2
		y = w + (e + float64(z*z*c) - float64(r*s))
	} else {
		c := sinPoly[5]
		for i := 4; i >= 0; i-- {
			c = float64(c*z) + sinPoly[i]
		}
		y = r + (float64(r*z*c) + float64(s*w))
	}
	if q&2 != 0 {
		return -y
	}
	return y
}
