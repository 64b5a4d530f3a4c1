package convert

import (
	"math"
	"strconv"
	"strings"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/model"
)

// formatLIBSVM is the format of data whose rows are vectors by index.
const formatLIBSVM = "LIBSVM"

// FirstIndex is the index that the first coordinate of a model's vectors has in data
// of the format LIBSVM: 0 where the model was trained on such data, whose indices are
// the coordinates, and 1 for all others.
func FirstIndex(e *dataset.Encoding) int {
	if e.Format == formatLIBSVM {
		return 0
	}
	return 1
}

// Asks reports whether rows must be encoded before a model of vectors sees them: where
// they come from a table, or are scaled.
func Asks(e *dataset.Encoding) bool {
	return e.Table != nil || e.Counts != nil || e.Scaling != nil && e.Scaling.Kind != scale.None
}

// vectorsOf returns the pipeline of a model of vectors, and refuses others.
func vectorsOf(m *model.Model, to Format) (*model.Pipeline[data.Vector], error) {
	p, ok := m.Vectors()
	if !ok {
		return nil, refuse(to, "kerf convert --to json holds any model", "its instances are %s and must be vectors",
			m.Encoding.Kind)
	}
	return p, nil
}

// advice for models whose rows are encoded.
const encodeRows = "add --rows DATA --rows-to FILE, which writes rows as the model sees them, or train with " +
	"--scale none"

// unfold takes an affine scale of the rows into separators of the coordinates, and
// reports whether it could.
func unfold(e *dataset.Encoding, w *data.Matrix, bias []float64) bool {
	s := e.Scaling
	if e.Table != nil || e.Counts != nil || s != nil && s.Curves != nil {
		return false
	}
	if s == nil {
		return true
	}
	for c := range w.Rows {
		row := w.Row(c)
		for j, v := range row {
			if j >= len(s.Center) || s.Spread[j] == 0 {
				row[j] = 0 // such a coordinate is left out
				continue
			}
			row[j] = v / s.Spread[j]
			bias[c] -= row[j] * s.Center[j]
		}
	}
	return true
}

// Labels returns the whole numbers that stand for classes where a format has no
// others, and whether they are the labels themselves. Labels that are such numbers
// stand for themselves; otherwise classes are counted from 0.
func Labels(classes data.Classes) (numbers []int, same bool) {
	numbers = make([]int, classes.Len())
	for i, name := range classes.Names {
		v, err := strconv.ParseFloat(strings.TrimSpace(name), 64)
		if err != nil || v != math.Trunc(v) || math.Abs(v) > math.MaxInt32 {
			for i := range numbers {
				numbers[i] = i
			}
			return numbers, false
		}
		numbers[i] = int(v)
	}
	return numbers, true
}
