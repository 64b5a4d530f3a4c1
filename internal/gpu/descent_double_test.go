package gpu

import (
	"math"
	"unsafe"

	"github.com/kerf-ml/kerf/internal/cuda"
	"github.com/kerf-ml/kerf/internal/cuda/double"
)

// duals adds the kernels of gen/cuda/dual.cu.
func duals[F cuda.Number](d *double.Driver, suffix string) {
	for name, kernel := range map[string]func(p *dualMemory[F]){"survey": survey[F], "histogram": histogram[F],
		"tally": func(*dualMemory[F]) {}, "write": write[F], "keep": keep[F], "inner": inner[F]} {
		d.Kernels[name+suffix] = func(d *double.Driver, _ [3]uint32, args unsafe.Pointer) {
			kernel(dualMemoryOf[F](d, (*dualArgs)(args)))
		}
	}
	d.Kernels["gather"+suffix] = gather[F]
}

// dualMemory is what Dual of gen/cuda/dual.cu points to.
type dualMemory[F cuda.Number] struct {
	*dualArgs
	e, lo, hi, b, scores, state []float64
	before, set, moved, bins    []uint32
	cut, ties                   []uint32
	code                        []uint16
	mark                        []uint8
	k, change                   []F
}

func dualMemoryOf[F cuda.Number](d *double.Driver, a *dualArgs) *dualMemory[F] {
	v := int(a.variables)
	numbers := func(p cuda.Pointer, n int) []float64 { return double.Slice[float64](d, p, n) }
	words := func(p cuda.Pointer, n int) []uint32 {
		s := double.Slice[float32](d, p, n)
		return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(s))), n)
	}
	cell := words(a.cell, dualCells)
	code, mark := words(a.code, (v+1)/2), words(a.mark, (v+3)/4)
	return &dualMemory[F]{dualArgs: a, e: numbers(a.e, v), lo: numbers(a.lo, v), hi: numbers(a.hi, v), b: numbers(a.b, v),
		scores: numbers(a.scores, int(a.n)), state: numbers(a.state, stNumbers), before: words(a.before, int(a.earlier)),
		set: words(a.set, int(a.size)), moved: words(a.moved, int(a.size)), bins: words(a.bins, 2*dualBins),
		cut: cell[3:5], ties: cell[5:7], code: unsafe.Slice((*uint16)(unsafe.Pointer(&code[0])), v),
		mark: unsafe.Slice((*uint8)(unsafe.Pointer(&mark[0])), v), k: double.From[F](d, a.k),
		change: double.From[F](d, a.change)}
}

func (p *dualMemory[F]) slope(t int) float64 { return -(p.scores[t%int(p.n)] + p.e[t]) }

func survey[F cuda.Number](p *dualMemory[F]) {
	up, down, sum, inside := math.Inf(-1), math.Inf(1), 0.0, 0.0
	for t, b := range p.b {
		if b < p.hi[t] {
			up = max(up, p.slope(t))
		}
		if b > p.lo[t] {
			down = min(down, p.slope(t))
		}
		sum += math.Abs(b)
		if p.lo[t] < b && b < p.hi[t] {
			inside++
		}
	}
	copy(p.state[stUp:], []float64{up, down, sum, inside})
}

const noCode = 0xffff

func histogram[F cuda.Number](p *dualMemory[F]) {
	for t, b := range p.b {
		grow, fall := p.slope(t)-p.state[stDown], p.state[stUp]-p.slope(t)
		grows, falls := b < p.hi[t] && grow > 0, b > p.lo[t] && fall > 0
		p.code[t] = noCode
		list, by := 1, fall
		if grows && (!falls || grow >= fall) {
			list, by = 0, grow
		}
		if grows || falls {
			p.code[t] = uint16(list*dualBins) + uint16(math.Float32bits(float32(by))>>19)
			p.bins[p.code[t]]++
		}
	}
	for list := range 2 {
		p.cut[list], p.ties[list] = math.MaxUint32, 0
		above := uint32(0)
		for bin := dualBins - 1; bin >= 0; bin-- {
			here := p.bins[list*dualBins+bin]
			if above+here >= uint32(p.share) {
				p.cut[list], p.ties[list] = uint32(bin), uint32(p.share)-above
				break
			}
			above += here
		}
	}
	clear(p.bins)
}

func write[F cuda.Number](p *dualMemory[F]) {
	count, ties := 0, [2]uint32{}
	for t, code := range p.code {
		p.mark[t] = 0
		if code == noCode {
			continue
		}
		list, bin := code/dualBins, int32(code%dualBins)
		if cut := int32(p.cut[list]); bin == cut {
			ties[list]++
		} else if bin < cut {
			continue
		}
		if bin > int32(p.cut[list]) || ties[list] <= p.ties[list] {
			p.mark[t], p.set[count] = 1, uint32(t)
			count++
		}
	}
	p.state[stCount] = float64(count)
}

func keep[F cuda.Number](p *dualMemory[F]) {
	count := int(p.state[stCount])
	for _, turn := range []bool{true, false} {
		for _, t := range p.before {
			inside := p.lo[t] < p.b[t] && p.b[t] < p.hi[t]
			if p.mark[t] == 0 && inside == turn && count < int(p.size) {
				p.set[count] = t
				count++
			}
		}
	}
	p.state[stCount] = float64(count)
}

func gather[F cuda.Number](d *double.Driver, grid [3]uint32, args unsafe.Pointer) {
	a := (*gatherArgs)(args)
	count, size := int(double.Slice[float64](d, a.count, 1)[0]), tile*int(grid[0])
	index := double.Slice[float32](d, a.index, min(count, size))
	top := double.Slice[F](d, a.toTop, int(grid[0]))
	clear(top)
	for c := range size {
		take := func(from, to cuda.Pointer) (v F) {
			if from == 0 {
				return 0
			}
			if c < count {
				v = double.From[F](d, from)[int64(math.Float32bits(index[c]))%a.n]
			}
			double.From[F](d, to)[c] = v
			return v
		}
		for k := range a.d {
			size := int64(unsafe.Sizeof(F(0)))
			take(a.t+cuda.Pointer(size*k*a.ld), a.toT+cuda.Pointer(size*k*a.ldto))
		}
		norm := take(a.norm, a.toNorm)
		top[c/tile] = max(top[c/tile], norm, -norm)
		take(a.scale, a.toScale)
	}
}

func inner[F cuda.Number](p *dualMemory[F]) {
	count := int(p.state[stCount])
	set := p.set[:count]
	at := func(i, j int) float64 { return float64(p.k[i*int(p.ldk)+j]) }
	f, b := make([]float64, count), make([]float64, count)
	for k, t := range set {
		f[k], b[k] = p.slope(int(t)), p.b[t]
		p.state[stLargest] = max(p.state[stLargest], math.Abs(at(k, k)))
	}
	done, left := 0, 0.0
	for ; ; done++ {
		i, bottom := -1, math.Inf(1)
		for k, t := range set {
			if b[k] < p.hi[t] && (i < 0 || f[k] > f[i]) {
				i = k
			}
			if b[k] > p.lo[t] {
				bottom = min(bottom, f[k])
			}
		}
		if left = 0; i >= 0 {
			left = max(0, f[i]-bottom)
		}
		if !(left > p.tolerance) || done == int(p.steps) {
			break
		}
		j, gain, bend := -1, 0.0, 1.0
		for k, t := range set {
			bow := max(1e-12, at(i, i)+at(k, k)-2*at(i, k))
			if g := (f[i] - f[k]) * (f[i] - f[k]) / bow; b[k] > p.lo[t] && f[k] < f[i] && g > gain {
				j, gain, bend = k, g, bow
			}
		}
		if j < 0 {
			break
		}
		hi, lo := p.hi[set[i]], p.lo[set[j]]
		delta := min((f[i]-f[j])/bend, hi-b[i], b[j]-lo)
		for k := range f {
			f[k] -= delta * (at(i, k) - at(j, k))
		}
		if b[i] += delta; delta >= hi-b[i]+delta {
			b[i] = hi
		}
		if b[j] -= delta; delta >= b[j]+delta-lo {
			b[j] = lo
		}
	}
	moved := 0
	for k, t := range set {
		if by := b[k] - p.b[t]; by != 0 {
			p.b[t], p.moved[moved], p.change[moved] = b[k], t%uint32(p.n), F(by)
			moved++
		}
	}
	clear(p.change[moved:min(padded(moved), len(p.change))])
	p.state[stSteps], p.state[stMoved], p.state[stLeft] = float64(done), float64(moved), left
}
