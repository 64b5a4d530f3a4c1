package learn

import (
	"fmt"
	"math"
)

// Multi is a fitted model of many classes: a separator a class, or a single
// one for two classes. It is immutable and safe for concurrent use.
type Multi[T any, M Scorer[T]] struct {
	classes int
	binary  []M
}

// NewMulti puts a model together from the separators of its classes, as Binary
// gave them: one for two classes, otherwise one each. It keeps the slice.
func NewMulti[T any, M Scorer[T]](classes int, binary []M) (*Multi[T, M], error) {
	if classes < 2 || len(binary) != Separators(classes) {
		return nil, fmt.Errorf("%d classes with %d separators; two classes need one and more need one each", classes,
			len(binary))
	}
	return &Multi[T, M]{classes: classes, binary: binary}, nil
}

// Classes returns the number of classes.
func (m *Multi[T, M]) Classes() int { return m.classes }

// Binary returns the separators: that of class k at k, but for two classes a
// single one, positive for class 1. The slice is the model's own.
func (m *Multi[T, M]) Binary() []M { return m.binary }

// Scores writes the score of each class into dst, which must hold Classes
// numbers. Two classes have the scores -s and s of their separator.
func (m *Multi[T, M]) Scores(dst []float64, x T) {
	if len(dst) != m.classes {
		panic("learn: scores need one place a class")
	}
	if m.classes == 2 {
		s := m.binary[0].Score(x)
		dst[0], dst[1] = -s, s
		return
	}
	for k, b := range m.binary {
		dst[k] = b.Score(x)
	}
}

// Predict returns the class of the highest score, the smallest such class in a
// tie. A score that is not a number never wins.
func (m *Multi[T, M]) Predict(x T) int {
	if m.classes == 2 {
		if m.binary[0].Score(x) > 0 {
			return 1
		}
		return 0
	}
	class, best := 0, math.Inf(-1)
	for k, b := range m.binary {
		if s := b.Score(x); s > best {
			class, best = k, s
		}
	}
	return class
}
