package gram_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/internal/compute"
	"github.com/kerf-ml/kerf/internal/linalg"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// solver is a back end whose calls end as a test says.
type solver struct {
	naive
	err error
}

func (b *solver) Open() error      { return nil }
func (b *solver) FastDouble() bool { return true }

func (b *solver) Bind(f kernel.Form, y data.Source[data.Vector], p run.Precision) (compute.Bound, error) {
	bound, err := b.naive.Bind(f, y, p)
	if err != nil {
		return nil, err
	}
	return solverBound{bound, b}, nil
}

type solverBound struct {
	compute.Bound
	*solver
}

func (b solverBound) Minimise(_ context.Context, _ run.Control, q *compute.Quadratic, d compute.Descent) error {
	q.Values += 7
	if err := d.Round(1, 2, nil); err != nil {
		return err
	}
	return b.err
}

func (b solverBound) Factor(context.Context, run.Control, float64) (compute.Factor, error) {
	if b.err != nil {
		return nil, b.err
	}
	return &solverFactor{b.solver}, nil
}

func (b solverBound) Orthogonalise(
	context.Context, run.Control, float64, float64,
) ([]int, *data.Matrix, error) {
	return []int{2, 1}, data.NewMatrix(2, 2), b.err
}

type solverFactor struct{ *solver }

func (f *solverFactor) Inner(context.Context, run.Control, float64, float64) (compute.Factor, error) {
	return nil, f.err
}
func (f *solverFactor) Solve(context.Context, *data.Matrix, bool) error   { return f.err }
func (f *solverFactor) MulTransposed(context.Context, *data.Matrix) error { return f.err }
func (f *solverFactor) Release()                                          {}

// TestMinimise: what a device cannot do is left to the caller, with a note; what fails on one that was
// chosen is an error, and so is what its caller says.
func TestMinimise(t *testing.T) {
	x, stop := points(30, 2), errors.New("stop")
	for _, c := range []struct {
		what         string
		device       run.Device
		k            vectors
		fails, round error
		want, note   string
	}{
		{what: "solved", device: other, k: kernel.Gaussian{Gamma: 1}},
		{what: "the cores", device: run.CPU, k: kernel.Gaussian{Gamma: 1}},
		{what: "little work", device: run.Auto, k: kernel.Gaussian{Gamma: 1}},
		{what: "no back end", device: other + 1, k: kernel.Gaussian{Gamma: 1}, want: "device(201)"},
		{what: "another kernel", device: other, k: kernel.Laplacian{Gamma: 1}, note: "stays on the CPU"},
		{what: "no room", device: other, k: kernel.Gaussian{Gamma: 1}, fails: compute.ErrNoRoom, note: "does not fit"},
		{what: "a fault", device: other, k: kernel.Gaussian{Gamma: 1}, fails: errors.New("lost"), want: "naive: lost"},
		{what: "the caller", device: other, k: kernel.Gaussian{Gamma: 1}, round: stop, want: "stop"},
	} {
		restore := gram.SetBackend(other, &solver{err: c.fails})
		places, counter := &run.Places{}, run.Counter{}
		err := gram.Minimise(ctx, run.Control{Device: c.device, Places: places, Counter: &counter}, c.k,
			data.Source[data.Vector](x), run.Float64, &compute.Quadratic{},
			compute.Descent{Round: func(_, _ float64, _ func() error) error { return c.round }})
		restore()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.what, err)
		}
		if _, why := places.Device(); (why == "") != (c.note == "") || !strings.Contains(why, c.note) {
			t.Errorf("%s: noted %q", c.what, why)
		}
		if c.what == "solved" && counter.Count() != 7 {
			t.Errorf("%d values are counted", counter.Count())
		}
	}
}

// TestFactor: the same of factors. One that nobody chose leaves everything to the cores.
func TestFactor(t *testing.T) {
	large := points(2200, 1)
	for _, c := range []struct {
		what       string
		device     run.Device
		fails      error
		there      bool
		want, note string
	}{
		{what: "factored", device: other, there: true},
		{what: "the cores", device: run.CPU},
		{what: "no room", device: other, fails: compute.ErrNoRoom, note: "does not fit"},
		{what: "a fault", device: other, fails: errors.New("lost"), want: "naive: lost"},
		{what: "no factor", device: other, fails: &linalg.NotPositiveError{Index: 3, Pivot: -1}, want: "pivot 3 is -1"},
		{what: "no numbers", device: other, fails: &linalg.NotPositiveError{Pivot: math.NaN()}},
		{what: "nobody's choice", device: run.Auto, there: true},
		{what: "nobody's choice, a fault", device: run.Auto, fails: errors.New("lost"), note: "naive: lost"},
	} {
		b := &solver{err: c.fails}
		here, there := gram.SetBackend(other, b), gram.SetBackend(run.GPU, b)
		places := &run.Places{}
		ctl := run.Control{Device: c.device, Places: places}
		f, err := gram.Factor(ctx, ctl, vectors(kernel.Gaussian{Gamma: 1}), data.Source[data.Vector](large), 1)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) || (f != nil) != c.there {
			t.Errorf("%s: %v, %v", c.what, f, err)
		}
		if _, why := places.Device(); (why == "") != (c.note == "") || !strings.Contains(why, c.note) {
			t.Errorf("%s: noted %q", c.what, why)
		}
		if f != nil {
			b.err = errors.New("gone")
			var lost *gram.LostError
			if err := f.Solve(ctx, nil, true); err == nil || errors.As(err, &lost) != (c.device == run.Auto) {
				t.Errorf("%s: a device that is gone: %v", c.what, err)
			}
			f.Release()
		}
		here()
		there()
	}
}

// TestOrthogonalise: the same of a pivoted factorisation. What is no kernel is left to the cores, without a note.
func TestOrthogonalise(t *testing.T) {
	large := points(2200, 1)
	for _, c := range []struct {
		what       string
		device     run.Device
		fails      error
		there      bool
		want, note string
	}{
		{what: "there", device: other, there: true},
		{what: "the cores", device: run.CPU},
		{what: "no back end", device: other + 1},
		{what: "no kernel", device: other, fails: compute.ErrNotPSD},
		{what: "no room", device: other, fails: compute.ErrNoRoom, note: "does not fit"},
		{what: "a fault", device: other, fails: errors.New("lost"), there: true, want: "naive: lost"},
		{what: "a fault that nobody chose", device: run.Auto, fails: errors.New("lost"), note: "naive: lost"},
		{what: "nobody chose", device: run.Auto, there: true},
	} {
		restore, restoreAuto := gram.SetBackend(other, &solver{err: c.fails}), gram.SetBackend(run.GPU, &solver{err: c.fails})
		places, counter := &run.Places{}, run.Counter{}
		ctl := run.Control{Device: c.device, Places: places, Counter: &counter}
		pivot, inverse, done, err := gram.Orthogonalise[data.Vector](ctx, ctl, kernel.Gaussian{Gamma: 1}, large, 1e-9, 1e-10)
		restore()
		restoreAuto()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.what, err)
		}
		if done != c.there || (done && err == nil) != (len(pivot) == 2 && inverse != nil) {
			t.Errorf("%s: done %v, pivots %v", c.what, done, pivot)
		}
		if _, why := places.Device(); (why == "") != (c.note == "") || !strings.Contains(why, c.note) {
			t.Errorf("%s: noted %q", c.what, why)
		}
		if want := int64(2200 * 2200); done && err == nil && counter.Count() != want {
			t.Errorf("%s: %d values are counted", c.what, counter.Count())
		}
	}
	ended, stop := context.WithCancel(ctx)
	stop()
	defer gram.SetBackend(other, &solver{err: context.Canceled})()
	_, _, done, err := gram.Orthogonalise[data.Vector](ended, run.Control{Device: other}, kernel.Gaussian{Gamma: 1}, large,
		1e-9, 1e-10)
	if !done || err != context.Canceled {
		t.Errorf("cancelled: %v, %v", done, err)
	}
}
