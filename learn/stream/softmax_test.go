package stream_test

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/linear"
	"github.com/kerf-ml/kerf/learn/stream"
	"github.com/kerf-ml/kerf/sums"
)

// curvature returns every so manieth row.
func (p *problem) curvature(every int) *sums.Block {
	rows := p.x.Rows / every
	b := &sums.Block{X: data.NewMatrix(rows, p.x.Cols)}
	for i := range rows {
		copy(b.X.Row(i), p.x.Row(i*every))
		if p.weight != nil {
			b.Weight = append(b.Weight, p.weight[i*every])
		}
	}
	return b
}

// multinomial returns P of the classes' weights, a row each with that of the constant last,
// with its gradient and the whole Hessian, from the formula.
func (p *problem) multinomial(w []float64, classes int, c, unit float64) (float64, []float64, *data.Matrix) {
	width := p.x.Cols + 1
	value, g, h := 0.0, slices.Clone(w), data.NewMatrix(len(w), len(w))
	for j, v := range w {
		value += v * v / 2
		h.Row(j)[j] = 1
	}
	for i := range p.x.Rows {
		x := append(slices.Clone(p.x.Row(i)), unit)
		weight, sum, e := c, 0.0, make([]float64, classes)
		if p.weight != nil {
			weight *= p.weight[i]
		}
		for k := range e {
			f := 0.0
			for j, v := range x {
				f += w[k*width+j] * v
			}
			e[k] = math.Exp(f)
			sum += e[k]
		}
		value -= weight * math.Log(e[p.y[i]]/sum)
		for k := range e {
			for j, v := range x {
				g[k*width+j] += weight * e[k] / sum * v
				if k == p.y[i] {
					g[k*width+j] -= weight * v
				}
				for l := range e {
					a := -e[k] / sum * e[l] / sum
					if k == l {
						a += e[k] / sum
					}
					for m, u := range x {
						h.Row(k*width + j)[l*width+m] += weight * a * v * u
					}
				}
			}
		}
	}
	return value, g, h
}

// eliminate solves a·z = b by elimination.
func eliminate(a *data.Matrix, b []float64) []float64 {
	n := len(b)
	for j := range n {
		for i := j + 1; i < n; i++ {
			f := a.Row(i)[j] / a.Row(j)[j]
			for l := j; l < n; l++ {
				a.Row(i)[l] -= f * a.Row(j)[l]
			}
			b[i] -= f * b[j]
		}
	}
	for j := n - 1; j >= 0; j-- {
		for l := j + 1; l < n; l++ {
			b[j] -= a.Row(j)[l] * b[l]
		}
		b[j] /= a.Row(j)[j]
	}
	return b
}

// flat puts functions one after the other.
func flat(all []*stream.Function) []float64 {
	var out []float64
	for _, f := range all {
		out = append(append(out, f.W...), f.Bias)
	}
	return out
}

func TestSoftmaxIsNewtonsMethod(t *testing.T) {
	if testing.Short() {
		t.Skip("numbers alone, which are the same under the race detector")
	}
	for _, n := range []int{7, 1023, 1024, 1025, 2100} {
		for _, classes := range []int{3, 5} {
			for _, every := range []int{1, 7} {
				if every > 1 && n < 100 {
					continue // too few rows to know the curvature by
				}
				p := noisy(n, 4, classes, n > 1024)
				s := stream.NewSoftmax()
				s.C, s.Tolerance, s.Unit, s.Curvature, s.MaxPasses = 0.7, 1e-11, 2, p.curvature(every), 60
				got, report, err := s.Fit(t.Context(), p.sample(false), classes)
				if err != nil || report.Status != learn.Converged {
					t.Fatalf("n=%d, %d classes, every %d: %+v, %v", n, classes, every, report, err)
				}
				w := make([]float64, classes*5)
				for range 30 {
					_, g, h := p.multinomial(w, classes, 0.7, 2)
					for j, v := range eliminate(h, g) {
						w[j] -= v
					}
				}
				least, _, _ := p.multinomial(w, classes, 0.7, 2)
				// P is 1-strongly convex: |w - w*|² is at most twice the gap.
				limit := 2 * math.Sqrt(2e-11*least) / math.Sqrt(squared(w))
				close(t, "softmax", flat(got), w, limit+1e-9)
				value, _, _ := p.multinomial(flat(got), classes, 0.7, 2)
				if math.Abs(value-report.Objective) > 1e-9*value || value > least*(1+1e-10) {
					t.Errorf("n=%d: the objective is %v, reported %v, and the least %v", n, value, report.Objective, least)
				}
			}
		}
	}
}

// The gap that is reported holds what it says, and few passes are enough from the minimum
// over some of the rows.
func TestSoftmaxStartsFromASample(t *testing.T) {
	if testing.Short() {
		t.Skip("numbers alone, which are the same under the race detector")
	}
	p := noisy(12000, 20, 6, true)
	d := data.Labeled[data.Vector, int]{X: p.x, Y: p.y, Weight: p.weight}
	old := linear.NewSoftmax(6)
	old.C, old.Tolerance = 3, 1e-12
	want, exact, err := old.Fit(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	var index []int
	for i := 0; i < 12000; i += 8 {
		index = append(index, i)
	}
	some := old
	some.C *= 8
	few, _, err := some.Fit(t.Context(), d.Select(index))
	if err != nil {
		t.Fatal(err)
	}
	s := stream.NewSoftmax()
	s.C, s.Curvature = 3, p.curvature(8)
	for _, f := range few.Binary() {
		s.Start = append(s.Start, &stream.Function{W: f.W, Bias: f.Bias})
	}
	for _, tolerance := range []float64{1e-3, 1e-6, 1e-10} {
		s.Tolerance = tolerance
		got, report, err := s.Fit(t.Context(), p.sample(false), 6)
		if err != nil || report.Status != learn.Converged || report.Iterations > 12 {
			t.Fatalf("tolerance %v: %+v, %v", tolerance, report, err)
		}
		value, _, _ := p.multinomial(flat(got), 6, 3, 1)
		if over := value - exact.Objective; over > report.Gap+1e-9*value || report.Gap > tolerance*value {
			t.Errorf("tolerance %v: P is %v over its minimum, with a gap of %v", tolerance, over, report.Gap)
		}
		if tolerance == 1e-10 {
			for k, f := range want.Binary() {
				close(t, "memory", append(slices.Clone(got[k].W), got[k].Bias), append(slices.Clone(f.W), f.Bias), 1e-4)
			}
		}
	}
}

// Rows of the curvature that are too few, and a start far away, cost passes and no more.
func TestSoftmaxFromFarAway(t *testing.T) {
	if testing.Short() {
		t.Skip("numbers alone, which are the same under the race detector")
	}
	p := noisy(3000, 30, 4, false)
	s := stream.NewSoftmax()
	s.C, s.Curvature, s.MaxPasses = 5, p.curvature(1), 200
	want, report, err := s.Fit(t.Context(), p.sample(false), 4)
	if err != nil || report.Status != learn.Converged {
		t.Fatal(report, err)
	}
	s.Curvature = p.curvature(300) // 10 rows for 31 coordinates
	_, few, err := s.Fit(t.Context(), p.sample(false), 4)
	if err != nil || few.Status != learn.Converged || few.Objective > report.Objective*(1+2e-3) {
		t.Errorf("with few rows of the curvature: %+v, want %+v; %v", few, report, err)
	}
	s.Curvature = p.curvature(1)
	for k := range want {
		far := slices.Repeat([]float64{float64(100 * k * k)}, 30)
		s.Start = append(s.Start, &stream.Function{W: far, Bias: -100})
	}
	_, far, err := s.Fit(t.Context(), p.sample(false), 4)
	if err != nil || far.Status != learn.Converged || far.Objective > report.Objective*(1+2e-3) {
		t.Errorf("from far away: %+v, want %+v; %v", far, report, err)
	}
}

// Workers change no bit, and a state after any block goes on to the same bits.
func TestSoftmaxGoesOnToTheSameBits(t *testing.T) {
	p := noisy(5000, 6, 3, true)
	var states [][]byte
	s := stream.NewSoftmax()
	s.C, s.Tolerance, s.Curvature = 3, 1e-7, p.curvature(5)
	s.Checkpoint = learn.Checkpoint{Every: 1, Save: func(b []byte) error { states = append(states, b); return nil }}
	want, report, err := s.Fit(t.Context(), p.sample(false), 3)
	if err != nil || report.Status != learn.Converged || len(states) < 8 {
		t.Fatal(len(states), report, err)
	}
	for i, state := range states {
		s.Checkpoint = learn.Checkpoint{From: state}
		s.Run.Workers = 1 + i%3
		got, again, err := s.Fit(t.Context(), p.sample(false), 3)
		if err != nil || !reflect.DeepEqual(got, want) || again.Objective != report.Objective ||
			again.Iterations != report.Iterations {
			t.Fatalf("from state %d: other bits, %v", i, err)
		}
	}
	last := states[len(states)-1]
	s.C = 4
	for _, bad := range [][]byte{last, last[:len(last)-8], {}} {
		s.Checkpoint = learn.Checkpoint{From: bad}
		if _, _, err := s.Fit(t.Context(), p.sample(false), 3); !errors.Is(err, learn.ErrState) {
			t.Errorf("a state of %d bytes of another fit: %v", len(bad), err)
		}
	}
}

// Sums over parts that are merged are those of all rows, and damaged ones are refused.
func TestSoftmaxOfParts(t *testing.T) {
	p := noisy(4096, 5, 4, true)
	s := stream.NewSoftmax()
	s.Tolerance, s.Curvature = 1e-9, p.curvature(1)
	want, _, err := s.Fit(t.Context(), p.sample(false), 4)
	if err != nil {
		t.Fatal(err)
	}
	whole := p.sample(false)
	parts := *whole
	parts.Sum = func(ctx context.Context, pass *stream.Pass, merge func(part []byte) error) error {
		if err := pass.Validate(); err != nil {
			t.Error(err)
		}
		return whole.Each(ctx, 0, func(b *sums.Block) error {
			one := stream.NewSums(pass, nil)
			if err := one.Add(ctx, s.Run, b); err != nil {
				return err
			}
			part, err := one.AppendBinary(nil)
			if err != nil {
				return err
			}
			if merge(part[:len(part)-1]) == nil || merge(append(part, 0)) == nil {
				t.Error("damaged sums were merged")
			}
			return merge(part)
		})
	}
	got, _, err := s.Fit(t.Context(), &parts, 4)
	if err != nil {
		t.Fatal(err)
	}
	close(t, "parts", flat(got), flat(want), 1e-6)
}

func TestSoftmaxFaults(t *testing.T) {
	p := noisy(100, 3, 3, false)
	s := stream.NewSoftmax()
	s.Curvature = p.curvature(1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got, report, err := s.Fit(ctx, p.sample(false), 3); err != nil || report.Status != learn.Cancelled ||
		len(got) != 3 {
		t.Errorf("cancelled: %v, %v", report.Status, err)
	}
	if _, _, err := s.Fit(t.Context(), p.sample(false), 2); err == nil {
		t.Error("two classes have one separator")
	}
	if (stream.Softmax{}).Validate() == nil {
		t.Error("a recipe out of range is valid")
	}
	width, three := make([]float64, 4), make([][]float64, 3)
	for k := range three {
		three[k] = width
	}
	for _, bad := range []stream.Pass{
		{Dim: 3, Classes: 2, Softmax: &stream.SoftmaxPass{End: three[:2], Start: three[:2]}},
		{Dim: 3, Classes: 3, Softmax: &stream.SoftmaxPass{End: three, Start: three[:2]}},
		{Dim: 2, Classes: 3, Softmax: &stream.SoftmaxPass{End: three, Start: three}},
		{Dim: 3, Classes: 3, Softmax: &stream.SoftmaxPass{End: three, Start: three},
			Ridge: &stream.RidgePass{Targets: 1, Folds: 1}},
	} {
		if bad.Validate() == nil {
			t.Errorf("%+v is valid", bad)
		}
	}
	p.x.Data[7] = math.NaN()
	if _, _, err := s.Fit(t.Context(), p.sample(false), 3); err == nil {
		t.Error("a row that is no number was learnt")
	}
	s.Curvature = p.curvature(1)
	if _, _, err := s.Fit(t.Context(), p.sample(false), 3); err == nil {
		t.Error("a row that is no number was learnt")
	}
}
