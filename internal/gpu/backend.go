// Package gpu is the back end of package compute on NVIDIA's GPUs.
//
// Vectors are brought to the device once and stay there; where the rows do not fit they
// come in chunks, one of which is copied while another is computed with. Values of K are
// made from them in tiles that never leave the device but for blocks. Where K is used
// again, costs more to compute than to read, and fits, it is kept.
//
// Rows are cut into chunks by sizes alone, each chunk's sums are added up in one order,
// and chunks are added one after the other: the same bits whether rows are streamed or
// not.
package gpu

import (
	"sync"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/compute"
	"github.com/kerf-ml/kerf/internal/cuda"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// Backend is a GPU. It is looked for when it is first used.
type Backend struct {
	open func() (*cuda.Device, error)
	once sync.Once
	err  error

	device *cuda.Device
	single *engine[float32]
	double *engine[float64]
}

// New returns the GPU of the given number, counted from 0.
func New(index int) *Backend {
	return &Backend{open: func() (*cuda.Device, error) { return cuda.Open(index) }}
}

// Open looks for the device and says why there is none.
func (b *Backend) Open() error {
	b.once.Do(func() {
		if b.device, b.err = b.open(); b.err == nil {
			b.single, b.double = newEngine[float32](b.device), newEngine[float64](b.device)
		}
	})
	return b.err
}

// Built says whether the program can look for a device.
const Built = cuda.Built

// FastDouble reports whether the device is made for double precision: some take 64 times
// as long for it as for single.
func (b *Backend) FastDouble() bool { return b.Open() == nil && b.device.DoubleRatio() <= 4 }

// rowsFrom is the dimension from which on a value takes the cores of a server longer to
// compute than it takes to come back over the bus, about 6·10⁹ of them a second.
const rowsFrom = 512

// RowsPay reports whether to compute rows of K on the device that come back whole.
func (b *Backend) RowsPay(dim int) bool { return dim >= rowsFrom }

// Name is the name of the device.
func (b *Backend) Name() string {
	if b.Open() != nil {
		return "GPU"
	}
	return b.device.Name()
}

// maxDim is the largest dimension that vectors may have.
const maxDim = 1 << 14

// Supports reports true for forms of vectors that are stored as rows of numbers. It is
// true too where there is no device: Bind says why.
func (b *Backend) Supports(f kernel.Form, y data.Source[data.Vector], _ run.Precision) bool {
	d := data.Dim(y)
	if d == 0 || d > maxDim || f.Map.Op == kernel.Subsets {
		return false
	}
	return !compute.NewPacking[float32](y, f).Inverted()
}

// Bind brings the columns to the device.
func (b *Backend) Bind(f kernel.Form, y data.Source[data.Vector], p run.Precision) (compute.Bound, error) {
	if err := b.Open(); err != nil {
		return nil, err
	}
	if p == run.Float32 {
		return bind(b.single, f, y)
	}
	return bind(b.double, f, y)
}

// bound is the column side of K.
type bound[F cuda.Number] struct {
	engine  *engine[F]
	form    kernel.Form
	packing compute.Packing[F]
	close   compute.Closeness
	columns *side[F]
	factor  float64 // vectors are multiplied by it: 1, but for a Gaussian kernel
	gauss   bool    // the kernel is computed as 2^(⟨x,y⟩ - |x|²/2 - |y|²/2)
}

func bind[F cuda.Number](e *engine[F], f kernel.Form, y data.Source[data.Vector]) (compute.Bound, error) {
	b := &bound[F]{engine: e, form: f, packing: compute.NewPacking[F](y, f), close: compute.ClosenessOf[F](f.Map),
		factor: 1}
	if e.single() && f.Pair == kernel.Distance2 && f.Map.Op == kernel.Exp && f.Map.A < 0 && f.Map.B == 0 &&
		!f.Normalized {
		b.gauss = true
		b.factor = gaussFactor(f.Map.A)
	}
	err := e.device.Do(func() error {
		return e.with(1, func(s []*slot[F]) (err error) {
			b.columns, err = b.resident(run.Control{}, s[0], nil, y)
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	return b, nil
}

// Against brings the rows to the device, if they fit and are needed more than once.
func (b *bound[F]) Against(x data.Source[data.Vector], often bool) (compute.Matrix, error) {
	m := &matrix[F]{bound: b, x: x, n: x.Len(), m: b.columns.n, q: int(b.engine.several())}
	m.chunk = chunkRows(m.n, m.m, b.packing.D(), b.engine.size())
	return m, b.engine.device.Do(func() error {
		if err := m.bring(often); err != nil || !often {
			return err
		}
		return m.keep()
	})
}
