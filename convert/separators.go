package convert

import (
	"fmt"

	"github.com/kerf-ml/kerf/convert/foreign"
	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/learn/calibrate"
	"github.com/kerf-ml/kerf/model"
)

// ToSeparators returns a model that is linear in the coordinates as a file of
// LIBLINEAR, with notes of what is lost. Its decision values are the model's scores:
// of two classes that of the first label. For encoded see ToSVM.
func ToSeparators(m *model.Model, encoded bool) (*foreign.Separators, []string, error) {
	p, err := vectorsOf(m, LIBLINEAR)
	if err != nil {
		return nil, nil, err
	}
	w, bias, ok := linear(p)
	switch {
	case p.Pairs != nil:
		return nil, nil, refuse(LIBLINEAR, "train with pairs=false, or use --to libsvm",
			"it has a separator a pair of classes and LIBLINEAR has one a class")
	case !ok:
		return nil, nil, refuse(LIBLINEAR, "train with --map none, or use --to libsvm or onnx",
			"it is not linear in the coordinates")
	case Asks(m.Encoding) && !encoded && !unfold(m.Encoding, w, bias):
		return nil, nil, refuse(LIBLINEAR, encodeRows, "it encodes its rows (%s), which LIBLINEAR's predict does not",
			encodes(m.Encoding))
	}
	first := FirstIndex(m.Encoding)
	out := &foreign.Separators{Solver: foreign.SolverSVC, Classes: max(2, p.Classes.Len()),
		Features: max(w.Cols-1+first, 0), Bias: 1}
	var notes []string
	var same bool
	sign := 1.0
	switch {
	case p.Regresses():
		out.Solver = foreign.SolverSVR
	case p.Learner == model.LearnerOneClass:
		out.Labels = []int{1, -1}
	default:
		if out.Labels, same = Labels(p.Classes); !same {
			notes = append(notes, "labels are numbers in the file: "+legend(out.Labels, p.Classes))
		}
		if p.Classes.Len() == 2 {
			sign = -1 // the decision value is that of the first label, and kerf's separator is of the second
		}
	}
	out.W = data.NewMatrix(w.Rows, out.Cols())
	for c := range w.Rows {
		for j, v := range w.Row(c) {
			if at := j + first - 1; at >= 0 {
				out.W.Row(c)[at] = sign * v
			} else if v != 0 && c == 0 {
				notes = append(notes, "the weight of index 0, which rows of LIBLINEAR cannot have, is left out")
			}
		}
		out.W.Row(c)[out.Features] = sign * bias[c]
	}
	switch c := p.Calibration; {
	case c != nil && c.Method == calibrate.Softmax:
		notes = append(notes, "probabilities are left out")
	case c != nil:
		notes = append(notes, "probabilities, by which the labels go, are left out, so that some labels may be others")
	}
	if p.Conformal != nil {
		notes = append(notes, "prediction sets are left out")
	}
	return out, notes, nil
}

// FromSeparators returns a file of LIBLINEAR as a model of rows by index. It gives the
// labels that LIBLINEAR's predict gives, and the decision values as scores: of two
// classes that of the first label, and of Crammer and Singer's two half of their
// difference. Logistic regression has the probabilities of -b 1.
func FromSeparators(m *foreign.Separators) (*model.Model, []string, error) {
	bad := func(problem string) error { return &ForeignError{"LIBLINEAR", problem} }
	if m.Classes < 2 {
		return nil, nil, bad("knows a single class, so that there is nothing to predict")
	}
	h := model.Head{Task: model.Classify, Learner: model.LearnerSVM, Unit: 1, Trained: origin("LIBLINEAR", m.Solver)}
	if m.Logistic() {
		h.Learner = model.LearnerLogistic
	}
	var notes []string
	// Coordinate 0 is that of index 0, which LIBLINEAR does not have.
	width := m.Features + 1
	w, bias := data.NewMatrix(m.W.Rows, width), make([]float64, m.W.Rows)
	for c := range w.Rows {
		copy(w.Row(c)[1:], m.W.Row(c)[:m.Features])
		if m.Bias >= 0 {
			bias[c] = m.W.Row(c)[m.Features] * m.Bias
		}
	}
	switch {
	case m.Regresses():
		h.Task, h.Learner = model.Regress, model.LearnerSVR
	case m.Solver == foreign.SolverOneClass:
		h.Learner, h.Classes = model.LearnerOneClass, model.OneClasses()
		bias[0] -= m.Rho
		notes = append(notes, "LIBLINEAR's predict says 1 for inlier and -1 for outlier")
	case m.Solver == foreign.SolverCrammer && m.Classes == 2:
		// Of two that tie kerf takes the second and LIBLINEAR the first.
		h.Classes = classesOf([]int{m.Labels[1], m.Labels[0]})
		half := data.NewMatrix(1, width)
		for j := range half.Data {
			half.Data[j] = w.Row(0)[j]/2 - w.Row(1)[j]/2
		}
		w, bias = half, []float64{bias[0]/2 - bias[1]/2}
	case m.Classes == 2:
		h.Classes = classesOf(m.Labels)
		for j := range w.Data {
			w.Data[j] = -w.Data[j] + 0
		}
		bias[0] = -bias[0] + 0
		if m.Logistic() { // half of the difference of the scores, over half of the temperature
			h.Calibration = &calibrate.Calibration{Method: calibrate.Softmax, Classes: 2, Temperature: 2}
		}
	default:
		h.Classes = classesOf(m.Labels)
		if m.Logistic() {
			h.Calibration = &calibrate.Calibration{Method: calibrate.Sigmoid, Classes: m.Classes}
			for range m.Classes {
				h.Calibration.Logistic = append(h.Calibration.Logistic, calibrate.Curve{Slope: 1})
			}
		}
	}
	h.Separators, h.Bias = w, bias
	p, err := model.NewPipeline[data.Vector](nil, feature.Identity{Width: width}, h)
	if err != nil {
		return nil, nil, bad(fmt.Sprint("does not fit together: ", err))
	}
	return imported(p), notes, nil
}
