package model

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/run"
)

// Part is a pipeline of a blend, and the weight of its scores.
type Part[T any] struct {
	Weight float64 // greater than 0
	*Pipeline[T]
}

// addTo adds the weighted products of one instance. The conversion keeps the
// compiler from fusing, so that bits do not depend on where it is called.
func (p Part[T]) addTo(dst, products []float64) {
	for c, v := range products {
		dst[c] += float64(p.Weight * v)
	}
}

// Blend returns the pipeline of the scores
//
//	Σ weight_i · scores_i(x)
//
// of pipelines of the same task and classes. Its features are those of the parts
// side by side, its separators the weighted separators side by side, its bias the
// weighted sum. It has no kernel, since each part has its own, and neither the
// calibration nor the prediction sets of a part, which are of other scores.
//
// Weights are at least 0 and need not sum to 1. Parts of weight 0 are left out; a
// blend of one part is that part with its weights scaled, and the parts of a blend
// take its place. A part with a separator a pair of classes is refused unless it is
// alone and has weight 1: its scores are counts of votes, which a weight does not
// make comparable with others.
func Blend[T any](parts []*Pipeline[T], weight []float64) (*Pipeline[T], error) {
	kept, err := partsOf(parts, weight)
	if err != nil {
		return nil, err
	}
	if len(kept) == 1 {
		return kept[0].alone()
	}
	first := kept[0]
	p := &Pipeline[T]{Parts: kept, Head: Head{Task: first.Task, Classes: first.Classes}}
	maps, names := make([]feature.Map[T], len(kept)), []string(nil)
	for i, part := range kept {
		maps[i] = part.Map
		p.Unit = max(p.Unit, math.Abs(part.Unit))
		if !slices.Contains(names, part.Learner) {
			names = append(names, part.Learner)
		}
	}
	if p.Map, err = fitted[T](feature.NewJoined(maps...)); err != nil {
		return nil, err
	}
	p.Learner = strings.Join(names, " and ")
	p.Bias = make([]float64, first.wanted())
	for _, part := range kept {
		if part.Unit == 0 {
			continue
		}
		for c, b := range part.Bias {
			p.Bias[c] += float64(part.Weight * b * (part.Unit / p.Unit))
		}
	}
	return p, p.Validate()
}

// partsOf returns the parts that count, without what does not go into a blend.
func partsOf[T any](parts []*Pipeline[T], weight []float64) ([]Part[T], error) {
	if len(parts) != len(weight) {
		return nil, fmt.Errorf("there are %d parts to blend and %d weights", len(parts), len(weight))
	}
	var kept []Part[T]
	for i, p := range parts {
		w := weight[i]
		switch {
		case p == nil:
			return nil, fmt.Errorf("part %d of the blend is missing", i+1)
		case !(w >= 0) || math.IsInf(w, 1):
			return nil, fmt.Errorf("the weight of part %d is %v and must be a number of at least 0", i+1, w)
		case p.Regresses() != parts[0].Regresses():
			return nil, fmt.Errorf("part %d of the blend is to %s, and part 1 to %s", i+1, p.taskName(), parts[0].taskName())
		case !slices.Equal(p.Classes.Names, parts[0].Classes.Names):
			return nil, fmt.Errorf("part %d of the blend has other classes, or in another order, than part 1", i+1)
		}
		if err := p.Validate(); err != nil {
			return nil, fmt.Errorf("part %d of the blend: %w", i+1, err)
		}
		inner := p.Parts
		if inner == nil {
			bare := *p
			bare.Calibration, bare.Conformal, bare.Trained = nil, nil, nil
			inner = []Part[T]{{1, &bare}}
		}
		for _, part := range inner {
			if part.Weight *= w; part.Weight > 0 {
				kept = append(kept, part)
			}
		}
	}
	if len(kept) == 0 {
		return nil, errors.New("there is nothing to blend: no part has a weight above 0")
	}
	for _, part := range kept {
		if part.Pairs != nil && (len(kept) > 1 || part.Weight != 1) {
			return nil, errPairs
		}
	}
	return kept, nil
}

// errPairs reports a part that does not blend.
var errPairs = errors.New("a machine with a separator a pair of classes cannot be blended, because its scores " +
	"are counts of votes; train it with one a class (pairs=false)")

// taskName returns the task, which a head need not name.
func (p *Head) taskName() Task {
	if p.Regresses() {
		return Regress
	}
	return Classify
}

// alone returns the part as a pipeline of its own, with scores times the weight.
func (p Part[T]) alone() (*Pipeline[T], error) {
	if p.Weight == 1 {
		return p.Pipeline, nil
	}
	out := *p.Pipeline
	w := data.NewMatrix(p.Separators.Rows, p.Separators.Cols)
	copy(w.Data, p.Separators.Data)
	vmath.Scale(w.Data, p.Weight)
	bias := slices.Clone(p.Bias)
	vmath.Scale(bias, p.Weight)
	if vmath.Finite(w.Data) >= 0 || vmath.Finite(bias) >= 0 {
		return nil, errHeavy
	}
	return &out, out.take(w, bias, p.Unit, nil, p.Map.Dim())
}

// errHeavy reports a blend whose scores could not be numbers.
var errHeavy = errors.New("a weight of the blend is too large: weighted separators are not finite")

// validateParts reports parts of a blend that do not fit together.
func (p *Pipeline[T]) validateParts() error {
	faults := []error{p.validateOutputs()}
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	dim := 0
	for i, part := range p.Parts {
		if part.Pipeline == nil || part.Map == nil {
			return errMissing
		}
		if part.Parts != nil || part.Pairs != nil {
			fault("part %d is a blend itself, or has a separator a pair of classes", i+1)
			continue
		}
		if !(part.Weight > 0) || math.IsInf(part.Weight, 1) {
			fault("the weight of part %d is %v and must be a number above 0", i+1, part.Weight)
		}
		if part.Regresses() != p.Regresses() || !slices.Equal(part.Classes.Names, p.Classes.Names) {
			fault("part %d has another task or other classes", i+1)
		}
		faults = append(faults, part.validate(part.Map.Dim()))
		dim += part.Map.Dim()
	}
	if dim != p.Map.Dim() {
		fault("the parts have %d features and the map has %d", dim, p.Map.Dim())
	}
	if p.Pairs != nil || p.Separators != nil || len(p.Bias) != p.wanted() {
		fault("a blend has a bias a class, and separators in its parts alone")
	}
	if vmath.Finite(p.Bias) >= 0 {
		faults = append(faults, errHeavy)
	}
	return errors.Join(faults...)
}

// rawBlockOfParts is rawBlock of a blend.
func (p *Pipeline[T]) rawBlockOfParts(
	ctx context.Context, ctl run.Control, raw *data.Matrix, x data.Source[T], wanted bool,
) ([]data.Source[data.Vector], error) {
	var features []data.Source[data.Vector]
	one := data.NewMatrix(raw.Rows, raw.Cols)
	clear(raw.Data)
	for _, part := range p.Parts {
		f, err := part.rawBlock(ctx, ctl, one, x, wanted)
		if err != nil {
			return nil, err
		}
		features = append(features, f...)
		part.addTo(raw.Data, one.Data)
	}
	return features, nil
}

// productsOfParts is separatorProducts of a blend: spaces side by side have the sums
// of inner products and of squared lengths.
func (p *Pipeline[T]) productsOfParts(ctx context.Context, ctl run.Control) (*data.Matrix, lengthsOf[T], error) {
	out := data.NewMatrix(len(p.Bias), len(p.Bias))
	all := make([]lengthsOf[T], len(p.Parts))
	for i, part := range p.Parts {
		product, lengths, err := part.separatorProducts(ctx, ctl)
		if err != nil {
			return nil, nil, err
		}
		vmath.Axpy(out.Data, part.Weight*part.Weight, product.Data)
		all[i] = lengths
	}
	return out, func(dst []float64, x data.Source[T], features []data.Source[data.Vector]) {
		one := make([]float64, len(dst))
		clear(dst)
		for i, lengths := range all {
			lengths(one, x, features[i:i+1])
			vmath.Axpy(dst, 1, one)
		}
	}, nil
}

// KernelText returns the kernel as text: "linear" where there is none, and the
// kernels of the parts of a blend.
func (p *Pipeline[T]) KernelText() string {
	switch {
	case p.Parts != nil:
		texts := make([]string, len(p.Parts))
		for i, part := range p.Parts {
			texts[i] = part.KernelText()
		}
		return blendText(texts)
	case p.Kernel == nil:
		return "linear"
	}
	return fmt.Sprint(p.Kernel)
}

// blendText returns what a blend of kernels is called, each once.
func blendText(kernels []string) string {
	var distinct []string
	for _, k := range kernels {
		if !slices.Contains(distinct, k) {
			distinct = append(distinct, k)
		}
	}
	return "blend(" + strings.Join(distinct, ", ") + ")"
}
