package cli

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kerf-ml/kerf/certificate"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn/calibrate"
	"github.com/kerf-ml/kerf/learn/linear"
	"github.com/kerf-ml/kerf/model"
)

// learnerFlags choose a learner and all that belongs to it.
type learnerFlags struct {
	mapFlags
	learner   string
	task      string
	c         float64
	lambda    float64
	nu        float64
	epsilon   float64
	rounds    int
	loss      string
	weights   string
	calibrate string
	conformal float64
	tolerance float64
	passes    int

	err, confidence, margin float64 // what the map is to certify

	classWeight map[string]float64
}

func (f *learnerFlags) add(flags *pflag.FlagSet) {
	f.mapFlags.add(flags)
	flags.StringVar(&f.learner, "learner", "", "learner: "+strings.Join(model.Learners, ", ")+" (default: svm; ridge for --task regress)")
	flags.StringVar(&f.task, "task", "", "classify or regress (default: what the learner does)")
	flags.Float64Var(&f.c, "C", 0, "price of a unit of loss (default: chosen on held-out training rows)")
	flags.Float64Var(&f.lambda, "lambda", 0, "price of |w|² of ridge, kernel-ridge, falkon and kernel-sgd (default: chosen)")
	flags.Float64Var(&f.nu, "nu", 0.5, "fraction ν of nu-svm, nu-svr and one-class")
	flags.Float64Var(&f.epsilon, "epsilon", -1, "half of the width of svr's tube (default: a tenth of the targets' spread)")
	flags.IntVar(&f.rounds, "rounds", 100, "rounds of boosting")
	flags.StringVar(&f.loss, "loss", "squared-hinge", "loss of the svm: squared-hinge or hinge")
	flags.StringVar(&f.weights, "class-weight", "", "balanced, or weights by label such as 'spam=5,ham=1'")
	flags.StringVar(&f.calibrate, "calibrate", string(calibrate.Softmax), "how scores become probabilities: temperature, platt, isotonic or none")
	flags.Float64Var(&f.conformal, "conformal", 0, "part of the rows to keep from training for prediction sets (kerf predict --set), such as 0.2")
	flags.Float64Var(&f.tolerance, "tolerance", 1e-3, "at which the learner stops: of the duality gap, relative to the objective, or of the optimality conditions of kernel machines")
	flags.IntVar(&f.passes, "max-passes", 0, "passes over the data after which a learner stops (default: 1000, more for few rows)")
	flags.Float64Var(&f.err, "error", 0, "instead of --dim: grow the map until it is certified on fresh rows to add at most this error")
	flags.Float64Var(&f.confidence, "confidence", 0.95, "of the certificate")
	flags.Float64Var(&f.margin, "margin", 0, "margin of the targets that the certificate speaks of (default: chosen on rows set apart, see kerf margin)")
}

// check reports flags that are out of range or do not go together.
func (f *learnerFlags) check(c *cobra.Command) error {
	changed := c.Flags().Changed
	if err := f.settleLearner(); err != nil {
		return err
	}
	t, _ := model.TraitsOf(f.learner)
	switch {
	case changed("C") && !(f.c > 0 && f.c <= 1e12):
		return usage("--C is %v and must be a positive number", f.c)
	case changed("C") && t.Price != "C":
		return usage("--C is for learners that have one; %s has none", f.learner)
	case changed("lambda") && !(f.lambda > 0 && f.lambda <= 1e12):
		return usage("--lambda is %v and must be a positive number", f.lambda)
	case changed("lambda") && t.Price != "lambda" && f.learner != model.LearnerRidge:
		return usage("--lambda is for ridge, kernel-ridge, falkon and kernel-sgd; %s has none", f.learner)
	case !(f.nu > 0 && f.nu <= 1):
		return usage("--nu is %v and must be above 0 and at most 1", f.nu)
	case changed("epsilon") && !(f.epsilon >= 0 && f.epsilon <= 1e12):
		return usage("--epsilon is %v and must be at least 0", f.epsilon)
	case f.rounds < 1:
		return usage("--rounds is %d and must be at least 1", f.rounds)
	case f.loss != "hinge" && f.loss != "squared-hinge":
		return usage("--loss is %q and must be hinge or squared-hinge", f.loss)
	case f.calibrate != "none" && f.calibrate != string(calibrate.Softmax) && f.calibrate != string(calibrate.Sigmoid) && f.calibrate != string(calibrate.Steps):
		return usage("--calibrate is %q and must be temperature, platt, isotonic or none", f.calibrate)
	case changed("calibrate") && f.calibrate != "none" && (f.regresses() || f.learner == model.LearnerOneClass):
		return usage("--calibrate makes probabilities of classes, and %s has none here; drop it", f.learner)
	case f.conformal != 0 && f.learner == model.LearnerOneClass:
		return usage("--conformal makes sets of labels, and one-class has none; drop it")
	case !(f.conformal >= 0 && f.conformal < 1):
		return usage("--conformal is %v and must be at least 0 and below 1", f.conformal)
	case !(f.tolerance >= 0 && f.tolerance < 1):
		return usage("--tolerance is %v and must be at least 0 and below 1", f.tolerance)
	case t.Kernel && f.tolerance == 0:
		return usage("--tolerance is 0 and must be above 0 for %s", f.learner)
	case changed("max-passes") && f.passes < 1:
		return usage("--max-passes is %d and must be at least 1", f.passes)
	}
	if f.weights != "" && (f.regresses() || f.learner == model.LearnerOneClass || !t.Weights) {
		return usage("--class-weight is for learners of classes that take weights; %s does not", f.learner)
	}
	if (changed("weight") || changed("weights")) && !t.Weights {
		return usage("%s takes no weights of rows; these learners do: %s", f.learner, strings.Join(model.Weighted(), ", "))
	}
	if err := f.readWeights(); err != nil {
		return err
	}
	if err := f.checkClaim(c); err != nil {
		return err
	}
	f.grows = f.err > 0
	if t.Kernel {
		if changed("map") && f.mapKind != model.MapNone || changed("dim") && f.learner != model.LearnerFalkon {
			return usage("--learner %s works in the kernel's own space; drop --map and --dim", f.learner)
		}
		f.mapKind = model.MapNone
	}
	return f.mapFlags.check(c, t.Kernel)
}

// settleLearner fills in the learner or the task where one is left open.
func (f *learnerFlags) settleLearner() error {
	if f.task != "" && f.task != string(model.Classify) && f.task != string(model.Regress) {
		return usage("--task is %q and must be classify or regress", f.task)
	}
	if f.learner == "" {
		f.learner = model.LearnerSVM
		if f.task == string(model.Regress) {
			f.learner = model.LearnerRidge
		}
	}
	t, ok := model.TraitsOf(f.learner)
	if !ok {
		return usage("unknown learner %q; there are %s", f.learner, strings.Join(model.Learners, ", "))
	}
	if f.task == "" {
		f.task = string(t.Tasks[0])
	}
	if !t.Can(model.Task(f.task)) {
		return usage("%s cannot %s", f.learner, f.task)
	}
	return nil
}

// regresses reports whether numbers are to be predicted.
func (f *learnerFlags) regresses() bool { return f.task == string(model.Regress) }

// readWeights reads the weights of classes.
func (f *learnerFlags) readWeights() error {
	if f.weights == "" || f.weights == "balanced" {
		return nil
	}
	f.classWeight = map[string]float64{}
	for _, part := range strings.Split(f.weights, ",") {
		at := strings.LastIndex(part, "=")
		if at < 1 {
			return usage("--class-weight is %q and must be balanced, or weights by label such as 'spam=5,ham=1'", f.weights)
		}
		w, err := strconv.ParseFloat(part[at+1:], 64)
		if err != nil || !(w >= 0 && w <= 1e12) {
			return usage("--class-weight gives %q the weight %q, which is no number of at least 0", part[:at], part[at+1:])
		}
		f.classWeight[part[:at]] = w
	}
	return nil
}

// checkClaim reports flags of a certificate that do not go together.
func (f *learnerFlags) checkClaim(c *cobra.Command) error {
	changed := c.Flags().Changed
	t, _ := model.TraitsOf(f.learner)
	switch {
	case !changed("error") && (changed("confidence") || changed("margin")):
		return usage("--confidence and --margin are for a certificate; give --error too")
	case !changed("error"):
		return nil
	case f.regresses():
		return usage("--error certifies margins of classes; numbers have none")
	case changed("dim"):
		return usage("--error finds the dimension itself; drop --dim")
	case f.repair != "" || f.selection != "":
		return usage("--error grows f2 from landmarks drawn at random; drop --repair and --select")
	case t.Kernel || f.mapKind != "" && f.mapKind != model.MapF2 && f.mapKind != model.MapF3:
		return usage("--error certifies the maps f2 and f3; choose one")
	case !(f.err > 0 && f.err < 1):
		return usage("--error is %v and must be between 0 and 1", f.err)
	case !(f.confidence > 0 && f.confidence < 1):
		return usage("--confidence is %v and must be between 0 and 1", f.confidence)
	case changed("margin") && !(f.margin > 0 && f.margin <= 1):
		return usage("--margin is %v and must be above 0 and at most 1", f.margin)
	}
	return nil
}

// rowVisits is how many rows a learner may visit where the user set no limit: a
// few seconds of work for few rows, and 1000 passes over many.
const rowVisits = 20_000_000

// learnerRecipe returns the recipe that the flags ask for, for n rows.
func learnerRecipe[T any](a *app, f *learnerFlags, k kernel.Kernel[T], n int) (model.Recipe[T], error) {
	r := recipe(&f.mapFlags, k, n)
	r.Learner, r.Tolerance, r.MaxPasses, r.Seed, r.Run = f.learner, f.tolerance, f.passes, a.seed, a.control()
	if f.passes == 0 {
		r.MaxPasses = min(max(1000, rowVisits/max(n, 1)), 20000)
	}
	r.Nu, r.Epsilon, r.Rounds, r.ClassWeight, r.Balanced, r.Conformal = f.nu, f.epsilon, f.rounds, f.classWeight, f.weights == "balanced", f.conformal
	r.Loss = linear.SquaredHinge
	if f.loss == "hinge" {
		r.Loss = linear.Hinge
	}
	if r.Calibrate = calibrate.Method(f.calibrate); f.calibrate == "none" {
		r.Calibrate = ""
	}
	r.Auto = autoChoices(f, k, n)
	if f.c > 0 {
		r.C, r.Choose = f.c, false
	}
	if f.lambda > 0 {
		r.Lambda, r.Choose = f.lambda, false
	}
	if f.err > 0 {
		if f.mapKind == model.MapNone {
			return r, usage("--error certifies a map into features; the linear kernel has none to choose")
		}
		claim := certificate.NewClaim(f.margin, f.err, f.confidence)
		r.Claim, r.Most = &claim, certifyMost
		if f.landmarks > 0 {
			r.Most = f.landmarks
		}
	}
	return r, nil
}

// certifyMost bounds the landmarks of a map that is grown to a claim, where the
// user set no bound: a few minutes of work.
const certifyMost = 5000

// autoFactors are the factors of the median distance's width that are tried.
var autoFactors = []float64{1, 0.25, 4, 0.0625, 16}

// autoDims are the dimensions that are tried.
var autoDims = []int{64, 128, 256, 512, 1024}

// autoChoices returns what kerf chooses itself: the width of a kernel that was
// left open, the dimension and the map; nil where there is nothing to choose.
func autoChoices[T any](f *learnerFlags, k kernel.Kernel[T], n int) *model.Auto[T] {
	auto := &model.Auto[T]{}
	if f.spec.Open() && f.err == 0 { // a certificate's rows must have no part in the choice
		auto.Kernels = widths(k)
	}
	if !f.dimGiven && !f.machine && f.err == 0 && f.mapKind != model.MapNone && f.mapKind != model.MapMonomials {
		for _, d := range autoDims {
			auto.Dims = append(auto.Dims, min(d, n))
			if d >= n {
				break
			}
		}
	}
	if f.err == 0 {
		auto.Maps = f.otherMaps()
	}
	if len(auto.Kernels) < 2 && len(auto.Dims) < 2 && len(auto.Maps) == 0 || f.learner == model.LearnerOneClass {
		return nil
	}
	return auto
}

// widths returns a kernel and the same with other widths.
func widths[T any](k kernel.Kernel[T]) []kernel.Kernel[T] {
	var out []kernel.Kernel[T]
	for _, factor := range autoFactors {
		var other any
		switch k := any(k).(type) {
		case kernel.Gaussian:
			other = kernel.Gaussian{Gamma: factor * k.Gamma}
		case kernel.Laplacian:
			other = kernel.Laplacian{Gamma: factor * k.Gamma}
		default:
			return nil
		}
		out = append(out, other.(kernel.Kernel[T]))
	}
	return out
}
