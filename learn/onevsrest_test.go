package learn_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/linear"
	"github.com/kerf-ml/kerf/run"
)

// clusters returns n points around a centre a class, on the axes.
func clusters(n, classes int) data.Labeled[data.Vector, int] {
	rng := seed.Stream(3, seed.Generator, 0)
	m, y := data.NewMatrix(n, classes), make([]int, n)
	for i := range n {
		y[i] = i % classes
		for j := range m.Row(i) {
			m.Row(i)[j] = rng.NormFloat64() / 4
		}
		m.Row(i)[y[i]] += 2
	}
	return data.Labeled[data.Vector, int]{X: m, Y: y}
}

type recipe = learn.OneVsRest[data.Vector, *linear.Separator]

// The recipe is itself a learner.
var _ learn.Learner[data.Vector, int, *learn.Multi[data.Vector, *linear.Separator]] = recipe{}

func TestOneVsRest(t *testing.T) {
	for _, classes := range []int{2, 3, 7} {
		d := clusters(40*classes, classes)
		o := recipe{Learner: linear.NewSVM(), Classes: classes}
		m, r, err := o.Fit(t.Context(), d)
		if err != nil || r.Status != learn.Converged || m.Classes() != classes {
			t.Fatalf("%d classes: %v, %+v", classes, err, r)
		}
		if len(m.Binary()) != learn.Separators(classes) {
			t.Errorf("%d classes have %d separators", classes, len(m.Binary()))
		}
		scores := make([]float64, classes)
		wrong := 0
		for i := range d.X.Len() {
			m.Scores(scores, d.X.At(i))
			best := 0
			for k, s := range scores {
				if s > scores[best] {
					best = k
				}
			}
			if p := m.Predict(d.X.At(i)); p != best {
				t.Fatalf("row %d: predicts %d with scores %v", i, p, scores)
			}
			if best != d.Y[i] {
				wrong++
			}
		}
		if wrong > 0 { // centres are 2.8 apart, 11 standard deviations
			t.Errorf("%d classes: %d wrong", classes, wrong)
		}
		back, err := learn.NewMulti[data.Vector](classes, m.Binary())
		if err != nil || !reflect.DeepEqual(back, m) {
			t.Errorf("%d classes: not the same from its parts: %v", classes, err)
		}
	}
}

func TestOneVsRestWorkers(t *testing.T) {
	d := clusters(300, 5)
	var first *learn.Multi[data.Vector, *linear.Separator]
	for _, workers := range []int{1, 2, 3, 8} {
		steps := int64(0)
		ctl := run.Control{Workers: workers, Progress: run.Progress{Step: func(done int64) { steps = done }}}
		m, _, err := recipe{Learner: linear.NewSVM(), Classes: 5, Run: ctl}.Fit(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = m
		}
		if !reflect.DeepEqual(m, first) {
			t.Errorf("%d workers give another model", workers)
		}
		if steps != 5 {
			t.Errorf("%d workers: progress ends at %d", workers, steps)
		}
	}
}

func TestOneVsRestValidate(t *testing.T) {
	bad := linear.NewSVM()
	bad.C = -1
	err := recipe{Learner: bad, Classes: 1}.Validate()
	if err == nil || !strings.Contains(err.Error(), "classes is 1") || !strings.Contains(err.Error(), "C is -1") {
		t.Errorf("faults: %v", err)
	}
	if err := (recipe{Classes: 2}).Validate(); err == nil {
		t.Error("no learner, no fault")
	}
	four := recipe{Learner: linear.NewSVM(), Classes: 4}
	if _, _, err := four.Fit(t.Context(), clusters(30, 3)); !errors.Is(err, learn.ErrOneClass) {
		t.Errorf("a class without rows: %v", err)
	}
	if _, err := learn.NewMulti[data.Vector](3, []*linear.Separator{{}}); err == nil {
		t.Error("three classes of one separator")
	}
}

// stub is a learner that runs a function.
type stub func(ctx context.Context, positive int) (*linear.Separator, learn.Report, error)

func (stub) Validate() error { return nil }
func (f stub) Fit(ctx context.Context, d data.Labeled[data.Vector, float64]) (*linear.Separator, learn.Report, error) {
	positive := 0
	for i, y := range d.Y {
		if y > 0 {
			positive = i
		}
	}
	return f(ctx, positive)
}

func TestOneVsRestStopped(t *testing.T) {
	d := clusters(3, 3) // row i has class i
	fit := func(when int) (*learn.Multi[data.Vector, *linear.Separator], learn.Report, error) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		s := stub(func(_ context.Context, positive int) (*linear.Separator, learn.Report, error) {
			r := learn.Report{Status: learn.Converged, Iterations: 1, Gap: 2, Objective: 3}
			if positive == when {
				cancel()
				r.Status = learn.Cancelled
			}
			return &linear.Separator{}, r, nil
		})
		return recipe{Learner: s, Classes: 3, Run: run.Control{Workers: 1}}.Fit(ctx, d)
	}
	m, r, err := fit(1)
	if m != nil || r.Status != learn.Cancelled || !errors.Is(err, context.Canceled) ||
		!strings.Contains(err.Error(), "2 of 3") {
		t.Errorf("stopped after two classes: %v, %+v, %v", m, r, err)
	}
	m, r, err = fit(2)
	r.Elapsed = 0
	want := learn.Report{Status: learn.Cancelled, Iterations: 3, Gap: 6, Objective: 9}
	if m == nil || r != want || err != nil {
		t.Errorf("stopped in the last class: %v, %+v, %v", m, r, err)
	}
	boom := errors.New("boom")
	s := stub(func(context.Context, int) (*linear.Separator, learn.Report, error) { return nil, learn.Report{}, boom })
	if _, _, err := (recipe{Learner: s, Classes: 3}).Fit(t.Context(), d); !errors.Is(err, boom) ||
		!strings.Contains(err.Error(), "against the rest") {
		t.Errorf("failing learner: %v", err)
	}
}

func TestMerge(t *testing.T) {
	if r := learn.Merge(); r != (learn.Report{}) {
		t.Errorf("of nothing: %+v", r)
	}
	order := []learn.Status{learn.Converged, learn.BelowTolerance, learn.IterationLimit, learn.TimeLimit, learn.Cancelled}
	for i, a := range order {
		for j, b := range order {
			if got, want := learn.Merge(learn.Report{Status: a}, learn.Report{Status: b}).Status, order[max(i, j)]; got != want {
				t.Errorf("%s and %s: %s, want %s", a, b, got, want)
			}
		}
	}
	r := learn.Report{Iterations: 1, Objective: 2, Gap: 3, Mistakes: 4, Support: 5, Evaluations: 6, Elapsed: 7}
	want := learn.Report{Iterations: 2, Objective: 4, Gap: 6, Mistakes: 8, Support: 10, Evaluations: 12, Elapsed: 14}
	if got := learn.Merge(r, r); got != want {
		t.Errorf("sums: %+v", got)
	}
}

func TestStopped(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
	defer cancel()
	<-ctx.Done()
	if s := learn.Stopped(ctx); s != learn.TimeLimit {
		t.Errorf("deadline: %s", s)
	}
	ctx, cancel = context.WithCancel(t.Context())
	cancel()
	if s := learn.Stopped(ctx); s != learn.Cancelled {
		t.Errorf("cancel: %s", s)
	}
}
