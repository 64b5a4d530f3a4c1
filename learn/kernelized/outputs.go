package kernelized

import (
	"errors"
	"fmt"
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn"
)

// rowMatrix returns the matrix with the one row y, which it shares.
func rowMatrix(y []float64) *data.Matrix { return &data.Matrix{Rows: 1, Cols: len(y), Data: y} }

// transposed returns the transpose of a matrix.
func transposed(m *data.Matrix) *data.Matrix {
	t := data.NewMatrix(m.Cols, m.Rows)
	for i := range m.Rows {
		for j, v := range m.Row(i) {
			t.Row(j)[i] = v
		}
	}
	return t
}

// checkOutputs reports what is wrong with several targets of n instances and
// with their weights.
func checkOutputs(name string, n int, y *data.Matrix, weight []float64) error {
	switch {
	case y == nil || y.Cols < 1:
		return fmt.Errorf("%s: there are no targets", name)
	case y.Rows != n:
		return fmt.Errorf("%s: there are %d instances and %d rows of targets; each instance needs one", name, n, y.Rows)
	case n == 0:
		return learn.ErrNoRows
	}
	for i := range y.Rows {
		for _, v := range y.Row(i) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return &learn.DataError{Row: i, Problem: fmt.Sprintf("target is %v and must be a finite number", v)}
			}
		}
	}
	return learn.CheckWeights(n, weight)
}

// checkClasses reports what is wrong with the labels of many classes.
func checkClasses[T any](name string, d data.Labeled[T, int], classes int) error {
	if err := learn.Fields(name).AtLeast(2, "classes", classes); err != nil {
		return err
	}
	return learn.CheckClasses(d.X.Len(), d.Y, d.Weight, classes)
}

// against returns the labels of each separator, a row each.
func against(y []int, classes int) *data.Matrix {
	m := data.NewMatrix(learn.Separators(classes), len(y))
	for k := range m.Rows {
		learn.Against(m.Row(k), y, learn.PositiveClass(k, classes))
	}
	return m
}

// perClass returns the weights of each class from those of the separators, a row
// each: for two classes the second row is the separator and the first its
// negative.
func perClass(weight *data.Matrix, classes int) *data.Matrix {
	if classes > 2 {
		return weight
	}
	both := data.NewMatrix(2, weight.Cols)
	for i, a := range weight.Row(0) {
		both.Row(0)[i], both.Row(1)[i] = -a, a
	}
	return both
}

// expansionOf returns the model with a weight an instance of x; those of weight
// 0 are left out.
func expansionOf[T any](k kernel.Kernel[T], x data.Source[T], weight []float64) *Expansion[T] {
	index := []int{}
	for i, a := range weight {
		if a != 0 {
			index = append(index, i)
		}
	}
	e := &Expansion[T]{Kernel: k, Support: take(x, index), Weight: make([]float64, len(index)), kept: new(kept[T])}
	for p, i := range index {
		e.Weight[p] = weight[i]
	}
	return e
}

// multiExpansionOf returns the model whose score k has the weights of row k;
// instances of weight 0 in all of them are left out.
func multiExpansionOf[T any](k kernel.Kernel[T], x data.Source[T], weight *data.Matrix) *MultiExpansion[T] {
	index := []int{}
	for i := range weight.Cols {
		for j := range weight.Rows {
			if weight.Row(j)[i] != 0 {
				index = append(index, i)
				break
			}
		}
	}
	e := &MultiExpansion[T]{Kernel: k, Support: take(x, index), Weight: data.NewMatrix(len(index), weight.Rows)}
	for p, i := range index {
		for j := range weight.Rows {
			e.Weight.Row(p)[j] = weight.Row(j)[i]
		}
	}
	return e
}

// errOverflow reports weights that are no numbers.
var errOverflow = errors.New("the weights overflow; scale the targets, or raise lambda")
