package gpu

import (
	"math"

	"github.com/kerf-ml/kerf/internal/cuda"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/kernel"
)

// tileArgs is Args of gen/cuda/tiles.cuh.
type tileArgs struct {
	x, y                     sideArgs
	v, part, out             cuda.Pointer
	ldv, ldpart, ldout       int64
	a, b, p                  float64
	slope, weight, near, far float64
	d, tiles                 int32
	pair, op, normalized, _  int32
}

// Tiles of a strip: at most so many that a thread adds up 256 products, fewer where there would
// be fewer than wantedBlocks blocks of threads to spread over the device.
const (
	stripTiles   = 32
	stripPieces  = 16
	wantedBlocks = 2048
)

// strips returns how many tiles a strip has, and how many strips there are.
func strips(rows, cols, most int) (tiles, strips int) {
	across := par.Blocks(cols, tile)
	tiles = min(most, max(1, par.Blocks(rows, tile)*across/wantedBlocks))
	return tiles, par.Blocks(across, tiles)
}

// gaussWeight is Closeness.Weight in the measure of norms of gauss: where
// slope·(|x|²+|y|²) is above the weight, (|x|²+|y|²)/2 of scaled vectors is above this.
func (b *bound[F]) gaussWeight() float64 { return b.close.Weight * math.Log2E }

// kernelOf returns the name of the kernel of a form where there are no pieces.
func (b *bound[F]) kernelOf() string {
	switch {
	case b.gauss:
		return "gausslong"
	case b.form.Pair == kernel.L1:
		return "l1"
	case b.form.Pair == kernel.Min:
		return "min"
	case b.form.Pair == kernel.ChiSquared:
		return "chi"
	case b.long():
		return "dotlong"
	}
	return "dot"
}

// args fills in what all calls have in common.
func (b *bound[F]) args(x, y sideArgs) tileArgs {
	f := b.form
	a := tileArgs{x: x, y: y, a: f.Map.A, b: f.Map.B, p: f.Map.P, d: int32(b.packing.D()), pair: int32(f.Pair),
		op: int32(f.Map.Op), slope: b.close.Slope, weight: b.close.Weight, near: b.close.Near, far: b.close.Far}
	if b.gauss {
		a.weight = b.gaussWeight()
	}
	if f.Normalized {
		a.normalized = 1
	}
	return a
}

// sharedBytes is what a block of threads takes of shared memory: two stages of both
// sides, of the vectors and of norms.
func sharedBytes(size, vectors int) int {
	depth := 128 / size
	return size * tile * (4*depth + 2*vectors + 2)
}

var tileBlock = [3]uint32{256, 1, 1}

// tiles starts a kernel that does with tiles between x and y what mode says, and returns how many strips
// it makes. vectors is how many v has for it; 0 to store.
func (b *bound[F]) tiles(s *slot[F], careful bool, x, y sideArgs, vectors int, a tileArgs) (count int, err error) {
	mode := "_several"
	switch vectors {
	case 0:
		mode = "_store"
	case 1:
		mode = "_one"
	}
	name, shared, most := b.kernelOf(), sharedBytes(b.engine.size(), max(1, vectors)), stripTiles
	if b.gauss && !careful && x.pieces != 0 && y.pieces != 0 {
		name, shared = piecesKernel(b.packing.D(), vectors)
		most = stripPieces
	}
	perStrip, count := strips(int(x.n), int(y.n), most)
	a.tiles = int32(perStrip)
	if vectors > 0 {
		if err := room(s.device, &s.part, count*vectors*padded(int(x.n))); err != nil {
			return 0, err
		}
		a.part, a.ldpart = s.part.At(0), int64(padded(int(x.n)))
	}
	grid := [3]uint32{uint32(par.Blocks(int(x.n), tile)), uint32(count), 1}
	return count, launch(b.engine, name+mode, grid, tileBlock, shared, s.stream, a)
}

// store starts to compute K between x and y into k, with rows of padded(y.n) numbers.
func (b *bound[F]) store(s *slot[F], careful bool, x, y sideArgs, k cuda.Pointer) error {
	a := b.args(x, y)
	a.out, a.ldout = k, int64(padded(int(y.n)))
	_, err := b.tiles(s, careful, x, y, 0, a)
	return err
}

// joined is what becomes of sums: (sum + u)·weight, in double to out or in F to v.
type joined struct {
	u, weight, out, v cuda.Pointer
	ldu               int
}

type joinArgs struct {
	part, u, weight, out, v cuda.Pointer
	n, ld, ldu              int64
	strips, vectors         int32
}

// join adds up strips of vectors sums each, of which the first count are wanted.
func (b *bound[F]) join(s *slot[F], n, strips, vectors, count int, j joined) error {
	ld := padded(n)
	return launch(b.engine, "join", [3]uint32{uint32(par.Blocks(ld, 128)), uint32(count), 1}, [3]uint32{128, 1, 1}, 0,
		s.stream, joinArgs{part: s.part.At(0), u: j.u, weight: j.weight, out: j.out, v: j.v, n: int64(n), ld: int64(ld),
			ldu: int64(j.ldu), strips: int32(strips), vectors: int32(vectors)})
}

// at returns j for the vectors from q on, of n sums each.
func (j joined) at(q, n, size int) joined {
	if j.u != 0 {
		j.u += cuda.Pointer(8 * q * j.ldu)
	}
	if j.out != 0 {
		j.out += cuda.Pointer(8 * q * n)
	}
	if j.v != 0 {
		j.v += cuda.Pointer(size * q * padded(n))
	}
	return j
}

// multiply starts to compute Σ_j K(x_i, y_j)·v[k][j] for count vectors, each of
// padded(y.n) numbers; v has room for a multiple of the vectors that go together.
func (b *bound[F]) multiply(s *slot[F], careful bool, x, y sideArgs, v cuda.Pointer, count int, to joined) error {
	rows, cols, size := int(x.n), int(y.n), b.engine.size()
	for q := 0; q < count; {
		vectors := int(b.engine.several())
		if count-q == 1 {
			vectors = 1
		}
		a := b.args(x, y)
		a.v, a.ldv = v+cuda.Pointer(size*q*padded(cols)), int64(padded(cols))
		strips, err := b.tiles(s, careful, x, y, vectors, a)
		if err != nil {
			return err
		}
		taken := min(vectors, count-q)
		if err := b.join(s, rows, strips, vectors, taken, to.at(q, rows, size)); err != nil {
			return err
		}
		q += taken
	}
	return nil
}
