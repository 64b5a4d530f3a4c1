// Package linear learns linear functions of vectors:
//
//   - SVM, with hinge or squared hinge loss, and Pegasos, the same by stochastic
//     descent on rows that need not fit in memory;
//   - Logistic, of two classes, and Softmax, of many;
//   - Ridge, least squares of numbers or labels, also from Sums over rows;
//   - HardMargin and Program, separators without errors, with a proof of the
//     margin or that there is none;
//   - Perceptron, AveragedPerceptron, VotedPerceptron and MarginPerceptron.
//
// There are two ways to the optimum of SVM. Dual coordinate descent visits rows one by
// one and suits sparse rows of many coordinates. Newton's method on the primal
// takes few passes over all rows, for all classes at once and on all cores, and
// suits dense rows of up to a few thousand. Both prove how near they are by a
// duality gap.
//
// A separator is a weight vector w, and x is on its positive side when
// w·x ≥ 0. Separators of the papers pass through the origin. To let one pass
// beside it, each x is given an extra coordinate of constant value Unit, whose
// weight is the bias; the bias is then regularised like any other weight.
// Unit 0 leaves it out.
//
// Recipes are plain values. Fit runs on the calling goroutine but for sums over
// the data, which run in blocks on Run.Workers and are merged in block order:
// same seed, same data, same bits for any number of workers.
package linear

import "github.com/kerf-ml/kerf/data"

// Separator is the fitted score W·x + Bias·Unit. The bias is the weight of an
// extra coordinate of constant value Unit; with Unit 0 the separator passes
// through the origin. It is immutable and safe for concurrent use.
type Separator struct {
	W    []float64
	Bias float64
	Unit float64
}

// Score returns W·x + Bias·Unit in time proportional to the stored coordinates
// of x. Coordinates past len(W) have weight 0.
func (s *Separator) Score(x data.Vector) float64 { return x.DotWith(s.W) + s.Bias*s.Unit }

// Predict returns +1 where the score is at least 0 and -1 elsewhere (Blum's
// survey: positive where w·x ≥ 0).
func (s *Separator) Predict(x data.Vector) float64 {
	if s.Score(x) >= 0 {
		return 1
	}
	return -1
}
