package linear

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/run"
)

// Softmax is regularised multinomial logistic regression,
//
//	min_W  P(W) = ½Σ_k |w_k|² + C·Σ c·(log Σ_k exp(w_k·x) - w_y·x)
//
// with x and each w_k extended by the constant coordinate and c the weight of a
// row. The scores of a row are logarithms of its classes' chances up to a
// constant: Probabilities turns one into the other. The weights sum to zero
// over the classes. With two classes the one separator of the model is
// w_1 - w_0, and its score the logarithm of the odds.
//
// It is solved as Logistic is, all classes at once, with a model of the Hessian
// for each class. Gap, cost and memory are as there, the memory for each class.
type Softmax struct {
	Classes   int     // at least 2
	C         float64 // penalty of a unit of loss, positive; default 1
	Tolerance float64 // duality gap relative to the objective, at least 0; default 1e-4
	MaxPasses int     // passes over the rows, at least 1; default 1000
	Unit      float64 // value of the constant coordinate; default 1, 0 for none
	Seed      uint64  // of the rows that stand for all
	Run       run.Control
}

// NewSoftmax returns the recipe with its defaults.
func NewSoftmax(classes int) Softmax {
	return Softmax{Classes: classes, C: 1, Tolerance: 1e-4, MaxPasses: 1000, Unit: 1}
}

// Validate reports every field that is out of range.
func (s Softmax) Validate() error {
	const f = learn.Fields("softmax")
	return errors.Join(f.AtLeast(2, "classes", s.Classes), f.Positive("C", s.C), f.NotNegative("tolerance", s.Tolerance),
		f.AtLeast(1, "max passes", s.MaxPasses), f.NotNegative("unit", s.Unit))
}

// Fit learns from d, whose labels are class indices from 0 to Classes-1, each
// of which must occur. Status and report are as in Logistic.
func (s Softmax) Fit(
	ctx context.Context, d data.Labeled[data.Vector, int],
) (*learn.Multi[data.Vector, *Separator], learn.Report, error) {
	began := time.Now()
	n := d.X.Len()
	if err := s.Validate(); err != nil {
		return nil, learn.Report{}, err
	}
	if err := learn.CheckClasses(n, d.Y, d.Weight, s.Classes); err != nil {
		return nil, learn.Report{}, err
	}
	x, err := gatherWeighted(ctx, s.Run, d, s.Unit)
	if err != nil && !learn.Interrupted(ctx, err) {
		return nil, learn.Report{}, err
	}
	if err != nil {
		dim, zero := data.Dim(d.X), s.atZero(penalties(s.C, d.Weight, n))
		report := learn.Report{Status: learn.Stopped(ctx), Objective: zero, Gap: zero, Elapsed: time.Since(began)}
		m, err := learn.NewMulti[data.Vector](s.Classes, s.separators(make([]float64, s.Classes*(dim+1)), dim))
		return m, report, err
	}
	w, err := s.walk(x, d.Y)
	if err != nil {
		return nil, learn.Report{}, err
	}
	m, report, err := (&ClassPath{recipe: "softmax", classes: s.Classes, walk: w}).Next(ctx, s.C)
	report.Elapsed = time.Since(began)
	return m, report, err
}

// atZero returns P(0) for rows of the given penalties.
func (s Softmax) atZero(penalty []float64) float64 {
	p := 0.0
	for _, c := range penalty {
		p += c * math.Log(float64(s.Classes))
	}
	return p
}

// separators cuts the weights into those of the classes.
func (s Softmax) separators(w []float64, dim int) []*Separator {
	width := dim + 1
	of := func(k int) *Separator {
		v := append([]float64{}, w[k*width:(k+1)*width]...)
		return &Separator{W: v[:dim], Bias: v[dim], Unit: s.Unit}
	}
	if s.Classes == 2 {
		a, b := of(0), of(1)
		for j, v := range a.W {
			b.W[j] -= v
		}
		b.Bias -= a.Bias
		return []*Separator{b}
	}
	separators := make([]*Separator, s.Classes)
	for k := range separators {
		separators[k] = of(k)
	}
	return separators
}

// Probabilities replaces the scores of a Softmax model by the chances of the
// classes, exp(s_k)/Σ exp(s), without overflow. Models of two classes give
// scores -s and s of which Probability(s) is the chance of class 1; it takes
// them as such.
func Probabilities(scores []float64) {
	if len(scores) == 2 {
		p := Probability(scores[1])
		scores[0], scores[1] = Probability(-scores[1]), p
		return
	}
	softmax(scores, scores)
}

// softmax sets p to exp(f)/Σ exp(f) and returns log Σ exp(f).
func softmax(p, f []float64) float64 {
	top := math.Inf(-1)
	for _, a := range f {
		top = max(top, a)
	}
	sum := 0.0
	for k, a := range f {
		p[k] = math.Exp(a - top)
		sum += p[k]
	}
	for k := range p {
		p[k] /= sum
	}
	return top + math.Log(sum)
}
