package bound

import "errors"

// PerceptronMistakes is ⌊1/γ²⌋: on any sequence of examples that a separator
// through the origin separates by margin γ, the perceptron that adds x/|x| on a
// mistake makes no more, however long the sequence.
//
// Reference: Novikoff 1962; Blum 2006, section 1.1.
func PerceptronMistakes(margin float64) (int, error) {
	if fault := checkMargin(margin); fault != nil {
		return 0, fault
	}
	return floor("mistakes", 1/(margin*margin))
}

// PerceptronSample is ⌈1/(εγ²)⌉: after one pass over so many independent
// examples of a distribution with margin γ, the perceptron's hypothesis at a
// random point of the pass has expected error at most ε.
//
// Reference: Blum 2006, section 1.1.
func PerceptronSample(margin, err float64) (int, error) {
	if fault := errors.Join(checkMargin(margin), checkError(err)); fault != nil {
		return 0, fault
	}
	return ceil("sample", 1/(err*(margin*margin)))
}
