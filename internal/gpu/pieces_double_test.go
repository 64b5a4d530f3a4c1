package gpu

import (
	"math"
	"unsafe"

	"github.com/kerf-ml/kerf/internal/cuda/double"
)

// half rounds to 16 bits: 11 of precision, down to multiples of 2^-24.
func half(a float64) float64 {
	if a == 0 || a-a != 0 {
		return a
	}
	_, e := math.Frexp(a)
	step := math.Ldexp(1, max(e-11, -24))
	if a = math.RoundToEven(a/step) * step; math.Abs(a) > 65504 {
		return math.Inf(int(math.Copysign(1, a)))
	}
	return a
}

// bits is a number that half has rounded.
func bits(a float64) uint16 {
	sign := uint16(math.Float64bits(a) >> 48 & 0x8000)
	switch a = math.Abs(a); {
	case a != a:
		return 0x7e00
	case math.IsInf(a, 0):
		return sign | 0x7c00
	case a < 0x1p-14:
		return sign | uint16(a*0x1p24)
	}
	f, e := math.Frexp(a)
	return sign | uint16(e+14)<<10 | uint16(f*2048)&0x3ff
}

// numbers are all of 16 bits.
var numbers = func() (all [1 << 16]float64) {
	for h := range all {
		all[h] = number(uint16(h))
	}
	return all
}()

func number(h uint16) float64 {
	e, f := int(h>>10&31), float64(h&0x3ff)
	a := math.Ldexp(1024+f, e-25)
	switch e {
	case 0:
		a = f * 0x1p-24
	case 31:
		a = math.Inf(1)
		if f != 0 {
			a = math.NaN()
		}
	}
	if h&0x8000 != 0 {
		return -a
	}
	return a
}

// pieceOf is where coordinate k of vector i is, of steps: the number of 32 bits, which half of it,
// and how far behind it lo is.
func pieceOf(i, k, steps int) (at int, high bool) {
	lane := i%8*4 + k%8/2
	return (((i/tile*steps+k/16)*16+i%tile/8)*32+lane)*4 + k%16/8, k%2 == 1
}

func putPiece(pieces []float32, i, k, steps int, hi, lo float64) {
	at, high := pieceOf(i, k, steps)
	for q, a := range []float64{hi, lo} {
		word := &pieces[at+2*q]
		old := math.Float32bits(*word)
		if high {
			*word = math.Float32frombits(old&0xffff | uint32(bits(half(a)))<<16)
		} else {
			*word = math.Float32frombits(old&^0xffff | uint32(bits(half(a))))
		}
	}
}

func piece(pieces []float32, i, k, steps int) (hi, lo float64) {
	at, high := pieceOf(i, k, steps)
	for q, to := range []*float64{&hi, &lo} {
		word := math.Float32bits(pieces[at+2*q])
		if high {
			word >>= 16
		}
		*to = numbers[uint16(word)]
	}
	return hi, lo
}

func piecesKernels(d *double.Driver) {
	d.Kernels["gausssplit_f32"] = gaussSplit
	for _, name := range []string{"gauss", "gauss16", "gauss24", "gauss32", "gauss48"} {
		for mode, vectors := range map[string]int{"_store": 0, "_one": 1, "_several": 4} {
			if vectors == 0 && name != "gauss" {
				continue
			}
			d.Kernels[name+mode+"_f32"] = func(d *double.Driver, grid [3]uint32, args unsafe.Pointer) {
				a := (*tileArgs)(args)
				n := steps(int(a.d))
				x, y := double.From[float32](d, a.x.pieces), double.From[float32](d, a.y.pieces)
				tiles[float32](d, grid, a, func(i, j int) float64 {
					sum := 0.0
					for k := range int(a.d) + normSlots {
						hx, lx := piece(x, i, k, n)
						hy, ly := piece(y, j, k, n)
						sum += hx*hy + lx*hy + half(hx+lx)*ly
					}
					return math.Exp2(sum)
				}, vectors)
			}
		}
	}
	d.Kernels["widen_f64"] = func(d *double.Driver, _ [3]uint32, args unsafe.Pointer) {
		a := (*widenArgs)(args)
		convert(double.Slice[float64](d, a.to, int(a.n)), double.Slice[float32](d, a.from, int(a.n)))
	}
	d.Kernels["splitmost_f32"] = func(d *double.Driver, grid [3]uint32, args unsafe.Pointer) {
		a := (*mostArgs)(args)
		t, most := double.From[float32](d, a.t), double.Slice[float32](d, a.most, 32*int(grid[0]))
		clear(most)
		for i := range most {
			for k := range int(a.d) {
				most[i] = max(most[i], float32(math.Abs(float64(t[k*int(a.ld)+i]))))
			}
		}
	}
	d.Kernels["splitvectors_f32"] = func(d *double.Driver, grid [3]uint32, args unsafe.Pointer) {
		a := (*vectorsArgs)(args)
		t, to := double.From[float32](d, a.t), double.From[float32](d, a.to)
		most := double.From[float32](d, a.most)
		back := double.Slice[float32](d, a.back, tile*int(grid[0]))
		n := (int(a.d) + 15) / 16
		for i := range back {
			exponent := max(-100, min(100, math.Ilogb(float64(most[i]))))
			back[i] = float32(math.Ldexp(1, exponent-13))
			for k := range 16 * min(n, 8*int(grid[1])) {
				v := 0.0
				if k < int(a.d) {
					v = math.Ldexp(float64(t[k*int(a.ld)+i]), 13-exponent)
				}
				putPiece(to, i, k, n, half(v), v-half(v))
			}
		}
	}
	d.Kernels["splitproduct_f32"] = splitProduct
}

func splitProduct(d *double.Driver, grid [3]uint32, args unsafe.Pointer) {
	a := (*productArgs)(args)
	x, y, out := double.From[float32](d, a.x), double.From[float32](d, a.y), double.From[float32](d, a.out)
	backX, backY := double.From[float32](d, a.backX), double.From[float32](d, a.backY)
	for i := range min(int(a.nx), tile*int(grid[0])) {
		for j := range min(int(a.ny), tile*int(grid[1])) {
			n, sum := 16*int(a.steps), 0.0
			if a.lower != 0 {
				n = min(n, (j/tile+1)*tile)
			}
			for k := range n {
				hx, lx := piece(x, i, k, int(a.steps))
				hy, ly := piece(y, j, k, int(a.steps))
				sum += hx*hy + lx*hy + hx*ly
			}
			out[i*int(a.ldout)+j] = float32(sum * float64(backX[i]) * float64(backY[j]))
		}
	}
}

func gaussSplit(d *double.Driver, grid [3]uint32, args unsafe.Pointer) {
	a := (*splitArgs)(args)
	t, past, to := double.From[float32](d, a.t), double.From[float32](d, a.past), double.From[float32](d, a.to)
	unit, n := float64(a.unit), steps(int(a.d))
	for i := range tile * int(grid[0]) {
		sum := 0.0
		if past != nil && i < int(a.n) {
			sum = float64(past[i])
		}
		for k := range 16 * n {
			hi, lo, slot := 0.0, 0.0, k-int(a.d)
			switch own := slot/2 == int(a.right); {
			case slot < 0:
				v := float64(t[k*int(a.ld)+i])
				hi = half(math.RoundToEven(v/unit) * unit)
				lo = half(v - hi)
				sum += (hi + lo) * (hi + lo)
			case slot < normSlots && !own:
				hi = []float64{2048 * unit, unit}[slot%2]
			case slot < normSlots:
				norm := -0.5 * sum / unit
				units := math.RoundToEven(norm / unit)
				high := math.RoundToEven(units / 2048)
				hi, lo = high*unit, 0
				if slot%2 == 1 {
					hi, lo = (units-2048*high)*unit, norm-units*unit
				}
			}
			putPiece(to, i, k, n, hi, lo)
		}
	}
}
