package model

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/kerf-ml/kerf/certificate"
	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/calibrate"
	"github.com/kerf-ml/kerf/margin"
	"github.com/kerf-ml/kerf/run"
)

// Recipe says how to train a pipeline: which kernel, which map into features,
// which learner on top. Map and Learner are any values that have the methods; see
// Mappers and Learners for those that have a name in text.
type Recipe[T any] struct {
	Kernel  kernel.Kernel[T]
	Map     Mapper[T] // None for a learner in the kernel's own space
	Learner Learner
	Choose  bool // choose the learner's penalty on held-out rows, where it has one

	// Claim, if there is one, is what map f2 or f3 is grown to certify, instead of
	// taking its Dim.
	Claim *Claim

	ClassWeight map[string]float64 // factors of the rows' weights by label; nil for 1
	Balanced    bool               // weigh classes so that all count alike, by the sums of their rows' weights
	Calibrate   calibrate.Method   // how scores become probabilities; empty for not at all
	// part of the rows to keep from training and to calibrate prediction sets on; 0 for none
	Conformal float64

	// Checkpoint is where the state of a learner that Keeps is kept; what comes
	// before the learner is done again.
	Checkpoint learn.Checkpoint

	Seed uint64
	Run  run.Control
}

// Claim is what a map is grown to certify. Without a margin one is chosen on
// labelled rows.
type Claim struct {
	certificate.Claim
	// Fresh are the rows to test the map on, nil for 40% at random, 4,000 at most:
	// any that had a part in the kernel or in the encoding of instances would make
	// the certificate worthless.
	Fresh []int
	Most  int  // landmarks, at most; 0 for what the theorem asks for
	Atoms bool // rows that are the same are independent draws, and no copies
}

// NewRecipe returns the recipe of mapping F2 with dim landmarks and a linear
// SVM whose C is chosen on held-out rows.
func NewRecipe[T any](k kernel.Kernel[T], dim int) Recipe[T] {
	return Recipe[T]{
		Kernel: k, Map: NewF2[T](dim), Learner: NewSVM(), Choose: true, Calibrate: calibrate.Softmax, Seed: 1,
	}
}

// Training says how a pipeline was trained.
type Training struct {
	learn.Report
	Map     string     // name of the map that was used
	Rank    int        // rank of the landmarks' Gram matrix; 0 where none was factorised
	C       float64    // the C that was used; 0 for a learner without
	Lambda  float64    // the lambda that was used; 0 for a learner without
	Trials  []Trial    // what Choose tried
	Dims    []DimTrial // that a stream chose its dimension among
	Folds   []Trial    // mean losses on folds of a stream, by which C was chosen anew
	Margins margin.Margins
	Earned  *Earned // of a map that was grown to a claim
	Kept    int     // rows kept from training for prediction sets

	// Scores are those of the rows of the sample that have a positive weight, in
	// their order: they need not be mapped again to be measured.
	Scores *data.Matrix

	// HeldOut are rows that Choose and Calibrate held out, by the model of the
	// penalty that was chosen, which was fitted to a part of the rows; nil for none.
	HeldOut *HeldOut
}

// DimTrial is what a number of features came to on folds of a stream.
type DimTrial struct {
	Dim   int
	Error float64 // mean squared error at the best lambda
}

// Validate reports every field that is out of range.
func (r Recipe[T]) Validate() error {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	if r.Learner == nil || r.Map == nil {
		return outOfRange("Map or Learner", nil, "set")
	}
	t := r.Learner.Traits()
	_, plain := r.Map.(None[T])
	_, ours := r.Map.(storer[T]) // a map of the user's may need no kernel
	switch {
	case t.Kernel && !plain:
		fault("Map is %q and must be none for %s, which works in the kernel's own space", r.Map.Name(), r.Learner.Name())
	case r.Kernel == nil && (ours && !isRaw(r.Map) || t.Kernel):
		fault("Kernel is nil and must be set")
	}
	if _, ok := r.Learner.(Fitter[T]); t.Kernel && !ok {
		fault("Learner %s is for instances of another type", r.Learner.Name())
	}
	if _, ok := r.Learner.(Fitter[data.Vector]); !t.Kernel && !ok {
		fault("Learner %s cannot be fitted to features", r.Learner.Name())
	}
	if err := r.Learner.Validate(); err != nil {
		fault("%s: %w", r.Learner.Name(), err)
	}
	if err := r.Map.Validate(); err != nil {
		fault("%w", err)
	}
	if !(r.Conformal >= 0 && r.Conformal < 1) {
		fault("Conformal is %v and must be at least 0 and below 1", r.Conformal)
	}
	if r.Conformal > 0 && r.Claim != nil {
		fault("Conformal is %v and must be 0 with a claim: the rows cannot be kept for both", r.Conformal)
	}
	for name, w := range r.ClassWeight {
		if !(w >= 0 && w <= math.MaxFloat64) {
			fault("ClassWeight of %q is %v and must be at least 0", name, w)
		}
	}
	methods := []calibrate.Method{calibrate.Softmax, calibrate.Sigmoid, calibrate.Steps}
	if r.Calibrate != "" && !slices.Contains(methods, r.Calibrate) {
		fault("Calibrate is %q and must be temperature, platt, isotonic or nothing", r.Calibrate)
	}
	if r.Checkpoint.On() && !t.Keeps {
		keepers := strings.Join(LearnerNames(func(t Traits) bool { return t.Keeps }), ", ")
		fault("Checkpoint is set and must not be for %s, which keeps no state; %s do", r.Learner.Name(), keepers)
	}
	return errors.Join(append(faults, r.validateClaim())...)
}

// validateClaim reports a claim that is out of range, or of another map.
func (r Recipe[T]) validateClaim() error {
	if r.Claim == nil {
		return nil
	}
	claim := r.Claim.Claim
	if claim.Margin == 0 {
		claim.Margin = 1 // one will be chosen
	}
	_, _, err := r.grows()
	return errors.Join(err, named("Claim", claim.Validate()))
}

// problem returns what the learner is fitted to: the sample, with the weights of
// its classes.
func problem[T, U any](r Recipe[T], s Sample[U]) (Problem[U], error) {
	p := Problem[U]{Sample: s, Checkpoint: r.Checkpoint, Seed: r.Seed, Run: r.Run}
	var err error
	p.Weight, err = r.weights(s.Classes, s.Y, s.Weight)
	if k, ok := any(r.Kernel).(kernel.Kernel[U]); ok && r.Learner.Traits().Kernel {
		p.Kernel = k
	}
	return p, err
}

// mapProblem returns what the map is fitted to.
func (r Recipe[T]) mapProblem(x data.Source[T]) Problem[T] {
	return Problem[T]{Sample: Sample[T]{X: x}, Kernel: r.Kernel, Seed: r.Seed, Run: r.Run}
}
