package vmath

import (
	"math"
	"unsafe"
)

// The functions in plain Go. Conversions of products keep the compiler from
// fusing them with a sum, on machines where it would.

// each sets dst[i] = f(x[i]). Conversion goes by way of a buffer: on amd64 it
// waits for what its register held before, here the last result, and would put
// the calls in a chain.
func each[F Float](dst, x []F, f func(float64) float64) {
	var buf [64]float64
	for len(x) > 0 {
		b := buf[:min(len(x), len(buf))]
		for i := range b {
			b[i] = float64(x[i])
		}
		for i, v := range b {
			b[i] = f(v)
		}
		for i, v := range b {
			dst[i] = F(v)
		}
		dst, x = dst[len(b):], x[len(b):]
	}
}

func expPlain[F Float](dst, x []F) { each(dst, x, exp) }
func logPlain[F Float](dst, x []F) { each(dst, x, log) }

// affine replaces s by a·s + b.
func affine[F Float](row []F, a, b F) {
	for j, s := range row {
		row[j] = F(a*s) + b
	}
}

func expScalePlain[F Float](row []F, a, b F) {
	affine(row, a, b)
	each(row, row, exp)
}

func tanhScalePlain[F Float](row []F, a, b F) {
	affine(row, a, b)
	each(row, row, math.Tanh)
}

func rbfRowPlain[F Float](row []F, xx F, yy []F, a F) {
	distance2RowPlain(row, xx, yy)
	scalePlain(row, a)
	each(row, row, exp)
}

func distance2RowPlain[F Float](row []F, xx F, yy []F) {
	yy = yy[:len(row)]
	for j, s := range row {
		row[j] = distance2(xx, yy[j], s)
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

func distance1RowPlain[F Float](row, a, y []F, stride int) {
	for k, v := range a {
		for j, w := range y[k*stride:][:len(row)] {
			row[j] += F(math.Abs(float64(v - w)))
		}
	}
}

func chiSquaredRowPlain[F Float](row, a, y []F, stride int) {
	least := leastNormal[F]()
	for k, v := range a {
		for j, w := range y[k*stride:][:len(row)] {
			size := F(math.Abs(float64(v))) + F(math.Abs(float64(w)))
			if size < least { // NaN stays
				size = least
			}
			row[j] += F((v - w) * ((v - w) / size))
		}
	}
}

// leastNormal returns the least positive number of full precision.
func leastNormal[F Float]() F {
	if unsafe.Sizeof(F(0)) == 4 {
		return 0x1p-126
	}
	return F(math.Float64frombits(1 << 52)) // 0x1p-1022, which is no constant of float32
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

func signDotPlain[F Float](x, y []F, b F) F {
	var all [laneBytes / 4]F
	lane := all[:laneBytes/unsafe.Sizeof(b)]
	y = y[:len(x)]
	for i, v := range x {
		switch apart := b - y[i]; {
		case apart < 0:
			lane[i%len(lane)] -= v
		case apart != 0:
			lane[i%len(lane)] += v
		}
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

func farPrefixPlain[F Float](_, _ []F, _, _, _ F) int { return 0 }

// closePlain is Close by itself.
func closePlain[F Float](row, yy []F, xx, near, least F) int {
	yy = yy[:len(row)]
	for j, d := range row {
		if s := xx + yy[j]; F(near*s)-d >= 0 && s-least >= 0 {
			return j
		}
	}
	return -1
}

// walshPlain transforms blocks of 512 bytes, or all of a shorter x.
func walshPlain[F Float](x []F) {
	block := min(len(x), Strip[F]())
	for h := 1; h < block; h *= 2 {
		butterfliesPlain(x, h)
	}
}

func butterfliesPlain[F Float](x []F, h int) {
	if h == 1 {
		for ; len(x) >= 2; x = x[2:] {
			x[0], x[1] = x[0]+x[1], x[0]-x[1]
		}
	}
	for len(x) >= 2*h {
		a, b := x[:h], x[h:][:h]
		for i, v := range a {
			a[i], b[i] = v+b[i], v-b[i]
		}
		x = x[2*h:]
	}
}

func butterflies4xPlain[F Float](x []F, h int) {
	butterfliesPlain(x, h)
	butterfliesPlain(x, 2*h)
}

func sumStripsPlain[F Float](dst, x []F, index []int32) {
	for _, i := range index {
		strip := x[int(i)*len(dst):][:len(dst)]
		for l, v := range strip {
			dst[l] += v
		}
	}
}

func narrowPlain(dst []float32, x []float64) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = float32(x[i])
	}
}

func widenPlain(dst []float64, x []float32) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] = float64(x[i])
	}
}

func prefetchPlain[F Float]([]F) {}

func streamPlain[F Float](dst, x []F) { copy(dst, x) }

func gatherPrefixPlain[F Float]([]F, F, []F, []int32, []uint64) int { return 0 }

func timesPlain[F Float](dst, x, y []F) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] * y[i]
	}
}

func butterflies8xPlain[F Float](x []F, h int) {
	butterflies4xPlain(x, h)
	butterfliesPlain(x, 4*h)
}
