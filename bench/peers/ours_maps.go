package main

import (
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/project"
	"github.com/kerf-ml/kerf/run"
)

func block(h *house, j *job) (side, error) {
	x, err := h.rows(j, "x")
	if err != nil {
		return side{}, err
	}
	z, err := h.rows(j, "z")
	if err != nil {
		return side{}, err
	}
	ctl, k := j.control(), kernel.Gaussian{Gamma: j.Gamma}
	var mean func() float64
	once := func() error {
		c := gram.BindPrecision[data.Vector](k, z, ctl.Precision)
		if ctl.Precision == run.Float32 {
			b, err := c.Block32(ctx, ctl, x)
			mean = func() float64 { return meanOf(b) }
			return err
		}
		b, err := c.Block(ctx, ctl, x)
		if err != nil {
			return err
		}
		mean = func() float64 { return meanOf(b.Data) }
		return nil
	}
	return side{once, func() (float64, error) { return mean(), nil }}, nil
}

func meanOf[F float32 | float64](v []F) float64 {
	sum := 0.0
	for _, a := range v {
		sum += float64(a)
	}
	return sum / float64(len(v))
}

func product(h *house, j *job) (side, error) {
	x, err := h.rows(j, "x")
	if err != nil {
		return side{}, err
	}
	z, err := h.rows(j, "z")
	if err != nil {
		return side{}, err
	}
	v, err := h.array(j, "v")
	if err != nil {
		return side{}, err
	}
	ctl, out := j.control(), make([]float64, x.Len())
	once := func() error {
		c := gram.BindPrecision[data.Vector](kernel.Gaussian{Gamma: j.Gamma}, z, ctl.Precision)
		return c.Product(ctx, ctl, out, x, v.Data)
	}
	norm := func() (float64, error) {
		sum := 0.0
		for _, a := range out {
			sum += a * a
		}
		return math.Sqrt(sum), nil
	}
	return side{once, norm}, nil
}

// someRows is how many of the first rows a map is judged by.
const someRows = 500

// mapping is a map that is applied to all rows, fitted anew each time if fit says so.
func mapping(h *house, j *job, k kernel.Kernel[data.Vector], again bool,
	fit func(x data.Source[data.Vector]) (feature.Map[data.Vector], error),
) (side, error) {
	x, err := h.rows(j, "x")
	if err != nil {
		return side{}, err
	}
	m, err := fit(x)
	if err != nil {
		return side{}, err
	}
	ctl := j.control()
	var some []float64
	once := func() (err error) {
		if again {
			if m, err = fit(x); err != nil {
				return err
			}
		}
		if ctl.Precision == run.Float32 {
			y, err := feature.Apply32(ctx, ctl, m, x)
			if err != nil {
				return err
			}
			some = firstRows(y, m.Dim())
			return nil
		}
		y, err := feature.Apply(ctx, ctl, m, x)
		if err != nil {
			return err
		}
		some = firstRows(y.Data, m.Dim())
		return nil
	}
	away := func() (float64, error) {
		d, sum := m.Dim(), 0.0
		for a := range someRows {
			for b := range someRows {
				dot := 0.0
				for c := range d {
					dot += some[a*d+c] * some[b*d+c]
				}
				sum += math.Abs(dot - k.Eval(x.At(a), x.At(b)))
			}
		}
		return sum / (someRows * someRows), nil
	}
	return side{once, away}, nil
}

func firstRows[F float32 | float64](v []F, d int) []float64 {
	some := make([]float64, someRows*d)
	for i := range some {
		some[i] = float64(v[i])
	}
	return some
}

func f2(h *house, j *job) (side, error) {
	k := kernel.Gaussian{Gamma: j.Gamma}
	return mapping(h, j, k, true, func(x data.Source[data.Vector]) (feature.Map[data.Vector], error) {
		r := feature.NewF2[data.Vector](k, j.Out)
		r.Run = j.control()
		return r.Fit(ctx, x)
	})
}

func fourier(h *house, j *job) (side, error) {
	k := kernel.Gaussian{Gamma: j.Gamma}
	return mapping(h, j, k, false, func(x data.Source[data.Vector]) (feature.Map[data.Vector], error) {
		return feature.NewFourier(k, j.Out).Fit(ctx, data.Dim(x))
	})
}

func sketch(h *house, j *job) (side, error) {
	k := kernel.NewPolynomial(2)
	return mapping(h, j, k, false, func(x data.Source[data.Vector]) (feature.Map[data.Vector], error) {
		return feature.NewTensorSketch(k, j.Out).Fit(ctx, data.Dim(x))
	})
}

func gaussian(h *house, j *job) (side, error) { return projection(h, j, project.KindGaussian) }
func thin(h *house, j *job) (side, error)     { return projection(h, j, project.KindSparse) }

func projection(h *house, j *job, kind string) (side, error) {
	x, err := h.rows(j, "x")
	if err != nil {
		return side{}, err
	}
	recipe, err := project.Recall(kind, j.Out, 1)
	if err != nil {
		return side{}, err
	}
	p, err := recipe.Fit(data.Dim(x))
	if err != nil {
		return side{}, err
	}
	var y []float32
	once := func() (err error) {
		y, err = p.Map32(ctx, j.control(), x)
		return err
	}
	away := func() (float64, error) {
		from, sum := h.arrays[j.Dir+"/x.npy"], 0.0
		for i := range someRows {
			sum += math.Abs(square(y[i*j.Out:(i+1)*j.Out])/square(from.Row(i)) - 1)
		}
		return sum / someRows, nil
	}
	return side{once, away}, nil
}

func square[F float32 | float64](v []F) float64 {
	sum := 0.0
	for _, a := range v {
		sum += float64(a) * float64(a)
	}
	return sum
}
