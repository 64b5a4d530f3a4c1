// Command gpu measures the back end on a GPU: make bench-gpu. It is built with the tag
// cuda and needs a device; bench/gpu/peer.py measures PyTorch on the same sizes.
//
// Times are medians of five after one call to warm up, in milliseconds. What is measured
// is named by arguments; without any, all of it.
package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"time"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/kernelized"
	"github.com/kerf-ml/kerf/run"
)

var ctx = context.Background()

// measurements in their order.
var measurements = []struct {
	name string
	run  func() error
}{
	{"products", products}, {"accuracy", accuracy}, {"features", features}, {"predict", predict}, {"stream", stream},
	{"falkon", falkon}, {"svm", svm},
}

func main() {
	device, err := gram.DeviceName(run.GPU)
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench/gpu:", err)
		os.Exit(1)
	}
	fmt.Printf("device: %s\n", device)
	for _, m := range measurements {
		if len(os.Args) > 1 && !slices.Contains(os.Args[1:], m.name) {
			continue
		}
		if err := m.run(); err != nil {
			fmt.Fprintf(os.Stderr, "bench/gpu: %s: %v\n", m.name, err)
			os.Exit(1)
		}
	}
}

var onGPU = run.Control{Device: run.GPU, Precision: run.Float32}

// points returns n standard normal vectors, from one table of them: drawing them anew
// would take longer than what is measured.
func points(n, d int) *data.Matrix32 {
	rng := rand.New(rand.NewPCG(uint64(n), uint64(d)))
	table := make([]float32, 1<<20)
	for i := range table {
		table[i] = float32(rng.NormFloat64())
	}
	m := data.NewMatrix32(n, d)
	for i := range n {
		at := rng.IntN(len(table) - d)
		copy(m.Row(i), table[at:at+d])
		m.Row(i)[i%d] += float32(rng.Float64())
	}
	return m
}

func width(d int) kernel.Gaussian { return kernel.Gaussian{Gamma: 0.5 / float64(d)} }

// median returns the median time of five calls after a first one, and that of the first.
func median(call func() error) (first, rest time.Duration, err error) {
	var all []time.Duration
	for range 6 {
		start := time.Now()
		if err := call(); err != nil {
			return 0, 0, err
		}
		all = append(all, time.Since(start))
	}
	first = all[0]
	slices.Sort(all[1:])
	return first, all[1:][2], nil
}

func report(what string, first, rest time.Duration) {
	fmt.Printf("%-44s %9.2f ms  (first %.2f ms)\n", what, rest.Seconds()*1e3, first.Seconds()*1e3)
}

// products with rows that are on the device.
func products() error {
	const m = 10_000
	for _, c := range []struct{ n, d int }{{2_000_000, 18}, {500_000, 90}, {500_000, 440}} {
		x, y := points(c.n, c.d), points(m, c.d)
		v, u := data.NewMatrix(1, m), data.NewMatrix(1, m)
		for j := range v.Data {
			v.Data[j] = math.Sin(float64(j))
		}
		columns := gram.BindPrecision[data.Vector](width(c.d), y, run.Float32)
		wide := data.NewMatrix(1, c.n)
		square := columns.Against(onGPU, x)
		first, rest, err := median(func() error { return square.Product(ctx, onGPU, wide, v) })
		if err != nil {
			return err
		}
		report(fmt.Sprintf("K·v n=%d m=%d d=%d", c.n, m, c.d), first, rest)
		first, rest, err = median(func() error { return square.ProductNormalMany(ctx, onGPU, u, v, nil, nil) })
		if err != nil {
			return err
		}
		report(fmt.Sprintf("KᵀKv n=%d m=%d d=%d", c.n, m, c.d), first, rest)
		first, rest, err = median(func() error {
			return columns.ProductNormalMany(ctx, onGPU, u, x, v, nil, nil)
		})
		if err != nil {
			return err
		}
		report(fmt.Sprintf("KᵀKv n=%d m=%d d=%d, from the host", c.n, m, c.d), first, rest)
	}
	return nil
}

// accuracy compares K·v with double precision on the cores, as a part of Σ|K||v|.
func accuracy() error {
	const n, m = 2000, 10_000
	for _, d := range []int{18, 90, 440} {
		x, y := points(n, d), points(m, d)
		v, one := make([]float64, m), make([]float64, m)
		for j := range v {
			v[j], one[j] = math.Sin(float64(j)), math.Abs(math.Sin(float64(j)))
		}
		want, size, got, up := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
		exact := gram.Bind[data.Vector](width(d), y)
		single := gram.BindPrecision[data.Vector](width(d), y, run.Float32)
		cpu := run.Control{Device: run.CPU}
		if err := exact.Product(ctx, cpu, want, x, v); err != nil {
			return err
		}
		if err := exact.Product(ctx, cpu, size, x, one); err != nil {
			return err
		}
		for _, c := range []struct {
			name string
			of   *gram.Columns[data.Vector]
			ctl  run.Control
		}{{"gpu float32", single, onGPU}, {"cpu float32", single, cpu}, {"gpu float64", exact, onGPU}} {
			if err := c.of.Product(ctx, c.ctl, got, x, v); err != nil {
				return err
			}
			if err := c.of.Product(ctx, c.ctl, up, x, one); err != nil {
				return err
			}
			worst, worstUp := 0.0, 0.0
			for i := range got {
				worst = max(worst, math.Abs(got[i]-want[i])/size[i])
				worstUp = max(worstUp, math.Abs(up[i]-size[i])/size[i])
			}
			fmt.Printf("%-44s %9.1e of Σ|K||v|, %.1e for v ≥ 0\n", fmt.Sprintf("error of K·v d=%d, %s", d, c.name), worst,
				worstUp)
		}
	}
	return nil
}

// predict takes rows from memory of the host.
func predict() error {
	const n, m, d = 1_000_000, 10_000, 18
	x, y := points(n, d), points(m, d)
	v, dst := make([]float64, m), make([]float64, n)
	for j := range v {
		v[j] = math.Sin(float64(j))
	}
	columns := gram.BindPrecision[data.Vector](width(d), y, run.Float32)
	first, rest, err := median(func() error { return columns.Product(ctx, onGPU, dst, x, v) })
	if err != nil {
		return err
	}
	report("predict n=1e6, 10000 support vectors, d=18", first, rest)
	start := time.Now()
	if err := columns.Product(ctx, run.Control{Device: run.CPU, Precision: run.Float32}, dst, x, v); err != nil {
		return err
	}
	report("the same on the cores", time.Since(start), time.Since(start))
	return nil
}

// stream has rows that do not stay on the device: each product brings them anew.
func stream() error {
	const n, m, d = 10_000_000, 10_000, 9
	x, y := points(n, d), points(m, d)
	v, u := data.NewMatrix(1, m), data.NewMatrix(1, m)
	for j := range v.Data {
		v.Data[j] = math.Sin(float64(j))
	}
	columns := gram.BindPrecision[data.Vector](width(d), y, run.Float32)
	first, rest, err := median(func() error { return columns.ProductNormalMany(ctx, onGPU, u, x, v, nil, nil) })
	if err != nil {
		return err
	}
	report("KᵀKv n=1e7 m=10000 d=9, from the host", first, rest)
	return nil
}

// labels returns the sign of a smooth function, with noise.
func labels(x *data.Matrix32) []float64 {
	rng := rand.New(rand.NewPCG(1, 1))
	y := make([]float64, x.Rows)
	for i := range y {
		row := x.Row(i)
		s := float64(row[0]*row[1]) + math.Sin(2*float64(row[2])) + 0.3*rng.NormFloat64()
		y[i] = math.Copysign(1, s)
	}
	return y
}

// falkon has the size of SUSY.
func falkon() error {
	const n, m, d = 5_000_000, 10_000, 18
	x := points(n, d)
	y := labels(x)
	f := kernelized.NewFalkon[data.Vector](width(d))
	f.Landmarks, f.MaxIterations, f.Tolerance, f.Run = m, 20, 0, onGPU
	for range 3 {
		start := time.Now()
		_, report, err := f.Fit(ctx, data.Labeled[data.Vector, float64]{X: x, Y: y})
		if err != nil {
			return err
		}
		fmt.Printf("%-44s %9.2f s  (%d steps)\n", "falkon n=5e6 d=18, 10000 landmarks", time.Since(start).Seconds(),
			report.Iterations)
	}
	return nil
}

// svm is trained on the device and, once, on the cores.
func svm() error {
	const n, d = 200_000, 20
	x := points(n, d)
	y := labels(x)
	s := kernelized.NewSVM[data.Vector](width(d))
	var last learn.Report
	fit := func() (err error) {
		_, last, err = s.Fit(ctx, data.Labeled[data.Vector, float64]{X: x, Y: y})
		return err
	}
	told := func() {
		fmt.Printf("  %d steps, %d support vectors, objective %.4f, gap %.3f\n", last.Iterations, last.Support,
			last.Objective, last.Gap)
	}
	s.Run = onGPU
	first, rest, err := median(fit)
	if err != nil {
		return err
	}
	report("kernel-svm n=2e5 d=20", first, rest)
	told()
	s.Run = run.Control{Device: run.GPU}
	if first, rest, err = median(fit); err != nil {
		return err
	}
	report("the same, finished in double", first, rest)
	told()
	s.Run = run.Control{Device: run.CPU, Precision: run.Float32}
	start := time.Now()
	if err := fit(); err != nil {
		return err
	}
	report("the first on the cores", time.Since(start), time.Since(start))
	told()
	return nil
}
