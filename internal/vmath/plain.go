package vmath

import (
	"math"
	"unsafe"
)

// The functions in plain Go. Conversions of products keep the compiler from
// fusing them with a sum, on machines where it would.

func expPlain[F Float](dst, x []F) {
	for i, v := range x {
		dst[i] = F(math.Exp(float64(v)))
	}
}

func expScalePlain[F Float](row []F, a, b F) {
	for j, s := range row {
		row[j] = F(math.Exp(float64(F(a*s) + b)))
	}
}

func distance2RowPlain[F Float](row []F, xx F, yy []F) {
	yy = yy[:len(row)]
	for j, s := range row {
		row[j] = distance2(xx, yy[j], s)
	}
}

func rbfRowPlain[F Float](row []F, xx F, yy []F, a F) {
	yy = yy[:len(row)]
	for j, s := range row {
		row[j] = F(math.Exp(float64(a * distance2(xx, yy[j], s))))
	}
}

// distance2 returns NaN where the difference is NaN.
func distance2[F Float](xx, yy, xy F) F {
	d := (xx + yy) - F(2*xy)
	if d < 0 {
		return 0
	}
	return d
}

func powIntPlain[F Float](row []F, a, b F, n int) {
	for j, s := range row {
		p, u := F(1), F(a*s)+b
		for m := n; m > 0; m >>= 1 {
			if m&1 == 1 {
				p *= u
			}
			u *= u
		}
		row[j] = p
	}
}

func scaleRowPlain[F Float](row []F, s F, yscale []F) {
	yscale = yscale[:len(row)]
	for j := range row {
		row[j] *= s * yscale[j]
	}
}

func axpyPlain[F Float](y []F, a F, x []F) {
	x = x[:len(y)]
	for i := range y {
		y[i] += F(a * x[i])
	}
}

func scalePlain[F Float](x []F, a F) {
	for i := range x {
		x[i] *= a
	}
}

func dotPlain[F Float](x, y []F) F {
	var all [laneBytes / 4]F
	lane := all[:laneBytes/unsafe.Sizeof(x[0])]
	for len(x) >= len(lane) && len(y) >= len(lane) {
		a, b := x[:len(lane)], y[:len(lane)]
		for i := range lane {
			lane[i] += F(a[i] * b[i])
		}
		x, y = x[len(lane):], y[len(lane):]
	}
	y = y[:len(x)]
	for i, v := range x {
		lane[i] += F(v * y[i])
	}
	return fold(lane)
}

func sumPlain[F Float](x []F) F {
	var all [laneBytes / 4]F
	lane := all[:laneBytes/unsafe.Sizeof(x[0])]
	for len(x) >= len(lane) {
		a := x[:len(lane)]
		for i := range lane {
			lane[i] += a[i]
		}
		x = x[len(lane):]
	}
	for i, v := range x {
		lane[i] += v
	}
	return fold(lane)
}

// fold adds the upper half to the lower until one is left.
func fold[F Float](lane []F) F {
	for h := len(lane) / 2; h > 0; h /= 2 {
		for j := range h {
			lane[j] += lane[j+h]
		}
	}
	return lane[0] + 0
}

func finitePrefixPlain[F Float]([]F) int { return 0 }

func logPlain[F Float](dst, x []F) {
	for i, v := range x {
		dst[i] = F(math.Log(float64(v)))
	}
}

func tanhPlain[F Float](dst, x []F) {
	for i, v := range x {
		dst[i] = F(math.Tanh(float64(v)))
	}
}

func tanhScalePlain[F Float](row []F, a, b F) {
	for j, s := range row {
		row[j] = F(math.Tanh(float64(F(a*s) + b)))
	}
}

func cosPlain[F Float](dst, x []F) (left bool) {
	for i, v := range x {
		dst[i] = F(math.Cos(float64(v)))
	}
	return false
}

func sinPlain[F Float](dst, x []F) (left bool) {
	for i, v := range x {
		dst[i] = F(math.Sin(float64(v)))
	}
	return false
}
