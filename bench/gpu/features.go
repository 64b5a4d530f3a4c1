package main

import (
	"fmt"
	"math"
	"runtime"
	"time"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/internal/alloc"
	"github.com/kerf-ml/kerf/run"
)

// features of F2, back on the host. Their memory has been written to before: to take it from the system for the
// first time takes longer than all else.
func features() error {
	const n, d, m = 1_000_000, 50, 4000
	x := points(n, d)
	f := feature.NewF2[data.Vector](width(d), m)
	f.Run = onGPU
	var fitted *feature.Orthogonal[data.Vector]
	first, fit, err := median(func() (err error) {
		fitted, err = f.FitTo(ctx, data.Range[data.Vector]{Of: x, Lo: 0, Hi: m})
		return err
	})
	if err != nil {
		return err
	}
	report(fmt.Sprintf("F2 fit, %d landmarks, d=%d", m, d), first, fit)
	dst := alloc.Slice[float32](n * fitted.Dim())
	start := time.Now()
	for i := 0; i < len(dst); i += 1024 {
		dst[i] = float32(math.NaN())
	}
	fmt.Printf("%-44s %9.2f ms\n", "its memory, for the first time", time.Since(start).Seconds()*1e3)
	first, mapped, err := median(func() error { return feature.ApplyTo32(ctx, onGPU, fitted, dst, x) })
	if err != nil {
		return err
	}
	report(fmt.Sprintf("F2 map n=%d, %d features", n, fitted.Dim()), first, mapped)
	bytes := 4 * float64(len(dst))
	fmt.Printf("%-44s %9.2f ms, %.1f GB/s came back\n", "F2 fit + map", (fit+mapped).Seconds()*1e3,
		bytes/mapped.Seconds()/1e9)
	if err := exactFeatures(fitted, dst, x); err != nil {
		return err
	}
	runtime.GC()
	_, similar, err := median(func() error {
		quarter := data.Range[data.Vector]{Of: x, Lo: 0, Hi: n / 4}
		return feature.ApplyTo32(ctx, onGPU, fitted.Landmarks(), dst[:n*m/4], quarter)
	})
	if err != nil {
		return err
	}
	report(fmt.Sprintf("F1 map n=%d, %d landmarks", n/4, m), similar, similar)
	const few = 100_000
	wide := alloc.Slice[float64](few * fitted.Dim())
	rows := data.Range[data.Vector]{Of: x, Lo: 0, Hi: few}
	firstWide, double, err := median(func() error { return feature.ApplyTo(ctx, onGPU, fitted, wide, rows) })
	if err != nil {
		return err
	}
	report(fmt.Sprintf("F2 map n=%d, float64 features", few), firstWide, double)
	start = time.Now()
	cpu := run.Control{Device: run.CPU, Precision: run.Float32}
	if err := feature.ApplyTo32(ctx, cpu, fitted, dst[:few*fitted.Dim()], rows); err != nil {
		return err
	}
	report(fmt.Sprintf("F2 map n=%d on the cores", few), time.Since(start), time.Since(start))
	return exactFeatures(fitted, dst, x)
}

// exactFeatures prints the largest error of some rows beside the same sums in double precision, as a part of
// Σ|L⁻¹||K|.
func exactFeatures(f *feature.Orthogonal[data.Vector], got []float32, x *data.Matrix32) error {
	const rows = 200
	cpu := run.Control{Device: run.CPU}
	exact := feature.NewLandmarks(f.Landmarks().Kernel(), f.Landmarks().Instances(), run.Float64)
	k, err := feature.Apply(ctx, cpu, exact, data.Source[data.Vector](data.Range[data.Vector]{Of: x, Lo: 0, Hi: rows}))
	if err != nil {
		return err
	}
	worst := 0.0
	for i := range rows {
		for j := range f.Dim() {
			sum, size := 0.0, 0.0
			for q, a := range f.Inverse().Row(j)[:j+1] {
				sum += a * k.Row(i)[q]
				size += math.Abs(a * k.Row(i)[q])
			}
			worst = max(worst, math.Abs(float64(got[i*f.Dim()+j])-sum)/size)
		}
	}
	fmt.Printf("%-44s %9.1e of Σ|B||K|\n", "error of a feature", worst)
	return nil
}
