package model

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/kerf-ml/kerf/certificate"
	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/calibrate"
	"github.com/kerf-ml/kerf/learn/linear"
	"github.com/kerf-ml/kerf/margin"
	"github.com/kerf-ml/kerf/run"
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
	// taking Dim; without a margin one is chosen on labelled rows. Certify are
	// the rows that may be used for that, nil for all: rows that had a part in
	// choosing the kernel would make the certificate worthless. Most bounds
	// the landmarks, 0 for what the theorem asks for.
	Claim   *certificate.Claim
	Certify []int
	Most    int

	// Auto, if it is set, is what to choose on held-out rows beside the price.
	Auto *Auto[T]

	Learner   string
	C         float64     // price of a unit of loss
	Lambda    float64     // price of |w|²
	Choose    bool        // choose C or Lambda on held-out rows instead, where the learner has one
	Loss      linear.Loss // of the svm
	Nu        float64     // of ν-SVC, ν-SVR and the one-class machine
	Epsilon   float64     // half of the width of ε-SVR's tube; below 0 takes a tenth of the targets' spread
	Rounds    int         // of boosting
	Tolerance float64     // of the learner; of svr and nu-svr relative to the targets' spread
	MaxPasses int         // of the learner
	Unit      float64     // value of the constant coordinate beside the features; 0 for none
	Pairs     bool        // kernel machines: learn each pair of classes, not each class against the rest

	ClassWeight map[string]float64 // factors of the rows' weights by label; nil for 1
	Balanced    bool               // weigh classes so that all count alike, by the sums of their rows' weights
	Calibrate   calibrate.Method   // how scores become probabilities; empty for not at all
	Conformal   float64            // part of the rows to keep from training and to calibrate prediction sets on; 0 for none
	Checkpoint  learn.Checkpoint   // where the learner's state is kept, of one of Keepers; what comes before the learner is done again

	Seed uint64
	Run  run.Control

	grid  []float64           // prices to choose among, of trials
	start []*linear.Separator // that a linear learner may start from; nil for none
	steps int                 // of a kernel machine in a trial; 0 for its own limit
}

// NewRecipe returns the recipe of mapping F2 with dim landmarks and a linear
// SVM whose C is chosen on held-out rows.
func NewRecipe[T any](k kernel.Kernel[T], dim int) Recipe[T] {
	svm := linear.NewSVM()
	return Recipe[T]{
		Kernel: k, Map: MapF2, Dim: dim, Landmarks: 4 * dim, Rank: feature.DefaultTolerance,
		Learner: LearnerSVM, C: svm.C, Lambda: 1e-3, Choose: true, Loss: linear.SquaredHinge, Nu: 0.5, Epsilon: -1, Rounds: 100,
		Tolerance: svm.Tolerance, MaxPasses: svm.MaxPasses, Unit: svm.Unit, Pairs: true, Calibrate: calibrate.Softmax,
		Seed: 1,
	}
}

// Training says how a pipeline was trained.
type Training struct {
	learn.Report
	Map     string  // the kind that was used
	Rank    int     // rank of the landmarks' Gram matrix; 0 where none was factorised
	C       float64 // the C that was used; 0 for a learner without
	Lambda  float64 // the Lambda that was used; 0 for a learner without
	Trials  []Trial // what Choose tried
	Margins margin.Margins
	Earned  *Earned // of a map that was grown to a claim
	Picked  *Picked // what Auto tried
	Kept    int     // rows kept from training for prediction sets
}

// traits returns what the learner is. Validate has seen to it that there is
// one.
func (r Recipe[T]) traits() Traits {
	t, _ := TraitsOf(r.Learner)
	return t
}

// Validate reports every field that is out of range. What the learner itself
// has to say of its own is said when it is fitted.
func (r Recipe[T]) Validate() error {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	t, ok := TraitsOf(r.Learner)
	if !ok {
		fault("Learner is %q and must be one of %s", r.Learner, strings.Join(Learners, ", "))
	}
	if r.Kernel == nil && (r.Map != MapNone || t.Kernel) {
		fault("Kernel is nil and must be set")
	}
	if t.Kernel && r.Map != MapNone {
		fault("Map is %q and must be none for %s, which works in the kernel's own space", r.Map, r.Learner)
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
	if r.Calibrate != "" && !slices.Contains([]calibrate.Method{calibrate.Softmax, calibrate.Sigmoid, calibrate.Steps}, r.Calibrate) {
		fault("Calibrate is %q and must be temperature, platt, isotonic or nothing", r.Calibrate)
	}
	if r.Checkpoint.On() && ok && !t.Keeps {
		fault("Checkpoint is set and must not be for %s, which keeps no state; %s do", r.Learner, strings.Join(Keepers, ", "))
	}
	faults = append(faults, r.validateMap()...)
	return errors.Join(faults...)
}

// adopt takes over the weights of trained separators.
func (p *Pipeline[T]) adopt(separators []*linear.Separator) {
	weights := data.NewMatrix(len(separators), p.Map.Dim())
	bias := make([]float64, len(separators))
	for i, s := range separators {
		copy(weights.Row(i), s.W)
		bias[i], p.Unit = s.Bias, s.Unit
	}
	p.set(weights, bias)
}

// set gives a pipeline that is being built its separators.
func (p *Pipeline[T]) set(weights *data.Matrix, bias []float64) {
	p.Separators, p.Bias, p.packed = weights, bias, nil
	p.packed = p.pack()
}
