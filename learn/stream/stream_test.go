package stream_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/linear"
	"github.com/kerf-ml/kerf/learn/stream"
	"github.com/kerf-ml/kerf/run"
	"github.com/kerf-ml/kerf/sums"
)

// problem is a sample in memory, to be learnt as a stream and as it is.
type problem struct {
	x      *data.Matrix
	y      []int
	values []float64
	weight []float64
}

// noisy returns rows of so many classes, with numbers, that no plane separates.
func noisy(n, d, classes int, weighted bool) *problem {
	rng := rand.New(rand.NewPCG(uint64(n), uint64(d)))
	p := &problem{x: data.NewMatrix(n, d), y: make([]int, n), values: make([]float64, n)}
	for i := range n {
		row := p.x.Row(i)
		best := math.Inf(-1)
		for j := range row {
			row[j] = 0.3 + rng.NormFloat64()
			p.values[i] += math.Cos(float64(j)) * row[j]
		}
		p.values[i] += 100 + rng.NormFloat64()
		for k := range classes {
			if v := row[k%d]*float64(1+k/d) + rng.NormFloat64(); v > best {
				best, p.y[i] = v, k
			}
		}
		if weighted {
			p.weight = append(p.weight, float64(1+i%4)/2)
		}
	}
	return p
}

// sample hands the rows out in blocks.
func (p *problem) sample(numbers bool) *stream.Sample {
	s := &stream.Sample{Dim: p.x.Cols, Rows: p.x.Rows, Weight: float64(p.x.Rows)}
	if p.weight != nil {
		s.Weight = 0
		for _, c := range p.weight {
			s.Weight += c
		}
	}
	s.Each = func(_ context.Context, from int, use func(b *sums.Block) error) error {
		blocks := sums.NewBlocks(p.x.Cols, !numbers, p.weight != nil, func(b *sums.Block) error {
			if b.First < from {
				return nil
			}
			return use(b)
		})
		for i := range p.x.Rows {
			c := 1.0
			if p.weight != nil {
				c = p.weight[i]
			}
			if err := blocks.Add(p.x.At(i), p.y[i], p.values[i], c); err != nil {
				return err
			}
		}
		return blocks.End()
	}
	return s
}

// close reports weights that differ by more than a part of the largest.
func close(t *testing.T, what string, got, want []float64, part float64) {
	t.Helper()
	largest := 0.0
	for _, v := range want {
		largest = max(largest, math.Abs(v))
	}
	for j, v := range want {
		if !(math.Abs(got[j]-v) <= part*largest) {
			t.Fatalf("%s: weight %d is %v, want %v", what, j, got[j], v)
		}
	}
}

// Sums of n terms round by about n·2⁻⁵² of their size, and the condition of the
// problem, below 1e4 here, multiplies that: 1e-9 for n of a few thousand.
const rounding = 1e-9

func TestRidgeIsThatOfMemory(t *testing.T) {
	for _, n := range []int{40, 1023, 1024, 1025, 3000} {
		for _, weighted := range []bool{false, true} {
			for _, intercept := range []bool{false, true} {
				p := noisy(n, 4, 3, weighted)
				r := stream.Ridge{Lambdas: []float64{2}, Intercept: intercept, Shift: []float64{0.3, 0.3, 0.3, 0.3}}
				old := linear.Ridge{Lambda: 2, Intercept: intercept}
				r.Level = []float64{100}
				got, err := r.Fit(t.Context(), p.sample(true), 0)
				if err != nil {
					t.Fatal(err)
				}
				want, _, err := old.FitValues(t.Context(), data.Labeled[data.Vector, float64]{X: p.x, Y: p.values,
					Weight: p.weight})
				if err != nil {
					t.Fatal(err)
				}
				close(t, "numbers", append(slices.Clone(got.Models[0].W), got.Models[0].Bias), append(slices.Clone(want.W),
					want.Bias), rounding)
				r.Level = nil
				classes, err := r.Fit(t.Context(), p.sample(false), 3)
				if err != nil {
					t.Fatal(err)
				}
				multi, report, err := old.FitClasses(t.Context(), data.Labeled[data.Vector, int]{X: p.x, Y: p.y,
					Weight: p.weight}, 3)
				if err != nil {
					t.Fatal(err)
				}
				for k, s := range multi.Binary() {
					close(t, "classes", append(slices.Clone(classes.Models[k].W), classes.Models[k].Bias),
						append(slices.Clone(s.W), s.Bias), rounding)
				}
				if math.Abs(classes.Objective-report.Objective) > rounding*report.Objective {
					t.Errorf("n=%d: the objective is %v, want %v", n, classes.Objective, report.Objective)
				}
			}
		}
	}
}

// Centred targets are those less their mean, which is then the constant.
func TestRidgeCentred(t *testing.T) {
	for _, n := range []int{40, 1023, 1025} {
		for _, weighted := range []bool{false, true} {
			p := noisy(n, 4, 3, weighted)
			r := stream.Ridge{Lambdas: []float64{2}, Centred: true, Shift: []float64{0.3, 0, -7, 0.3}, Level: []float64{90}}
			got, err := r.Fit(t.Context(), p.sample(true), 0)
			if err != nil {
				t.Fatal(err)
			}
			sum, weight := 0.0, 0.0
			for i, y := range p.values {
				c := 1.0
				if weighted {
					c = p.weight[i]
				}
				sum, weight = sum+c*y, weight+c
			}
			less := make([]float64, n)
			for i, y := range p.values {
				less[i] = y - sum/weight
			}
			want, report, err := linear.Ridge{Lambda: 2}.FitValues(t.Context(), data.Labeled[data.Vector, float64]{X: p.x,
				Y: less, Weight: p.weight})
			if err != nil {
				t.Fatal(err)
			}
			close(t, "numbers", append(slices.Clone(got.Models[0].W), got.Models[0].Bias), append(slices.Clone(want.W),
				sum/weight), rounding)
			if math.Abs(got.Objective-report.Objective) > rounding*report.Objective {
				t.Errorf("n=%d: the objective is %v, want %v", n, got.Objective, report.Objective)
			}
		}
	}
	both := stream.Ridge{Lambdas: []float64{2}, Intercept: true, Centred: true}
	if _, err := both.Fit(t.Context(), noisy(40, 4, 3, false).sample(true), 0); err == nil {
		t.Error("two constants: no error")
	}
}

// The error of each λ is that of fits to all folds but one, row by row.
func TestRidgeChoosesByFolds(t *testing.T) {
	p := noisy(1500, 5, 2, true)
	r := stream.Ridge{Lambdas: []float64{1e-3, 10, 1e4}, Intercept: true, Folds: 4, Seed: 3}
	fit, err := r.Fit(t.Context(), p.sample(true), 0)
	if err != nil {
		t.Fatal(err)
	}
	total := 0.0
	for _, c := range p.weight {
		total += c
	}
	for l, lambda := range r.Lambdas {
		want := 0.0
		for fold := range r.Folds {
			var in, out []int
			weight := 0.0
			for i := range p.x.Rows {
				if stream.FoldOf(r.Seed, i, r.Folds) == fold {
					out = append(out, i)
				} else {
					in = append(in, i)
					weight += p.weight[i]
				}
			}
			all := data.Labeled[data.Vector, float64]{X: p.x, Y: p.values, Weight: p.weight}
			f, _, err := linear.Ridge{Lambda: lambda * weight / total, Intercept: true}.FitValues(t.Context(), all.Select(in))
			if err != nil {
				t.Fatal(err)
			}
			for _, i := range out {
				e := f.Predict(p.x.At(i)) - p.values[i]
				want += p.weight[i] * e * e / total
			}
		}
		if got := fit.Steps[l]; got.Lambda != lambda || math.Abs(got.Error-want) > rounding*want {
			t.Errorf("λ = %v: error %v, want %v", lambda, got.Error, want)
		}
	}
	if fit.Lambda == 1e4 {
		t.Errorf("λ = %v was chosen among %v", fit.Lambda, fit.Steps)
	}
}

// objective is P of a separator.
func (p *problem) objective(loss stream.Loss, c float64, class int, w []float64, bias, unit float64) float64 {
	sum := 0.0
	for _, v := range append(slices.Clone(w), bias) {
		sum += v * v / 2
	}
	for i := range p.x.Rows {
		m, y, weight := bias*unit, -1.0, c
		for j, v := range p.x.Row(i) {
			m += w[j] * v
		}
		if p.y[i] == class {
			y = 1
		}
		if p.weight != nil {
			weight *= p.weight[i]
		}
		if loss == stream.Logistic {
			sum += weight * math.Log1p(math.Exp(-y*m))
		} else {
			sum += weight * max(0, 1-y*m) * max(0, 1-y*m)
		}
	}
	return sum
}

func TestNewtonIsThatOfMemory(t *testing.T) {
	for _, n := range []int{6, 1024, 1025, 4000} {
		for _, classes := range []int{2, 4} {
			for _, loss := range []stream.Loss{stream.SquaredHinge, stream.Logistic} {
				if loss == stream.Logistic && classes > 2 {
					continue // in memory that is multinomial
				}
				p := noisy(n, 4, classes, n == 4000)
				r := stream.NewNewton(loss)
				r.C, r.Tolerance, r.Unit = 0.7, 1e-10, 2
				fit, report, err := r.Fit(t.Context(), p.sample(false), classes)
				if err != nil || report.Status != learn.Converged {
					t.Fatalf("n=%d, %d classes, %s: %+v, %v", n, classes, loss, report, err)
				}
				got := fit.Models
				d := data.Labeled[data.Vector, int]{X: p.x, Y: p.y, Weight: p.weight}
				var want []*linear.Separator
				if loss == stream.SquaredHinge {
					old := linear.NewSVM()
					old.Loss, old.C, old.Tolerance, old.Unit, old.Solver = linear.SquaredHinge, 0.7, 1e-10, 2, linear.Newton
					m, _, err := old.FitClasses(t.Context(), d, classes)
					if err != nil {
						t.Fatal(err)
					}
					want = m.Binary()
				} else {
					old := linear.NewLogistic()
					old.C, old.Tolerance, old.Unit = 0.7, 1e-10, 2
					path, err := old.ClassPath(t.Context(), d)
					if err != nil {
						t.Fatal(err)
					}
					m, _, err := path.Next(t.Context(), 0.7)
					if err != nil {
						t.Fatal(err)
					}
					want = m.Binary()
				}
				total := 0.0
				for k, s := range want {
					// A gap of 1e-10 of P bounds |w - w*|² by twice that, since P is 1-strongly convex.
					limit := 4 * math.Sqrt(1e-10*report.Objective) / math.Sqrt(squared(s.W)+s.Bias*s.Bias)
					close(t, "separator", append(slices.Clone(got[k].W), got[k].Bias), append(slices.Clone(s.W), s.Bias),
						limit+1e-12)
					total += p.objective(loss, 0.7, learn.PositiveClass(k, classes), got[k].W, got[k].Bias, 2)
				}
				if math.Abs(total-report.Objective) > rounding*total {
					t.Errorf("the objective is %v, reported %v", total, report.Objective)
				}
			}
		}
	}
}

func squared(v []float64) float64 {
	sum := 0.0
	for _, a := range v {
		sum += a * a
	}
	return sum
}

func TestBitsDoNotDependOnWorkers(t *testing.T) {
	p := noisy(3000, 20, 3, true)
	var first *stream.NewtonFit
	var ridge *stream.RidgeFit
	for _, workers := range []int{1, 2, 3} {
		r := stream.NewNewton(stream.SquaredHinge)
		r.Run.Workers, r.Seed, r.C, r.Cs = workers, 5, 1e-3, []float64{1e-3, 1e-2, 0.1}
		got, _, err := r.Fit(t.Context(), p.sample(false), 3)
		if err != nil {
			t.Fatal(err)
		}
		old := stream.Ridge{Lambdas: []float64{0.1, 1, 10}, Folds: 3, Intercept: true, Run: run.Control{Workers: workers}}
		f, err := old.Fit(t.Context(), p.sample(false), 3)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first, ridge = got, f
		}
		if !reflect.DeepEqual(got, first) || !reflect.DeepEqual(f, ridge) {
			t.Fatalf("%d workers: other bits", workers)
		}
	}
}

// A start on some of the rows saves passes, and one far away does no harm.
func TestNewtonStarts(t *testing.T) {
	p := noisy(4000, 10, 2, false)
	r := stream.NewNewton(stream.SquaredHinge)
	r.C = 10
	cold, report, err := r.Fit(t.Context(), p.sample(false), 2)
	if err != nil || report.Status != learn.Converged {
		t.Fatal(report, err)
	}
	r.Start = cold.Models
	_, again, err := r.Fit(t.Context(), p.sample(false), 2)
	if err != nil || again.Iterations != 1 {
		t.Errorf("from the end it took %d passes; %v", again.Iterations, err)
	}
	r.Start = []*stream.Function{{W: slices.Repeat([]float64{1e6}, 10), Bias: -1e6}}
	_, far, err := r.Fit(t.Context(), p.sample(false), 2)
	if err != nil || far.Status != learn.Converged || math.Abs(far.Objective-report.Objective) > 2e-3*report.Objective {
		t.Errorf("from far away: %+v, want %+v; %v", far, report, err)
	}
}

// A state after any block goes on to the same bits.
func TestStatesGoOn(t *testing.T) {
	p := noisy(5000, 6, 3, true)
	var states [][]byte
	keep := learn.Checkpoint{Every: 1, Save: func(b []byte) error { states = append(states, b); return nil }}
	newton := stream.NewNewton(stream.SquaredHinge)
	newton.C, newton.Cs, newton.Tolerance, newton.Checkpoint = 1e-3, []float64{1e-2, 1e-3}, 1e-6, keep
	want, _, err := newton.Fit(t.Context(), p.sample(false), 3)
	if err != nil || len(states) < 8 {
		t.Fatal(len(states), err)
	}
	for i, state := range states {
		newton.Checkpoint = learn.Checkpoint{From: state}
		got, _, err := newton.Fit(t.Context(), p.sample(false), 3)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("from state %d: other bits, %v", i, err)
		}
	}
	last := states[len(states)-1]
	ridge := stream.Ridge{Lambdas: []float64{0.1, 1}, Folds: 3, Intercept: true, Checkpoint: keep}
	states = nil
	fit, err := ridge.Fit(t.Context(), p.sample(true), 0)
	if err != nil || len(states) != 4 {
		t.Fatal(len(states), err)
	}
	for i, state := range states {
		ridge.Checkpoint = learn.Checkpoint{From: state}
		got, err := ridge.Fit(t.Context(), p.sample(true), 0)
		if err != nil || !reflect.DeepEqual(got, fit) {
			t.Fatalf("from state %d: other bits, %v", i, err)
		}
	}
	for _, bad := range [][]byte{last, last[:len(last)-8], {}} {
		ridge.Checkpoint = learn.Checkpoint{From: bad}
		if _, err := ridge.Fit(t.Context(), p.sample(true), 0); !errors.Is(err, learn.ErrState) {
			t.Errorf("a state of %d bytes of another fit: %v", len(bad), err)
		}
	}
}

func TestFaults(t *testing.T) {
	p := noisy(100, 3, 2, false)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, report, err := stream.NewNewton(stream.Logistic).Fit(ctx, p.sample(false), 2); err != nil ||
		report.Status != learn.Cancelled {
		t.Errorf("cancelled: %v, %v", report.Status, err)
	}
	if _, err := (stream.Ridge{Lambdas: []float64{1}}).Fit(ctx, p.sample(true), 0); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	p.x.Data[7] = math.NaN()
	if _, _, err := stream.NewNewton(stream.Logistic).Fit(t.Context(), p.sample(false), 2); err == nil {
		t.Error("a row that is no number was learnt")
	}
	if _, err := (stream.Ridge{Lambdas: []float64{1}}).Fit(t.Context(), p.sample(true), 0); err == nil {
		t.Error("a row that is no number was learnt")
	}
	for _, bad := range []error{stream.Ridge{}.Validate(), stream.Ridge{Lambdas: []float64{0}}.Validate(),
		stream.Ridge{Lambdas: []float64{1, 2}}.Validate(), stream.Newton{}.Validate()} {
		if bad == nil {
			t.Error("a recipe out of range is valid")
		}
	}
	short := p.sample(true)
	short.Rows = 99
	if _, err := (stream.Ridge{Lambdas: []float64{1}}).Fit(t.Context(), short, 0); err == nil {
		t.Error("a stream that changed was learnt")
	}
}
