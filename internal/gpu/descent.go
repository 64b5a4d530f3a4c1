package gpu

import (
	"context"
	"fmt"
	"math"
	"runtime"

	"github.com/kerf-ml/kerf/internal/compute"
	"github.com/kerf-ml/kerf/internal/cuda"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/run"
)

// dualArgs is Dual of gen/cuda/dual.cu.
type dualArgs struct {
	e, lo, hi, b, scores, state, part cuda.Pointer
	k, change                         cuda.Pointer
	before, set, moved, cell, tallies cuda.Pointer
	bins, code, mark                  cuda.Pointer
	n, variables, ldk                 int64
	tolerance                         float64
	size, earlier, share, steps       int32
}

// Numbers of the state on the device, in their order in gen/cuda/dual.cu.
const (
	stUp = iota
	stDown
	stSum
	stInside
	stLargest
	stSteps
	stMoved
	stCount
	stLeft
	stNumbers
)

// Sizes of gen/cuda/dual.cu.
const (
	dualChunk  = 1024
	dualBins   = 4096
	dualCells  = 8
	perThread  = 4
	largestSet = 4096 // a block of threads has 1024 at most
)

// stepsAtOnce is about how many steps take the device a quarter of a second: then an
// interrupt is noticed.
const stepsAtOnce = 1 << 18

// Minimise runs rounds on the device.
func (b *bound[F]) Minimise(ctx context.Context, ctl run.Control, q *compute.Quadratic, d compute.Descent) error {
	defer runtime.KeepAlive(b)
	err := b.engine.device.Do(func() error {
		return b.engine.with(1, func(slots []*slot[F]) error {
			r := &rounds[F]{bound: b, slot: slots[0], q: q, rule: d}
			defer r.release()
			if err := r.begin(); err != nil {
				return err
			}
			return r.run(ctx)
		})
	})
	if cuda.IsOutOfMemory(err) {
		b.engine.drain()
		return fmt.Errorf("%w (%v)", compute.ErrNoRoom, err)
	}
	return err
}

// rounds is a Quadratic on the device.
type rounds[F cuda.Number] struct {
	*bound[F]
	slot *slot[F]
	q    *compute.Quadratic
	rule compute.Descent

	most    int                   // variables of a set
	numbers *cuda.Buffer[float64] // e, lo, hi, b, scores, the state and the parts of survey
	words   *cuda.Buffer[float32] // whole numbers
	k       *cuda.Buffer[F]       // K of the set
	change  *cuda.Buffer[F]
	chosen  side[F] // the vectors of the set, or of those that moved

	args   dualArgs
	state  [stNumbers]float64
	before int // variables of the last set
}

func (r *rounds[F]) release() {
	r.numbers.Release()
	r.words.Release()
	r.k.Release()
	r.change.Release()
	r.chosen.release()
}

// variables returns how many there are.
func (r *rounds[F]) variables() int { return len(r.q.B) }

// begin brings the problem to the device, if it fits into half of what is free.
func (r *rounds[F]) begin() error {
	n, v := r.columns.n, r.variables()
	r.most = padded(min(largestSet, r.rule.Size(v)))
	blocks := par.Blocks(v, dualChunk)
	numbers := 4*v + n + stNumbers + 4*blocks
	// Words of 4 bytes: three lists of the set's size, cells, tallies, bins, two bytes a variable and one.
	words := 3*r.most + dualCells + 3*(blocks+1) + 2*dualBins + par.Blocks(v, 2) + par.Blocks(v, 4)
	size := float64(r.engine.size())
	bytes := 8*float64(numbers) + 4*float64(words) + size*float64(r.most)*float64(r.most+r.packing.D()+8)
	free, err := r.engine.device.Free()
	if err != nil {
		return err
	}
	if bytes > float64(free)/2 {
		return compute.ErrNoRoom
	}
	if err := r.take(numbers, words); err != nil {
		return err
	}
	r.lay(n, v, blocks)
	largest := 0.0
	for _, t := range r.columns.largest {
		largest = max(largest, float64(t))
	}
	r.slot.unit = r.unitOf(2 * largest)
	return r.write()
}

// take takes the memory.
func (r *rounds[F]) take(numbers, words int) (err error) {
	device := r.engine.device
	if r.numbers, err = cuda.NewBuffer[float64](device, numbers); err != nil {
		return err
	}
	if r.words, err = cuda.NewBuffer[float32](device, words); err != nil {
		return err
	}
	if r.k, err = cuda.NewBuffer[F](device, r.most*r.most); err != nil {
		return err
	}
	if r.change, err = cuda.NewBuffer[F](device, r.most); err != nil {
		return err
	}
	if err = r.reserve(&r.chosen, r.most); err != nil {
		return err
	}
	if r.chosen.hasScale = r.columns.hasScale; r.chosen.hasScale {
		err = room(device, &r.chosen.scale, r.most)
	}
	return err
}

// lay gives everything its place.
func (r *rounds[F]) lay(n, v, blocks int) {
	at := func(i int) cuda.Pointer { return r.numbers.At(i) }
	word := 0
	next := func(words int) cuda.Pointer {
		p := r.words.At(word)
		word += words
		return p
	}
	r.args = dualArgs{e: at(0), lo: at(v), hi: at(2 * v), b: at(3 * v), scores: at(4 * v), state: at(4*v + n),
		part: at(4*v + n + stNumbers), k: r.k.At(0), change: r.change.At(0), n: int64(n), variables: int64(v)}
	r.args.cell, r.args.bins = next(dualCells), next(2*dualBins)
	r.args.before, r.args.set, r.args.moved = next(r.most), next(r.most), next(r.most)
	r.args.tallies = next(3 * (blocks + 1))
	r.args.code, r.args.mark = next(par.Blocks(v, 2)), next(par.Blocks(v, 4))
}

// write copies the problem. Cells and bins are zero between rounds; before follows them.
func (r *rounds[F]) write() error {
	s, n, v := r.slot, r.columns.n, r.variables()
	if err := pin(s.device, &s.given, 4*v+n+stNumbers); err != nil {
		return err
	}
	flat := s.given.Data[:0]
	for _, list := range [][]float64{r.q.E, r.q.Lo, r.q.Hi, r.q.B, r.q.Scores, make([]float64, stNumbers)} {
		flat = append(flat, list...)
	}
	flat[4*v+n+stLargest] = r.q.Largest
	if err := r.numbers.Write(0, flat, s.stream); err != nil {
		return err
	}
	r.before = min(len(r.q.Set), r.most)
	words := make([]float32, dualCells+2*dualBins+r.before)
	for k, t := range r.q.Set[:r.before] {
		words[dualCells+2*dualBins+k] = math.Float32frombits(uint32(t))
	}
	if err := r.words.Write(0, words, s.stream); err != nil {
		return err
	}
	return s.device.Wait(s.stream) // the words are not pinned
}

// run runs rounds.
func (r *rounds[F]) run(ctx context.Context) error {
	violation, err := r.survey()
	if err != nil {
		return err
	}
	for {
		tolerance := max(r.rule.Tolerance, r.state[stSum]*r.state[stLargest]*r.rule.Unit)
		if !(violation > tolerance) || r.q.Steps >= r.rule.Steps {
			return r.fetch()
		}
		if err := ctx.Err(); err != nil {
			if fault := r.fetch(); fault != nil {
				return fault
			}
			return err
		}
		if err := r.round(violation, tolerance); err != nil {
			return err
		}
		if r.state[stMoved] == 0 {
			return r.fetch()
		}
		if violation, err = r.survey(); err != nil {
			return err
		}
		if err := r.rule.Round(violation, tolerance, r.fetch); err != nil {
			return err
		}
	}
}

// survey computes the violation.
func (r *rounds[F]) survey() (float64, error) {
	if err := r.start("survey", r.blocks(), 256, 0); err != nil {
		return 0, err
	}
	if err := r.look(); err != nil {
		return 0, err
	}
	return max(0, r.state[stUp]-r.state[stDown]), nil
}

// look reads the state.
func (r *rounds[F]) look() error {
	s := r.slot
	if err := pin(s.device, &s.sums, stNumbers); err != nil {
		return err
	}
	v, n := r.variables(), r.columns.n
	if err := r.numbers.Read(s.sums.Data[:stNumbers], 4*v+n, s.stream); err != nil {
		return err
	}
	if err := s.device.Wait(s.stream); err != nil {
		return err
	}
	copy(r.state[:], s.sums.Data)
	return nil
}

func (r *rounds[F]) blocks() uint32 { return uint32(par.Blocks(r.variables(), dualChunk)) }

// start launches a kernel of gen/cuda/dual.cu.
func (r *rounds[F]) start(name string, blocks, threads uint32, shared int) error {
	return launch(r.engine, name, [3]uint32{blocks, 1, 1}, [3]uint32{threads, 1, 1}, shared, r.slot.stream, r.args)
}

// round chooses a set, solves for it, and brings the scores up to date.
func (r *rounds[F]) round(violation, tolerance float64) error {
	size := min(r.most, max(2, r.rule.Size(int(r.state[stInside]))))
	r.args.size, r.args.earlier, r.args.share = int32(size), int32(r.before), int32(max(1, size/2))
	if r.before > 0 {
		r.args.share = int32(max(1, size/4))
	}
	for _, name := range []string{"histogram", "tally", "write"} {
		if err := r.start(name, r.blocks(), 256, 0); err != nil {
			return err
		}
	}
	if err := r.start("keep", 1, 1024, 0); err != nil {
		return err
	}
	if err := r.square(size); err != nil {
		return err
	}
	r.args.tolerance = max(0.1*violation, 0.5*tolerance)
	r.args.steps = int32(min(r.rule.Steps-r.q.Steps, 100*size, stepsAtOnce))
	threads := par.Blocks(size, 32*perThread) * 32
	if err := r.start("inner", 1, uint32(threads), r.innerShared()); err != nil {
		return err
	}
	if err := r.look(); err != nil {
		return err
	}
	r.before = int(r.state[stCount])
	r.args.before, r.args.set = r.args.set, r.args.before
	r.q.Steps += max(1, int(r.state[stSteps]))
	r.q.Rounds++
	r.q.Largest = r.state[stLargest]
	return r.update(int(r.state[stMoved]))
}

// innerShared is what inner takes of shared memory: three numbers a variable.
func (r *rounds[F]) innerShared() int { return 3 * 8 * largestSet }

// square starts to compute K of the set.
func (r *rounds[F]) square(size int) error {
	if err := r.gather(r.args.set, stCount, size); err != nil {
		return err
	}
	r.args.ldk = int64(padded(size))
	r.q.Values += int64(size) * int64(size)
	rows, cols := r.chosen.view(0, size), r.chosen.view(0, size)
	if err := r.split(&rows, &cols); err != nil {
		return err
	}
	return r.store(r.slot, r.careful(), rows, cols, r.k.At(0))
}

// split makes pieces of both sides, where values are computed from those.
func (r *rounds[F]) split(rows, cols *sideArgs) error {
	if r.slot.unit == 0 {
		return nil
	}
	if err := r.pieces(r.slot, &r.slot.left, rows, 0); err != nil {
		return err
	}
	return r.pieces(r.slot, &r.slot.right, cols, 1)
}

// careful reports whether squared distances may be lost in rounding.
func (r *rounds[F]) careful() bool { return r.gauss && r.slot.unit == 0 }

// update adds what moved to the scores.
func (r *rounds[F]) update(moved int) error {
	if moved == 0 {
		return nil
	}
	if err := r.gather(r.args.moved, stMoved, moved); err != nil {
		return err
	}
	n := r.columns.n
	step := chunkRows(n, moved, r.packing.D(), r.engine.size())
	for lo := 0; lo < n; lo += step {
		hi := min(lo+step, n)
		at := r.args.scores + cuda.Pointer(8*lo)
		rows, cols := r.columns.view(lo, hi), r.chosen.view(0, moved)
		if err := r.split(&rows, &cols); err != nil {
			return err
		}
		err := r.multiply(r.slot, r.careful(), rows, cols, r.change.At(0), 1, joined{u: at, out: at, ldu: hi - lo})
		if err != nil {
			return err
		}
	}
	r.q.Values += int64(n) * int64(moved)
	return nil
}

// gatherArgs is Gather of gen/cuda/dual.cu.
type gatherArgs struct {
	t, norm, scale              cuda.Pointer
	toT, toNorm, toScale, toTop cuda.Pointer
	index, count                cuda.Pointer
	n, ld, ldto, d              int64
}

// gather takes at most size vectors out of all, as many as the state says.
func (r *rounds[F]) gather(index cuda.Pointer, count, size int) error {
	a := gatherArgs{t: r.columns.t.At(0), norm: r.columns.norm.At(0), toT: r.chosen.t.At(0),
		toNorm: r.chosen.norm.At(0), toTop: r.chosen.top.At(0), index: index,
		count: r.args.state + cuda.Pointer(8*count), n: int64(r.columns.n), ld: int64(r.columns.ld),
		ldto: int64(r.chosen.ld), d: int64(r.packing.D())}
	if r.columns.hasScale {
		a.scale, a.toScale = r.columns.scale.At(0), r.chosen.scale.At(0)
	}
	grid := [3]uint32{uint32(padded(size) / tile), uint32(par.Blocks(r.packing.D(), 32)), 1}
	return launch(r.engine, "gather", grid, [3]uint32{tile, 1, 1}, 0, r.slot.stream, a)
}

// fetch brings variables, scores and the set back.
func (r *rounds[F]) fetch() error {
	s, n, v := r.slot, r.columns.n, r.variables()
	if err := pin(s.device, &s.given, v+n); err != nil {
		return err
	}
	if err := r.numbers.Read(s.given.Data[:v+n], 3*v, s.stream); err != nil {
		return err
	}
	words := make([]float32, r.before)
	if err := r.words.Read(words, int(r.args.before-r.words.At(0))/4, s.stream); err != nil {
		return err
	}
	if err := s.device.Wait(s.stream); err != nil {
		return err
	}
	copy(r.q.B, s.given.Data)
	copy(r.q.Scores, s.given.Data[v:v+n])
	r.q.Set = r.q.Set[:0]
	for _, w := range words {
		r.q.Set = append(r.q.Set, int(math.Float32bits(w)))
	}
	return nil
}
