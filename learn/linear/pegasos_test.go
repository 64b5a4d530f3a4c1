package linear_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/linear"
	"github.com/kerf-ml/kerf/run"
)

// cut is a stream of d in chunks of the given size, in order. Chunks are
// overwritten once the next is asked for.
func cut(d sample, weight []float64, size int) linear.Stream {
	return func(int) iter.Seq2[linear.Chunk, error] {
		return func(yield func(linear.Chunk, error) bool) {
			buf := data.NewMatrix(size, data.Dim(d.X))
			for lo := 0; lo < len(d.Y); lo += size {
				hi := min(lo+size, len(d.Y))
				for i := range buf.Data {
					buf.Data[i] = math.NaN()
				}
				for i := lo; i < hi; i++ {
					d.X.At(i).CopyTo(buf.Row(i - lo))
				}
				c := linear.Chunk{X: &data.Matrix{Rows: hi - lo, Cols: buf.Cols, Data: buf.Data[:(hi-lo)*buf.Cols]}, Y: d.Y[lo:hi]}
				if weight != nil {
					c.Weight = weight[lo:hi]
				}
				if !yield(c, nil) {
					return
				}
			}
		}
	}
}

// pegasosOracle takes the steps of the paper with w written out, and returns the
// last w and the mean weighted by t, the constant coordinate last.
func pegasosOracle(d sample, p linear.Pegasos) (last, mean []float64) {
	dim := data.Dim(d.X)
	w, sum := make([]float64, dim+1), make([]float64, dim+1)
	t, total, largest := 0.0, 0.0, 0.0
	for range p.Epochs {
		for lo := 0; lo < len(d.Y); lo += p.Batch {
			hi := min(lo+p.Batch, len(d.Y))
			g := make([]float64, dim+1)
			for i := lo; i < hi; i++ {
				x := make([]float64, dim+1)
				d.X.At(i).CopyTo(x)
				x[dim] = p.Unit
				c, score := 1.0, 0.0
				if d.Weight != nil {
					c = d.Weight[i]
				}
				largest = max(largest, c)
				for j := range x {
					score += w[j] * x[j]
				}
				if d.Y[i]*score < 1 {
					for j := range x {
						g[j] += c * d.Y[i] * x[j]
					}
				}
			}
			t++
			norm := 0.0
			for j := range w {
				w[j] = (1-1/t)*w[j] + g[j]/(p.Lambda*t*float64(hi-lo))
				norm += w[j] * w[j]
			}
			if limit := math.Sqrt(largest / p.Lambda); p.Project && math.Sqrt(norm) > limit {
				for j := range w {
					w[j] *= limit / math.Sqrt(norm)
				}
			}
			for j := range w {
				sum[j] += t * w[j]
			}
			total += t
		}
	}
	for j := range sum {
		sum[j] /= total
	}
	return w, sum
}

func TestPegasosOracle(t *testing.T) {
	for _, n := range []int{2, 9, 64, 65, 200} {
		for _, batch := range []int{1, 7, 64, 500} {
			for _, project := range []bool{false, true} {
				d := noisy(n, 5, 0.2, uint64(n))
				p := linear.NewPegasos()
				p.Shuffle, p.Project, p.Batch, p.Epochs, p.Lambda = false, project, batch, 3, 0.05
				if n == 65 {
					_, d.Weight = targets(n, 1, 2)
				}
				last, mean := pegasosOracle(d, p)
				for form, d := range map[string]sample{"dense": d, "sparse": sparse(d)} {
					for average, want := range map[bool][]float64{false: last, true: mean} {
						p.Average = average
						s, r, err := p.Fit(t.Context(), d)
						if err != nil || r.Status != learn.IterationLimit || r.Iterations != 3 {
							t.Fatalf("%v, %+v", err, r)
						}
						nearAll(t, fmt.Sprintf("n=%d k=%d %s project=%v average=%v", n, batch, form, project, average),
							append(s.W, s.Bias), want, 1e-9)
					}
				}
			}
		}
	}
}

// With λ = 1/(nC) the objective comes near that of the machine with penalty C.
func TestPegasosReachesSVM(t *testing.T) {
	d := noisy(400, 6, 0.1, 3)
	const c = 0.1
	_, r, err := exact(c, 1e-6).Fit(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	p := linear.NewPegasos()
	p.Lambda, p.Epochs = linear.PegasosLambda(c, 400), 200
	s, q, err := p.Fit(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "objective and its formula", q.Objective, primal(d, s, c)/(400*c), 1e-12)
	if least := r.Objective / (400 * c); q.Objective < least*(1-1e-6) || q.Objective > 1.01*least {
		t.Errorf("objective %v, optimum %v", q.Objective, least)
	}
	_, e, err := p.FitStream(t.Context(), linear.NewPegasosState(), p.Rows(d))
	if err != nil || math.Abs(e.Objective-q.Objective) > 0.05*q.Objective {
		t.Errorf("estimate %v of %v, %v", e.Objective, q.Objective, err)
	}
}

// How a stream is cut does not change a bit of the result.
func TestPegasosChunks(t *testing.T) {
	d := noisy(230, 4, 0.2, 1)
	_, weight := targets(230, 1, 1)
	for _, batch := range []int{1, 10, 37} {
		p := linear.NewPegasos()
		p.Epochs, p.Batch = 3, batch
		var first *linear.PegasosState
		for _, size := range []int{1, 7, 64, 229, 230, 1000} {
			state := linear.NewPegasosState()
			if _, _, err := p.FitStream(t.Context(), state, cut(d, weight, size)); err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = state
			}
			if !reflect.DeepEqual(first, state) {
				t.Errorf("k=%d: chunks of %d give another state", batch, size)
			}
		}
	}
}

// A run that is killed at any save and resumed from JSON ends with the same bits.
func TestPegasosResumes(t *testing.T) {
	d := noisy(150, 4, 0.2, 1)
	for _, batch := range []int{1, 8} {
		p := linear.NewPegasos()
		p.Epochs, p.Batch, p.SaveRows = 3, batch, 11
		stream := p.Rows(d)
		var saves [][]byte
		p.Save = func(s *linear.PegasosState) error {
			text, err := json.Marshal(s)
			saves = append(saves, text)
			return err
		}
		want, r, err := p.FitStream(t.Context(), linear.NewPegasosState(), stream)
		if err != nil || len(saves) < 30 {
			t.Fatalf("%v, %d saves", err, len(saves))
		}
		p.Save = nil
		for k, text := range saves {
			state := new(linear.PegasosState)
			if err := json.Unmarshal(text, state); err != nil {
				t.Fatal(err)
			}
			got, q, err := p.FitStream(t.Context(), state, stream)
			if err != nil {
				t.Fatal(err)
			}
			q.Elapsed, r.Elapsed = 0, 0
			if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(q, r) {
				t.Errorf("resumed from save %d: %+v %+v, want %+v %+v", k, got, q, want, r)
			}
		}
		fit, _, err := p.Fit(t.Context(), d)
		if err != nil || !reflect.DeepEqual(fit, want) {
			t.Errorf("Fit gives another separator than its stream: %v", err)
		}
	}
}

func TestPegasosStops(t *testing.T) {
	d := noisy(300, 4, 0.2, 1)
	p := linear.NewPegasos()
	p.Epochs, p.Batch = 4, 7
	want, _, err := p.FitStream(t.Context(), linear.NewPegasosState(), cut(d, nil, 50))
	if err != nil {
		t.Fatal(err)
	}
	state := linear.NewPegasosState()
	for chunks := 1; ; chunks++ {
		ctx, cancel := context.WithCancel(t.Context())
		seen := 0
		stream := func(epoch int) iter.Seq2[linear.Chunk, error] {
			return func(yield func(linear.Chunk, error) bool) {
				for c, err := range cut(d, nil, 50)(epoch) {
					if seen++; seen > chunks {
						cancel()
					}
					if !yield(c, err) {
						return
					}
				}
			}
		}
		got, r, err := p.FitStream(ctx, state, stream)
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		if r.Status == learn.IterationLimit {
			if !reflect.DeepEqual(got, want) {
				t.Errorf("stopped %d times: %+v, want %+v", chunks, got, want)
			}
			return
		}
		if r.Status != learn.Cancelled || state.Row%7 != 0 {
			t.Fatalf("%+v at row %d", r, state.Row)
		}
	}
}

// λ so small that the scale runs low is multiplied out and stays finite.
func TestPegasosRescales(t *testing.T) {
	d := noisy(50, 3, 0.3, 2)
	p := linear.NewPegasos()
	p.Shuffle, p.Lambda, p.Epochs = false, 1e-9, 20
	last, mean := pegasosOracle(d, p)
	for average, want := range map[bool][]float64{false: last, true: mean} {
		p.Average = average
		s, _, err := p.Fit(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		nearAll(t, "w", append(s.W, s.Bias), want, 1e-7)
	}
}

func TestPegasosFaults(t *testing.T) {
	p := linear.NewPegasos()
	boom := errors.New("boom")
	one := func(c linear.Chunk, err error) linear.Stream {
		return func(int) iter.Seq2[linear.Chunk, error] {
			return func(yield func(linear.Chunk, error) bool) { yield(c, err) }
		}
	}
	x := data.Slice[data.Vector]{data.Dense(1), data.Dense(2)}
	for name, c := range map[string]struct {
		stream linear.Stream
		want   string
	}{
		"error":   {one(linear.Chunk{}, boom), "boom"},
		"no rows": {one(linear.Chunk{X: data.Slice[data.Vector]{}}, nil), "no rows"},
		"label":   {one(linear.Chunk{X: x, Y: []float64{1, 2}}, nil), "row 2: label is 2"},
		"labels":  {one(linear.Chunk{X: x, Y: []float64{1}}, nil), "2 rows, 1 labels"},
		"weight":  {one(linear.Chunk{X: x, Y: []float64{1, -1}, Weight: []float64{1, -1}}, nil), "row 2: weight is -1"},
		"one":     {one(linear.Chunk{X: x, Y: []float64{1, 1}}, nil), "same label"},
		"infinite": {one(linear.Chunk{X: data.Slice[data.Vector]{data.Dense(math.Inf(1))}, Y: []float64{1}}, nil),
			"row 1: coordinate 0"},
	} {
		if _, _, err := p.FitStream(t.Context(), linear.NewPegasosState(), c.stream); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	state := linear.NewPegasosState()
	state.Row = 5
	if _, _, err := p.FitStream(t.Context(), state, one(linear.Chunk{X: x, Y: []float64{1, -1}}, nil)); err == nil ||
		!strings.Contains(err.Error(), "same stream") {
		t.Errorf("short stream: %v", err)
	}
	p.Run = run.Control{Memory: 8}
	if _, _, err := p.FitStream(t.Context(), linear.NewPegasosState(),
		one(linear.Chunk{X: x, Y: []float64{1, -1}}, nil)); err == nil || !strings.Contains(err.Error(), "memory") {
		t.Errorf("memory: %v", err)
	}
	p = linear.NewPegasos()
	p.Lambda = 1e-300
	huge := sample{X: data.Slice[data.Vector]{data.Dense(1e139), data.Dense(-1e139)}, Y: []float64{1, -1}}
	if s, _, err := p.Fit(t.Context(), huge); err == nil && s.W[0]-s.W[0] != 0 {
		t.Errorf("w = %v", s.W)
	}
}

func ExampleNewPegasos() {
	d := data.Labeled[data.Vector, float64]{
		X: data.Slice[data.Vector]{data.Dense(0, 0), data.Dense(0, 1), data.Dense(2, 0), data.Dense(2, 1)},
		Y: []float64{-1, -1, 1, 1},
	}
	recipe := linear.NewPegasos()
	recipe.Lambda, recipe.Epochs = linear.PegasosLambda(10, 4), 500
	separator, report, err := recipe.Fit(context.Background(), d)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(report.Iterations, separator.Predict(data.Dense(3, 3)), separator.Predict(data.Dense(-1, 0)))
	// Output: 500 1 -1
}
