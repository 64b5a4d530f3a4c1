// Command maps measures kerf's feature maps and projections beside
// scikit-learn's, in one run: make bench-maps. With JSON=1 it writes one object a
// line. Arguments name the works to measure; without any it measures all.
package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"time"

	"github.com/kerf-ml/kerf/bench/peer"
	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/internal/alloc"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/project"
	"github.com/kerf-ml/kerf/run"
)

var ctx = context.Background()

// rows is how many instances are mapped, reps how often.
const (
	rows = 100_000
	reps = 3
)

func main() {
	if err := measure(); err != nil {
		fmt.Fprintln(os.Stderr, "bench/maps:", err)
		os.Exit(1)
	}
}

// A work maps rows of width d to out features. Where it has no name of the
// peer's, it is measured against our own Gaussian projection.
type work struct {
	name   string // as the peer knows it
	title  string
	d, out int
	single float64 // target in float32
	double float64 // in float64
	apply  func(ctl run.Control, x data.Source[data.Vector], out int) error
}

var works = []work{
	{"nystroem", "F2, fit and map, 100,000×50, 1,000 landmarks", 50, 1000, 3, 2.4, f2},
	{"fourier", "Fourier features 100,000×50 → 2,000", 50, 2000, 2.5, 4, fourier},
	{"sketch", "TensorSketch, degree 2, 100,000×50 → 1,000", 50, 1000, 10, 10, sketch},
	{"gaussian", "Gaussian projection 100,000×784 → 256", 784, 256, 0.9, 0.9, projected(project.KindGaussian)},
	{"sparse", "sparse projection 100,000×784 → 256", 784, 256, 5, 5, projected(project.KindSparse)},
	{"", "Hadamard projection 100,000×784 → 256, into memory that is there", 784, 256, 4, 4, again(project.KindHadamard)},
}

func f2(ctl run.Control, x data.Source[data.Vector], out int) error {
	r := feature.NewF2[data.Vector](kernel.Gaussian{Gamma: 0.01}, out)
	r.Run = ctl
	m, err := r.Fit(ctx, x)
	if err != nil {
		return err
	}
	return mapAll(ctl, m, x)
}

func fourier(ctl run.Control, x data.Source[data.Vector], out int) error {
	m, err := feature.NewFourier(kernel.Gaussian{Gamma: 0.01}, out).Fit(ctx, data.Dim(x))
	if err != nil {
		return err
	}
	return mapAll(ctl, m, x)
}

func sketch(ctl run.Control, x data.Source[data.Vector], out int) error {
	m, err := feature.NewTensorSketch(kernel.NewPolynomial(2), out).Fit(ctx, data.Dim(x))
	if err != nil {
		return err
	}
	return mapAll(ctl, m, x)
}

// projection returns a projection of the rows' dimension.
func projection(kind string, x data.Source[data.Vector], out int) (*project.Projection, error) {
	recipe, err := project.Recall(kind, out, 1)
	if err != nil {
		return nil, err
	}
	return recipe.Fit(data.Dim(x))
}

func projected(kind string) func(ctl run.Control, x data.Source[data.Vector], out int) error {
	return func(ctl run.Control, x data.Source[data.Vector], out int) error {
		p, err := projection(kind, x, out)
		if err != nil {
			return err
		}
		if ctl.Precision == run.Float32 {
			_, err = p.Map32(ctx, ctl, x)
		} else {
			_, err = p.Map(ctx, ctl, x)
		}
		return err
	}
}

// wide and narrowed are memory that is used again.
var (
	wide     []float64
	narrowed []float32
)

// again is projected into memory that is there, as when rows stream by: new memory
// costs both projections alike, and as much as the faster one takes.
func again(kind string) func(ctl run.Control, x data.Source[data.Vector], out int) error {
	return func(ctl run.Control, x data.Source[data.Vector], out int) error {
		p, err := projection(kind, x, out)
		if err != nil {
			return err
		}
		n := x.Len() * out
		if ctl.Precision == run.Float32 {
			if len(narrowed) != n {
				narrowed = alloc.Zeros[float32](n)
			}
			return p.MapTo32(ctx, ctl, narrowed, x)
		}
		if len(wide) != n {
			wide = alloc.Zeros[float64](n)
		}
		return p.MapTo(ctx, ctl, wide, x)
	}
}

// mapAll maps x in the precision of the run.
func mapAll(ctl run.Control, m feature.Map[data.Vector], x data.Source[data.Vector]) (err error) {
	if ctl.Precision == run.Float32 {
		_, err = feature.Apply32(ctx, ctl, m, x)
	} else {
		_, err = feature.Apply(ctx, ctl, m, x)
	}
	return err
}

func measure() error {
	p, err := peer.Start("bench/maps/peer.py")
	if err != nil {
		return err
	}
	var table []peer.Row
	for _, w := range works {
		if len(os.Args) > 1 && !slices.Contains(os.Args[1:], w.name) {
			continue
		}
		x := points(rows, w.d)
		for i, precision := range []run.Precision{run.Float32, run.Float64} {
			target := []float64{w.single, w.double}[i]
			var in data.Source[data.Vector] = x
			if precision == run.Float32 { // as the peer has it
				in = narrow(x)
			}
			row, err := w.measure(p, run.Control{Workers: 2, Precision: precision}, in, target)
			if err != nil {
				return err
			}
			table = append(table, row)
		}
	}
	if err := p.Close(); err != nil {
		return err
	}
	return peer.Print(os.Stdout, table, os.Getenv("JSON") == "1")
}

// measure runs a work beside the peer's, or beside our Gaussian projection.
func (w work) measure(p *peer.Peer, ctl run.Control, x data.Source[data.Vector], target float64) (peer.Row, error) {
	row := peer.Row{Work: w.title, Precision: ctl.Precision.String(), Workers: ctl.Workers, Target: target,
		PeerName: "scikit-learn"}
	ours := func(apply func(run.Control, data.Source[data.Vector], int) error) func() {
		return func() {
			if err := apply(ctl, x, w.out); err != nil {
				panic(err)
			}
		}
	}
	theirs := func() (float64, error) {
		return p.Run(map[string]any{"work": w.name, "rows": rows, "d": w.d, "out": w.out, "precision": row.Precision,
			"threads": ctl.Workers})
	}
	if w.name == "" {
		row.PeerName = "our Gaussian"
		theirs = func() (float64, error) {
			begun := time.Now()
			ours(again(project.KindGaussian))()
			return time.Since(begun).Seconds(), nil
		}
	}
	return peer.Seconds(row, reps, ours(w.apply), theirs)
}

// points returns n normal points.
func points(n, d int) *data.Matrix {
	rng := rand.New(rand.NewPCG(1, 2))
	x := data.NewMatrix(n, d)
	for i := range x.Data {
		x.Data[i] = rng.NormFloat64()
	}
	return x
}

// narrow returns the points in float32.
func narrow(x *data.Matrix) *data.Matrix32 {
	y := data.NewMatrix32(x.Rows, x.Cols)
	for i, a := range x.Data {
		y.Data[i] = float32(a)
	}
	return y
}
