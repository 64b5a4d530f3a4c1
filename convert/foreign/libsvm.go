package foreign

import (
	"bytes"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/kerf-ml/kerf/data"
)

// Types of machines in LIBSVM's files.
const (
	CSVC       = "c_svc"
	NuSVC      = "nu_svc"
	OneClass   = "one_class"
	EpsilonSVR = "epsilon_svr"
	NuSVR      = "nu_svr"
)

// Kernels in LIBSVM's files.
const (
	Linear      = "linear"      // ⟨x, y⟩
	Polynomial  = "polynomial"  // (gamma·⟨x, y⟩ + coef0)^degree
	RBF         = "rbf"         // exp(-gamma·|x - y|²)
	Sigmoid     = "sigmoid"     // tanh(gamma·⟨x, y⟩ + coef0)
	Precomputed = "precomputed" // a matrix
)

// SVM is what a model file of LIBSVM says. With nr_class classes there is a
// decision value for each pair i < j, in the order (0,1), (0,2), …,
//
//	Σ coef·K(sv, x) - rho
//
// over the support vectors of classes i and j, which votes for i where it is
// positive and for j elsewhere; the first class with the most votes wins. Machines
// of numbers and of one class have two "classes" in the file and one value.
type SVM struct {
	Type   string
	Kernel string
	Degree int
	Gamma  float64
	Coef0  float64

	Classes      int          // nr_class: 2 where there are none
	Rho          []float64    // one a pair
	Labels       []int        // nil for numbers and one class
	ProbA, ProbB []float64    // sigmoids of the pairs; of numbers ProbA is the width of the noise; nil for none
	Sizes        []int        // support vectors of each class, which stand together; nil where there are no labels
	Coef         *data.Matrix // a row a support vector: one coefficient for each other class
	SV           *data.CSR
}

// IsSVM reports whether a file begins as models of LIBSVM do.
func IsSVM(head []byte) bool { return begins(head, "svm_type") }

func begins(head []byte, key string) bool {
	rest, ok := bytes.CutPrefix(head, []byte(key))
	return ok && len(rest) > 0 && (rest[0] == ' ' || rest[0] == '\t')
}

// Classifies reports whether there are labels.
func (m *SVM) Classifies() bool { return m.Type == CSVC || m.Type == NuSVC }

// pairs returns the number of decision values.
func (m *SVM) pairs() int { return m.Classes * (m.Classes - 1) / 2 }

// maxClasses bounds what a header may claim before there are lines to hold it to.
const maxClasses = 1 << 16

// ParseSVM reads a model of LIBSVM. What is wrong with it is a *data.InputError. It
// allocates no more than a small multiple of the text.
func ParseSVM(name string, text []byte) (*SVM, error) {
	l := &lines{name: name, rest: text}
	m := &SVM{Classes: 2, SV: &data.CSR{Ptr: []int{0}, Index: []int32{}}}
	total := -1
	err := l.header("SV", func(key string, values [][]byte) (err error) {
		switch key {
		case "svm_type":
			m.Type, err = l.word(key, values, CSVC, NuSVC, OneClass, EpsilonSVR, NuSVR)
		case "kernel_type":
			m.Kernel, err = l.word(key, values, Linear, Polynomial, RBF, Sigmoid, Precomputed)
		case "degree":
			m.Degree, err = l.whole(key, values, 0, math.MaxInt32)
		case "gamma":
			m.Gamma, err = l.one(key, values)
		case "coef0":
			m.Coef0, err = l.one(key, values)
		case "nr_class":
			m.Classes, err = l.whole(key, values, 1, maxClasses)
		case "total_sv":
			total, err = l.whole(key, values, 0, math.MaxInt32)
		case "rho":
			m.Rho, err = l.numbers(values)
		case "label":
			m.Labels, err = l.wholes(key, values)
		case "probA":
			m.ProbA, err = l.numbers(values)
		case "probB":
			m.ProbB, err = l.numbers(values)
		case "prob_density_marks": // of one class, in newer versions
		case "nr_sv":
			m.Sizes, err = l.wholes(key, values)
		default:
			err = l.fault("unknown line %q", "this kerf reads models of LIBSVM up to 3.3", key)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := m.checkHeader(l, total); err != nil {
		return nil, err
	}
	return m, m.readVectors(l, total)
}

// word reads one of some words.
func (l *lines) word(key string, values [][]byte, known ...string) (string, error) {
	if len(values) != 1 || !slices.Contains(known, string(values[0])) {
		given := data.Clip(string(bytes.Join(values, []byte{' '})), 40)
		return "", l.fault("%s is %q and must be one of %v", damaged, key, given, known)
	}
	return string(values[0]), nil
}

// checkHeader reports a header whose parts do not fit together.
func (m *SVM) checkHeader(l *lines, total int) error {
	switch {
	case m.Type == "" || m.Kernel == "":
		return l.fault("svm_type or kernel_type is missing", damaged)
	case total < 0:
		return l.fault("total_sv is missing", damaged)
	case !m.Classifies() && m.Classes != 2:
		return l.fault("nr_class is %d and must be 2 for %s", damaged, m.Classes, m.Type)
	case !m.Classifies() && (m.Labels != nil || m.Sizes != nil):
		return l.fault("%s has labels", damaged, m.Type)
	case len(m.Rho) != m.pairs():
		return l.fault("there are %d values of rho and must be %d", damaged, len(m.Rho), m.pairs())
	case m.Classifies() && (len(m.Labels) != m.Classes || len(m.Sizes) != m.Classes):
		return l.fault("there are %d labels and %d values of nr_sv for %d classes", damaged, len(m.Labels), len(m.Sizes),
			m.Classes)
	}
	// Of one class newer versions have marks of densities beside; of numbers there is no probB.
	if m.Classifies() && (m.ProbA == nil) != (m.ProbB == nil) ||
		m.Classifies() && m.ProbA != nil && (len(m.ProbA) != m.pairs() || len(m.ProbB) != m.pairs()) {
		return l.fault("there are %d values of probA and %d of probB, and must be %d of each", damaged, len(m.ProbA),
			len(m.ProbB), m.pairs())
	}
	sum := 0
	for _, n := range m.Sizes {
		if n < 0 || n > total {
			return l.fault("nr_sv has the value %d", damaged, n)
		}
		sum += n
	}
	if m.Sizes != nil && sum != total {
		return l.fault("nr_sv sums to %d and total_sv is %d", damaged, sum, total)
	}
	return l.distinct(m.Labels)
}

// readVectors reads the coefficients and support vectors.
func (m *SVM) readVectors(l *lines, total int) error {
	k := max(m.Classes-1, 0)
	m.Coef = &data.Matrix{Cols: k}
	var index []int32
	var value []float64
	for {
		row, ok := l.next()
		if !ok {
			break
		}
		words := bytes.Fields(row)
		if len(words) == 0 && len(l.rest) == 0 {
			break
		}
		if m.Coef.Rows == total {
			return l.fault("there are more support vectors than total_sv = %d", damaged, total)
		}
		if len(words) < k {
			return l.fault("the line has %d coefficients and must have %d", damaged, len(words), k)
		}
		coef, err := l.numbers(words[:k])
		if err != nil {
			return err
		}
		m.Coef.Data = append(m.Coef.Data, coef...)
		m.Coef.Rows++
		index, value = index[:0], value[:0]
		for _, w := range words[k:] {
			digits, number, found := bytes.Cut(w, []byte{':'})
			j, err := strconv.Atoi(string(digits))
			if !found || err != nil || j < 0 || j > maxIndex {
				return l.fault("expected index:value with an index from 0 to %d and found %q", damaged, maxIndex,
					data.Clip(string(w[:min(len(w), 60)]), 40))
			}
			if n := len(index); n > 0 && int32(j) <= index[n-1] {
				return l.fault("index %d comes after index %d", damaged, j, index[n-1])
			}
			v, err := l.number(number)
			if err != nil {
				return err
			}
			index, value = append(index, int32(j)), append(value, v)
		}
		m.SV.Append(index, value)
	}
	if m.Coef.Rows != total {
		return l.fault("there are %d support vectors and total_sv is %d", damaged, m.Coef.Rows, total)
	}
	return nil
}

// maxIndex is the largest index of a vector, as in data files.
const maxIndex = math.MaxInt32 - 1

// Write writes the model as svm-train does, but numbers with as many digits as they
// need: svm-predict computes with the numbers that are here.
func (m *SVM) Write(w io.Writer) error {
	o := newOutput(w)
	line(o, "svm_type", m.Type)
	line(o, "kernel_type", m.Kernel)
	if m.Kernel == Polynomial {
		line(o, "degree", m.Degree)
	}
	if m.Kernel == Polynomial || m.Kernel == RBF || m.Kernel == Sigmoid {
		line(o, "gamma", m.Gamma)
	}
	if m.Kernel == Polynomial || m.Kernel == Sigmoid {
		line(o, "coef0", m.Coef0)
	}
	line(o, "nr_class", m.Classes)
	line(o, "total_sv", m.Coef.Rows)
	line(o, "rho", m.Rho...)
	if m.Labels != nil {
		line(o, "label", m.Labels...)
	}
	if m.ProbA != nil {
		line(o, "probA", m.ProbA...)
	}
	if m.ProbB != nil {
		line(o, "probB", m.ProbB...)
	}
	if m.Sizes != nil {
		line(o, "nr_sv", m.Sizes...)
	}
	line[int](o, "SV")
	for i := range m.Coef.Rows {
		for _, c := range m.Coef.Row(i) {
			o.number(c)
			o.w.WriteByte(' ')
		}
		v := m.SV.At(i)
		for k, j := range v.Index {
			if v.Value[k] == 0 {
				continue
			}
			o.w.Write(strconv.AppendInt(o.w.AvailableBuffer(), int64(j), 10))
			o.w.WriteByte(':')
			o.number(v.Value[k])
			o.w.WriteByte(' ')
		}
		o.w.WriteByte('\n')
	}
	return o.w.Flush()
}
