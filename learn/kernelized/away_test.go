package kernelized_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn/kernelized"
	"github.com/kerf-ml/kerf/run"
)

// TestSVMOnDevice: the objective on a GPU is that of the cores to the tolerance, and so is
// the support but for variables near their bounds.
func TestSVMOnDevice(t *testing.T) {
	if _, err := gram.DeviceName(run.GPU); err != nil {
		t.Skipf("not run: %v", err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	x, y := data.NewMatrix(9000, 6), make([]float64, 9000)
	for i := range y {
		row := x.Row(i)
		for j := range row {
			row[j] = rng.NormFloat64()
		}
		y[i] = math.Copysign(1, row[0]*row[1]+0.3*rng.NormFloat64())
	}
	for _, p := range []run.Precision{run.Float64, run.Float32} {
		fit := func(device run.Device) (int, float64, float64, *run.Places) {
			s := kernelized.NewSVM[data.Vector](kernel.Gaussian{Gamma: 0.1})
			places := &run.Places{}
			s.Run = run.Control{Device: device, Precision: p, Places: places}
			m, r, err := s.Fit(t.Context(), data.Labeled[data.Vector, float64]{X: x, Y: y})
			if err != nil {
				t.Fatal(err)
			}
			return len(m.Weight), r.Objective, r.Gap, places
		}
		support, objective, gap, _ := fit(run.CPU)
		at, value, left, places := fit(run.GPU)
		name, why := places.Device()
		t.Logf("%v: %d support, %.9f, gap %.2g on the cores; %d, %.9f, %.2g on %s (%s)", p, support, objective, gap, at,
			value, left, name, why)
		// Both are within their gaps above the optimum, but for rounding of the scores in single precision.
		if math.Abs(objective-value) > gap+left+1e-6*math.Abs(objective) || name == "" ||
			math.Abs(float64(support-at)) > 0.01*float64(support) {
			t.Errorf("%v: elsewhere", p)
		}
	}
}

// TestSVMOnDeviceResumed: a state that was saved between rounds on a GPU leads to the same bits.
func TestSVMOnDeviceResumed(t *testing.T) {
	if _, err := gram.DeviceName(run.GPU); err != nil {
		t.Skipf("not run: %v", err)
	}
	rng := rand.New(rand.NewPCG(1, 5))
	x, y := data.NewMatrix(6000, 3), make([]float64, 6000)
	for i := range y {
		for j := range x.Row(i) {
			x.Row(i)[j] = rng.NormFloat64()
		}
		y[i] = math.Copysign(1, x.Row(i)[0]+0.5*rng.NormFloat64())
	}
	s := kernelized.NewSVM[data.Vector](kernel.Gaussian{Gamma: 0.3})
	s.C, s.Run = 10, run.Control{Device: run.GPU, Precision: run.Float32}
	var states [][]byte
	s.Checkpoint = kernelized.Checkpoint{Every: 1, Save: func(state []byte) error {
		states = append(states, state)
		return nil
	}}
	d := data.Labeled[data.Vector, float64]{X: x, Y: y}
	want, report, err := s.Fit(t.Context(), d)
	if err != nil || len(states) < 3 {
		t.Fatalf("%v, %d states", err, len(states))
	}
	s.Checkpoint = kernelized.Checkpoint{From: states[len(states)/2]}
	got, again, err := s.Fit(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.Weight, want.Weight) || got.Bias != want.Bias || again.Iterations != report.Iterations {
		t.Errorf("it ends elsewhere: objective %v, want %v", again.Objective, report.Objective)
	}
}

// TestFalkonOnDevice: the objective and the scores on a GPU are those of the cores, for one target and
// for several, with a start, and where landmarks depend on each other.
func TestFalkonOnDevice(t *testing.T) {
	if _, err := gram.DeviceName(run.GPU); err != nil {
		t.Skipf("not run: %v", err)
	}
	rng := rand.New(rand.NewPCG(1, 3))
	x, y := data.NewMatrix(20000, 5), make([]float64, 20000)
	for i := range y {
		row := x.Row(i)
		for j := range row {
			row[j] = rng.NormFloat64()
		}
		y[i] = math.Sin(row[0]*row[1]) + 0.1*rng.NormFloat64()
	}
	for _, gamma := range []float64{0.3, 1e-4} {
		fit := func(device run.Device, p run.Precision, start []float64) (*kernelized.Regression[data.Vector], float64) {
			f := kernelized.NewFalkon[data.Vector](kernel.Gaussian{Gamma: gamma})
			places := &run.Places{}
			f.Landmarks, f.Lambda, f.Start = 700, 1e-5, start
			f.Run = run.Control{Device: device, Precision: p, Places: places}
			m, r, err := f.Fit(t.Context(), data.Labeled[data.Vector, float64]{X: x, Y: y})
			if err != nil {
				t.Fatal(err)
			}
			name, why := places.Device()
			t.Logf("%v %v gamma %g: objective %.10f after %d steps (%s)", device, p, gamma, r.Objective, r.Iterations, why)
			if (name == "") != (device == run.CPU) {
				t.Errorf("%v computed on %q", device, name)
			}
			return m, r.Objective
		}
		want, objective := fit(run.CPU, run.Float64, nil)
		for _, p := range []run.Precision{run.Float64, run.Float32} {
			// Both stop where the gradient is 1e-4 of what it was: the objective, of about 0.1, is then near 1e-8 of
			// that of the solution. What single precision adds is as on the cores.
			_, here := fit(run.CPU, p, nil)
			got, value := fit(run.GPU, p, nil)
			_, warm := fit(run.GPU, p, got.Weight)
			slack := 1e-6*(1+objective) + 2*math.Abs(here-objective)
			if math.Abs(value-objective) > slack || math.Abs(warm-objective) > slack {
				t.Errorf("%v: objective %v and %v, want %v within %g", p, value, warm, objective, slack)
			}
			for i := range 100 {
				a, b := want.Score(x.At(i)), got.Score(x.At(i))
				if math.Abs(a-b) > 1e-2 { // a tenth of the noise
					t.Fatalf("%v: score %d is %v, want %v", p, i, b, a)
				}
			}
		}
	}
}

// TestPairsOnDevice: pairs of classes are solved side by side.
func TestPairsOnDevice(t *testing.T) {
	if _, err := gram.DeviceName(run.GPU); err != nil {
		t.Skipf("not run: %v", err)
	}
	const classes, n = 4, 10000
	rng := rand.New(rand.NewPCG(1, 4))
	x, y := data.NewMatrix(n, 4), make([]int, n)
	for i := range y {
		y[i] = i % classes
		for j := range x.Row(i) {
			x.Row(i)[j] = 1.2 * rng.NormFloat64()
		}
		x.Row(i)[y[i]] += 2
	}
	fit := func(device run.Device) (float64, int) {
		s := kernelized.NewSVM[data.Vector](kernel.Gaussian{Gamma: 0.1})
		places := &run.Places{}
		s.Run = run.Control{Device: device, Precision: run.Float32, Places: places}
		m, r, err := s.FitClasses(t.Context(), data.Labeled[data.Vector, int]{X: x, Y: y}, classes)
		if err != nil {
			t.Fatal(err)
		}
		if name, _ := places.Device(); (name == "") != (device == run.CPU) {
			t.Errorf("%v computed on %q", device, name)
		}
		return r.Objective, m.Support.Len()
	}
	objective, support := fit(run.CPU)
	value, at := fit(run.GPU)
	t.Logf("%d support, objective %v on the cores; %d, %v", support, objective, at, value)
	// Tolerances of 1e-3 a variable of the support leave about that part of the objective.
	if math.Abs(value-objective) > 1e-4*math.Abs(objective) || math.Abs(float64(at-support)) > 0.02*float64(support) {
		t.Error("elsewhere")
	}
}
