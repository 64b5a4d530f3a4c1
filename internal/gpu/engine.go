package gpu

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unsafe"

	"github.com/kerf-ml/kerf/internal/cuda"
)

// engine is a device for one precision, with the memory that its calls use again.
type engine[F cuda.Number] struct {
	device *cuda.Device
	mu     sync.Mutex
	idle   []*slot[F]
	trips  []*courier // that are idle
}

func newEngine[F cuda.Number](d *cuda.Device) *engine[F] { return &engine[F]{device: d} }

// single reports whether F is float32.
func (e *engine[F]) single() bool { return e.size() == 4 }

// size is that of a number.
func (e *engine[F]) size() int { return sizeOf[F]() }

func sizeOf[F cuda.Number]() int {
	var zero F
	return int(unsafe.Sizeof(zero))
}

// several is how many vectors a tile is multiplied by at once, if not one.
func (e *engine[F]) several() uint32 {
	if e.single() {
		return 4
	}
	return 2
}

// slot is what a chunk of rows needs while it is computed with: a stream, and memory
// here and on the device. Two of them take turns.
type slot[F cuda.Number] struct {
	device *cuda.Device
	stream cuda.Stream
	in     *cuda.Pinned[F]       // vectors on their way to the device, one after the other
	tops   *cuda.Pinned[F]       // the largest norms of tiles
	sums   *cuda.Pinned[float64] // sums on their way back
	given  *cuda.Pinned[float64] // u and the weights on their way
	raw    *cuda.Buffer[F]       // vectors as they came
	rows   side[F]               // rows that are streamed
	v      *cuda.Buffer[F]       // vectors that K is multiplied by, of the rows
	shared *cuda.Buffer[F]       // and of the columns, for all slots of a call
	part   *cuda.Buffer[float64] // sums of strips
	total  *cuda.Buffer[float64] // their sums
	extra  *cuda.Buffer[float64] // u, then the weights
	k      *cuda.Buffer[F]       // values of K
	left   *cuda.Buffer[F]       // pieces of the rows
	right  *cuda.Buffer[F]       // pieces of the columns, in the unit of these rows
	unit   float64               // of pieces; 0 where there are none
	done   func() error          // what is to be done with what comes back; nil where nothing is under way
}

// with calls f with so many slots, and waits for their streams after it.
func (e *engine[F]) with(n int, f func(slots []*slot[F]) error) error {
	slots, err := e.take(n)
	if err != nil {
		return err
	}
	err = f(slots)
	for _, s := range slots {
		s.done = nil
		if e := s.device.Wait(s.stream); err == nil {
			err = e
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if err != nil { // what a slot holds is not worth keeping where memory is short or the device is lost
		for _, s := range slots {
			s.release()
		}
		return err
	}
	e.idle = append(e.idle, slots...)
	return nil
}

func (e *engine[F]) take(n int) ([]*slot[F], error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	k := min(n, len(e.idle))
	slots := append([]*slot[F](nil), e.idle[len(e.idle)-k:]...)
	e.idle = e.idle[:len(e.idle)-k]
	for len(slots) < n {
		stream, err := e.device.Urgent()
		if err != nil {
			e.idle = append(e.idle, slots...)
			return nil, err
		}
		slots = append(slots, &slot[F]{device: e.device, stream: stream})
	}
	return slots, nil
}

// drain gives the memory of idle slots back.
func (e *engine[F]) drain() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, s := range e.idle {
		s.release()
	}
	for _, c := range e.trips {
		c.release(e.device)
	}
	e.idle, e.trips = nil, nil
}

// release gives all memory back.
func (s *slot[F]) release() {
	s.in.Release()
	s.tops.Release()
	for _, p := range []*cuda.Pinned[float64]{s.sums, s.given} {
		p.Release()
	}
	for _, b := range []*cuda.Buffer[F]{s.raw, s.v, s.shared, s.k, s.left, s.right} {
		b.Release()
	}
	for _, b := range []*cuda.Buffer[float64]{s.part, s.total, s.extra} {
		b.Release()
	}
	s.rows.release()
	s.device.FreeStream(s.stream)
}

// finish waits for what is under way and does what is to be done with it.
func (s *slot[F]) finish() error {
	if s.done == nil {
		return nil
	}
	done := s.done
	s.done = nil
	if err := s.device.Wait(s.stream); err != nil {
		return err
	}
	return done()
}

// room makes a buffer hold at least n numbers. What it held is lost.
func room[F cuda.Number](d *cuda.Device, b **cuda.Buffer[F], n int) (err error) {
	if *b != nil && (*b).Len() >= n {
		return nil
	}
	(*b).Release()
	*b, err = cuda.NewBuffer[F](d, n)
	return err
}

// pin makes pinned memory hold at least n numbers.
func pin[F cuda.Number](d *cuda.Device, p **cuda.Pinned[F], n int) (err error) {
	if *p != nil && len((*p).Data) >= n {
		return nil
	}
	(*p).Release()
	*p, err = cuda.NewPinned[F](d, n)
	return err
}

// tile is the number of rows and of columns of a tile; all strides are multiples of it.
const tile = 128

// padded is the next multiple of tile.
func padded(n int) int { return (n + tile - 1) / tile * tile }

// gaussFactor is what vectors are multiplied by for exp(a·|x-y|²) = 2^(-|x-y|²/2).
func gaussFactor(a float64) float64 { return math.Sqrt(-2 * a * math.Log2E) }

// launch starts a kernel of the precision F.
func launch[F cuda.Number, A any](
	e *engine[F], name string, grid, block [3]uint32, shared int, s cuda.Stream, args A,
) error {
	return launchOf[F](e.device, name, grid, block, shared, s, args)
}

// launchOf does so on a device.
func launchOf[F cuda.Number, A any](
	d *cuda.Device, name string, grid, block [3]uint32, shared int, s cuda.Stream, args A,
) error {
	f, err := functionOf[F](d, name, shared)
	if err != nil {
		return err
	}
	return cuda.Launch(d, f, grid, block, shared, s, args)
}

// together starts a kernel of the precision F whose blocks wait for each other.
func together[F cuda.Number, A any](
	e *engine[F], name string, blocks, threads, shared int, s cuda.Stream, args A,
) error {
	f, err := functionOf[F](e.device, name, shared)
	if err != nil {
		return err
	}
	return cuda.LaunchTogether(e.device, f, [3]uint32{uint32(blocks), 1, 1}, [3]uint32{uint32(threads), 1, 1}, shared, s,
		args)
}

// functionOf returns a kernel of the precision F.
func functionOf[F cuda.Number](d *cuda.Device, name string, shared int) (cuda.Function, error) {
	name += "_f" + strconv.Itoa(8*sizeOf[F]())
	module := moduleOf(name)
	return d.Function(module, func() [][]byte { return images(module) }, name, shared)
}

// dualKernels are those of gen/cuda/dual.cu.
var dualKernels = []string{"survey", "histogram", "tally", "write", "keep", "gather", "inner"}

// denseKernels are those of gen/cuda/dense.cu.
var denseKernels = []string{"frame", "blocks", "turned", "corner", "invert", "settle", "tell"}

// moduleOf returns the source file of a kernel.
func moduleOf(name string) string {
	switch {
	case slices.Contains(dualKernels, name[:len(name)-4]):
		return "dual"
	case slices.Contains(denseKernels, name[:len(name)-4]):
		return "dense"
	case strings.HasPrefix(name, "gauss"):
		return "gauss"
	case strings.HasPrefix(name, "split"):
		return "split"
	case strings.HasPrefix(name, "pivot"):
		return "pivot"
	case strings.Count(name, "_") == 1:
		return "rows"
	case strings.HasSuffix(name, "f64"):
		return "double"
	}
	return "single"
}
