package convert

import (
	"fmt"
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/model"
)

// image is the value of the base of a map, of which features are an affine function.
type image struct {
	reduced
	value string
}

// explicit returns the features themselves.
func (b *builder) explicit(f image) string {
	out := f.value
	if f.matrix != nil {
		out = b.times(out, f.matrix)
	}
	if f.offset != nil {
		out = b.add(out, b.row(f.offset))
	}
	return out
}

// features adds a map to the graph.
func (b *builder) features(m feature.Map[data.Vector], x string) (image, error) {
	f := image{reduced: reduce(m)}
	var err error
	switch base := f.base.(type) {
	case feature.Identity:
		f.value = b.cut(x, base.Width)
		if base.Width > b.width { // coordinates that no row has count as zero
			f.reduced = f.narrow(b.width)
		}
	case *feature.Landmarks[data.Vector]:
		if base.Dim() > 0 {
			f.value, err = b.tile(base.Kernel(), x, b.width, dense(base.Instances(), b.width))
		}
	case *feature.FourierMap:
		f.value = b.fourier(base, x)
		if f.matrix == nil {
			f.reduced = f.narrow(base.Dim())
		}
		f.matrix = scaled(f.matrix, 1/math.Sqrt(float64(base.Dim()/2)))
	case *feature.TensorSketchMap:
		f.value = b.sketch(base, x, &f)
	case *feature.Monomials:
		weights := make([]float64, base.Dim())
		for j := range weights {
			weights[j] = base.Weight(j)
		}
		low := 0
		if base.Kernel().Coef == 0 {
			low = base.Kernel().Degree
		}
		f.value = b.mul(b.monomials(b.cut(x, base.Width()), min(base.Width(), b.width), base.Width(), low,
			base.Kernel().Degree), b.row(weights))
	case *feature.Taylor:
		f.value = b.taylor(base, x)
	case feature.Powers:
		powers := make([]float64, base.N)
		for j := range powers {
			powers[j] = float64(j)
		}
		f.value = b.op("Pow", b.columns(x, 0, 1), b.row(powers))
	case model.Votes[data.Vector]:
		f.value, err = b.votes(base, x)
	default:
		err = unknown("map", fmt.Sprintf("%T", m))
	}
	return f, err
}

// narrow leaves out coordinates from width on.
func (r reduced) narrow(width int) reduced {
	m := r.matrix
	if m == nil {
		m = data.NewMatrix(r.base.Dim(), r.base.Dim())
		for i := range m.Rows {
			m.Row(i)[i] = 1
		}
	}
	out := data.NewMatrix(m.Rows, width)
	for i := range m.Rows {
		copy(out.Row(i), m.Row(i))
	}
	return reduced{base: r.base, matrix: out, offset: r.offset}
}

// cut returns the first coordinates of x.
func (b *builder) cut(x string, width int) string {
	if width >= b.width {
		return x
	}
	return b.columns(x, 0, width)
}

// dense returns vectors as a matrix of so many columns.
func dense(z data.Source[data.Vector], width int) *data.Matrix {
	out := data.NewMatrix(z.Len(), width)
	for i := range out.Rows {
		z.At(i).CopyTo(out.Row(i))
	}
	return out
}

// fourier returns cosines and sines of the phases, which are to be divided by √m.
func (b *builder) fourier(m *feature.FourierMap, x string) string {
	phases := b.times(x, dense(m.Frequencies(), b.width))
	return b.join([]string{b.op("Cos", phases), b.op("Sin", phases)})
}

// sketch returns the transforms of the convolution, real parts and imaginary ones, and
// makes the inverse transform the matrix of the image: a count sketch and its transform
// are linear, and a convolution is the product of transforms.
func (b *builder) sketch(m *feature.TensorSketchMap, x string, f *image) string {
	places, scale, constant := m.Hashes()
	d, width := m.Dim(), m.Shape().Width
	half := d/2 + 1
	var re, im string
	for l, place := range places {
		cosine, sine := data.NewMatrix(half, b.width), data.NewMatrix(half, b.width)
		c0, s0 := make([]float64, half), make([]float64, half)
		for k := range half {
			for i := range min(width, b.width) {
				cosine.Row(k)[i], sine.Row(k)[i] = turn(place[i], k, d, scale)
			}
			c0[k], s0[k] = turn(place[width], k, d, constant)
		}
		r, i := b.add(b.times(x, cosine), b.row(c0)), b.add(b.times(x, sine), b.row(s0))
		if l == 0 {
			re, im = r, i
			continue
		}
		re, im = b.sub(b.mul(re, r), b.mul(im, i)), b.add(b.mul(re, i), b.mul(im, r))
	}
	inverse := data.NewMatrix(d, 2*half)
	for n := range d {
		for k := range half {
			twice := 2.0
			if k == 0 || 2*k == d {
				twice = 1
			}
			angle := 2 * math.Pi * float64(k*n%d) / float64(d)
			inverse.Row(n)[k] = twice * math.Cos(angle) / float64(d)
			inverse.Row(n)[half+k] = -twice * math.Sin(angle) / float64(d)
		}
	}
	if f.matrix == nil {
		f.matrix = inverse
	} else {
		f.matrix = product(f.matrix, inverse)
	}
	return b.join([]string{re, im})
}

// turn returns the transform of one place of a count sketch, times a factor.
func turn(place int32, k, d int, factor float64) (re, im float64) {
	if place&1 == 1 {
		factor = -factor
	}
	angle := -2 * math.Pi * float64(int(place>>1)*k%d) / float64(d)
	return factor * math.Cos(angle), factor * math.Sin(angle)
}

// monomials returns the monomials of degrees low to high of x, which has so many
// coordinates of the width that the map has, in the order of package feature: those of
// degree g are x_j times the first ones of degree g-1, for each j.
func (b *builder) monomials(x string, has, width, low, high int) string {
	if has < width {
		parts := []string{x}
		for range width - has {
			parts = append(parts, b.zeros())
		}
		x = b.join(parts)
	}
	before := b.affine(b.zeros(), 1, 1)
	ends := make([]int, width) // monomials of degree g-1 in the variables 0 to j
	for j := range ends {
		ends[j] = 1
	}
	var parts []string
	if low == 0 {
		parts = append(parts, before)
	}
	for g := 1; g <= high; g++ {
		var parent, variable []int64
		sum := 0
		for j, n := range ends {
			for i := range n {
				parent, variable = append(parent, int64(i)), append(variable, int64(j))
			}
			sum += n
			ends[j] = sum
		}
		before = b.mul(b.gather(before, parent), b.gather(x, variable))
		if g >= low {
			parts = append(parts, before)
		}
	}
	return b.join(parts)
}

// taylor returns e^(-γ|x|²)·√((2γ)^|a|/a!)·x^a.
func (b *builder) taylor(m *feature.Taylor, x string) string {
	gamma, weights := m.Kernel().Gamma, make([]float64, m.Dim())
	for j := range weights {
		log := 0.0
		for _, e := range m.Exponents(j) {
			if e > 0 {
				g, _ := math.Lgamma(float64(e + 1))
				log += float64(e)*math.Log(2*gamma) - g
			}
		}
		weights[j] = math.Exp(log / 2)
	}
	x = b.cut(x, m.Width())
	all := b.monomials(x, min(m.Width(), b.width), m.Width(), 0, m.Degree())
	fall := b.op("Exp", b.affine(b.sum(b.mul(x, x)), -gamma, 0))
	return b.mul(b.mul(all, b.row(weights)), fall)
}

// votes returns what each rule says of the features, +1 or -1.
func (b *builder) votes(m model.Votes[data.Vector], x string) (string, error) {
	f, err := b.features(m.Inner, x)
	if err != nil {
		return "", err
	}
	if m.Dim() == 0 {
		return b.zeros(), nil
	}
	features := b.explicit(f)
	cuts := m.Rules.Cuts()
	if cuts == nil {
		w, bias := m.Rules.Halfspaces()
		positive := b.op("GreaterOrEqual", b.add(b.times(features, w), b.row(bias)), b.Double(0))
		return b.affine(b.cast(positive), 2, -1), nil
	}
	at, sign, threshold := make([]int64, len(cuts)), make([]float64, len(cuts)), make([]float64, len(cuts))
	for t, c := range cuts {
		// Sign·x ≥ Sign·Threshold; a constant rule compares 0 with Threshold.
		at[t], sign[t], threshold[t] = int64(c.Feature), c.Sign, c.Sign*c.Threshold
		if c.Sign == 0 {
			threshold[t] = c.Threshold
		}
	}
	values := b.mul(b.gather(features, at), b.row(sign))
	return b.affine(b.cast(b.op("GreaterOrEqual", values, b.row(threshold))), 2, -1), nil
}
