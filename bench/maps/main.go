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

	"github.com/kerf-ml/kerf/bench/peer"
	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/kernel"
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

// A work maps rows of width d to out features, ours by the function map.
type work struct {
	name   string // as the peer knows it
	title  string
	d, out int
	target map[run.Precision]float64
	apply  func(ctl run.Control, x *data.Matrix, out int) error
}

var works = []work{
	{
		name: "nystroem", title: "F2, fit and map, 100,000×50, 1,000 landmarks", d: 50, out: 1000,
		target: map[run.Precision]float64{run.Float32: 3, run.Float64: 2.4},
		apply: func(ctl run.Control, x *data.Matrix, out int) error {
			f2 := feature.NewF2[data.Vector](kernel.Gaussian{Gamma: 0.01}, out)
			f2.Run = ctl
			m, err := f2.Fit(ctx, x)
			if err != nil {
				return err
			}
			return mapAll(ctl, m, x)
		},
	},
}

// mapAll maps x in the precision of the run.
func mapAll(ctl run.Control, m feature.Map[data.Vector], x *data.Matrix) (err error) {
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
		for _, precision := range []run.Precision{run.Float32, run.Float64} {
			target, ok := w.target[precision]
			if !ok {
				continue
			}
			ctl := run.Control{Workers: 2, Precision: precision}
			row := peer.Row{Work: w.title, Precision: precision.String(), Workers: 2, Target: target, PeerName: "scikit-learn"}
			row, err := peer.Seconds(row, reps, func() {
				if err := w.apply(ctl, x, w.out); err != nil {
					panic(err)
				}
			}, func() (float64, error) {
				return p.Run(map[string]any{"work": w.name, "rows": rows, "d": w.d, "out": w.out, "precision": precision.String(), "threads": 2})
			})
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

// points returns n normal points.
func points(n, d int) *data.Matrix {
	rng := rand.New(rand.NewPCG(1, 2))
	x := data.NewMatrix(n, d)
	for i := range x.Data {
		x.Data[i] = rng.NormFloat64()
	}
	return x
}
