package lab_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/kerf-ml/kerf/lab"
	"github.com/kerf-ml/kerf/run"
)

// compute computes a state on some workers.
func compute(t *testing.T, s lab.State, workers int) *lab.Answer {
	t.Helper()
	o := lab.NewOptions()
	o.Run = run.Control{Workers: workers}
	l, err := lab.New(o)
	if err != nil {
		t.Fatal(err)
	}
	a, err := l.Compute(t.Context(), s)
	if err != nil {
		t.Fatalf("%+v: %v", s, err)
	}
	return a
}

// bits returns an answer without its times.
func bits(t *testing.T, a *lab.Answer) []byte {
	t.Helper()
	a.Seconds = nil
	b, err := a.Frame()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestLesson checks that the state which the page begins with shows what it is for.
func TestLesson(t *testing.T) {
	a := compute(t, lab.NewState(), 0)
	if len(a.Faults) > 0 {
		t.Errorf("faults %v", a.Faults)
	}
	if !(a.F2.Margin > 5*a.F1.Margin) {
		t.Errorf("margins %v of F1 and %v of F2", a.F1.Margin, a.F2.Margin)
	}
	if !(a.F2.Margin >= float64(a.Plan.Largest)/2) {
		t.Errorf("F2 has margin %v of %v, less than theorem 4 promises", a.F2.Margin, a.Plan.Largest)
	}
	for _, part := range []string{"same 32 landmarks", "0.56°", "4.1°", "right angles"} {
		if !strings.Contains(a.Lesson, part) {
			t.Errorf("the lesson lacks %q: %s", part, a.Lesson)
		}
	}
	if !(a.F1.Mistakes > 10*a.F2.Mistakes) || !(a.F1.Share[0] > a.F2.Share[0]) {
		t.Errorf("mistakes %d and %d, shares %v and %v", a.F1.Mistakes, a.F2.Mistakes, a.F1.Share[0], a.F2.Share[0])
	}
	if !a.Certain.Holds || a.Fit.Error != 0 || len(a.Growth) < 4 {
		t.Errorf("certificate %+v, fit %+v, growth %v", a.Certain, a.Fit, a.Growth)
	}
}

// TestWorkers checks that answers are the same bits for any number of workers, and for a
// lab that has computed others before.
func TestWorkers(t *testing.T) {
	s := lab.NewState()
	s.Data, s.N, s.Noise, s.Kernel, s.Map, s.Cells, s.Dim = "moons", 300, 0.1, "rbf(gamma=2)", "f3", 24, 100
	want := bits(t, compute(t, s, 1))
	for _, workers := range []int{2, 5} {
		if got := bits(t, compute(t, s, workers)); !bytes.Equal(got, want) {
			t.Errorf("%d workers give other bits than one", workers)
		}
	}
	l, err := lab.New(lab.NewOptions())
	if err != nil {
		t.Fatal(err)
	}
	for _, other := range []func(*lab.State){
		func(s *lab.State) { s.Error = 0.3 }, func(s *lab.State) { s.Dim = 20 }, func(s *lab.State) { s.Learner = "ridge" },
		func(*lab.State) {}, func(*lab.State) {},
	} {
		before := s
		other(&before)
		if _, err := l.Compute(t.Context(), before); err != nil {
			t.Fatal(err)
		}
	}
	a, err := l.Compute(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if got := bits(t, a); !bytes.Equal(got, want) {
		t.Error("what is remembered gives other bits")
	}
}

// TestTheory checks on all data, kernels and maps what the theorems say of the numbers, and
// that everything has an answer or says why not.
func TestTheory(t *testing.T) {
	for _, data := range []string{"circle", "xor", "rings", "moons", "interleaved", "interval", "halfspace"} {
		for _, kernel := range []string{"rbf(gamma=0.3)", "rbf", "laplace(gamma=1)", "poly(degree=3,coef=1)",
			"linear", "cosine",
			"sigmoid(gamma=2)", "normalize(poly(degree=2))", "rbf(gamma=100)"} {
			s := lab.NewState()
			s.Data, s.N, s.Kernel, s.Cells, s.Dim, s.Draft = data, 60, kernel, 8, 20, data == "moons"
			a := compute(t, s, 0)
			if a.F1 == nil || a.Fit == nil {
				t.Errorf("%s %s: no F1: %v", data, kernel, a.Faults)
				continue
			}
			if a.F2 == nil && !strings.HasPrefix(kernel, "sigmoid") {
				t.Errorf("%s %s: no F2: %v", data, kernel, a.Faults)
			}
			for i, side := range []*lab.Side{a.F1, a.F2} {
				if side == nil {
					continue
				}
				if side.Margin > side.Bound+1e-12 {
					t.Errorf("%s %s F%d: margin %v above its bound %v", data, kernel, i+1, side.Margin, side.Bound)
				}
				if side.Separable && float64(side.Mistakes) > float64(side.Limit)+1e-6 {
					t.Errorf("%s %s F%d: %d mistakes, at most %v", data, kernel, i+1, side.Mistakes, side.Limit)
				}
				sum := 0.0
				for _, v := range side.Share {
					sum += v
				}
				if len(side.Share) > 0 && math.Abs(sum-1) > 1e-6 {
					t.Errorf("%s %s F%d: shares add up to %v", data, kernel, i+1, sum)
				}
			}
			// Theorem 4 for separators of the span itself: a projection loses no margin, so F2's
			// largest margin on all landmarks is not below that of a separator of their span.
			if a.Plan != nil && a.F2 != nil && a.Plan.Half > a.Plan.Margin {
				t.Errorf("%s %s: plan %+v", data, kernel, a.Plan)
			}
		}
	}
}

// TestMapsAndLearners fits every learner to every map.
func TestMapsAndLearners(t *testing.T) {
	for _, m := range lab.Maps {
		for _, learner := range lab.Learners {
			s := lab.NewState()
			s.N, s.Map, s.Learner, s.Cells, s.Kernel, s.Penalty = 80, m, learner, 9, "rbf(gamma=1)", 1
			a := compute(t, s, 0)
			if a.Fit == nil || len(a.Raster) != 81 || len(a.Margins) != 80 {
				t.Errorf("%s %s: %v", m, learner, a.Faults)
			} else if m != "none" && learner != "boost" && a.Fit.Error > 0.1 {
				t.Errorf("%s %s: error %v", m, learner, a.Fit.Error)
			}
		}
	}
}

// TestLandmarksStay checks that more landmarks are those that there were and others.
func TestLandmarksStay(t *testing.T) {
	s := lab.NewState()
	s.Cells = 2
	few := compute(t, s, 0).Landmarks
	s.Dim = 33
	more := compute(t, s, 0).Landmarks
	if len(few) != 64 || len(more) != 66 {
		t.Fatalf("%d and %d numbers", len(few), len(more))
	}
	for i, v := range few {
		if more[i] != v {
			t.Fatalf("landmark %d moved", i/2)
		}
	}
}

// TestDrawn checks points by hand: one class is refused, and each point counts.
func TestDrawn(t *testing.T) {
	l, err := lab.New(lab.NewOptions())
	if err != nil {
		t.Fatal(err)
	}
	s := lab.NewState()
	s.Data, s.Dim, s.Cells = lab.DataDrawn, 4, 8
	for n, want := range map[int]string{0: "no points", 1: "class 1"} {
		s.Drawn = [][3]float64{{0, 0, 0}}[:n]
		if _, err := l.Compute(t.Context(), s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d points: %v", n, err)
		}
	}
	s.Drawn = [][3]float64{{-0.5, 0, 0}, {0.5, 0, 1}, {0.5, 0.2, 1}}
	a, err := l.Compute(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if a.N != 3 || a.Points[0] != -0.5 || a.Labels[2] != 1 || a.View != [4]float64{-1.1, -1.1, 1.1, 1.1} {
		t.Errorf("%+v", a)
	}
}

// TestEnds checks that an answer ends soon after nobody waits for it.
func TestEnds(t *testing.T) {
	l, err := lab.New(lab.NewOptions())
	if err != nil {
		t.Fatal(err)
	}
	s := lab.NewState()
	s.N, s.Dim, s.Cells, s.Data = lab.MaxPoints, lab.MaxDim, lab.MaxCells, "moons"
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	begun := time.Now()
	if _, err := l.Compute(ctx, s); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("it ended after %v", took)
	}
}

// TestFrame reads a frame back, as the page does.
func TestFrame(t *testing.T) {
	s := lab.NewState()
	s.N, s.Cells = 30, 5
	a := compute(t, s, 0)
	b, err := a.Frame()
	if err != nil {
		t.Fatal(err)
	}
	size := int(binary.LittleEndian.Uint32(b))
	var head struct {
		N        int
		Sections []struct {
			Name, Kind string
			Count      int
		}
	}
	if err := json.Unmarshal(b[4:4+size], &head); err != nil || head.N != 30 {
		t.Fatalf("%v %+v", err, head)
	}
	at := 4 + size
	for _, part := range head.Sections {
		if at%4 != 0 {
			t.Fatalf("%s begins at %d", part.Name, at)
		}
		if part.Name == "raster" {
			for i, v := range a.Raster {
				if got := math.Float32frombits(binary.LittleEndian.Uint32(b[at+4*i:])); got != v {
					t.Fatalf("cell %d is %v, want %v", i, got, v)
				}
			}
		}
		if part.Name == "decided" && !bytes.Equal(b[at:at+part.Count], a.Decided) {
			t.Error("other classes")
		}
		if part.Kind == "f4" {
			at += 4 * part.Count
		} else {
			at += (part.Count + 3) / 4 * 4
		}
	}
	if at != len(b) {
		t.Errorf("the frame has %d bytes, and its sections end at %d", len(b), at)
	}
}

// BenchmarkDraft computes what a slider's move asks for, on 2,000 points. Nothing is
// remembered from one to the next.
func BenchmarkDraft(b *testing.B) {
	for _, data := range []string{"rings", "circle"} {
		for _, dim := range []int{32, 128} {
			b.Run(data+"/"+map[int]string{32: "32", 128: "128"}[dim], func(b *testing.B) {
				s := lab.NewState()
				s.Data, s.N, s.Dim, s.Cells, s.Draft = data, 2000, dim, 64, true
				for b.Loop() {
					l, err := lab.New(lab.NewOptions())
					if err == nil {
						_, err = l.Compute(b.Context(), s)
					}
					if err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkFrame writes the arrays of a picture, as a frame and as JSON.
func BenchmarkFrame(b *testing.B) {
	l, err := lab.New(lab.NewOptions())
	if err != nil {
		b.Fatal(err)
	}
	s := lab.NewState()
	s.N = 2000
	a, err := l.Compute(b.Context(), s)
	if err != nil {
		b.Fatal(err)
	}
	a.Charts = nil
	b.Run("binary", func(b *testing.B) {
		size := 0
		for b.Loop() {
			f, err := a.Frame()
			if err != nil {
				b.Fatal(err)
			}
			size = len(f)
		}
		b.ReportMetric(float64(size), "bytes")
	})
	b.Run("json", func(b *testing.B) {
		size := 0
		for b.Loop() {
			f, err := json.Marshal(struct {
				*lab.Answer
				P, M, L, R []float32
				C, D       []int
			}{a, a.Points, a.Margins, a.Landmarks, a.Raster, whole(a.Labels), whole(a.Decided)})
			if err != nil {
				b.Fatal(err)
			}
			size = len(f)
		}
		b.ReportMetric(float64(size), "bytes")
	})
}

// whole returns bytes as numbers, which JSON would write as a text.
func whole(v []uint8) []int {
	out := make([]int, len(v))
	for i, b := range v {
		out[i] = int(b)
	}
	return out
}
