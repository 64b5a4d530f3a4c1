package bound

import (
	"errors"
	"math"
)

// Plan gathers what the theorems promise for one problem: what was assumed,
// and how many of everything is enough for it.
//
// Counts are whole numbers up to 2⁵³ and floats above, in JSON as in Go.
type Plan struct {
	Margin     float64 `json:"margin"`     // γ
	Error      float64 `json:"error"`      // ε
	Confidence float64 `json:"confidence"` // 1 - δ
	Noise      float64 `json:"noise"`      // α

	Landmarks Count `json:"landmarks"` // NoisyLandmarks, lemma 1
	F1Dim     Count `json:"f1_dim"`    // features of F1, corollary 1: as many as landmarks
	// features of F2 at most, theorem 4; fewer if the landmarks' rank is lower
	F2Dim              Count   `json:"f2_dim"`
	F3Landmarks        Count   `json:"f3_landmarks"`        // Compressed, theorem 5
	F3Dim              Count   `json:"f3_dim"`              // Compressed, theorem 5
	JLDim              Count   `json:"jl_dim"`              // ProjectionDim, theorem 3: of explicit vectors
	PerceptronMistakes Count   `json:"perceptron_mistakes"` // for Noise 0
	PerceptronSample   Count   `json:"perceptron_sample"`   // for Noise 0
	ErrorBound         float64 `json:"error_bound"`         // NoisyError: of F1 at margin 0, F2 and JL at γ/2, F3 at γ/4

	WeakTries  Count `json:"weak_learner_tries"`  // WeakSample, algorithm 1; for Noise 0
	WeakSample Count `json:"weak_learner_sample"` // WeakSample, footnote 2; for Noise 0

	BoostingRounds Count `json:"boosting_rounds"` // Boosted: training error ε; for Noise 0
	BoostingTries  Count `json:"boosting_tries"`  // Boosted: random separators a round; for Noise 0

	SurvivorStreak Count `json:"perceptron_streak"`      // Survivor; for Noise 0
	SurvivorSample Count `json:"perceptron_sure_sample"` // Survivor; for Noise 0

	MarginSample Count `json:"margin_sample"` // MarginSample at γ/2: true error against error at margin γ/2 on the sample
	F2Sample     Count `json:"f2_sample"`     // UniformSample in F2Dim dimensions: true against training error

	NearlyLandmarks Count   `json:"corollary2_landmarks"` // NearlySeparable, corollary 2; for Noise 0
	NearlyDim       Count   `json:"corollary2_dim"`       // NearlySeparable, corollary 2; for Noise 0
	NearlyError     float64 `json:"corollary2_error"`     // of that map: Error/(d·ln d) for d = NearlyDim

	SeparableLandmarks Count `json:"separable_landmarks"` // Separable; for Noise 0
	SeparableDim       Count `json:"separable_dim"`       // Separable; for Noise 0
	SeparableSample    Count `json:"separable_sample"`    // Separable; for Noise 0
}

// NewPlan computes the plan for a problem that has margin γ in the kernel's
// feature space but for a part α of noise. It reports every parameter that is
// out of range. The error wraps ErrTooLarge where a count is past all numbers.
func NewPlan(margin, err, confidence, noise float64) (Plan, error) {
	fault := errors.Join(checkMargin(margin), checkError(err), checkConfidence(confidence), checkNoise(noise))
	if fault != nil {
		return Plan{}, fault
	}
	p := Plan{Margin: margin, Error: err, Confidence: confidence, Noise: noise}
	delta := 1 - confidence
	markErr := landmarkError(err, noise)
	p.Landmarks = landmarks(margin, markErr, delta)
	p.F1Dim, p.F2Dim = p.Landmarks, p.Landmarks
	p.F3Landmarks, p.F3Dim = compressed(margin, markErr, err, delta)
	p.JLDim = projectionDim(margin, err, delta)
	p.PerceptronMistakes = perceptronMistakes(margin)
	p.PerceptronSample = perceptronSample(margin, err)
	p.ErrorBound = noisyError(err, noise)
	p.WeakTries, p.WeakSample = weakSample(margin, delta)
	p.BoostingRounds, p.BoostingTries = boosted(margin, err, confidence)
	p.SurvivorStreak, p.SurvivorSample = survivor(margin, err, confidence)
	p.MarginSample = marginSample(margin/2, err, confidence)
	p.F2Sample = uniformSample(p.F2Dim, err, confidence)
	p.NearlyLandmarks, p.NearlyDim = nearlySeparable(margin, err, delta)
	p.NearlyError = nearError(err, p.NearlyDim)
	p.SeparableLandmarks, p.SeparableDim, p.SeparableSample = separable(margin, err, delta)
	largest := max(p.F3Landmarks, p.F3Dim, p.JLDim, p.WeakSample, p.BoostingTries, p.SurvivorSample, p.MarginSample,
		p.F2Sample, p.SeparableLandmarks, p.SeparableDim)
	if !(largest <= math.MaxFloat64) {
		_, fault := largest.fit("plan")
		return Plan{}, fault
	}
	return p, nil
}
