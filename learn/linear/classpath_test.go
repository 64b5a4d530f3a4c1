package linear_test

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/linear"
)

// classy returns rows of k classes that overlap.
func classy(n, dim, k int) data.Labeled[data.Vector, int] {
	rng := seed.Stream(4, seed.Sketch, 0)
	x, y := data.NewMatrix(n, dim), make([]int, n)
	for i := range y {
		y[i] = i % k
		for j := range x.Row(i) {
			x.Row(i)[j] = rng.NormFloat64()
		}
		x.Row(i)[y[i]%dim] += 2
	}
	return data.Labeled[data.Vector, int]{X: x, Y: y}
}

type separators = *learn.Multi[data.Vector, *linear.Separator]

// A walker is a learner of classes that can go along penalties.
type walker struct {
	name string
	path func(context.Context, data.Labeled[data.Vector, int]) (*linear.ClassPath, error)
	fit  func(context.Context, data.Labeled[data.Vector, int], float64) (*learn.Multi[data.Vector, *linear.Separator],
		learn.Report, error)
	loose float64 // tolerance
}

func walkers(classes, workers int) []walker {
	var out []walker
	for _, loss := range []linear.Loss{linear.Hinge, linear.SquaredHinge} {
		for _, solver := range []linear.Solver{linear.Descent, linear.Newton} {
			s := linear.NewSVM()
			s.Loss, s.Solver, s.Tolerance, s.MaxPasses, s.Run.Workers = loss, solver, 1e-3, 20000, workers
			out = append(out, walker{
				name: fmt.Sprintf("svm %v %v", loss, solver), loose: s.Tolerance,
				path: func(ctx context.Context, d data.Labeled[data.Vector, int]) (*linear.ClassPath, error) {
					return s.ClassPath(ctx, d, classes)
				},
				fit: func(ctx context.Context, d data.Labeled[data.Vector, int], c float64) (separators, learn.Report, error) {
					s.C = c
					return s.FitClasses(ctx, d, classes)
				},
			})
		}
	}
	s := linear.NewSoftmax(classes)
	s.Run.Workers = workers
	out = append(out, walker{
		name: "softmax", loose: s.Tolerance,
		path: func(ctx context.Context, d data.Labeled[data.Vector, int]) (*linear.ClassPath, error) {
			return s.ClassPath(ctx, d)
		},
		fit: func(ctx context.Context, d data.Labeled[data.Vector, int], c float64) (separators, learn.Report, error) {
			s.C = c
			return s.Fit(ctx, d)
		},
	})
	if classes == 2 {
		l := linear.NewLogistic()
		l.Run.Workers = workers
		out = append(out, walker{
			name: "logistic", loose: l.Tolerance,
			path: func(ctx context.Context, d data.Labeled[data.Vector, int]) (*linear.ClassPath, error) {
				return l.ClassPath(ctx, d)
			},
			fit: func(ctx context.Context, d data.Labeled[data.Vector, int], c float64) (separators, learn.Report, error) {
				l.C = c
				s, report, err := l.Fit(ctx, data.Labeled[data.Vector, float64]{X: d.X, Y: learn.Against(nil, d.Y, 1)})
				if err != nil {
					return nil, report, err
				}
				m, err := learn.NewMulti[data.Vector](2, []*linear.Separator{s})
				return m, report, err
			},
		})
	}
	return out
}

var pathPenalties = []float64{0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30}

// TestClassPath: a path ends at each penalty where a fit from nothing does, within
// the tolerance of both, and with fewer passes in all. Its first fit is that fit.
func TestClassPath(t *testing.T) {
	for _, classes := range []int{2, 3} {
		d := classy(513, 9, classes)
		for _, w := range walkers(classes, 2) {
			t.Run(fmt.Sprint(w.name, " ", classes), func(t *testing.T) {
				path, err := w.path(t.Context(), d)
				if err != nil {
					t.Fatal(err)
				}
				warm, cold := 0, 0
				for i, c := range pathPenalties {
					m, got, err := path.Next(t.Context(), c)
					if err != nil || got.Status != learn.Converged {
						t.Fatalf("C=%v: %v, %+v", c, err, got)
					}
					n, want, err := w.fit(t.Context(), d, c)
					if err != nil { // it need not converge: the smoothed hinge loss can get stuck
						t.Fatalf("C=%v from nothing: %v", c, err)
					}
					if i == 0 && !reflect.DeepEqual(m, n) {
						t.Error("the first fit of a path is not that of the recipe")
					}
					// Each is at most its gap above the optimum.
					if math.Abs(got.Objective-want.Objective) > max(got.Gap, want.Gap)+1e-9*want.Objective {
						t.Errorf("C=%v: objective %v, from nothing %v", c, got.Objective, want.Objective)
					}
					warm, cold = warm+got.Iterations, cold+want.Iterations
				}
				if warm >= cold {
					t.Errorf("the path took %d passes, fits from nothing %d", warm, cold)
				}
			})
		}
	}
}

// TestClassPathWorkers: the same bits on any number of workers.
func TestClassPathWorkers(t *testing.T) {
	d := classy(700, 9, 3)
	models := func(workers int) []*learn.Multi[data.Vector, *linear.Separator] {
		var out []*learn.Multi[data.Vector, *linear.Separator]
		for _, w := range walkers(3, workers) {
			path, err := w.path(t.Context(), d)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range pathPenalties[:4] {
				m, _, err := path.Next(t.Context(), c)
				if err != nil {
					t.Fatal(err)
				}
				out = append(out, m)
			}
		}
		return out
	}
	one := models(1)
	for _, workers := range []int{2, 3} {
		if !reflect.DeepEqual(models(workers), one) {
			t.Errorf("%d workers give other bits", workers)
		}
	}
}

// TestClassPathStart: a start changes the way and not the end.
func TestClassPathStart(t *testing.T) {
	d := classy(800, 9, 3)
	part := d.Select([]int{0, 1, 2, 30, 40, 50, 61, 72, 83, 91, 101, 111, 200, 300, 400, 500, 601, 701})
	for _, w := range walkers(3, 2) {
		m, _, err := w.fit(t.Context(), part, 1)
		if err != nil {
			t.Fatal(err)
		}
		_, want, err := w.fit(t.Context(), d, 1)
		if err != nil {
			t.Fatal(err)
		}
		path, err := w.path(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		if err := path.StartFrom(m.Binary()); err != nil {
			t.Fatal(err)
		}
		_, got, err := path.Next(t.Context(), 1)
		if err != nil || got.Status != learn.Converged || math.Abs(got.Objective-want.Objective) > w.loose*want.Objective {
			t.Errorf("%s: %v, %+v, want %+v", w.name, err, got, want)
		}
		if err := path.StartFrom(m.Binary()); err == nil {
			t.Errorf("%s: a path that has begun takes another start", w.name)
		}
	}
}

// TestClassPathCancelled: a path that is cut returns the best so far, and goes on
// from there.
func TestClassPathCancelled(t *testing.T) {
	d := classy(600, 9, 2)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, w := range walkers(2, 2) {
		if _, err := w.path(ended, d); err == nil {
			t.Errorf("%s: a path begins after the end", w.name)
		}
		path, err := w.path(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := path.Next(t.Context(), 0.1); err != nil {
			t.Fatal(err)
		}
		m, r, err := path.Next(ended, 10)
		if err != nil || m == nil || r.Status != learn.Cancelled || !(r.Gap < math.Inf(1)) {
			t.Fatalf("%s: %v, %+v", w.name, err, r)
		}
		_, got, err := path.Next(t.Context(), 10)
		if err != nil || got.Status != learn.Converged || got.Objective > r.Objective {
			t.Errorf("%s: %v, %+v after %+v", w.name, err, got, r)
		}
	}
}

func TestClassPathBadInput(t *testing.T) {
	d := classy(60, 4, 3)
	for _, w := range walkers(3, 1) {
		path, err := w.path(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []float64{0, -1, math.NaN(), math.Inf(1)} {
			if _, _, err := path.Next(t.Context(), c); err == nil || !strings.Contains(err.Error(), "C is") {
				t.Errorf("%s: C=%v: %v", w.name, c, err)
			}
		}
		if err := path.StartFrom(nil); err == nil {
			t.Errorf("%s: a start without separators is taken", w.name)
		}
		bad := &linear.Separator{W: []float64{math.NaN(), 0, 0, 0}}
		if err := path.StartFrom([]*linear.Separator{bad, bad, bad}); err == nil {
			t.Errorf("%s: a start that is not finite is taken", w.name)
		}
		if _, err := w.path(t.Context(), data.Labeled[data.Vector, int]{X: d.X, Y: d.Y, Weight: []float64{1}}); err == nil {
			t.Errorf("%s: a weight for 60 rows is taken", w.name)
		}
		if _, err := w.path(t.Context(), data.Labeled[data.Vector, int]{X: d.X, Y: make([]int, 60)}); err == nil {
			t.Errorf("%s: one class is taken", w.name)
		}
	}
}
