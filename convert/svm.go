package convert

import (
	"fmt"

	"github.com/kerf-ml/kerf/convert/foreign"
	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/calibrate"
	"github.com/kerf-ml/kerf/model"
)

// ToSVM returns a model as a file of LIBSVM, with notes of what is lost. It has the
// model's own scores as decision values: of two classes that of the first label, of
// one separator a class their differences, of a separator a pair its own.
//
// The file is of vectors as they are encoded. With encoded the caller sees to that;
// otherwise a model that asks for it is refused, but for a linear one whose scale goes
// into the weights.
func ToSVM(m *model.Model, encoded bool) (*foreign.SVM, []string, error) {
	p, err := vectorsOf(m, LIBSVM)
	if err != nil {
		return nil, nil, err
	}
	e, err := expand(m, p, encoded)
	if err != nil {
		return nil, nil, err
	}
	e.shift(FirstIndex(m.Encoding))
	out := &foreign.SVM{Type: foreign.CSVC, Kernel: e.kernel.name, Degree: e.kernel.degree, Gamma: e.kernel.gamma,
		Coef0: e.kernel.coef0, Classes: 2, SV: &data.CSR{Ptr: []int{0}, Index: []int32{}}}
	switch k := p.Classes.Len(); {
	case p.Regresses():
		out.Type = foreign.EpsilonSVR
		if p.Learner == model.LearnerNuSVR {
			out.Type = foreign.NuSVR
		}
		e.single(out, 1)
	case p.Learner == model.LearnerOneClass:
		out.Type = foreign.OneClass
		e.single(out, 1)
	case k == 2:
		if p.Learner == model.LearnerNuSVM {
			out.Type = foreign.NuSVC
		}
		e.two(out)
	case p.Pairs != nil:
		out.Classes = k
		e.pairs(out, p.Pairs)
	default:
		out.Classes = k
		e.differences(out, k)
	}
	notes := e.notes
	if out.Classifies() {
		var same bool
		if out.Labels, same = Labels(p.Classes); !same {
			notes = append(notes, "labels are numbers in the file: "+legend(out.Labels, p.Classes))
		}
		notes = append(notes, sigmoids(out, p.Calibration)...)
	}
	if p.Pairs != nil && !p.FirstWins {
		notes = append(notes,
			"where classes win equally many pairs svm-predict takes the first of them, and kerf the one "+
				"with the largest sum of scores")
	}
	if p.Conformal != nil {
		notes = append(notes, "prediction sets are left out")
	}
	return out, notes, nil
}

// legend says which number stands for which class.
func legend(numbers []int, classes data.Classes) string {
	text := ""
	for i, n := range numbers {
		if i > 0 {
			text += ", "
		}
		if text += fmt.Sprintf("%d is %q", n, classes.Names[i]); len(text) > 200 && i+1 < len(numbers) {
			return text + ", …"
		}
	}
	return text
}

// sigmoids gives a machine of two classes its probabilities where LIBSVM has such:
// 1/(1 + exp(A·f + B)) of the first label, f being its decision value.
func sigmoids(out *foreign.SVM, c *calibrate.Calibration) []string {
	switch {
	case c == nil:
		return nil
	case out.Classes == 2 && c.Method == calibrate.Sigmoid:
		out.ProbA, out.ProbB = []float64{-c.Logistic[0].Slope}, []float64{c.Logistic[0].Offset}
		if c.Logistic[0].Offset != 0 {
			return []string{"labels go by probabilities: those of svm-predict are the same with -b 1"}
		}
		return nil
	case out.Classes == 2 && c.Method == calibrate.Softmax:
		out.ProbA, out.ProbB = []float64{-2 / c.Temperature}, []float64{0}
		return nil
	case c.Method == calibrate.Softmax:
		return []string{"probabilities are left out: LIBSVM has others of more than two classes"}
	}
	return []string{"probabilities, by which the labels go, are left out, so that some labels may be others"}
}

// expansion is a model as sums of kernel values: score c is Σ weights[c][s]·K(z_s, x)
// + bias[c].
type expansion struct {
	kernel  svmKernel
	z       []data.Vector
	weights *data.Matrix
	bias    []float64
	notes   []string
}

// expand returns a model as an expansion.
func expand(m *model.Model, p *model.Pipeline[data.Vector], encoded bool) (*expansion, error) {
	if w, bias, ok := linear(p); ok && p.Pairs == nil {
		e := &expansion{kernel: linearKernel, weights: data.NewMatrix(w.Rows, w.Rows), bias: bias}
		if Asks(m.Encoding) && !encoded && !unfold(m.Encoding, w, bias) {
			return nil, refuse(LIBSVM, encodeRows, "it encodes its rows (%s), which svm-predict does not",
				encodes(m.Encoding))
		}
		for c := range w.Rows {
			e.z = append(e.z, data.Vector{Value: w.Row(c)})
			e.weights.Row(c)[c] = 1
		}
		return e, nil
	}
	if Asks(m.Encoding) && !encoded {
		return nil, refuse(LIBSVM, encodeRows, "it encodes its rows (%s), which svm-predict does not", encodes(m.Encoding))
	}
	e := &expansion{bias: make([]float64, len(p.Bias))}
	var all []*data.Matrix
	for i, part := range partsOf(p) {
		r := reduce(part.Map)
		base, ok := r.base.(*feature.Landmarks[data.Vector])
		if !ok {
			return nil, refuse(LIBSVM, "train with map f1, f2, f3 or none, or a kernel machine",
				"its features are no similarities to rows")
		}
		form, ok := formOf(base.Kernel())
		if !ok {
			return nil, refuse(LIBSVM, "", "LIBSVM has no kernel %s, only linear, poly, rbf and sigmoid",
				data.Clip(fmt.Sprint(base.Kernel()), 80))
		}
		if i > 0 && form.kernel != e.kernel {
			return nil, refuse(LIBSVM, "train with --single", "it is a blend of several kernels and LIBSVM has one")
		}
		e.kernel = form.kernel
		w, bias := r.separators(&part.Head)
		scaled := data.NewMatrix(w.Rows, w.Cols)
		for j, v := range w.Data {
			scaled.Data[j] = v * part.Weight * form.factor
		}
		all = append(all, scaled)
		for c, b := range bias {
			e.bias[c] += part.Weight * b
		}
		for s := range base.Dim() {
			e.z = append(e.z, base.Instances().At(s))
		}
	}
	e.weights = data.NewMatrix(len(e.bias), len(e.z))
	at := 0
	for _, w := range all {
		for c := range w.Rows {
			copy(e.weights.Row(c)[at:], w.Row(c))
		}
		at += w.Cols
	}
	return e, nil
}

// encodes says in a few words what an encoding does.
func encodes(e *dataset.Encoding) string {
	if e.Table != nil {
		return "those of a table, scale " + string(e.Scaled())
	}
	return "scale " + string(e.Scaled())
}

// shift gives the coordinates other indices.
func (e *expansion) shift(by int) {
	for s, v := range e.z {
		out := data.Vector{Index: []int32{}, Value: []float64{}}
		for k, a := range v.Value {
			j := k
			if v.IsSparse() {
				j = int(v.Index[k])
			}
			if a != 0 {
				out.Index, out.Value = append(out.Index, int32(j+by)), append(out.Value, a)
			}
		}
		e.z[s] = out
	}
}

// add adds a support vector to the file.
func (e *expansion) add(out *foreign.SVM, s int, coef ...float64) {
	out.Coef.Data = append(out.Coef.Data, coef...)
	out.Coef.Rows++
	out.SV.Append(e.z[s].Index, e.z[s].Value)
}

// single writes the one separator, times a sign.
func (e *expansion) single(out *foreign.SVM, sign float64) {
	out.Coef, out.Rho = &data.Matrix{Cols: 1}, []float64{-sign * e.bias[0]}
	for s, v := range e.weights.Row(0) {
		if v != 0 {
			e.add(out, s, sign*v)
		}
	}
}

// two writes a separator of two classes. The decision value is the score of the first,
// which wins above 0, as class 1 does at 0 in kerf. Support vectors stand with the
// class that they speak for.
func (e *expansion) two(out *foreign.SVM) {
	out.Coef, out.Rho, out.Sizes = &data.Matrix{Cols: 1}, []float64{e.bias[0] + 0}, []int{0, 0}
	for class, sign := range []float64{-1, 1} {
		for s, v := range e.weights.Row(0) {
			if sign*v > 0 {
				out.Sizes[class]++
				e.add(out, s, -v)
			}
		}
	}
}

// pairs writes separators of pairs of classes, of which each has weights on the
// support of its own two classes alone.
func (e *expansion) pairs(out *foreign.SVM, first []int) {
	k := len(first) - 1
	out.Coef, out.Sizes = &data.Matrix{Cols: k - 1}, make([]int, k)
	number := map[[2]int]int{}
	for p := range learn.Pairs(k) {
		i, j := learn.PairAt(p, k)
		number[[2]int{i, j}] = p
		out.Rho = append(out.Rho, -e.bias[p]+0)
	}
	for c := range k {
		for s := first[c]; s < first[c+1]; s++ {
			coef := make([]float64, 0, k-1)
			for other := range k {
				if other != c {
					coef = append(coef, e.weights.Row(number[[2]int{min(c, other), max(c, other)}])[s])
				}
			}
			out.Sizes[c]++
			e.add(out, s, coef...)
		}
	}
}

// differences writes separators of one class each as those of pairs: the value of the
// pair i, j is score i less score j, so that the class of the largest score wins all
// its pairs. A pair knows the support vectors of its two classes alone, so that each
// class has those that its separator needs.
func (e *expansion) differences(out *foreign.SVM, k int) {
	out.Coef, out.Sizes = &data.Matrix{Cols: k - 1}, make([]int, k)
	for p := range learn.Pairs(k) {
		i, j := learn.PairAt(p, k)
		out.Rho = append(out.Rho, e.bias[j]-e.bias[i])
	}
	for c := range k {
		for s, v := range e.weights.Row(c) {
			if v == 0 {
				continue
			}
			coef := make([]float64, 0, k-1)
			for other := range k {
				switch {
				case other < c:
					coef = append(coef, -v)
				case other > c:
					coef = append(coef, v)
				}
			}
			out.Sizes[c]++
			e.add(out, s, coef...)
		}
	}
}

// imported returns a model of vectors by index that comes from elsewhere.
func imported(p *model.Pipeline[data.Vector]) *model.Model {
	e := &dataset.Encoding{Format: formatLIBSVM, Kind: dataset.Kind(vectors{}.Name())}
	return model.NewModel(p, e, vectors{})
}
