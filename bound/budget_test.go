package bound_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/kerf-ml/kerf/bound"
)

// TestBudgetIsPlanTurnedRound: what dim features buy, planned for, asks for dim
// features at most.
func TestBudgetIsPlanTurnedRound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		margin := rapid.Float64Range(0.05, 1).Draw(t, "margin")
		err := rapid.Float64Range(0.001, 0.99).Draw(t, "error")
		confidence := rapid.Float64Range(0.01, 0.999).Draw(t, "confidence")
		noise := rapid.SampledFrom([]float64{0, 0.1, 0.375, 0.5, 0.9}).Draw(t, "noise")
		dim := rapid.IntRange(1, 1_000_000).Draw(t, "dim")
		unknown := rapid.SampledFrom([]bound.Unknown{bound.UnknownError, bound.UnknownMargin,
			bound.UnknownConfidence}).Draw(t, "unknown")
		b, fault := bound.NewBudget(unknown, margin, err, confidence, noise, dim)
		if fault != nil {
			t.Fatal(fault)
		}
		for _, way := range []struct {
			name   string
			bought *float64
			count  func(bound.Plan) bound.Count
		}{
			{"F1", b.F1, func(p bound.Plan) bound.Count { return p.F1Dim }},
			{"F2", b.F2, func(p bound.Plan) bound.Count { return p.F2Dim }},
			{"F3", b.F3, func(p bound.Plan) bound.Count { return p.F3Dim }},
			{"JL", b.JL, func(p bound.Plan) bound.Count { return p.JLDim }},
		} {
			m, e, c := margin, err, confidence
			if way.bought == nil {
				// The most lenient there is does not do.
				switch unknown {
				case bound.UnknownError:
					e = 1 - hair
				case bound.UnknownMargin:
					m = 1
				case bound.UnknownConfidence:
					c = 1e-12
				}
				if p, fault := bound.NewPlan(m, e, c, noise); fault != nil || way.count(p) < bound.Count(dim) {
					t.Fatalf("%s: nothing bought, yet %v would do, %v", way.name, way.count(p), fault)
				}
				continue
			}
			switch unknown {
			case bound.UnknownError:
				// The noise taken off again rounds by 10⁻¹⁶ over what is left.
				e = (*way.bought - noise) / (1 - noise)
				e += 1e-14 / (1 - noise)
				if e >= 1 || e < 1e-9 {
					continue
				}
			case bound.UnknownMargin:
				m = *way.bought
			case bound.UnknownConfidence:
				c = *way.bought
			}
			p, fault := bound.NewPlan(m, e, c, noise)
			if errors.Is(fault, bound.ErrTooLarge) {
				continue
			}
			if fault != nil || way.count(p) > bound.Count(dim) {
				t.Fatalf("%s: margin %v, error %v, confidence %v cost %v, %v", way.name, m, e, c, way.count(p), fault)
			}
			if way.name == "F3" && math.Abs(float64(p.F3Landmarks-b.F3Landmarks)) > 1+1e-4*float64(p.F3Landmarks) {
				t.Fatalf("F3 takes %v landmarks, the budget says %v", p.F3Landmarks, b.F3Landmarks)
			}
		}
	})
}

func TestBudgetJSON(t *testing.T) {
	b, err := bound.NewBudget(bound.UnknownError, 0.2, math.NaN(), 0.95, 0, 4480)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	// 8/4480·(25 + ln 20) = 0.049992; F3 has too few features for anything;
	// g = 1/11, 160·exp(-10/1331·1120) = 160·exp(-8.41473) = 0.035453.
	want := `{"dim":4480,"unknown":"error","margin":0.2,"confidence":0.95,"noise":0,` +
		`"f1":0.04999237905991783,"f2":0.04999237905991783,"f3":null,"f3_landmarks":0,"jl":0.03545283863556336}`
	if string(text) != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
}

// TestNothingIsNaN calls every function with parameters from the ends of their
// ranges: each gives a number in range or one of the two errors.
func TestNothingIsNaN(t *testing.T) {
	tiny, most := math.SmallestNonzeroFloat64, math.Nextafter(1, 0)
	margins := []float64{tiny, 1e-200, 1e-9, 0.5, most, 1}
	parts := []float64{tiny, 1e-200, 1e-9, 0.5, most}
	counts := []int{1, 2, 1000, 1 << 53, math.MaxInt}
	functions := []any{
		bound.Landmarks, bound.LandmarksError, bound.LandmarksMargin, bound.LandmarksConfidence,
		bound.NoisyError, bound.NoisyLandmarks, bound.NoisyLandmarksError,
		bound.DistortionDim, bound.DistortionFailure, bound.Distortion, bound.PairsDim, bound.PairsFailure,
		bound.PairsDistortion,
		bound.MarginDistortion, bound.ProjectionDim, bound.ProjectionError, bound.ProjectionMargin,
		bound.ProjectionConfidence,
		bound.SampleProjectionDim, bound.SampleProjectionMargin,
		bound.Compressed, bound.CompressedError, bound.CompressedMargin, bound.CompressedConfidence,
		bound.PerceptronMistakes, bound.PerceptronSample, bound.PerceptronError, bound.PerceptronMargin, bound.Survivor,
		bound.WeakChance, bound.WeakTries, bound.WeakConfidence, bound.WeakMargin, bound.WeakSample, bound.WeakSampleMargin,
		bound.BoostingRounds, bound.BoostingSampleRounds, bound.BoostingError, bound.BoostingEdge, bound.Boosted,
		bound.ConsistentSample, bound.ConsistentError, bound.ConsistentDim,
		bound.UniformSample, bound.UniformError, bound.UniformDim,
		bound.MarginSample, bound.MarginSampleError, bound.MarginSampleMargin, bound.MarginSampleConfidence,
		bound.ErrorGap, bound.ErrorGapSample, bound.Separable, bound.SeparableError,
		bound.SGDSteps, bound.SGDExcess,
	}
	for i, function := range functions {
		f := reflect.ValueOf(function)
		var call func(args []reflect.Value)
		call = func(args []reflect.Value) {
			if k := len(args); k < f.Type().NumIn() {
				if f.Type().In(k).Kind() == reflect.Int {
					for _, n := range counts {
						call(append(args[:k:k], reflect.ValueOf(n)))
					}
					return
				}
				values := parts
				if k == 0 {
					values = margins
				}
				for _, v := range values {
					call(append(args[:k:k], reflect.ValueOf(v)))
				}
				return
			}
			checkResults(t, fmt.Sprintf("function %d (%s)%v", i, f.Type(), args), args, f.Call(args))
		}
		call(nil)
	}
}

func checkResults(t *testing.T, name string, args, results []reflect.Value) {
	t.Helper()
	err, _ := results[len(results)-1].Interface().(error)
	if err != nil {
		// A first argument of 1 is a margin, and may be no error or edge.
		first := args[0].Kind() == reflect.Float64 && args[0].Float() > 0.5
		if !first && !errors.Is(err, bound.ErrTooLarge) && !errors.Is(err, bound.ErrTooFew) {
			t.Errorf("%s: %v", name, err)
		}
		return
	}
	for _, r := range results[:len(results)-1] {
		if r.Kind() == reflect.Int && (r.Int() < 0 || r.Int() > 1<<53) {
			t.Errorf("%s = %d", name, r.Int())
		}
		if r.Kind() == reflect.Float64 && !(r.Float() >= 0 && r.Float() <= 1) {
			t.Errorf("%s = %v", name, r.Float())
		}
	}
}
