package gpu

import (
	"math"
	"unsafe"

	"github.com/kerf-ml/kerf/internal/cuda/double"
)

// factors adds the kernels of gen/cuda/dense.cu.
func factors(d *double.Driver) {
	d.Kernels["frame_f64"] = func(d *double.Driver, grid [3]uint32, args unsafe.Pointer) {
		a := (*frameArgs)(args)
		for i := range int64(grid[0]) {
			row := double.Slice[float64](d, a.a, int(a.ld*a.ld))[i*a.ld:][:a.ld]
			if i < a.m {
				row[i] += a.shift
				continue
			}
			clear(row)
			row[i] = 1
		}
	}
	d.Kernels["blocks_f64"] = func(d *double.Driver, grid [3]uint32, args unsafe.Pointer) {
		blocks(d, grid, (*blocksArgs)(args), false)
	}
	d.Kernels["turned_f64"] = func(d *double.Driver, grid [3]uint32, args unsafe.Pointer) {
		blocks(d, grid, (*blocksArgs)(args), true)
	}
	d.Kernels["corner_f64"] = corner
	pivots(d)
	d.Kernels["settle_f64"] = settle
	d.Kernels["tell_f64"] = tell
}

func blocks(d *double.Driver, grid [3]uint32, g *blocksArgs, turned bool) {
	a, b, c := double.From[float64](d, g.a), double.From[float64](d, g.b), double.From[float64](d, g.c)
	for pair := range int(grid[2]) {
		apart := pair * int(g.apart)
		if g.lower == 0 {
			for row := range int(grid[0]) {
				for col := range int(grid[1]) {
					blockOf(a[apart:], b[apart:], c[apart:], row, col, g, turned)
				}
			}
			continue
		}
		row, col := 0, 0
		for range grid[0] {
			blockOf(a, b, c, row, col, g, turned)
			if col++; col > row {
				row, col = row+1, 0
			}
		}
	}
}

func blockOf(a, b, c []float64, row, col int, g *blocksArgs, turned bool) {
	first, last := 0, int(g.depth)
	if g.fall != 0 {
		first = row * tile
	}
	if g.rise != 0 {
		last = min(last, (row+1)*tile)
	}
	var sums [tile][tile]float64
	for i := range tile {
		for j := range tile {
			for k := first; k < last; k++ {
				if turned {
					sums[i][j] += a[k*int(g.lda)+row*tile+i] * b[k*int(g.ldb)+col*tile+j]
				} else {
					sums[i][j] += a[(row*tile+i)*int(g.lda)+k] * b[(col*tile+j)*int(g.ldb)+k]
				}
			}
		}
	}
	for i := range tile {
		for j := range tile {
			at := &c[(row*tile+i)*int(g.ldc)+col*tile+j]
			old := 0.0
			if g.beta != 0 {
				old = g.beta * *at
			}
			*at = g.alpha*sums[i][j] + old
		}
	}
}

func corner(d *double.Driver, _ [3]uint32, args unsafe.Pointer) {
	g := (*cornerArgs)(args)
	a, ld := double.From[float64](d, g.a), int(g.ld)
	inverse, state := double.Slice[float64](d, g.inverse, tile*tile), double.Slice[float64](d, g.state, 2)
	for j := range tile {
		pivot := a[j*ld+j]
		for k := range j {
			pivot -= a[j*ld+k] * a[j*ld+k]
		}
		if state[0] == 0 && !(pivot > 0 && !math.IsInf(pivot, 1)) {
			state[0], state[1] = float64(int(g.first)+j+1), pivot
		}
		a[j*ld+j] = math.Sqrt(pivot)
		for i := j + 1; i < tile; i++ {
			for k := range j {
				a[i*ld+j] -= a[i*ld+k] * a[j*ld+k]
			}
			a[i*ld+j] /= a[j*ld+j]
		}
	}
	clear(inverse)
	for i := range tile {
		clear(a[i*ld+i+1 : i*ld+tile])
		for j := range i + 1 {
			sum := 0.0
			if i == j {
				sum = 1
			}
			for k := j; k < i; k++ {
				sum -= a[i*ld+k] * inverse[k*tile+j]
			}
			inverse[i*tile+j] = sum / a[i*ld+i]
		}
	}
}

func settle(d *double.Driver, grid [3]uint32, args unsafe.Pointer) {
	g := (*stepArgs)(args)
	inverse := double.From[float64](d, g.inverse)[int(g.block)*tile*tile:]
	for q := range int(grid[0]) {
		x := double.From[float64](d, g.to)[q*int(g.ld)+int(g.block)*tile:][:tile]
		b := append([]float64(nil), x...)
		clear(x)
		for i := range tile {
			for j := range i + 1 {
				if g.turned != 0 {
					x[j] += inverse[i*tile+j] * b[i]
				} else {
					x[i] += inverse[i*tile+j] * b[j]
				}
			}
		}
	}
}

func tell(d *double.Driver, grid [3]uint32, args unsafe.Pointer) {
	g := (*stepArgs)(args)
	l, at, ld := double.From[float64](d, g.l), int(g.block)*tile, int(g.ld)
	for q := range int(grid[1]) {
		z := double.From[float64](d, g.from)[q*ld+at:][:tile]
		to := double.From[float64](d, g.to)[q*ld:][:ld]
		for k := range tile * int(grid[0]) {
			sum := 0.0
			for i := range tile {
				if g.turned != 0 {
					sum += l[(at+i)*ld+k] * z[i]
				} else {
					sum += l[(at+tile+k)*ld+at+i] * z[i]
				}
			}
			if g.turned != 0 {
				to[k] += g.sign * sum
			} else {
				to[at+tile+k] += g.sign * sum
			}
		}
	}
}
