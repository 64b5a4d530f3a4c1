package feature

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/compute"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// Fourier is the recipe of random Fourier features (Rahimi and Recht 2007): with
// m = Dim/2 frequencies ω_i drawn from the spectral law of a kernel K(x - y),
//
//	φ(x) = (cos⟨ω_1, x⟩, …, cos⟨ω_m, x⟩, sin⟨ω_1, x⟩, …, sin⟨ω_m, x⟩)/√m
//
// The mean of ⟨φ(x), φ(y)⟩ over seeds is K(x, y), |φ(x)| is 1, and for one pair
// the error is t or more with probability at most 2·exp(-Dim·t²/4). Pairs of
// cosine and sine have a smaller variance than as many cosines with random
// offsets, for each of these kernels (docs/math/oblivious.md). The map does not
// see the data.
//
//	kernel.Gaussian      ω of N(0, 2·Gamma·I)
//	kernel.Laplacian     independent Cauchy coordinates of scale Gamma
//	kernel.MaternKernel  Student's t with 2·Nu degrees of freedom, of scale 1/Length
//
// With Orthogonal, frequencies come in groups of as many as x has coordinates,
// at right angles to each other, with lengths drawn as those of independent ones
// (Yu, Suresh, Choromanski, Holtmann-Rice and Kumar 2016). Each frequency by
// itself has the law of an independent one, so the mean is K exactly; the
// variance is smaller where x and y are near. The Laplacian kernel has no such
// form, as its law is not the same in all directions.
//
// To map x of d coordinates takes 2·m·d operations and Dim cosines or sines.
type Fourier struct {
	Kernel     kernel.Kernel[data.Vector]
	Dim        int // features, an even number
	Orthogonal bool
	Seed       uint64
	Run        run.Control
}

// NewFourier returns the recipe with independent frequencies and seed 1.
func NewFourier(k kernel.Kernel[data.Vector], dim int) Fourier {
	return Fourier{Kernel: k, Dim: dim, Seed: 1}
}

// Validate reports every field that is out of range.
func (r Fourier) Validate() error {
	var faults []error
	_, law := spectrum(r.Kernel)
	switch k := r.Kernel.(type) {
	case nil:
		faults = append(faults, errors.New("no kernel is set"))
	default:
		if law == nil {
			faults = append(faults, fmt.Errorf("fourier: kernel is %v and must be rbf, laplacian or matern", k))
		} else {
			faults = append(faults, kernel.Validate(r.Kernel))
		}
		if _, ok := k.(kernel.Laplacian); ok && r.Orthogonal {
			faults = append(faults,
				errors.New("fourier: orthogonal is true and must be false for the Laplacian kernel, whose frequencies are not "+
					"the same in all directions"))
		}
	}
	if r.Dim < 2 || r.Dim%2 != 0 {
		faults = append(faults, fmt.Errorf("fourier: dim is %d and must be an even number of at least 2", r.Dim))
	}
	return errors.Join(faults...)
}

// frequencyLaw draws a frequency. Where normal is true that is a standard normal
// vector times what length returns; otherwise it is coordinates of length's.
type frequencyLaw struct {
	normal bool
	length func(r *rand.Rand) float64
}

// spectrum returns the law of a kernel's frequencies with its number in the
// streams, and nil where there is none.
func spectrum(k kernel.Kernel[data.Vector]) (number uint64, law *frequencyLaw) {
	switch k := k.(type) {
	case kernel.Gaussian:
		s := math.Sqrt(2 * k.Gamma)
		return 1, &frequencyLaw{normal: true, length: func(*rand.Rand) float64 { return s }}
	case kernel.Laplacian:
		return 2, &frequencyLaw{length: func(r *rand.Rand) float64 { return k.Gamma * math.Tan(math.Pi*(r.Float64()-0.5)) }}
	case kernel.MaternKernel:
		return 3, &frequencyLaw{normal: true, length: func(r *rand.Rand) float64 {
			chi2 := 0.0
			for range int(2 * k.Nu) {
				a := r.NormFloat64()
				chi2 += a * a
			}
			return math.Sqrt(2*k.Nu/chi2) / k.Length
		}}
	}
	return 0, nil
}

// Fit draws the frequencies for vectors of width coordinates. Coordinates of an
// instance past width are dropped. The cost is width·Dim/2 random numbers, and
// with Orthogonal 2·width²·Dim operations more, or less where Dim/2 is below
// width.
func (r Fourier) Fit(ctx context.Context, width int) (*FourierMap, error) {
	err := r.Validate()
	if width < 0 {
		err = errors.Join(err, fmt.Errorf("fourier: width is %d and must not be negative", width))
	}
	if err != nil {
		return nil, err
	}
	m := r.Dim / 2
	// The matrix, packed in both precisions, and its transpose for sparse rows.
	if err := r.Run.Reserve("the frequencies", 4*8*float64(m)*float64(width), "use a smaller dimension"); err != nil {
		return nil, err
	}
	omega := make([]float64, m*width)
	group := frequencyGroup
	if r.Orthogonal {
		group = max(1, width)
	}
	number, law := spectrum(r.Kernel)
	if r.Orthogonal {
		number += 16
	}
	err = par.For(ctx, r.Run.Quiet(), "", par.Blocks(m, group), func(i int) error {
		lo, hi := par.Range(i, m, group)
		rng := seed.Stream(r.Seed, seed.Frequencies, number<<48|uint64(i))
		part := omega[lo*width : hi*width]
		if r.Orthogonal {
			if err := law.rightAngles(ctx, part, width, rng); err != nil {
				return err
			}
		} else {
			law.fill(part, width, rng)
		}
		if vmath.Finite(part) >= 0 {
			return fmt.Errorf("fourier: the frequencies of %v are beyond the range of float64", r.Kernel)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	phases, err := compute.NewPhases(ctx, omega, m, width)
	if err != nil {
		return nil, err
	}
	shape := Oblivious{Kind: KindFourier, Kernel: r.Kernel, Dim: r.Dim, Width: width, Seed: r.Seed}
	if r.Orthogonal {
		shape.Kind = KindOrthogonalFourier
	}
	return &FourierMap{shape: shape, omega: omega, phases: phases}, nil
}

// frequencyGroup is how many independent frequencies come from one stream. It is
// part of what a seed means.
const frequencyGroup = 32

// fill draws independent frequencies of d coordinates each.
func (l *frequencyLaw) fill(omega []float64, d int, rng *rand.Rand) {
	for ; len(omega) > 0 && d > 0; omega = omega[d:] {
		row := omega[:d]
		for j := range row {
			if l.normal {
				row[j] = rng.NormFloat64()
			} else {
				row[j] = l.length(rng)
			}
		}
		if l.normal {
			vmath.Scale(row, l.length(rng))
		}
	}
}

// rightAngles draws up to d frequencies at right angles: directions from
// Gram and Schmidt's process on normal vectors, which are the first rows of a
// matrix of the Haar measure, and lengths independent of them. A second pass of
// the process takes out what rounding left. It uses functions alone whose bits
// are the same on every machine.
func (l *frequencyLaw) rightAngles(ctx context.Context, omega []float64, d int, rng *rand.Rand) error {
	if d == 0 {
		return nil
	}
	m := len(omega) / d
	row := func(i int) []float64 { return omega[i*d : (i+1)*d] }
	for i := range m {
		if err := ctx.Err(); err != nil {
			return err
		}
		for length := 0.0; length < 1e-8; { // else drawn again; it is √(χ² of d-i)
			for j := range row(i) {
				row(i)[j] = rng.NormFloat64()
			}
			for range 2 {
				for k := range i {
					vmath.Axpy(row(i), -vmath.Dot(row(i), row(k)), row(k))
				}
			}
			length = math.Sqrt(vmath.Dot(row(i), row(i)))
			vmath.Scale(row(i), 1/max(length, 1e-300))
		}
	}
	for i := range m {
		chi2 := 0.0
		for range d {
			a := rng.NormFloat64()
			chi2 += a * a
		}
		vmath.Scale(row(i), math.Sqrt(chi2)*l.length(rng))
	}
	return nil
}

// FourierMap is the fitted map of Fourier. It is immutable and safe for
// concurrent use.
type FourierMap struct {
	shape  Oblivious
	omega  []float64
	phases *compute.Phases
}

// Dim returns the number of features.
func (m *FourierMap) Dim() int { return m.shape.Dim }

// Shape returns what the map is made from.
func (m *FourierMap) Shape() Oblivious { return m.shape }

// Frequencies returns the matrix of frequencies, Dim/2 rows. It is shared and
// must not be written to.
func (m *FourierMap) Frequencies() *data.Matrix {
	return &data.Matrix{Rows: m.shape.Dim / 2, Cols: m.shape.Width, Data: m.omega}
}

// MapTo sets dst = φ(x).
func (m *FourierMap) MapTo(dst []float64, x data.Vector) {
	m.phases.Map64(dst[:m.Dim()], data.Slice[data.Vector]{x})
}

// MapBlock maps the instances of x into the rows of dst. It refuses an instance
// that is not finite, or so large that a phase could not be represented.
func (m *FourierMap) MapBlock(_ run.Control, dst []float64, x data.Source[data.Vector], first int) error {
	x = data.Widen(x)
	if err := m.check(x, first); err != nil {
		return err
	}
	m.phases.Map64(dst, x)
	return nil
}

// MapBlock32 is MapBlock in float32. Instances that are so long that their
// phases would be off by more than about 1e-4 are computed in float64.
func (m *FourierMap) MapBlock32(_ run.Control, dst []float32, x data.Source[data.Vector], first int) error {
	x = data.Widen(x)
	if err := m.check(x, first); err != nil {
		return err
	}
	m.phases.Map32(dst, x)
	return nil
}

func (m *FourierMap) check(x data.Source[data.Vector], first int) error {
	for i := range x.Len() {
		if !m.phases.Bounded(x.At(i)) {
			return &RowError{first + i, "a coordinate is not finite or too large for Fourier features; scale the data"}
		}
	}
	return nil
}
