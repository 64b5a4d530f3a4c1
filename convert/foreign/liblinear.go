package foreign

import (
	"bytes"
	"io"
	"math"
	"slices"

	"github.com/kerf-ml/kerf/data"
)

// Solvers in LIBLINEAR's files that are told apart here. What else a solver was does
// not bear on what its model predicts.
const (
	SolverSVC      = "L2R_L2LOSS_SVC"
	SolverSVR      = "L2R_L2LOSS_SVR"
	SolverCrammer  = "MCSVM_CS"     // a separator a class, of two classes too
	SolverOneClass = "ONECLASS_SVM" // one separator less rho, +1 inside and -1 outside
)

var (
	logisticSolvers   = []string{"L2R_LR", "L1R_LR", "L2R_LR_DUAL"}
	regressionSolvers = []string{SolverSVR, "L2R_L2LOSS_SVR_DUAL", "L2R_L1LOSS_SVR_DUAL"}
	otherSolvers      = []string{
		SolverSVC, "L2R_L2LOSS_SVC_DUAL", "L2R_L1LOSS_SVC_DUAL", "L1R_L2LOSS_SVC", SolverCrammer, SolverOneClass,
	}
)

// Separators is what a model file of LIBLINEAR says: of instances that have the
// coordinates 1 to Features, and one more of the value Bias where that is not
// negative,
//
//	decision values = W·x - rho
//
// one a row of W. Of two classes there is one, which is for the first label where it
// is positive; of more there is one a class, and the first of the largest wins.
type Separators struct {
	Solver   string
	Classes  int     // 2 where there are no labels
	Labels   []int   // nil for numbers and one class
	Features int     // nr_feature
	Bias     float64 // value of the constant coordinate, negative where there is none
	Rho      float64 // of one class
	W        *data.Matrix
}

// IsSeparators reports whether a file begins as models of LIBLINEAR do.
func IsSeparators(head []byte) bool { return begins(head, "solver_type") }

// Regresses reports whether the model predicts numbers.
func (m *Separators) Regresses() bool { return slices.Contains(regressionSolvers, m.Solver) }

// Logistic reports whether the model has probabilities.
func (m *Separators) Logistic() bool { return slices.Contains(logisticSolvers, m.Solver) }

// Rows returns how many separators the model must have.
func (m *Separators) Rows() int {
	if m.Classes == 2 && m.Solver != SolverCrammer {
		return 1
	}
	return m.Classes
}

// Cols returns how many weights a separator has.
func (m *Separators) Cols() int {
	if m.Bias >= 0 {
		return m.Features + 1
	}
	return m.Features
}

// ParseSeparators reads a model of LIBLINEAR. What is wrong with it is a
// *data.InputError. It allocates no more than a small multiple of the text.
func ParseSeparators(name string, text []byte) (*Separators, error) {
	l := &lines{name: name, rest: text}
	m := &Separators{Classes: 2, Features: -1, Bias: -1}
	err := l.header("w", func(key string, values [][]byte) (err error) {
		switch key {
		case "solver_type":
			m.Solver, err = l.word(key, values, slices.Concat(logisticSolvers, regressionSolvers, otherSolvers)...)
		case "nr_class":
			m.Classes, err = l.whole(key, values, 1, maxClasses)
		case "label":
			m.Labels, err = l.wholes(key, values)
		case "nr_feature":
			m.Features, err = l.whole(key, values, 0, maxIndex)
		case "bias":
			m.Bias, err = l.one(key, values)
		case "rho":
			m.Rho, err = l.one(key, values)
		default:
			err = l.fault("unknown line %q", "this kerf reads models of LIBLINEAR up to 2.4", key)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	labelled := !m.Regresses() && m.Solver != SolverOneClass
	switch {
	case m.Solver == "" || m.Features < 0:
		return nil, l.fault("solver_type or nr_feature is missing", damaged)
	case !labelled && (m.Labels != nil || m.Classes != 2):
		return nil, l.fault("%s has classes", damaged, m.Solver)
	case labelled && len(m.Labels) != m.Classes:
		return nil, l.fault("there are %d labels for %d classes", damaged, len(m.Labels), m.Classes)
	}
	if err := l.distinct(m.Labels); err != nil {
		return nil, err
	}
	return m, m.readWeights(l)
}

// readWeights reads the weights, a line a coordinate with a weight a separator.
func (m *Separators) readWeights(l *lines) error {
	rows, cols := m.Rows(), m.Cols()
	var all []float64
	for j := 0; j < cols; j++ {
		text, ok := l.next()
		if !ok {
			return l.fault("there are weights of %d coordinates and must be of %d", damaged, j, cols)
		}
		words := bytes.Fields(text)
		if len(words) != rows {
			return l.fault("the line has %d weights and must have %d", damaged, len(words), rows)
		}
		values, err := l.numbers(words)
		if err != nil {
			return err
		}
		all = append(all, values...)
	}
	for text, ok := l.next(); ok; text, ok = l.next() {
		if len(bytes.TrimSpace(text)) > 0 {
			return l.fault("there are weights of more than %d coordinates", damaged, cols)
		}
	}
	m.W = data.NewMatrix(rows, cols)
	for j := range cols {
		for c := range rows {
			m.W.Row(c)[j] = all[j*rows+c]
		}
	}
	return nil
}

// Write writes the model as LIBLINEAR's train does.
func (m *Separators) Write(w io.Writer) error {
	o := newOutput(w)
	line(o, "solver_type", m.Solver)
	line(o, "nr_class", m.Classes)
	if m.Labels != nil {
		line(o, "label", m.Labels...)
	}
	line(o, "nr_feature", m.Features)
	line(o, "bias", m.Bias)
	if m.Solver == SolverOneClass {
		line(o, "rho", m.Rho)
	}
	line[int](o, "w")
	for j := range m.W.Cols {
		for c := range m.W.Rows {
			v := m.W.Row(c)[j]
			if v == 0 {
				v = math.Abs(v)
			}
			o.number(v)
			o.w.WriteByte(' ')
		}
		o.w.WriteByte('\n')
	}
	return o.w.Flush()
}
