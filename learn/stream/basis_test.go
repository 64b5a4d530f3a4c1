package stream_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/stream"
	"github.com/kerf-ml/kerf/run"
	"github.com/kerf-ml/kerf/sums"
)

// rotation returns a basis of d similarities, of condition below 10, and a count of the rows that it has rotated.
func rotation(d int) (*stream.Basis, *int) {
	rng, b, rotated := rand.New(rand.NewPCG(uint64(d), 7)), data.NewMatrix(d, d), new(int)
	for i := range d {
		for j := range d {
			b.Row(i)[j] = rng.NormFloat64() / float64(4*d)
		}
		b.Row(i)[i]++
	}
	return &stream.Basis{Matrix: b, Rotate: func(dst, similar []float64, rows int) {
		*rotated += rows
		for r := range rows {
			for i := range d {
				sum := 0.0
				for j, v := range b.Row(i) {
					sum += v * similar[r*d+j]
				}
				dst[r*d+i] = sum
			}
		}
	}}, rotated
}

// of returns the rows as similarities of which a basis makes features, and these features by its definition.
func (p *problem) of(b *stream.Basis) (similar *stream.Sample, features *problem) {
	similar = p.sample(false)
	similar.Basis = b
	features = &problem{x: data.NewMatrix(p.x.Rows, p.x.Cols), y: p.y, values: p.values, weight: p.weight}
	b.Rotate(features.x.Data, p.x.Data, p.x.Rows)
	return similar, features
}

// Newton's method on similarities is that on features.
func TestNewtonOfSimilarities(t *testing.T) {
	for _, n := range []int{6, 1024, 1025, 4000} {
		for _, classes := range []int{2, 4} {
			for _, loss := range []stream.Loss{stream.SquaredHinge, stream.Logistic} {
				p := noisy(n, 5, classes, n > 1024)
				b, _ := rotation(5)
				similar, features := p.of(b)
				r := stream.NewNewton(loss)
				r.C, r.Tolerance, r.Unit, r.Seed = 0.7, 1e-10, 2, 4
				r.Run.Workers = 1 // as the basis counts
				if n == 4000 {
					r.Cs = []float64{0.07, 0.7, 7}
				}
				want, _, err := r.Fit(t.Context(), features.sample(false), classes)
				if err != nil {
					t.Fatal(err)
				}
				got, report, err := r.Fit(t.Context(), similar, classes)
				if err != nil || report.Status != learn.Converged || got.C != want.C || len(got.Choices) != len(want.Choices) {
					t.Fatalf("n=%d, %d classes, %s: %+v, %v", n, classes, loss, report, err)
				}
				for k, m := range want.Models {
					// A gap of 1e-10 of P, as in memory.
					limit := 4*math.Sqrt(1e-10*report.Objective)/math.Sqrt(squared(m.W)+m.Bias*m.Bias) + rounding
					close(t, "similarities", append(got.Models[k].W, got.Models[k].Bias), append(m.W, m.Bias), limit)
				}
				for k, c := range want.Choices {
					if math.Abs(got.Choices[k].Loss-c.Loss) > 1e-4*c.Loss {
						t.Errorf("C=%g has a loss of %v, and %v by features", c.C, got.Choices[k].Loss, c.Loss)
					}
				}
			}
		}
	}
}

// Features are made of the rows alone that a Hessian is over.
func TestNewtonRotatesFewRows(t *testing.T) {
	p := noisy(8000, 4, 2, false)
	b, rotated := rotation(4)
	similar, _ := p.of(b)
	*rotated = 0
	r := stream.NewNewton(stream.Logistic) // whose second derivative is never 0
	r.Run.Workers = 1
	_, report, err := r.Fit(t.Context(), similar, 2)
	if err != nil || report.Status != learn.Converged {
		t.Fatal(report, err)
	}
	// 400 rows of 8000 a pass, with a deviation of 20.
	if most := 500 * (report.Iterations + 1); *rotated == 0 || *rotated > most {
		t.Errorf("%d rows were rotated in %d passes, want at most %d", *rotated, report.Iterations, most)
	}
}

// Bits of similarities are those of any number of workers and of any state gone on from.
func TestSimilaritiesGoOn(t *testing.T) {
	p := noisy(5000, 6, 3, true)
	b, _ := rotation(6)
	b.Rotate = func(dst, similar []float64, rows int) { copy(dst, similar[:rows*6]) } // safe for many
	b.Matrix = data.NewMatrix(6, 6)
	for i := range 6 {
		b.Matrix.Row(i)[i] = 1
	}
	similar := p.sample(false)
	similar.Basis = b
	var states [][]byte
	r := stream.NewNewton(stream.SquaredHinge)
	r.C, r.Cs, r.Tolerance = 1e-3, []float64{1e-2, 1e-3}, 1e-6
	r.Checkpoint = learn.Checkpoint{Every: 1, Save: func(b []byte) error { states = append(states, b); return nil }}
	want, _, err := r.Fit(t.Context(), similar, 3)
	if err != nil || len(states) < 8 {
		t.Fatal(len(states), err)
	}
	for i, state := range states {
		r.Checkpoint, r.Run = learn.Checkpoint{From: state}, run.Control{Workers: 1 + i%3}
		got, _, err := r.Fit(t.Context(), similar, 3)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("from state %d: other bits, %v", i, err)
		}
	}
	if _, _, err := r.Fit(t.Context(), p.sample(false), 3); !errors.Is(err, learn.ErrState) {
		t.Errorf("a state of similarities was taken for one of features: %v", err)
	}
}

// Sums of parts, each ended on its own, are those of the whole to rounding.
func TestSimilaritiesOfParts(t *testing.T) {
	p := noisy(3000, 5, 2, false)
	b, _ := rotation(5)
	r := stream.NewNewton(stream.SquaredHinge)
	r.C, r.Tolerance, r.Run.Workers = 0.01, 1e-10, 1
	similar, _ := p.of(b)
	want, _, err := r.Fit(t.Context(), similar, 2)
	if err != nil {
		t.Fatal(err)
	}
	each := similar.Each
	similar.Sum = func(ctx context.Context, pass *stream.Pass, merge func(part []byte) error) error {
		if err := pass.Validate(); err != nil || !pass.Similar {
			t.Errorf("the pass says %t, %v", pass.Similar, err)
		}
		return each(ctx, 0, func(rows *sums.Block) error {
			one := stream.NewSums(pass, b)
			if err := one.Add(ctx, r.Run, rows); err != nil {
				return err
			}
			one.End()
			part, err := one.AppendBinary(nil)
			if err != nil {
				return err
			}
			return merge(part)
		})
	}
	got, _, err := r.Fit(t.Context(), similar, 2)
	if err != nil {
		t.Fatal(err)
	}
	close(t, "parts", got.Models[0].W, want.Models[0].W, 1e-6)
}

// What learns of features refuses similarities.
func TestSimilaritiesAreForNewton(t *testing.T) {
	p := noisy(100, 3, 3, false)
	b, _ := rotation(3)
	similar, _ := p.of(b)
	if _, err := (stream.Ridge{Lambdas: []float64{1}}).Fit(t.Context(), similar, 0); err == nil {
		t.Error("ridge took similarities for features")
	}
	soft := stream.Softmax{C: 1, Tolerance: 1e-3, MaxPasses: 9, Unit: 1}
	if _, _, err := soft.Fit(t.Context(), similar, 3); err == nil {
		t.Error("softmax took similarities for features")
	}
	pass := &stream.Pass{Dim: 3, Similar: true, Ridge: &stream.RidgePass{Targets: 1, Folds: 1}}
	if err := pass.Validate(); !errors.Is(err, stream.ErrPass) {
		t.Errorf("a pass of ridge over similarities: %v", err)
	}
	newton := &stream.Pass{Dim: 3, Classes: 2, Similar: true, Newton: &stream.NewtonPass{}}
	if err := stream.NewSums(newton, nil).Add(t.Context(), run.Control{}, &sums.Block{}); !errors.Is(err, stream.ErrPass) {
		t.Errorf("similarities without a basis: %v", err)
	}
}
