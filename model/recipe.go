package model

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kerf-ml/kerf/certificate"
	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/kernelized"
	"github.com/kerf-ml/kerf/learn/linear"
	"github.com/kerf-ml/kerf/margin"
	"github.com/kerf-ml/kerf/run"
)

// Learners by name.
const (
	LearnerSVM              = "svm"
	LearnerPerceptron       = "perceptron"
	LearnerKernelPerceptron = "kernel-perceptron"
)

// Learners are the names of learners that a recipe takes.
var (
	Learners = []string{LearnerSVM, LearnerPerceptron, LearnerKernelPerceptron}
)

// Recipe says how to train a pipeline: which kernel, which map into how many
// features, which learner on top.
type Recipe[T any] struct {
	Kernel     kernel.Kernel[T]
	Map        string            // one of MapKinds
	Dim        int               // features: landmarks of f1 and f2, dimensions after the projection of f3; monomials have their own
	Landmarks  int               // landmarks of f3
	Select     feature.Selection // of landmarks; empty means uniform
	Projection string            // of f3, a kind of package project; empty means gaussian
	Rank       float64           // relative tolerance of f2's and f3's rank
	Repair     string            // of f2 for a similarity that is no kernel: clip, flip or shift; empty refuses it

	// Claim, if there is one, is what f2 or f3 is grown to certify, instead of
	// taking Dim; without a margin one is chosen on labelled rows.
	Claim *certificate.Claim

	Learner   string
	C         float64 // price of a unit of hinge loss
	ChooseC   bool    // choose C on held-out rows instead
	Tolerance float64 // of the learner
	MaxPasses int     // of the learner
	Unit      float64 // value of the constant coordinate beside the features; 0 for none

	Seed uint64
	Run  run.Control
}

// NewRecipe returns the recipe of mapping F2 with dim landmarks and a linear
// SVM whose C is chosen on held-out rows.
func NewRecipe[T any](k kernel.Kernel[T], dim int) Recipe[T] {
	svm := linear.NewSVM()
	return Recipe[T]{
		Kernel: k, Map: MapF2, Dim: dim, Landmarks: 4 * dim, Rank: feature.DefaultTolerance,
		Learner: LearnerSVM, C: svm.C, ChooseC: true, Tolerance: svm.Tolerance, MaxPasses: svm.MaxPasses, Unit: svm.Unit,
		Seed: 1,
	}
}

// Training says how a pipeline was trained.
type Training struct {
	learn.Report
	Rank    int     // rank of the landmarks' Gram matrix; 0 where none was factorised
	C       float64 // the C that was used; 0 for a learner without
	Trials  []Trial // what ChooseC tried
	Margins margin.Margins
	Earned  *Earned // of a map that was grown to a claim
}

// Validate reports every field that is out of range.
func (r Recipe[T]) Validate() error {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	if !slices.Contains(Learners, r.Learner) {
		fault("Learner is %q and must be one of %s", r.Learner, strings.Join(Learners, ", "))
	}
	if r.Kernel == nil && (r.Map != MapNone || r.Learner == LearnerKernelPerceptron) {
		fault("Kernel is nil and must be set")
	}
	faults = append(faults, r.validateMap()...)
	if r.Learner == LearnerKernelPerceptron && r.Map != MapNone {
		fault("Map is %q and must be none for the kernel perceptron, which works in the kernel's own space", r.Map)
	}
	return errors.Join(faults...)
}

// Fit trains a pipeline on labelled instances. The labels may be any strings;
// there must be two different ones at least. When ctx ends while the learner
// runs, the result is the best so far and the status says so; before that the
// context's error comes back.
func (r Recipe[T]) Fit(ctx context.Context, d data.Labeled[T, string]) (*Pipeline[T], Training, error) {
	begun := time.Now()
	if err := r.Validate(); err != nil {
		return nil, Training{}, err
	}
	counter := &run.Counter{}
	outer := r.Run.Counter
	r.Run.Counter = counter
	classes, y := data.Encode(d.Y)
	if len(y) == 0 {
		return nil, Training{}, learn.ErrNoRows
	}
	if classes.Len() < 2 {
		return nil, Training{}, fmt.Errorf("%w: %q", learn.ErrOneClass, classes.Names[0])
	}
	p := &Pipeline[T]{Kernel: r.Kernel, Classes: classes, Learner: r.Learner}
	labeled := data.Labeled[T, int]{X: d.X, Y: y}
	fit := r.fitMapped
	if r.Learner == LearnerKernelPerceptron {
		fit = r.fitExpansion
	}
	t, err := fit(ctx, p, labeled)
	if err != nil {
		return nil, t, err
	}
	t.Evaluations = counter.Count()
	outer.Add(t.Evaluations)
	t.Elapsed = time.Since(begun)
	return p, t, p.Validate()
}

// fitMapped maps the instances and trains linear separators on the features.
func (r Recipe[T]) fitMapped(ctx context.Context, p *Pipeline[T], d data.Labeled[T, int]) (Training, error) {
	var t Training
	var err error
	if r.Claim != nil {
		p.Map, t.Earned, err = r.growMap(ctx, p.Classes, d)
	} else {
		p.Map, err = r.fitMap(ctx, d.X)
	}
	if err != nil {
		return t, err
	}
	t.Rank = rankOf(p.Map)
	if r.Map == MapNone {
		p.Kernel = nil
	}
	features, err := p.features(ctx, r.Run, d.X)
	if err != nil {
		return t, err
	}
	weights := 8 * float64(data.Dim(features)) * float64(3*learn.Separators(p.Classes.Len())+2)
	if err := r.Run.Reserve("a separator of so many coordinates", weights, "renumber the coordinates from 1 without gaps, or map the data by a kernel"); err != nil {
		return t, err
	}
	mapped := data.Labeled[data.Vector, int]{X: features, Y: d.Y}
	if r.Learner == LearnerSVM {
		t.C = r.C
		if r.ChooseC {
			var err error
			if t.C, t.Trials, err = r.chooseC(ctx, mapped, p.Classes.Len()); err != nil {
				return t, err
			}
		}
	}
	multi, report, err := r.separate(ctx, mapped, p.Classes.Len(), t.C)
	t.Report = report
	if err != nil {
		return t, err
	}
	p.adopt(multi.Binary())
	t.Margins, err = linearMargins(p, features, d.Y)
	return t, err
}

// separate trains one separator a class on the features.
func (r Recipe[T]) separate(ctx context.Context, d data.Labeled[data.Vector, int], classes int, c float64) (*learn.Multi[data.Vector, *linear.Separator], learn.Report, error) {
	inner := r.Run
	if classes > 2 {
		inner = inner.Quiet() // the classes are what is counted then
		inner.Workers = 1
	}
	ovr := learn.OneVsRest[data.Vector, *linear.Separator]{Classes: classes, Run: r.Run}
	if classes == 2 {
		ovr.Run = r.Run.Quiet()
	}
	if r.Learner == LearnerPerceptron {
		l := linear.NewPerceptron()
		l.MaxPasses, l.Unit, l.Seed, l.Run = r.MaxPasses, r.Unit, r.Seed, inner
		ovr.Learner = l
	} else {
		l := linear.NewSVM()
		l.C, l.Tolerance, l.MaxPasses, l.Unit, l.Seed, l.Run = c, r.Tolerance, r.MaxPasses, r.Unit, r.Seed, inner
		ovr.Learner = l
	}
	return ovr.Fit(ctx, d)
}

// adopt takes over the weights of trained separators.
func (p *Pipeline[T]) adopt(separators []*linear.Separator) {
	p.Separators = data.NewMatrix(len(separators), p.Map.Dim())
	p.Bias = make([]float64, len(separators))
	for i, s := range separators {
		copy(p.Separators.Row(i), s.W)
		p.Bias[i], p.Unit = s.Bias, s.Unit
	}
}

// fitExpansion trains in the kernel's own space. The pipeline's features are
// the similarities to the support.
func (r Recipe[T]) fitExpansion(ctx context.Context, p *Pipeline[T], d data.Labeled[T, int]) (Training, error) {
	l := kernelized.NewPerceptron(r.Kernel)
	l.MaxPasses, l.Seed, l.Run = r.MaxPasses, r.Seed, r.Run
	e, report, err := l.FitClasses(ctx, d, p.Classes.Len())
	t := Training{Report: report}
	if err != nil {
		return t, err
	}
	p.Map = feature.NewLandmarks(r.Kernel, e.Support, r.Run.Precision)
	separators := learn.Separators(p.Classes.Len())
	p.Separators = data.NewMatrix(separators, e.Support.Len())
	p.Bias = make([]float64, separators)
	for i := range separators {
		for s := range e.Support.Len() {
			p.Separators.Row(i)[s] = e.Weight.Row(s)[learn.PositiveClass(i, p.Classes.Len())]
		}
	}
	t.Margins, err = kernelMargins(ctx, r.Run.Quiet(), p, d)
	return t, err
}
