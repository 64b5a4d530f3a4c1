package calibrate

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/learn"
)

// Kind is what a conformal prediction measures of a row: how odd its truth is.
type Kind string

// The kinds.
const (
	Least    Kind = "least"    // 1 - p of the true class: the smallest sets on average
	Adaptive Kind = "adaptive" // probabilities summed from the largest down to the true class
	Residual Kind = "residual" // |truth - prediction|
)

// Conformal is a fitted conformal prediction: sets of classes, or intervals,
// that hold the truth of a fresh instance with probability at least Coverage.
// The fields are for encoding only and must not be changed.
type Conformal struct {
	Kind     Kind    `json:"kind"`
	Coverage float64 `json:"coverage"` // 1 - α, as asked
	N        int     `json:"n"`        // rows it was fitted to
	Quantile float64 `json:"quantile"` // what is odder than this is left out
	Whole    bool    `json:"whole"`    // too few rows for the coverage: nothing is left out
}

// Split is the recipe of split conformal prediction. With the oddities
// e_1 ≤ … ≤ e_n of held-out rows, what is at most e_k odd is kept, for
//
//	k = ⌈(n+1)·Coverage⌉
//
// and everything where k > n. If the held-out rows and a fresh one are
// exchangeable, as independent draws of one distribution are, the fresh one's
// truth is kept with probability at least Coverage, over the draw of all of
// them; and below Coverage + 1/(n+1) where no two oddities are equal. That
// supposes nothing of the model, which must not have seen the held-out rows;
// nor must its calibration.
//
// Reference: Papadopoulos et al. 2002; Vovk, Gammerman and Shafer 2005; Romano,
// Sesia and Candès 2020 for Adaptive, here without their random part, which
// makes sets larger and keeps the bound.
type Split struct {
	Coverage float64 // in (0, 1); default 0.9
	Kind     Kind    // of Classes: Least or Adaptive; default Least
}

// NewSplit returns the recipe with its defaults.
func NewSplit() Split { return Split{Coverage: 0.9, Kind: Least} }

// Validate reports every field that is out of range.
func (s Split) Validate() error {
	var faults []error
	if !(s.Coverage > 0 && s.Coverage < 1) {
		faults = append(faults, fmt.Errorf("conformal: coverage is %v and must be above 0 and below 1", s.Coverage))
	}
	if s.Kind != Least && s.Kind != Adaptive {
		faults = append(faults, fmt.Errorf("conformal: kind is %q and must be %s or %s", s.Kind, Least, Adaptive))
	}
	return errors.Join(faults...)
}

// Classes fits sets of classes to the probabilities of held-out rows, one
// column a class, and their classes. It costs O(nK log K + n log n). Without
// rows every set is whole.
func (s Split) Classes(probabilities *data.Matrix, y []int) (*Conformal, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if err := check(probabilities, y); err != nil && !errors.Is(err, learn.ErrNoRows) {
		return nil, err
	}
	odd, order := make([]float64, len(y)), make([]int, probabilities.Cols)
	all := make([]float64, probabilities.Cols)
	for i, class := range y {
		oddities(all, order, probabilities.Row(i), s.Kind)
		odd[i] = all[class]
	}
	return s.fit(s.Kind, odd), nil
}

// Values fits intervals to the predicted and true values of held-out rows: half
// of their length is a quantile of |truth - prediction|. Kind is not read.
// Without rows every interval is the whole line.
func (s Split) Values(predicted, truth []float64) (*Conformal, error) {
	s.Kind = Least
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if len(predicted) != len(truth) {
		return nil, fmt.Errorf("there are %d predictions of %d values; each value needs one", len(predicted), len(truth))
	}
	odd := make([]float64, len(truth))
	for i, v := range truth {
		if odd[i] = math.Abs(v - predicted[i]); !(odd[i] <= math.MaxFloat64) {
			const problem = "value %v and prediction %v must be finite, and their difference too"
			return nil, &learn.DataError{Row: i, Problem: fmt.Sprintf(problem, v, predicted[i])}
		}
	}
	return s.fit(Residual, odd), nil
}

// fit takes the quantile. It sorts odd.
func (s Split) fit(kind Kind, odd []float64) *Conformal {
	c := &Conformal{Kind: kind, Coverage: s.Coverage, N: len(odd)}
	// The product is one rounding too large for coverages such as 0.55; the
	// slack keeps that from costing a whole rank.
	k := int(math.Ceil(float64(len(odd)+1) * s.Coverage * (1 - 1e-15)))
	if k > len(odd) {
		c.Whole = true
		return c
	}
	slices.Sort(odd)
	c.Quantile = odd[max(k, 1)-1]
	return c
}

// Validate reports what is wrong with a conformal prediction that was read from
// a file.
func (c *Conformal) Validate() error {
	var faults []error
	if c.Kind != Least && c.Kind != Adaptive && c.Kind != Residual {
		faults = append(faults, fmt.Errorf("conformal: kind is %q and must be %s, %s or %s", c.Kind, Least, Adaptive,
			Residual))
	}
	if !(c.Coverage > 0 && c.Coverage < 1) {
		faults = append(faults, fmt.Errorf("conformal: coverage is %v and must be above 0 and below 1", c.Coverage))
	}
	if c.N < 0 || math.IsNaN(c.Quantile) || math.IsInf(c.Quantile, 0) || c.Kind == Residual && c.Quantile < 0 {
		faults = append(faults, fmt.Errorf("conformal: n is %d and quantile %v; n must not be negative, "+
			"and the quantile finite and for values not negative", c.N, c.Quantile))
	}
	return errors.Join(faults...)
}

// Set returns the classes that may be the true one, in increasing order. The
// most probable class is always among them, which can only add to the coverage.
func (c *Conformal) Set(probabilities []float64) []int {
	if c.Kind == Residual {
		panic("calibrate: sets need a conformal prediction of classes")
	}
	odd, order := make([]float64, len(probabilities)), make([]int, len(probabilities))
	oddities(odd, order, probabilities, c.Kind)
	best := Argmax(probabilities)
	var set []int
	for k := range probabilities {
		if c.Whole || odd[k] <= c.Quantile || k == best {
			set = append(set, k)
		}
	}
	return set
}

// Interval returns the ends of the interval of values around a prediction, both
// included: the whole line where there were too few rows, and around a prediction
// that is not finite.
func (c *Conformal) Interval(prediction float64) (lo, hi float64) {
	if c.Kind != Residual {
		panic("calibrate: intervals need a conformal prediction of values")
	}
	if c.Whole || math.IsNaN(prediction) || math.IsInf(prediction, 0) {
		return math.Inf(-1), math.Inf(1)
	}
	return prediction - c.Quantile, prediction + c.Quantile
}

// oddities writes how odd each class would be as the true one. Classes of the
// same probability are taken in their order, so that fitting and predicting
// agree. order is scratch.
func oddities(dst []float64, order []int, p []float64, kind Kind) {
	if kind == Least {
		for k, v := range p {
			dst[k] = 1 - v
		}
		return
	}
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(p[j], p[i]) })
	sum := 0.0
	for _, k := range order {
		sum += p[k]
		dst[k] = sum
	}
}
