package feature

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"sync"

	"gonum.org/v1/gonum/dsp/fourier"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// TensorSketch is the recipe of the sketch of Pham and Pagh (2013) for the
// polynomial kernel K(x, y) = (γ⟨x, y⟩ + c)^p. With z = (√γ·x, √c), so that
// K(x, y) = ⟨z(x), z(y)⟩^p, and p random hashes h_l into Dim places with random
// signs s_l,
//
//	φ(x)_k = Σ s_1(i_1)·…·s_p(i_p)·z_{i_1}·…·z_{i_p}
//
// over all i_1, …, i_p with h_1(i_1) + … + h_p(i_p) ≡ k modulo Dim: the cyclic
// convolution of p count sketches of z. The mean of ⟨φ(x), φ(y)⟩ over seeds is
// K(x, y), and its variance is at most (3^p - 1)/Dim·(|z(x)||z(y)|)^(2p)
// (docs/math/oblivious.md). The map does not see the data.
//
// For a vector of s coordinates other than 0 the cost is the least, by estimate,
// of s² steps (in vectors across the rows of a block, for degree 2), of s·Dim
// steps in vectors, for each of the p-1 convolutions, and of p+1 Fourier
// transforms.
type TensorSketch struct {
	Kernel kernel.Polynomial
	Dim    int // features
	Seed   uint64
	Run    run.Control
}

// NewTensorSketch returns the recipe with seed 1.
func NewTensorSketch(k kernel.Polynomial, dim int) TensorSketch {
	return TensorSketch{Kernel: k, Dim: dim, Seed: 1}
}

// hashEvery is how many places are drawn between two looks at the context.
const hashEvery = 1 << 16

// maxSketchDim keeps places and signs in 32 bits, and maxSketchDegree is far
// beyond what the variance allows.
const (
	maxSketchDim    = 1 << 30
	maxSketchDegree = 64
)

// Validate reports every field that is out of range.
func (r TensorSketch) Validate() error {
	faults := []error{r.Kernel.Validate()}
	if r.Dim < 1 || r.Dim > maxSketchDim {
		faults = append(faults, fmt.Errorf("tensor sketch: dim is %d and must be from 1 to %d", r.Dim, maxSketchDim))
	}
	if r.Kernel.Degree > maxSketchDegree {
		faults = append(faults,
			fmt.Errorf("tensor sketch: degree is %d and must be at most %d", r.Kernel.Degree, maxSketchDegree))
	}
	return errors.Join(faults...)
}

// Fit draws the hashes for vectors of width coordinates, 4·p·(width+1) bytes.
// Coordinates of an instance past width are dropped.
func (r TensorSketch) Fit(ctx context.Context, width int) (*TensorSketchMap, error) {
	err := r.Validate()
	if width < 0 {
		err = errors.Join(err, fmt.Errorf("tensor sketch: width is %d and must not be negative", width))
	}
	if err != nil {
		return nil, err
	}
	k, length := r.Kernel, transformLength(r.Dim, r.Kernel.Degree)
	need := 4*float64(k.Degree)*(float64(width)+1) + 8*float64(r.Run.Cores())*(20*float64(r.Dim)+5*float64(length))
	if err := r.Run.Reserve("a tensor sketch", need, "use a smaller dimension or degree"); err != nil {
		return nil, err
	}
	m := &TensorSketchMap{
		kernel: k, dim: r.Dim, width: width, seed: r.Seed,
		scale: math.Sqrt(k.Gamma), constant: math.Sqrt(k.Coef), length: length,
	}
	for l := range k.Degree {
		rng := seed.Stream(r.Seed, seed.Hashes, uint64(l))
		place := make([]int32, width+1)
		for i := range place {
			if i%hashEvery == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			place[i] = int32(rng.IntN(2 * r.Dim)) // twice the place, plus one for a minus
		}
		m.place = append(m.place, place)
	}
	if n := width + 1; k.Degree == 2 && n <= maxBeside {
		for l := range m.beside {
			for _, p := range m.place[l] {
				m.beside[l] = append(m.beside[l], vmath.ScatterLanes*int(p>>1))
			}
		}
	}
	m.pool.New = func() any { return m.space() }
	return m, nil
}

// TensorSketchMap is the fitted map of TensorSketch. It is immutable and safe
// for concurrent use.
type TensorSketchMap struct {
	kernel          kernel.Polynomial
	dim, width      int
	seed            uint64
	scale, constant float64
	place           [][]int32 // 2·h(i), plus 1 where the sign is minus; the constant is coordinate width
	length          int       // of the transforms
	beside          [2][]int  // places of the first two hashes in tables of lanes
	pool            sync.Pool
}

// Dim returns the number of features.
func (m *TensorSketchMap) Dim() int { return m.dim }

// Shape returns what the map is made from.
func (m *TensorSketchMap) Shape() Oblivious {
	return Oblivious{Kind: KindTensorSketch, Kernel: m.kernel, Dim: m.dim, Width: m.width, Seed: m.seed}
}

// Hashes returns what φ is made of: for each count sketch twice the place of every
// coordinate of z, plus one where its sign is minus, and √γ and √c. The constant is the
// last coordinate. They are shared and must not be written to.
func (m *TensorSketchMap) Hashes() (place [][]int32, scale, constant float64) {
	return m.place, m.scale, m.constant
}

// MapTo sets dst = φ(x).
func (m *TensorSketchMap) MapTo(dst []float64, x data.Vector) {
	s := m.pool.Get().(*sketchSpace)
	defer m.pool.Put(s)
	m.gather(s, x)
	m.sketch(s, dst[:m.dim], m.choose(len(s.index)))
}

// MapBlock maps the instances of x into the rows of dst. It refuses an instance
// that is not finite, or so large that a feature may not be.
func (m *TensorSketchMap) MapBlock(_ run.Control, dst []float64, x data.Source[data.Vector], first int) error {
	return sketchBlock(m, dst, x, first, math.MaxFloat64)
}

// MapBlock32 is MapBlock, rounded to float32 at the end.
func (m *TensorSketchMap) MapBlock32(_ run.Control, dst []float32, x data.Source[data.Vector], first int) error {
	return sketchBlock(m, dst, x, first, math.MaxFloat32)
}

func sketchBlock[F float32 | float64](
	m *TensorSketchMap, dst []F, x data.Source[data.Vector], first int, limit float64,
) error {
	s := m.pool.Get().(*sketchSpace)
	defer m.pool.Put(s)
	s.rows = s.rows[:0] // some may wait there since an error
	for i := range x.Len() {
		size := m.gather(s, x.At(i))
		// Every number on the way is at most the length of a transform times the
		// sum of all |z_i|, to the power p.
		if top := math.Pow(size, float64(m.kernel.Degree)); !(top*float64(m.length) <= math.MaxFloat64 && top <= limit) {
			const problem = "a coordinate is not finite or too large for a tensor sketch of degree %d; scale the data"
			return &RowError{first + i, fmt.Sprintf(problem, m.kernel.Degree)}
		}
		row, way := dst[i*m.dim:][:m.dim], m.choose(len(s.index))
		if way == termwise && m.sideBySide(len(s.index)) {
			if m.placeBeside(s, i); len(s.rows) == vmath.ScatterLanes {
				flushLanes(m, s, dst)
			}
			continue
		}
		if same, ok := any(row).([]float64); ok {
			m.sketch(s, same, way)
			continue
		}
		m.sketch(s, s.row, way)
		vmath.Narrow(any(row).([]float32), s.row)
	}
	flushLanes(m, s, dst)
	return nil
}

// sketchSpace is the memory of a goroutine.
type sketchSpace struct {
	index    []int     // coordinates of z other than 0
	value    []float64 // and their values
	at       []int     // their places under a hash
	signed   []float64 // and values, with its signs
	row      []float64 // Dim
	buffer   []float64 // 2·Dim
	long     []float64 // the length of a transform
	rows     []int     // of the block that wait to be sketched side by side
	lanes    []float64 // and their coordinates of z, ScatterLanes numbers each
	turned   [2][]float64
	table    []float64 // 2·Dim places of ScatterLanes numbers
	fft      *fourier.FFT
	spectrum []complex128
	product  []complex128
}

func (m *TensorSketchMap) space() *sketchSpace {
	return &sketchSpace{row: make([]float64, m.dim), buffer: make([]float64, 2*m.dim)}
}

// gather lists the coordinates of z that are not 0 and returns the sum of their
// absolute values.
func (m *TensorSketchMap) gather(s *sketchSpace, x data.Vector) (size float64) {
	s.index, s.value = s.index[:0], s.value[:0]
	for k, a := range x.Value {
		j := k
		if x.Index != nil {
			j = int(x.Index[k])
		}
		if j >= m.width {
			break
		}
		if a *= m.scale; a != 0 {
			s.index, s.value = append(s.index, j), append(s.value, a)
			size += math.Abs(a)
		}
	}
	if m.constant != 0 {
		s.index, s.value = append(s.index, m.width), append(s.value, m.constant)
	}
	return size + m.constant
}

// hash sets at and signed for hash l.
func (m *TensorSketchMap) hash(s *sketchSpace, l int) {
	s.at, s.signed = s.at[:0], s.signed[:0]
	place := m.place[l]
	for k, i := range s.index {
		p, a := place[i], s.value[k]
		if p&1 == 1 {
			a = -a
		}
		s.at, s.signed = append(s.at, int(p>>1)), append(s.signed, a)
	}
}

// count sets dst to the count sketch of z under hash l.
func (m *TensorSketchMap) count(s *sketchSpace, dst []float64, l int) {
	m.hash(s, l)
	clear(dst)
	for k, j := range s.at {
		dst[j] += s.signed[k]
	}
}

// A sketchWay is a way to convolve count sketches; which one is a matter of time
// alone.
type sketchWay int

const (
	termwise  sketchWay = iota // the first two sketches term by term, then shiftwise
	shiftwise                  // a sum of shifted copies for every further sketch
	transform                  // the product of Fourier transforms
)

// Estimates of time in nanoseconds: of a term, alone and of a row beside others,
// of a shifted copy and of one of its elements, of an element of a transform and
// level.
const (
	termTime    = 1.0
	besideTime  = 0.15
	shiftTime   = 20.0
	elementTime = 0.12
	levelTime   = 1.0
)

// sideBySide reports whether rows with n coordinates other than 0 may go side by
// side.
func (m *TensorSketchMap) sideBySide(n int) bool { return m.beside[0] != nil && 2*n > m.width }

// choose returns the cheapest way for a row with n coordinates other than 0. It
// depends on nothing else, so that sparse and dense rows agree bit for bit.
func (m *TensorSketchMap) choose(n int) sketchWay {
	p, s := float64(m.kernel.Degree), float64(n)
	shift := s * (shiftTime + elementTime*float64(m.dim))
	term := termTime
	if m.sideBySide(n) {
		term = besideTime
	}
	terms := s*s*term + elementTime*float64(m.dim)
	length := float64(m.length)
	whole := (p + 1) * length * (1 + levelTime*math.Log2(length))
	switch direct := (p-2)*shift + min(shift, terms); {
	case p > 1 && whole < direct:
		return transform
	case terms < shift:
		return termwise
	}
	return shiftwise
}

// sketch sets dst to the convolution of the count sketches of the gathered row.
func (m *TensorSketchMap) sketch(s *sketchSpace, dst []float64, way sketchWay) {
	p := m.kernel.Degree
	if way == transform {
		m.transforms(s, dst)
		return
	}
	next := 1
	if way == termwise && p > 1 {
		m.terms(s, dst)
		next = 2
	} else {
		m.count(s, dst, 0)
	}
	for l := next; l < p; l++ {
		m.shift(s, dst, l)
	}
}

// terms sets dst to the convolution of the sketches under the hashes 0 and 1.
// Sums of places are folded at the end.
func (m *TensorSketchMap) terms(s *sketchSpace, dst []float64) {
	d := m.dim
	sum := s.buffer[:2*d]
	clear(sum)
	m.hash(s, 1)
	at, signed := s.at, s.signed[:len(s.at)]
	for k, i := range s.index {
		p, a := m.place[0][i], s.value[k]
		if p&1 == 1 {
			a = -a
		}
		part := sum[p>>1:][:d]
		for l, j := range at {
			part[j] += float64(a * signed[l])
		}
	}
	foldSketch(dst, sum)
}

// foldSketch adds the numbers of sum into dst, at their index modulo its length.
func foldSketch(dst, sum []float64) {
	copy(dst, sum)
	for rest := sum[len(dst):]; len(rest) > 0; {
		n := min(len(rest), len(dst))
		vmath.Axpy(dst[:n], 1, rest[:n])
		rest = rest[n:]
	}
}

// shift convolves dst with the sketch under hash l.
func (m *TensorSketchMap) shift(s *sketchSpace, dst []float64, l int) {
	d := m.dim
	sum := s.buffer[:d]
	clear(sum)
	m.hash(s, l)
	for k, j := range s.at {
		vmath.Axpy(sum[j:], s.signed[k], dst[:d-j])
		vmath.Axpy(sum[:j], s.signed[k], dst[d-j:])
	}
	copy(dst, sum)
}

// transforms sets dst to the convolution of all sketches, by the product of
// their Fourier transforms.
func (m *TensorSketchMap) transforms(s *sketchSpace, dst []float64) {
	n := m.length
	if s.fft == nil {
		s.fft = fourier.NewFFT(n)
		s.spectrum, s.product = make([]complex128, n/2+1), make([]complex128, n/2+1)
		s.long = make([]float64, n)
	}
	long := s.long
	for l := range m.kernel.Degree {
		clear(long[m.dim:])
		m.count(s, long[:m.dim], l)
		if l == 0 {
			s.fft.Coefficients(s.product, long)
			continue
		}
		s.fft.Coefficients(s.spectrum, long)
		for k, c := range s.spectrum {
			s.product[k] *= c
		}
	}
	s.fft.Sequence(long, s.product)
	foldSketch(dst, long)
	vmath.Scale(dst, 1/float64(n))
}

// transformLength returns the length of transforms for sketches of d places:
// d itself where it has no prime factor above 5, so that the convolution is
// cyclic as it should be, and otherwise the least such number that holds the
// whole product, which is then folded.
func transformLength(d, degree int) int {
	if n := smoothFrom(d); n == d {
		return d
	}
	return smoothFrom(degree*(d-1) + 1)
}

// smoothFrom returns the least number from n ≥ 1 on without a prime factor above
// 5.
func smoothFrom(n int) int {
	best := 1 << bits.Len(uint(n-1))
	for five := 1; five < best; five *= 5 {
		for odd := five; odd < best; odd *= 3 {
			k := odd
			for k < n {
				k *= 2
			}
			best = min(best, k)
		}
	}
	return best
}
