package linear

import "fmt"

// Solver is a method to train a support vector machine.
type Solver uint8

// The solvers. Both end at the same optimum within the tolerance.
const (
	Auto    Solver = iota // whichever suits the data: see Pick
	Descent               // dual coordinate descent
	Newton                // Newton's method on the primal, with sums over pairs of coordinates
)

// String returns the name of the solver.
func (s Solver) String() string {
	switch s {
	case Auto:
		return "auto"
	case Descent:
		return "descent"
	case Newton:
		return "newton"
	}
	return fmt.Sprintf("solver %d", uint8(s))
}

func (s Solver) check() error {
	if s > Newton {
		return fmt.Errorf("svm: solver is %d and must be auto, descent or newton", uint8(s))
	}
	return nil
}

// Constants of the choice, found by trial.
const (
	pickWidest = 3000 // most coordinates for Newton's method
	pickRows   = 2    // least rows, as a multiple of the coordinates
	pickBand   = 10   // the same for the hinge loss, whose Hessian is over rows near the corner
	pickFilled = 0.25 // least part of the numbers that must be stored, beyond a few hundred coordinates
	pickNarrow = 300  // coordinates up to which a Hessian costs next to nothing
)

// Pick returns the solver that is fastest for rows of so many coordinates, of
// which so many numbers are stored in all. Newton's method takes a few passes
// whatever C is, but needs the Hessian: it suits dense rows of up to a few
// thousand coordinates. The hinge loss has a Hessian where it is smoothed, over
// the rows near its corner, and needs more rows for them to be enough.
func Pick(loss Loss, rows, dim int, stored int64) Solver {
	filled := float64(stored) / (float64(rows) * max(float64(dim), 1))
	switch {
	case dim > pickWidest || rows < pickRows*dim || loss == Hinge && rows < pickBand*dim:
		return Descent
	case dim > pickNarrow && filled < pickFilled:
		return Descent
	}
	return Newton
}

// solver returns the solver of the recipe for so many machines on a sample.
// Auto is descent where Newton's method would take much of the memory.
func (s SVM) solver(x *sample, machines int) Solver {
	if s.Solver != Auto {
		return s.Solver
	}
	if !s.Run.Affords(bytesOfPrimal(len(x.rows), x.dim, machines)) {
		return Descent
	}
	return Pick(s.Loss, len(x.rows), x.dim, int64(x.stored()))
}
