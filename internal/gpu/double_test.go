package gpu

import (
	"math"
	"unsafe"

	"github.com/kerf-ml/kerf/internal/cuda"
	"github.com/kerf-ml/kerf/internal/cuda/double"
	"github.com/kerf-ml/kerf/kernel"
)

// OnDouble returns a back end on a driver in memory whose kernels are the loops below:
// what gen/cuda says, by the formula.
func OnDouble(memory uint64) (*Backend, *double.Driver) {
	d := double.New(memory)
	kernels[float32](d, "_f32", 4)
	kernels[float64](d, "_f64", 2)
	factors(d)
	return &Backend{open: func() (*cuda.Device, error) { return cuda.New(d, 0) }}, d
}

// Drain gives all memory back that is kept for calls to come.
func (b *Backend) Drain() error {
	return b.device.Do(func() error {
		b.single.drain()
		b.double.drain()
		return nil
	})
}

func kernels[F cuda.Number](d *double.Driver, suffix string, several int) {
	d.Kernels["turn"+suffix] = turn[F]
	d.Kernels["measure"+suffix] = measure[F]
	d.Kernels["join"+suffix] = join[F]
	d.Kernels["along"+suffix] = along[F]
	d.Kernels["across"+suffix] = across[F]
	duals[F](d, suffix)
	d.Kernels["look"+suffix] = look[F]
	piecesKernels(d)
	for _, pair := range []string{"dot", "dotlong", "gausslong", "l1", "min", "chi"} {
		for mode, vectors := range map[string]int{"_store": 0, "_one": 1, "_several": several} {
			d.Kernels[pair+mode+suffix] = func(d *double.Driver, grid [3]uint32, args unsafe.Pointer) {
				a := (*tileArgs)(args)
				m := &model[F]{args: a, pair: pair, x: newVectors[F](d, a.x), y: newVectors[F](d, a.y)}
				tiles[F](d, grid, a, m.value, vectors)
			}
		}
	}
}

func turn[F cuda.Number](d *double.Driver, grid [3]uint32, args unsafe.Pointer) {
	a := (*turnArgs)(args)
	from := double.Slice[F](d, a.from, int(a.rows*a.d))
	to := double.Slice[F](d, a.to, int((a.d-1)*a.ld)+32*int(grid[0]))
	for k := range int(min(a.d, 32*int64(grid[1]))) {
		for i := range 32 * int(grid[0]) {
			to[k*int(a.ld)+i] = 0
			if i < int(a.rows) {
				to[k*int(a.ld)+i] = F(a.factor * float64(from[i*int(a.d)+k]))
			}
		}
	}
}

func measure[F cuda.Number](d *double.Driver, grid [3]uint32, args unsafe.Pointer) {
	a := (*measureArgs)(args)
	n := tile * int(grid[0])
	t := double.Slice[F](d, a.t, int(a.ld)*(int(a.d)-1)+n)
	norm, top := double.Slice[F](d, a.norm, n), double.Slice[F](d, a.top, int(grid[0]))
	clear(top)
	for i := range n {
		sum := 0.0
		for k := range int(a.d) {
			sum += float64(t[k*int(a.ld)+i]) * float64(t[k*int(a.ld)+i])
		}
		if a.past != 0 && i < int(a.n) {
			sum += float64(double.Slice[F](d, a.past, int(a.n))[i])
		}
		norm[i] = F(a.factor * sum)
		top[i/tile] = max(top[i/tile], norm[i], -norm[i])
	}
}

func join[F cuda.Number](d *double.Driver, grid [3]uint32, args unsafe.Pointer) {
	a := (*joinArgs)(args)
	n, ld, vectors := int(a.n), int(a.ld), int(a.vectors)
	part, u, weight := double.From[float64](d, a.part), double.From[float64](d, a.u), double.From[float64](d, a.weight)
	out, v := double.From[float64](d, a.out), double.From[F](d, a.v)
	for q := range int(grid[1]) {
		for i := range ld {
			sum := 0.0
			if i < n {
				for s := range int(a.strips) {
					sum += part[(s*vectors+q)*ld+i]
				}
				if u != nil {
					sum += u[q*int(a.ldu)+i]
				}
				if weight != nil {
					sum *= weight[i]
				}
				if out != nil {
					out[q*n+i] = sum
				}
			}
			if v != nil {
				v[q*ld+i] = F(sum)
			}
		}
	}
}

func along[F cuda.Number](d *double.Driver, _ [3]uint32, args unsafe.Pointer) {
	a := (*keptArgs)(args)
	k, v, part, ldk := double.From[F](d, a.k), double.From[F](d, a.v), double.From[float64](d, a.part), int(a.ldk)
	for q := range int(a.vectors) {
		for i := range int(a.rows) {
			sum := 0.0
			for j := range ldk {
				sum += float64(k[i*ldk+j]) * float64(v[q*ldk+j])
			}
			part[q*int(a.ldpart)+i] = sum
		}
	}
}

func across[F cuda.Number](d *double.Driver, grid [3]uint32, args unsafe.Pointer) {
	a := (*keptArgs)(args)
	k, v, part := double.From[F](d, a.k), double.From[F](d, a.v), double.From[float64](d, a.part)
	ldk, ldv := int(a.ldk), padded(int(a.rows))
	for s := range int(grid[1]) {
		for q := range int(a.vectors) {
			row := part[(s*int(a.vectors)+q)*ldk:][:ldk]
			clear(row)
			for i := s * int(a.strip); i < min((s+1)*int(a.strip), int(a.rows)); i++ {
				for j := range row {
					row[j] += float64(k[i*ldk+j]) * float64(v[q*ldv+i])
				}
			}
		}
	}
}

func look[F cuda.Number](d *double.Driver, grid [3]uint32, args unsafe.Pointer) {
	a := (*lookArgs)(args)
	found := double.Slice[F](d, a.found, int(grid[0]))
	clear(found)
	for i, v := range double.Slice[F](d, a.of, int(a.n)) {
		if v-v != 0 {
			found[i%len(found)] = 1
		}
	}
}

// tiles computes pair by pair. A kernel of the wrong name gives the wrong values.
func tiles[F cuda.Number](
	d *double.Driver, grid [3]uint32, a *tileArgs, value func(i, j int) float64, vectors int,
) {
	v, part, out := double.From[F](d, a.v), double.From[float64](d, a.part), double.From[F](d, a.out)
	across := (int(a.y.n) + tile - 1) / tile
	for s := range int(grid[1]) {
		first, last := s*int(a.tiles)*tile, min((s+1)*int(a.tiles), across)*tile
		for i := range tile * int(grid[0]) {
			sums := make([]float64, vectors)
			for j := first; j < last && i < int(a.x.n); j++ {
				k := 0.0
				if j < int(a.y.n) {
					k = float64(F(value(i, j)))
				}
				for q := range sums {
					sums[q] += k * float64(v[q*int(a.ldv)+j])
				}
				if vectors == 0 {
					out[i*int(a.ldout)+j] = F(k)
				}
			}
			for q, sum := range sums {
				part[(s*vectors+q)*int(a.ldpart)+i] = sum
			}
		}
	}
}

// vectors is a side as kernels see it.
type vectors[F cuda.Number] struct {
	t, norm, past, scale []F
	ld                   int
}

func newVectors[F cuda.Number](d *double.Driver, s sideArgs) vectors[F] {
	return vectors[F]{t: double.From[F](d, s.t), norm: double.From[F](d, s.norm), past: double.From[F](d, s.past),
		scale: double.From[F](d, s.scale), ld: int(s.ld)}
}

// model is K of a launch.
type model[F cuda.Number] struct {
	args *tileArgs
	pair string
	x, y vectors[F]
}

func (m *model[F]) value(i, j int) float64 {
	a, sum, square := m.args, 0.0, 0.0
	for k := range int(a.d) {
		x, y := float64(m.x.t[k*m.x.ld+i]), float64(m.y.t[k*m.y.ld+j])
		square += (x - y) * (x - y)
		switch m.pair {
		case "l1":
			sum += math.Abs(x - y)
		case "min":
			sum += max(0, min(x, y)) + max(0, min(-x, -y))
		case "chi":
			if x != 0 || y != 0 {
				sum += (x - y) * (x - y) / (math.Abs(x) + math.Abs(y))
			}
		default:
			sum += x * y
		}
	}
	xx, yy := 0.0, 0.0
	if m.x.norm != nil {
		xx, yy = float64(m.x.norm[i]), float64(m.y.norm[j])
	}
	if m.pair == "gausslong" {
		u, size := min(0, sum+xx+yy), -xx-yy
		if size > a.weight && -u < a.near*size {
			u = -square / 2
		}
		return math.Exp2(u)
	}
	switch kernel.Pair(a.pair) {
	case kernel.Distance2:
		size := xx + yy
		sum = max(0, size-2*sum)
		if a.slope*size > a.weight && sum < a.near*size && sum < a.far {
			sum = square
		}
	case kernel.Tanimoto:
		sum = kernel.Ratio(sum, xx, yy)
	default:
		if m.x.past != nil {
			sum += float64(m.x.past[i])
		}
		if m.y.past != nil {
			sum += float64(m.y.past[j])
		}
	}
	k := kernel.Scalar{Op: kernel.Op(a.op), A: a.a, B: a.b, P: a.p}.At(sum)
	if a.normalized != 0 {
		k *= float64(m.x.scale[i]) * float64(m.y.scale[j])
	}
	return k
}
