package kernelized_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/kerftest"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/kernelized"
)

var _ learn.Learner[data.Vector, float64, *kernelized.Expansion[data.Vector]] = kernelized.SGD[data.Vector]{}

// choices returns the instances that the recipe's steps choose among n.
func choices(s uint64, n, steps int) []int {
	rng := seed.Stream(s, seed.Shuffle, 0)
	out := make([]int, steps)
	for t := range out {
		out[t] = int(rng.Float64() * float64(n))
	}
	return out
}

// explicitSGD is the descent in the feature space (section 15.5): w is θ/(λt).
func explicitSGD(x [][]float64, y []float64, lambda float64, chosen []int) []float64 {
	dim := len(x[0])
	theta, mean := make([]float64, dim), make([]float64, dim)
	for t, i := range chosen {
		w, score := make([]float64, dim), 0.0
		for j := range w {
			w[j] = theta[j] / (lambda * float64(t+1))
			score += w[j] * x[i][j]
			mean[j] += w[j] / float64(len(chosen))
		}
		if y[i]*score < 1 {
			for j := range theta {
				theta[j] += y[i] * x[i][j]
			}
		}
	}
	return mean
}

// monomials returns (1, √2·x_i, x_i², √2·x_i·x_j), the features of (1 + x·y)².
func monomials(x []float64) []float64 {
	f := []float64{1}
	for i, a := range x {
		f = append(f, math.Sqrt2*a, a*a)
		for _, b := range x[:i] {
			f = append(f, math.Sqrt2*a*b)
		}
	}
	return f
}

// Lemma 16.3: the same choices give the same separator in the feature space.
func TestSGDIsDescentInFeatureSpace(t *testing.T) {
	d := waves(50, 3, 30)
	for i := range d.Y {
		d.Y[i] = math.Copysign(1, d.Y[i])
	}
	square := kernel.Func[data.Vector](func(x, y data.Vector) float64 { return (1 + x.Dot(y)) * (1 + x.Dot(y)) })
	for _, steps := range []int{1, 2, 49, 50, 51, 1000} {
		for _, linear := range []bool{true, false} {
			s := kernelized.NewSGD[data.Vector](kernel.Linear{})
			features := make([][]float64, 50)
			for i := range features {
				features[i] = d.X.At(i).Value
				if !linear {
					features[i] = monomials(features[i])
				}
			}
			if !linear {
				s.Kernel = square
			}
			s.Lambda, s.Steps, s.Tolerance, s.Seed = 0.1, steps, 0, 9
			e, report, err := s.Fit(t.Context(), d)
			if err != nil {
				t.Fatal(err)
			}
			if report.Iterations != steps || report.Status != learn.IterationLimit {
				t.Fatalf("%+v", report)
			}
			w := explicitSGD(features, d.Y, s.Lambda, choices(9, 50, steps))
			norm, loss := 0.0, 0.0
			for _, v := range w {
				norm += v * v
			}
			for i, f := range features {
				score := 0.0
				for j, v := range f {
					score += v * w[j]
				}
				isNear(t, "score", e.Score(d.X.At(i)), score, 1e-9*(1+math.Abs(score)))
				loss += max(0, 1-d.Y[i]*score) / 50
			}
			isNear(t, "objective", report.Objective, s.Lambda*norm/2+loss, 1e-9*(1+norm))
		}
	}
}

// The gap bounds the distance to the optimum that SoftSVM finds, and closes.
func TestSGDGap(t *testing.T) {
	d := ring(200)
	for i := 0; i < 200; i += 13 { // not separable
		d.Y[i] = -d.Y[i]
	}
	k := kernel.Gaussian{Gamma: 0.5}
	soft := kernelized.NewSoftSVM[data.Vector](k)
	soft.Lambda, soft.Tolerance = 0.005, 1e-8
	_, optimum, err := soft.Fit(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	s := kernelized.NewSGD[data.Vector](k)
	s.Lambda = 0.01
	before := math.Inf(1)
	for _, steps := range []int{1000, 10_000, 100_000} {
		s.Steps, s.Tolerance = steps, 0
		_, report, err := s.Fit(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		if report.Objective < optimum.Objective-1e-6 || report.Objective-report.Gap > optimum.Objective+1e-6 ||
			report.Gap >= before {
			t.Errorf("%d steps: objective %v with gap %v, optimum %v", steps, report.Objective, report.Gap, optimum.Objective)
		}
		before = report.Gap
	}
	s.Steps, s.Tolerance = 1_000_000, 0.1
	_, report, err := s.Fit(t.Context(), d)
	if err != nil || report.Status != learn.Converged || report.Gap > 0.1 || report.Iterations == s.Steps {
		t.Errorf("%v %+v", err, report)
	}
}

// TestSGDRate: the mean objective over seeds is within R²(1 + ln T)/(2·Lambda·T)
// of the least, and at T = 1, one instance and Lambda ≥ R² it is just that.
func TestSGDRate(t *testing.T) {
	d := ring(80)
	for i := 0; i < 80; i += 7 {
		d.Y[i] = -d.Y[i]
	}
	const r2, seeds = 4, 40
	k := kernel.Func[data.Vector](func(x, y data.Vector) float64 { return r2 * math.Exp(-x.Distance2(y)) })
	for _, lambda := range []float64{0.01, 0.1, 1} {
		soft := kernelized.NewSoftSVM[data.Vector](k)
		soft.Lambda, soft.Tolerance = lambda/2, 1e-9
		_, optimum, err := soft.Fit(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		for _, steps := range []int{1, 2, 10, 100, 1000} {
			mean := 0.0
			for seed := range seeds {
				s := kernelized.NewSGD[data.Vector](k)
				s.Lambda, s.Steps, s.Tolerance, s.Seed = lambda, steps, 0, uint64(seed)
				_, report, err := s.Fit(t.Context(), d)
				if err != nil {
					t.Fatal(err)
				}
				mean += report.Objective / seeds
			}
			most := r2 * (1 + math.Log(float64(steps))) / (2 * lambda * float64(steps))
			if excess := mean - optimum.Objective; excess > most || excess < -1e-6 {
				t.Errorf("lambda %v: %d steps end %v above the least, promised %v", lambda, steps, excess, most)
			}
		}
	}
	// w₁ = 0 has the objective 1, and the least is that at w = φ(x)/λ: 1 - R²/(2λ).
	one := sample{X: data.Slice[data.Vector]{data.Dense(1), data.Dense(-1)}, Y: []float64{1, -1}}
	s := kernelized.NewSGD[data.Vector](kernel.Linear{})
	s.Lambda, s.Steps, s.Tolerance = 2, 1, 0
	_, report, err := s.Fit(t.Context(), one)
	if err != nil {
		t.Fatal(err)
	}
	isNear(t, "the excess of one step", report.Objective-(1-1/(2*s.Lambda)), 1/(2*s.Lambda), 1e-12)
}

func TestSGDWeightsAreRepetitions(t *testing.T) {
	d := ring(60)
	weight, index := repeated(60)
	s := kernelized.NewSGD[data.Vector](kernel.Gaussian{Gamma: 1})
	s.Steps, s.Tolerance = 2000, 0
	again, againReport, err := s.Fit(t.Context(), d.Select(index))
	if err != nil {
		t.Fatal(err)
	}
	d.Weight = weight
	e, report, err := s.Fit(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	for i := range d.Y {
		isNear(t, "score", e.Score(d.X.At(i)), again.Score(d.X.At(i)), 1e-10)
	}
	isNear(t, "objective", report.Objective, againReport.Objective, 1e-10)
	if report.Mistakes != againReport.Mistakes {
		t.Errorf("%d mistakes, repeated %d", report.Mistakes, againReport.Mistakes)
	}
}

func TestSGDClassesAndWorkers(t *testing.T) {
	for _, classes := range []int{2, 3} {
		d := sectors(90, classes)
		s := kernelized.NewSGD[data.Vector](kernel.Gaussian{Gamma: 1})
		s.Steps, s.Tolerance = 3000, 0.2
		var first []float64
		for _, workers := range []int{1, 2, 3} {
			s.Run.Workers = workers
			m, _, err := s.FitClasses(t.Context(), d, classes)
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = m.Weight.Data
				checkOneVsRest(t, m, d, classes, func(d sample) (*kernelized.Expansion[data.Vector], error) {
					e, _, err := s.Fit(t.Context(), d)
					return e, err
				})
			}
			if !slices.Equal(first, m.Weight.Data) {
				t.Fatalf("%d workers give other bits", workers)
			}
		}
	}
}

func TestSGDConformance(t *testing.T) {
	s := kernelized.NewSGD[data.Vector](kernel.Gaussian{Gamma: 1})
	s.Steps = 5000
	kerftest.Learner(t, s, ring(150))
}

// A fit that is ended gives the average of the steps that it made.
func TestSGDCancelled(t *testing.T) {
	d := ring(100)
	s := kernelized.NewSGD[data.Vector](kernel.Gaussian{Gamma: 1})
	s.Tolerance = 0
	ctx, cancel := context.WithCancel(t.Context())
	s.Run.Progress.Step = func(done int64) {
		if done == 2048 {
			cancel()
		}
	}
	e, report, err := s.Fit(ctx, d)
	if err != nil || report.Status != learn.Cancelled || report.Iterations < 2048 || report.Iterations > 4096 {
		t.Fatalf("%v %+v", err, report)
	}
	s.Run.Progress.Step, s.Steps = nil, report.Iterations
	limited, _, err := s.Fit(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	for i := range d.Y {
		isNear(t, "score", e.Score(d.X.At(i)), limited.Score(d.X.At(i)), 1e-12)
	}
}

func TestSGDRefusals(t *testing.T) {
	err := kernelized.SGD[data.Vector]{Tolerance: math.NaN()}.Validate()
	for _, part := range []string{"kernel is missing", "lambda is 0", "steps is 0", "tolerance is NaN"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not say %q", err, part)
		}
	}
	s := kernelized.NewSGD[data.Vector](kernel.Linear{})
	d := ring(10)
	d.Weight = []float64{1}
	if _, _, err := s.Fit(t.Context(), d); err == nil {
		t.Error("one weight of ten is taken")
	}
	if _, _, err := s.FitClasses(t.Context(), sectors(10, 2), 1); err == nil {
		t.Error("one class is taken")
	}
}
