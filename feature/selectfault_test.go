package feature_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// TestSelectNotAKernel: what proves that K is no kernel is an error that says
// so, and uniform landmarks take it.
func TestSelectNotAKernel(t *testing.T) {
	x := points(60, 2, 7)
	sigmoid := kernel.Func[data.Vector](func(a, b data.Vector) float64 { return math.Tanh(a.Dot(b) - 1) })
	large := kernel.Func[data.Vector](func(a, b data.Vector) float64 {
		if a.Value[0] == b.Value[0] {
			return 1
		}
		return 2
	})
	for _, k := range []kernel.Kernel[data.Vector]{sigmoid, large} {
		for _, s := range looking {
			for _, block := range []int{1, 6} {
				r := feature.NewChooser(k, 20, s)
				r.Block = block
				var fault *feature.NotPSDError
				if _, err := r.Choose(ctx, x); !errors.As(err, &fault) {
					t.Errorf("%s returns %v", s, err)
				} else if !strings.Contains(err.Error(), string(s)) {
					t.Errorf("%v does not name %s", err, s)
				}
			}
		}
	}
	huge := kernel.Func[data.Vector](func(a, b data.Vector) float64 {
		if a.Value[0] == b.Value[0] {
			return 1
		}
		return -1e308
	})
	for _, s := range looking {
		if _, err := feature.NewChooser(huge, 20, s).Choose(ctx, x); err == nil {
			t.Errorf("%s takes values of -1e308", s)
		}
	}
}

// TestSelectNearlySingular: kernels whose Gram matrices are singular to rounding
// are kernels still, and the factor is as good as its tolerance says.
func TestSelectNearlySingular(t *testing.T) {
	x, far := points(700, 2, 7), points(700, 2, 8)
	for _, p := range far {
		p.Value[0] += 1e5
	}
	for _, c := range []struct {
		k kernel.Kernel[data.Vector]
		x data.Source[data.Vector]
	}{
		{kernel.Gaussian{Gamma: 1e-4}, x}, {kernel.Gaussian{Gamma: 0.01}, x}, {kernel.Gaussian{Gamma: 1}, far},
		{kernel.NewPolynomial(7), x}, {kernel.NewPolynomial(2), far}, {kernel.Linear{}, far},
	} {
		for _, s := range looking {
			for _, block := range []int{1, 0} {
				for _, tolerance := range []float64{0, 1e-12, 1e-6, 0.1} {
					r := feature.NewChooser(c.k, 200, s)
					r.Block, r.Tolerance = block, tolerance
					got, err := r.Choose(ctx, c.x)
					if err != nil {
						t.Errorf("%s, %v, tolerance %v: %v", s, c.k, tolerance, err)
						continue
					}
					f2 := feature.NewF2(c.k, 200)
					f2.Select = s
					if m, err := f2.Fit(ctx, c.x); err != nil || m.Dim() > len(got.Index) && tolerance == 0 {
						t.Errorf("%s, %v: F2 gives %v", s, c.k, err)
					}
				}
			}
		}
	}
}

func TestSelectFaults(t *testing.T) {
	x := points(50, 2, 1)
	k := kernel.Gaussian{Gamma: 1}
	for _, r := range []feature.Chooser[data.Vector]{
		{Kernel: k, Size: 1, Select: "best"}, {Kernel: k, Size: 0}, {Size: 1}, {Kernel: k, Size: 1, Pool: -1},
		{Kernel: k, Size: 1, Block: -1}, {Kernel: k, Size: 1, Tolerance: 1}, {Kernel: k, Size: 1, Tolerance: math.NaN()},
	} {
		if _, err := r.Choose(ctx, x); err == nil {
			t.Errorf("%+v passes", r)
		}
	}
	f1, f2 := feature.NewF1[data.Vector](k, 3), feature.NewF2[data.Vector](k, 3)
	f1.Select, f2.Select = "best", "best"
	if f1.Validate() == nil || f2.Validate() == nil {
		t.Error("an unknown selection passes")
	}
	endless := feature.NewChooser[data.Vector](k, math.MaxInt, feature.Independent)
	var room *run.MemoryError
	if _, err := endless.Choose(ctx, x); !errors.As(err, &room) {
		t.Errorf("landmarks without end: got %v", err)
	}
	none := kernel.Func[data.Vector](func(a, b data.Vector) float64 { return 0 })
	wrong := kernel.Func[data.Vector](func(a, b data.Vector) float64 { return math.Inf(1) })
	big := kernel.Func[data.Vector](func(a, b data.Vector) float64 { return 1e307 })
	for _, s := range feature.Selections {
		r := feature.NewChooser[data.Vector](k, 20, s)
		if _, err := r.Choose(ctx, data.Slice[data.Vector]{}); err == nil {
			t.Errorf("%s: no error for no data", s)
		}
		cancelled, cancel := context.WithCancel(ctx)
		cancel()
		if _, err := r.Choose(cancelled, x); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: cancelled, got %v", s, err)
		}
		if s == feature.Uniform || s == feature.Independent {
			continue
		}
		for _, k := range []kernel.Kernel[data.Vector]{none, wrong, big} {
			if _, err := feature.NewChooser(k, 20, s).Choose(ctx, x); err == nil {
				t.Errorf("%s: no error for a bad kernel", s)
			}
		}
		if s != feature.KMeans {
			r.Run.Memory = 1000
			var memory *run.MemoryError
			if _, err := r.Choose(ctx, x); !errors.As(err, &memory) {
				t.Errorf("%s: got %v", s, err)
			}
		}
	}
}

// TestSelectCancel ends the context in the middle: after so many evaluations.
func TestSelectCancel(t *testing.T) {
	x := points(300, 2, 1)
	for _, s := range looking {
		for _, block := range []int{1, 5} {
			for _, after := range []int64{1, 299, 301, 700, 2000} {
				within, cancel := context.WithCancel(ctx)
				calls := new(run.Counter)
				r := feature.NewChooser[data.Vector](kernel.Func[data.Vector](func(a, b data.Vector) float64 {
					if calls.Add(1); calls.Count() >= after {
						cancel()
					}
					return math.Exp(-a.Distance2(b))
				}), 30, s)
				r.Block = block
				if _, err := r.Choose(within, x); !errors.Is(err, context.Canceled) {
					t.Errorf("%s after %d: %v", s, after, err)
				}
				if calls.Count() > after+600 {
					t.Errorf("%s: %d evaluations after it was cancelled", s, calls.Count()-after)
				}
				cancel()
			}
		}
	}
}
