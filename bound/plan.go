package bound

import "errors"

// Plan gathers what the theorems promise for one problem: what was assumed,
// and how many of everything is enough for it.
//
// The counts from WeakTries on are 0 where they do not fit: they are for ways of
// learning of which one may choose, and should not spoil the rest of the plan.
type Plan struct {
	Margin     float64 `json:"margin"`     // γ
	Error      float64 `json:"error"`      // ε
	Confidence float64 `json:"confidence"` // 1 - δ
	Noise      float64 `json:"noise"`      // α

	Landmarks int `json:"landmarks"` // NoisyLandmarks, lemma 1
	F1Dim     int `json:"f1_dim"`    // features of F1, corollary 1: as many as landmarks
	// features of F2 at most, theorem 4; fewer if the landmarks' rank is lower
	F2Dim              int     `json:"f2_dim"`
	F3Landmarks        int     `json:"f3_landmarks"`        // Compressed, theorem 5
	F3Dim              int     `json:"f3_dim"`              // Compressed, theorem 5
	JLDim              int     `json:"jl_dim"`              // ProjectionDim, theorem 3: of explicit vectors
	PerceptronMistakes int     `json:"perceptron_mistakes"` // for Noise 0
	PerceptronSample   int     `json:"perceptron_sample"`   // for Noise 0
	ErrorBound         float64 `json:"error_bound"`         // NoisyError: of F1 at margin 0, F2 and JL at γ/2, F3 at γ/4

	WeakTries  int `json:"weak_learner_tries"`  // WeakSample, algorithm 1; for Noise 0
	WeakSample int `json:"weak_learner_sample"` // WeakSample, footnote 2; for Noise 0

	BoostingRounds int `json:"boosting_rounds"` // Boosted: training error ε; for Noise 0
	BoostingTries  int `json:"boosting_tries"`  // Boosted: random separators a round; for Noise 0

	SurvivorStreak int `json:"perceptron_streak"`      // Survivor; for Noise 0
	SurvivorSample int `json:"perceptron_sure_sample"` // Survivor; for Noise 0

	MarginSample int `json:"margin_sample"` // MarginSample at γ/2: true error against error at margin γ/2 on the sample
	F2Sample     int `json:"f2_sample"`     // UniformSample in F2Dim dimensions: true against training error

	SeparableLandmarks int `json:"separable_landmarks"` // Separable, corollary 2; for Noise 0
	SeparableDim       int `json:"separable_dim"`       // Separable, corollary 2; for Noise 0
	SeparableSample    int `json:"separable_sample"`    // Separable, corollary 2; for Noise 0
}

// NewPlan computes the plan for a problem that has margin γ in the kernel's
// feature space but for a part α of noise. It reports every parameter that is
// out of range, or every count up to PerceptronSample that does not fit.
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
	p.learners()
	return p, nil
}

// learners fills in the counts that may be left 0. The parameters are in range,
// so that the only fault is a count that does not fit, and then it is 0.
func (p *Plan) learners() {
	p.WeakTries, p.WeakSample, _ = WeakSample(p.Margin, p.Confidence)
	p.BoostingRounds, p.BoostingTries, _ = Boosted(p.Margin, p.Error, p.Confidence)
	p.SurvivorStreak, p.SurvivorSample, _ = Survivor(p.Margin, p.Error, p.Confidence)
	p.MarginSample, _ = MarginSample(p.Margin/2, p.Error, p.Confidence)
	p.F2Sample, _ = UniformSample(p.F2Dim, p.Error, p.Confidence)
	p.SeparableLandmarks, p.SeparableDim, p.SeparableSample, _ = Separable(p.Margin, p.Error, p.Confidence)
}
