package model

import (
	"cmp"
	"context"
	"math"
	"reflect"
	"slices"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/internal/linalg"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/margin"
	"github.com/kerf-ml/kerf/run"
)

// Margins returns the margins of labelled instances under the model, by
// definition 1 of Blum's survey, in the space of its features and the constant
// coordinate: for a kernel machine that is the feature space of the kernel, and
// for a blend the spaces of its parts side by side.
// A row of unknown class (-1), which is wrong under every separator, has -1.
func (p *Pipeline[T]) Margins(ctx context.Context, ctl run.Control, x data.Source[T], y []int) (margin.Margins, error) {
	_, m, err := p.ScoreMargins(ctx, ctl, x, y)
	return margin.NewMargins(m), err
}

// ScoreMargins is ScoreAll and Margins in one, each instance mapped once; the
// margins are in the order of the instances.
func (p *Pipeline[T]) ScoreMargins(
	ctx context.Context, ctl run.Control, x data.Source[T], y []int,
) (*data.Matrix, []float64, error) {
	if p.Parts == nil && p.machine() {
		if at, ok := places(any(p.Map).(*feature.Landmarks[T]).Instances(), x, p.supportOrder(y)); ok {
			return p.supportMargins(ctx, ctl, x, y, at)
		}
	}
	products, lengths, err := p.separatorProducts(ctx, ctl)
	if err != nil {
		return nil, nil, err
	}
	return p.scoreMargins(ctx, ctl, x, y, p.distances(products), lengths)
}

// supportOrder returns the order of rows of these classes in which the support is kept: that of the rows, or,
// of a machine with a separator a pair of classes, class after class.
func (p *Head) supportOrder(y []int) []int {
	order := whole(len(y))
	if p.Pairs != nil {
		slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(y[i], y[j]) })
	}
	return order
}

// places returns where some instances stand among all, which are gone through in an order, if they all do.
func places[T any](some, all data.Source[T], order []int) ([]int, bool) {
	at := make([]int, 0, some.Len())
	for _, i := range order {
		if len(at) < some.Len() && reflect.DeepEqual(some.At(len(at)), all.At(i)) {
			at = append(at, i)
		}
	}
	return at, len(at) == some.Len()
}

// supportMargins is ScoreMargins of instances among which the support is, at the given places: its scores tell
// the lengths of the separators too.
func (p *Pipeline[T]) supportMargins(
	ctx context.Context, ctl run.Control, x data.Source[T], y, at []int,
) (*data.Matrix, []float64, error) {
	k := p.Separators.Rows
	raw := data.NewMatrix(x.Len(), k)
	err := p.blocks(ctx, ctl, "predict", x, nil, func(first int, some *data.Matrix, _ []float64) {
		copy(raw.Data[first*k:], some.Data)
	})
	if err != nil {
		return nil, nil, err
	}
	scores, margins := p.supportScores(x, y, raw, at)
	return scores, margins, nil
}

// supportScores returns the scores of instances among which the support is, and of classes the margins, from the
// products of the separators with them, which it changes.
func (p *Pipeline[T]) supportScores(x data.Source[T], y []int, raw *data.Matrix, at []int) (*data.Matrix, []float64) {
	n := x.Len()
	scores, values, square := data.NewMatrix(n, p.Outputs()), make([]float64, n), make([]float64, 1)
	if p.Regresses() || y == nil {
		for i := range n {
			p.spread(scores.Row(i), raw.Row(i))
		}
		return scores, nil
	}
	support := data.NewMatrix(len(at), raw.Cols)
	for s, i := range at {
		copy(support.Row(s), raw.Row(i))
	}
	norms := p.distances(p.productsOf(support))
	for i := range n {
		p.kernelLengths(square, data.Range[T]{Of: x, Lo: i, Hi: i + 1}, nil)
		p.scoreMargin(scores.Row(i), &values[i], raw.Row(i), y[i], square[0], norms)
	}
	return scores, values
}

// scoreMargin writes the scores and the margin of a row from what the separators say of it.
func (p *Pipeline[T]) scoreMargin(
	scores []float64, value *float64, raw []float64, class int, square float64, norms *data.Matrix,
) {
	*value = -1
	if class >= 0 {
		if m := p.marginOf(raw, class, square, norms); !math.IsNaN(m) {
			*value = m
		}
	}
	p.spread(scores, raw)
}

// scoreMargins returns scores and margins, given what margins are divided by.
func (p *Pipeline[T]) scoreMargins(
	ctx context.Context, ctl run.Control, x data.Source[T], y []int, norms *data.Matrix, lengths lengthsOf[T],
) (*data.Matrix, []float64, error) {
	scores, values := data.NewMatrix(x.Len(), p.Outputs()), make([]float64, x.Len())
	err := p.blocks(ctx, ctl, "predict", x, lengths, func(first int, raw *data.Matrix, squares []float64) {
		for i := range raw.Rows {
			at := first + i
			p.scoreMargin(scores.Row(at), &values[at], raw.Row(i), y[at], squares[i], norms)
		}
	})
	return scores, values, err
}

// separatorProducts returns the inner products of the separators with each other,
// of those of pairs each with itself, and what tells the squared length of an
// instance, in the space that margins are of.
func (p *Pipeline[T]) separatorProducts(ctx context.Context, ctl run.Control) (*data.Matrix, lengthsOf[T], error) {
	if p.Parts != nil {
		return p.productsOfParts(ctx, ctl)
	}
	if p.machine() {
		m, err := p.supportProducts(ctx, ctl)
		return m, p.kernelLengths, err
	}
	if p.Pairs != nil {
		product := data.NewMatrix(p.Separators.Rows, 1)
		linalg.Norms2(product.Data, p.Separators)
		return product, featureLengths[T], nil
	}
	product := data.NewMatrix(p.Separators.Rows, p.Separators.Rows)
	return product, featureLengths[T], linalg.MulT(ctx, ctl.Quiet(), 1, p.Separators, p.Separators, 0, product)
}

// featureLengths are the lengths of the features.
func featureLengths[T any](dst []float64, _ data.Source[T], features []data.Source[data.Vector]) {
	for i := range dst {
		dst[i] = features[0].At(i).Norm2()
	}
}

// kernelLengths are the lengths in the kernel's own space, K(x, x).
func (p *Pipeline[T]) kernelLengths(dst []float64, x data.Source[T], _ []data.Source[data.Vector]) {
	for i := range dst {
		dst[i] = max(0, kernel.Diag(p.Kernel, x.At(i)))
	}
}

// machine reports a kernel machine, whose features are similarities to its
// support.
func (p *Pipeline[T]) machine() bool {
	t, ok := TraitsOf(p.Learner)
	_, landmarks := any(p.Map).(*feature.Landmarks[T])
	return ok && t.Kernel && landmarks
}

// supportProducts returns the inner products of the separators of a kernel machine.
// With w_s = Σ_p a_ps φ(p) that of two is Σ_p a_ps f_t(p), so they come from the
// scores of the support.
func (p *Pipeline[T]) supportProducts(ctx context.Context, ctl run.Control) (*data.Matrix, error) {
	support := any(p.Map).(*feature.Landmarks[T]).Instances()
	k := p.Separators.Rows
	scores := data.NewMatrix(support.Len(), k)
	err := p.blocks(ctx, ctl, "margins", support, nil, func(first int, raw *data.Matrix, _ []float64) {
		copy(scores.Data[first*k:], raw.Data)
	})
	if err != nil {
		return nil, err
	}
	return p.productsOf(scores), nil
}

// productsOf returns the inner products of the separators from the scores of the support.
func (p *Pipeline[T]) productsOf(scores *data.Matrix) *data.Matrix {
	k := p.Separators.Rows
	if p.Pairs != nil { // no two of them are ever compared
		product := data.NewMatrix(k, 1)
		for s := range scores.Rows {
			for c := range k {
				product.Data[c] += p.Separators.Row(c)[s] * scores.Row(s)[c]
			}
		}
		return product
	}
	product := data.NewMatrix(k, k)
	for s := range scores.Rows {
		for c := range k {
			vmath.Axpy(product.Row(c), p.Separators.Row(c)[s], scores.Row(s))
		}
	}
	return product
}

// distances returns what margins are divided by, from the inner products of the
// separators: the length of each where they stand for pairs of classes or for
// two, and else the length of the difference of each two. Biases count.
func (p *Head) distances(product *data.Matrix) *data.Matrix {
	k := product.Rows
	out := data.NewMatrix(k, product.Cols)
	bias := func(b float64) float64 {
		if p.Unit == 0 {
			return 0
		}
		return b * b
	}
	if p.Pairs != nil {
		for c, square := range product.Data {
			out.Data[c] = math.Sqrt(max(0, square) + bias(p.Bias[c]))
		}
		return out
	}
	for c := range k {
		for e := range k {
			square := product.Row(c)[c] + product.Row(e)[e] - product.Row(c)[e] - product.Row(e)[c]
			apart := p.Bias[c] - p.Bias[e]
			if c == e {
				apart, square = p.Bias[c], product.Row(c)[c]
			}
			out.Row(c)[e] = math.Sqrt(max(0, square) + bias(apart))
		}
	}
	return out
}

// marginOf returns the margin of an instance of class c from its products with
// the separators and its squared length: the smallest over the separators that
// tell c from another class.
func (p *Head) marginOf(raw []float64, c int, square float64, lengths *data.Matrix) float64 {
	length := math.Sqrt(square + p.Unit*p.Unit)
	m := 1.0
	take := func(score, norm float64) {
		if norm *= length; norm > 0 {
			m = min(m, max(score/norm, -1))
		} else {
			m = min(m, 0)
		}
	}
	score := func(s int) float64 { return raw[s] + p.Bias[s]*p.Unit }
	switch k := p.Classes.Len(); {
	case p.Pairs != nil:
		for s := range raw {
			switch i, j := learn.PairAt(s, k); c {
			case i:
				take(score(s), lengths.Data[s])
			case j:
				take(-score(s), lengths.Data[s])
			}
		}
	case k == 2:
		take(float64(2*c-1)*score(0), lengths.Row(0)[0])
	default:
		for e := range raw {
			if e != c {
				take(score(c)-score(e), lengths.Row(c)[e])
			}
		}
	}
	return m
}
