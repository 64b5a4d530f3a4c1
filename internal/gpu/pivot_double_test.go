package gpu

import (
	"math"
	"unsafe"

	"github.com/kerf-ml/kerf/internal/cuda/double"
)

// pivots adds the kernels of gen/cuda/pivot.cu.
func pivots(d *double.Driver) {
	d.Kernels["pivotstart_f64"] = pivotStart
	d.Kernels["pivotproof_f64"] = pivotProof
	d.Kernels["pivotpanel_f64"] = pivotPanel
	d.Kernels["pivotturn_f64"] = pivotTurn
	d.Kernels["invert_f64"] = invert
}

type pivotRows struct{ rest, whole, place, order, state []float64 }

func newPivotRows(d *double.Driver, r rowsArgs) pivotRows {
	return pivotRows{rest: double.From[float64](d, r.rest), whole: double.From[float64](d, r.whole),
		place: double.From[float64](d, r.place), order: double.From[float64](d, r.order),
		state: double.Slice[float64](d, r.state, stateWords)}
}

func pivotStart(d *double.Driver, _ [3]uint32, args unsafe.Pointer) {
	g := (*startArgs)(args)
	r, a, top := newPivotRows(d, g.rows), double.From[float64](d, g.a), 0.0
	for i := range int(g.n) {
		r.rest[i], r.place[i] = a[i*int(g.ld)+i], float64(i)
		top = max(top, math.Abs(r.rest[i]))
	}
	if top == 0 {
		top = 1
	}
	for i := range int(g.n) {
		if r.whole[i] = r.rest[i]; !(r.rest[i] > 0) {
			r.whole[i] = top
		}
	}
	clear(r.state)
	for i := range double.Slice[float64](d, g.slots, int(g.words)) {
		double.Slice[float64](d, g.slots, int(g.words))[i] = math.Float64frombits(1<<64 - 1)
	}
}

func pivotProof(d *double.Driver, _ [3]uint32, args unsafe.Pointer) {
	g := (*proofArgs)(args)
	r, a := newPivotRows(d, g.rows), double.From[float64](d, g.a)
	for i := range int(g.n) {
		for j := range i + 1 {
			v := a[i*int(g.ld)+j]
			bound := max(0, r.rest[i])*max(0, r.rest[j]) + g.slack*r.whole[i]*r.whole[j]
			if v-v != 0 || j < i && v*v > bound {
				r.state[2] = 1
			}
		}
	}
}

// pivotPanel wants the slots of its panel as they are before it.
func pivotPanel(d *double.Driver, grid [3]uint32, args unsafe.Pointer) {
	g := (*panelArgs)(args)
	r, ld, first := newPivotRows(d, g.rows), int(g.ld), int(g.first)
	a, l := double.From[float64](d, g.a), double.From[float64](d, g.l)
	words := tile * int(grid[0]) * slotWords
	for i, w := range double.Slice[float64](d, g.slots, words) {
		if math.Float64bits(w) != 1<<64-1 {
			panic("a slot was written before")
		}
		double.Slice[float64](d, g.slots, words)[i] = 0
		double.Slice[float64](d, g.next, words)[i] = math.Float64frombits(1<<64 - 1)
	}
	for step := range int(g.steps) {
		k, pivot, most := first+step, -1, math.Inf(-1)
		for i := range int(g.n) {
			if r.place[i] < float64(k) {
				continue
			}
			part := r.rest[i] / r.whole[i]
			r.state[4] = min(r.state[4], part)
			if part > most || part == most && r.place[i] < r.place[pivot] {
				pivot, most = i, part
			}
		}
		r.state[0], r.state[1] = float64(k), 1
		if !(most > g.stop) {
			return
		}
		r.state[0], r.state[1] = float64(k+1), 0
		from, root := r.place[pivot], math.Sqrt(r.rest[pivot])
		for i := range int(g.n) {
			switch {
			case i == pivot:
				l[i*ld+k], r.place[i], r.order[k] = root, float64(k), float64(i)
				continue
			case r.place[i] < float64(k):
				l[i*ld+k] = 0
				continue
			case r.place[i] == float64(k):
				r.place[i] = from
			}
			v := a[max(i/tile, pivot/tile)*tile*ld+min(i/tile, pivot/tile)*tile:]
			value := v[i%tile*ld+pivot%tile]
			if i/tile < pivot/tile {
				value = v[pivot%tile*ld+i%tile]
			}
			for c := first; c < k; c++ {
				value -= l[i*ld+c] * l[pivot*ld+c]
			}
			l[i*ld+k] = value / root
			r.rest[i] -= l[i*ld+k] * l[i*ld+k]
		}
	}
}

func pivotTurn(d *double.Driver, grid [3]uint32, args unsafe.Pointer) {
	g := (*turnedArgs)(args)
	l, order, to := double.From[float64](d, g.l), double.From[float64](d, g.order), double.From[float64](d, g.to)
	ld, rank := int(g.ld), int(g.rank)
	for i := range 32 * int(grid[0]) {
		for k := range 32 * int(grid[1]) {
			switch {
			case i/tile < k/tile:
			case i < rank && k <= i:
				to[k*ld+i] = l[int(order[i])*ld+k]
			case i == k:
				to[k*ld+i] = 1
			default:
				to[k*ld+i] = 0
			}
		}
	}
}

func invert(d *double.Driver, grid [3]uint32, args unsafe.Pointer) {
	g := (*invertArgs)(args)
	ld := int(g.ld)
	for b := range int(grid[0]) {
		l, to := double.From[float64](d, g.turned)[b*tile*(ld+1):], double.From[float64](d, g.to)[b*tile*(ld+1):]
		for i := range tile {
			clear(to[i*ld : i*ld+tile])
			for j := range i + 1 {
				sum := 0.0
				if i == j {
					sum = 1
				}
				for k := j; k < i; k++ {
					sum -= l[k*ld+i] * to[k*ld+j]
				}
				to[i*ld+j] = sum / l[i*ld+i]
			}
		}
	}
}
