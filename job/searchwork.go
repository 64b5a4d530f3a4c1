package job

import (
	"github.com/kerf-ml/kerf/data"
)

// Constants of the work of a search, found by trial: they bear on the time that is said
// to be left, and on nothing else.
const (
	pathPart   = 0.7 // of its penalties that an arm gets to
	learning   = 6   // times the work of another arm is that of one which learns a metric
	learned    = 3   // arms of that kind, at most
	pairWork   = 500 // of a similarity, beside 8 for each coordinate
	leastWidth = 16  // outputs that a product with K takes as long for as for fewer
	fitSteps   = 50  // of conjugate gradients with all rows
	dimSteps   = 20  // with landmarks
)

// work is about how many multiplications an arm takes on a rung: factorisations of K, of the
// rows fitted to, and its values for these and those measured on.
func (s *search) work(a *arm, r rung) float64 {
	sum, outputs := 0.0, float64(outputs(s.views[0].sample))
	penalties := max(1, pathPart*float64(len(a.grid)))
	for _, part := range r.parts {
		n, m := float64(len(part.fit)), float64(len(part.measure))
		if s.texts() {
			sum += penalties * n * outputs
			continue
		}
		sum += n*(n+m)*s.pairWork() + penalties*(n*n*n/3+2*n*(n+m)*outputs)
	}
	if a.learn != nil {
		sum *= learning
	}
	return sum
}

// texts reports vectors that linear models alone are tried on.
func (s *search) texts() bool { return data.Dim(s.vectors(0)) > mostCoordinates }

// pairWork is that of a similarity.
func (s *search) pairWork() float64 { return 8*float64(data.Dim(s.vectors(0))) + pairWork }

// planned is the work of a race of arms.
func (s *search) planned(arms []*arm) float64 {
	sum := 0.0
	for _, a := range arms {
		sum += s.work(a, s.first)
	}
	again := &arm{grid: make([]float64, 3)} // as around has them
	if len(s.first.parts) == 1 {
		sum += float64(s.size.keep) * s.work(again, s.second)
	}
	if s.size.rounds > 0 && data.Dim(s.vectors(0)) <= mostScaled {
		sum += learned * learning * s.work(again, s.second)
	}
	return sum
}

// fitWork is the work of the fit to all rows, of the arms that win as a rule.
func (s *search) fitWork() float64 {
	n, outputs := float64(s.rows()), max(float64(outputs(s.views[0].sample)), leastWidth)
	switch {
	case s.texts():
		return 2 * n * outputs
	case s.rows() <= choleskyRows:
		return float64(1+s.members()) / 2 * (n*n*s.pairWork() + n*n*n)
	case s.rows() <= s.size.all:
		return n*n*s.pairWork() + fitSteps*2*n*n*outputs
	}
	m := float64(s.size.dim)
	return n*m*s.pairWork() + dimSteps*4*n*m*outputs + m*m*m
}
