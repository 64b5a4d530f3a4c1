package bound

import (
	"errors"
	"fmt"
)

// Unknown is the parameter of a Budget that is asked for.
type Unknown string

// The parameters of which one is asked for.
const (
	UnknownError      Unknown = "error"
	UnknownMargin     Unknown = "margin"
	UnknownConfidence Unknown = "confidence"
)

// Budget says what a number of features buys, with each mapping: the error,
// the margin or the confidence, the other two being given. It is the inverse of
// Plan.
//
// An error that is bought is the one that is promised in the end, noise
// included; the field Error, as in Plan, is what is allowed beyond noise. A nil
// answer says that the mapping promises nothing for so few features.
type Budget struct {
	Dim        int     `json:"dim"`
	Unknown    Unknown `json:"unknown"`
	Margin     float64 `json:"margin,omitempty"`     // γ, unless asked for
	Error      float64 `json:"error,omitempty"`      // ε, unless asked for
	Confidence float64 `json:"confidence,omitempty"` // 1 - δ, unless asked for
	Noise      float64 `json:"noise"`                // α

	F1          *float64 `json:"f1"`           // with Dim landmarks; corollary 1
	F2          *float64 `json:"f2"`           // with Dim landmarks; theorem 4
	F3          *float64 `json:"f3"`           // with Dim features of F3Landmarks landmarks; theorem 5
	F3Landmarks Count    `json:"f3_landmarks"` // that F3 then takes; 0 where it promises nothing
	JL          *float64 `json:"jl"`           // a random projection of explicit vectors to Dim coordinates; theorem 3
}

// NewBudget computes what dim features buy. Of margin, err and confidence the
// one that is unknown is not read. It reports every parameter that is out of
// range.
func NewBudget(unknown Unknown, margin, err, confidence, noise float64, dim int) (Budget, error) {
	b := Budget{Dim: dim, Unknown: unknown, Margin: margin, Error: err, Confidence: confidence, Noise: noise}
	faults := []error{checkMargin(margin), checkError(err), checkConfidence(confidence), checkNoise(noise), checkDim(dim)}
	switch unknown {
	case UnknownMargin:
		b.Margin, faults[0] = 0, nil
	case UnknownError:
		b.Error, faults[1] = 0, nil
	case UnknownConfidence:
		b.Confidence, faults[2] = 0, nil
	default:
		faults = append(faults, fmt.Errorf("unknown is %q and must be error, margin or confidence", string(unknown)))
	}
	if fault := errors.Join(faults...); fault != nil {
		return Budget{}, fault
	}
	switch unknown {
	case UnknownMargin:
		b.buyMargins()
	case UnknownError:
		b.buyErrors()
	case UnknownConfidence:
		b.buyConfidences()
	}
	b.F1 = b.F2
	return b, nil
}

// buyErrors fills in the errors. Half of ε and of δ go to the landmarks of F3, so
// its features alone decide: the landmarks are then what it takes.
func (b *Budget) buyErrors() {
	delta := 1 - b.Confidence
	total := func(e float64) *float64 {
		if e >= 1 {
			return nil
		}
		t := noisyError(boughtError(e), b.Noise)
		return &t
	}
	if t, _ := NoisyLandmarksError(b.Margin, b.Confidence, b.Noise, b.Dim); t < 1 {
		b.F2 = &t
	}
	b.JL = total(projectionRest(b.Margin, delta, b.Dim))
	e := 2 * projectionRest(b.Margin/2, delta/2, b.Dim)
	if b.F3 = total(e); b.F3 != nil {
		b.F3Landmarks = landmarks(b.Margin, landmarkError(boughtError(e), b.Noise)/2, delta/2)
	}
}

// buyMargins fills in the smallest margins.
func (b *Budget) buyMargins() {
	delta := 1 - b.Confidence
	some := func(margin float64) *float64 {
		m, fault := boughtMargin("", margin)
		if fault != nil {
			return nil
		}
		return &m
	}
	markErr := landmarkError(b.Error, b.Noise)
	b.F2 = some(landmarksMargin(markErr, delta, b.Dim))
	b.JL = some(projectionMargin(b.Error, delta, b.Dim))
	if b.F3 = some(2 * projectionMargin(b.Error/2, delta/2, b.Dim)); b.F3 != nil {
		b.F3Landmarks = landmarks(*b.F3, markErr/2, delta/2)
	}
}

// buyConfidences fills in the confidences.
func (b *Budget) buyConfidences() {
	some := func(delta float64) *float64 {
		if c := boughtConfidence(delta); c > 0 {
			return &c
		}
		return nil
	}
	markErr := landmarkError(b.Error, b.Noise)
	b.F2 = some(landmarksDelta(b.Margin, markErr, b.Dim))
	b.JL = some(projectionRest(b.Margin, b.Error, b.Dim))
	if b.F3 = some(2 * projectionRest(b.Margin/2, b.Error/2, b.Dim)); b.F3 != nil {
		b.F3Landmarks = landmarks(b.Margin, markErr/2, (1-*b.F3)/2)
	}
}
