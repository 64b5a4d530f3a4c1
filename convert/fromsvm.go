package convert

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/kerf-ml/kerf/convert/foreign"
	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/calibrate"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/run"
	"github.com/kerf-ml/kerf/spec"
)

// vectors is the kind of the models that are read.
type vectors = spec.Vectors

// ForeignError reports a model of another program that kerf has no form for.
type ForeignError struct{ From, Problem string }

func (e *ForeignError) Error() string { return fmt.Sprintf("this model of %s %s", e.From, e.Problem) }

// FromSVM returns a file of LIBSVM as a model of rows by index, with notes of what is
// lost. It gives the labels that svm-predict gives, those of -b 1 where the file has
// probabilities of two classes, and the decision values as scores: see ToSVM.
func FromSVM(m *foreign.SVM) (*model.Model, []string, error) {
	bad := func(problem string, args ...any) error {
		return &ForeignError{"LIBSVM", fmt.Sprintf(problem, args...)}
	}
	if m.Kernel == foreign.Precomputed {
		return nil, nil, bad("has a precomputed kernel: what it compares rows with is not in the file")
	}
	if m.Classes < 2 {
		return nil, nil, bad("knows a single class, so that there is nothing to predict")
	}
	if m.Classes > 2 && float64(m.Classes)*float64(m.Classes-1)/2*float64(m.Coef.Rows) > mostPairWeights {
		return nil, nil, bad("has %d classes and %d support vectors, too many for the separators of all pairs", m.Classes,
			m.Coef.Rows)
	}
	k := kernelOf(m)
	if err := kernel.Validate(k); err != nil {
		return nil, nil, bad("has a kernel that is none: %s", strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	h := model.Head{Task: model.Classify, Unit: 1, Trained: origin("LIBSVM", m.Type)}
	var notes []string
	switch {
	case m.Type == foreign.EpsilonSVR || m.Type == foreign.NuSVR:
		h.Task, h.Learner = model.Regress, model.LearnerSVR
		if m.Type == foreign.NuSVR {
			h.Learner = model.LearnerNuSVR
		}
		h.Separators, h.Bias = row(m.Coef, 1), []float64{-m.Rho[0]}
		if m.ProbA != nil {
			notes = append(notes, "the width of the noise (probA) is left out")
		}
	case m.Type == foreign.OneClass:
		h.Learner, h.Classes = model.LearnerOneClass, model.OneClasses()
		h.Separators, h.Bias = row(m.Coef, 1), []float64{-m.Rho[0]}
		notes = append(notes, "svm-predict says 1 for inlier and -1 for outlier")
	case m.Classes == 2:
		h.Learner, h.Classes = learnerOf(m), classesOf(m.Labels)
		h.Separators, h.Bias = row(m.Coef, -1), []float64{m.Rho[0] + 0}
		if m.ProbA != nil {
			c := &calibrate.Calibration{Method: calibrate.Sigmoid, Classes: 2,
				Logistic: []calibrate.Curve{{Slope: -m.ProbA[0], Offset: m.ProbB[0]}}}
			if c.Validate() != nil {
				notes = append(notes, "probabilities, which fall where decision values rise, are left out")
			} else {
				h.Calibration = c
			}
		}
	default:
		h.Learner, h.Classes, h.FirstWins = learnerOf(m), classesOf(m.Labels), true
		h.Pairs = []int{0}
		for _, n := range m.Sizes {
			h.Pairs = append(h.Pairs, h.Pairs[len(h.Pairs)-1]+n)
		}
		h.Separators = separatorsOfPairs(m, h.Pairs)
		for _, rho := range m.Rho {
			h.Bias = append(h.Bias, -rho+0)
		}
		if m.ProbA != nil {
			notes = append(notes, "probabilities of more than two classes are left out")
		}
	}
	p, err := model.NewPipeline(k, feature.NewLandmarks[data.Vector](k, m.SV, run.Float64), h)
	if err != nil {
		return nil, nil, err
	}
	return imported(p), notes, nil
}

// mostPairWeights bounds the weights of the separators of all pairs of classes, which
// may be many more than a file has numbers.
const mostPairWeights = 1 << 28

// origin is what a model says of its training that another program did.
func origin(program, kind string) json.RawMessage {
	b, _ := json.Marshal(map[string]string{"program": program, "type": kind})
	return b
}

func learnerOf(m *foreign.SVM) string {
	if m.Type == foreign.NuSVC {
		return model.LearnerNuSVM
	}
	return model.LearnerKernelSVM
}

// classesOf returns labels as classes, in the order of the file: it decides ties.
func classesOf(labels []int) data.Classes {
	names := make([]string, len(labels))
	for i, l := range labels {
		names[i] = strconv.Itoa(l)
	}
	return data.NewClasses(names)
}

// row returns the coefficients of a machine that has one a support vector.
func row(coef *data.Matrix, sign float64) *data.Matrix {
	out := data.NewMatrix(1, coef.Rows)
	for s := range coef.Rows {
		out.Data[s] = sign * coef.Row(s)[0]
	}
	return out
}

// separatorsOfPairs returns a separator a pair of classes.
func separatorsOfPairs(m *foreign.SVM, first []int) *data.Matrix {
	k := m.Classes
	out := data.NewMatrix(learn.Pairs(k), m.Coef.Rows)
	for p := range out.Rows {
		i, j := learn.PairAt(p, k)
		for s := first[i]; s < first[i+1]; s++ {
			out.Row(p)[s] = m.Coef.Row(s)[j-1]
		}
		for s := first[j]; s < first[j+1]; s++ {
			out.Row(p)[s] = m.Coef.Row(s)[i]
		}
	}
	return out
}
