package bound

import "errors"

// Plan gathers what the theorems promise for one problem: what was assumed,
// and how many of everything is enough for it.
type Plan struct {
	Margin     float64 `json:"margin"`     // γ
	Error      float64 `json:"error"`      // ε
	Confidence float64 `json:"confidence"` // 1 - δ
	Noise      float64 `json:"noise"`      // α

	Landmarks          int     `json:"landmarks"`           // NoisyLandmarks, lemma 1
	F1Dim              int     `json:"f1_dim"`              // features of F1, corollary 1: as many as landmarks
	F2Dim              int     `json:"f2_dim"`              // features of F2 at most, theorem 4; fewer if the landmarks' rank is lower
	F3Landmarks        int     `json:"f3_landmarks"`        // Compressed, theorem 5
	F3Dim              int     `json:"f3_dim"`              // Compressed, theorem 5
	JLDim              int     `json:"jl_dim"`              // ProjectionDim, theorem 3: of explicit vectors
	PerceptronMistakes int     `json:"perceptron_mistakes"` // for Noise 0
	PerceptronSample   int     `json:"perceptron_sample"`   // for Noise 0
	ErrorBound         float64 `json:"error_bound"`         // NoisyError: of F1 at margin 0, F2 and JL at γ/2, F3 at γ/4
}

// NewPlan computes the plan for a problem that has margin γ in the kernel's
// feature space but for a part α of noise. It reports every parameter that is
// out of range, or every count that does not fit.
func NewPlan(margin, err, confidence, noise float64) (Plan, error) {
	fault := errors.Join(checkMargin(margin), checkError(err), checkConfidence(confidence), checkNoise(noise))
	if fault != nil {
		return Plan{}, fault
	}
	p := Plan{Margin: margin, Error: err, Confidence: confidence, Noise: noise}
	delta := 1 - confidence
	markErr := landmarkError(err, noise)
	var faults [5]error
	p.Landmarks, faults[0] = landmarks(margin, markErr, delta)
	p.F1Dim, p.F2Dim = p.Landmarks, p.Landmarks
	p.F3Landmarks, p.F3Dim, faults[1] = compressed(margin, markErr, err, delta)
	p.JLDim, faults[2] = projectionDim(margin, err, delta)
	p.PerceptronMistakes, faults[3] = PerceptronMistakes(margin)
	p.PerceptronSample, faults[4] = PerceptronSample(margin, err)
	p.ErrorBound = noisyError(err, noise)
	if fault := errors.Join(faults[:]...); fault != nil {
		return Plan{}, fault
	}
	return p, nil
}
