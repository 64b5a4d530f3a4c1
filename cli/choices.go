package cli

import (
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/eval"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/job"
	"github.com/kerf-ml/kerf/learn/calibrate"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/project"
	"github.com/kerf-ml/kerf/spec"
)

// mapFlags choose a kernel and a map.
type mapFlags struct {
	kernel     string
	mapKind    string
	mapArgs    map[string]any // that stand in parentheses after the map's name
	dim        int
	landmarks  int
	selection  string
	projection string
	repair     string
}

func (f *mapFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.kernel, "kernel", "",
		"kernel, such as 'rbf(gamma=0.1)', 'poly(degree=3)', 'degree(d=5)', jaccard, "+
			"'normalize(spectrum(k=3))+1'; rbf takes its width from the data (default: rbf for vectors, "+
			"for strings and sets the best on held-out rows of those that suit what they look like)")
	flags.Var(callFlag{&f.mapKind, &f.mapArgs}, "map", "map into features: "+strings.Join(model.MapNames(), ", ")+
		"; hyperparameters may follow, as in 'f2(dim=100,select=kmeans)' (default: f2, "+
		"or fourier or none where they are clearly better on held-out rows; none for the linear kernel)")
	flags.IntVar(&f.dim, "dim", 0,
		"dimension: landmarks of f1 and f2, features of the other maps (default: chosen by the error "+
			"on held-out rows, from 64 to 1024)")
	flags.StringVar(&f.selection, "select", "",
		"how landmarks are chosen: uniform, iid, kmeans, greedy or rpcholesky (default: uniform)")
	flags.StringVar(&f.projection, "projection", "", "random projection of f3, project and direct: "+
		strings.Join(project.Kinds(), ", ")+" (default: gaussian)")
	flags.StringVar(&f.repair, "repair", "",
		"what f2 does with a similarity that is no kernel: clip, flip or shift its spectrum "+
			"(default: refuse it)")
	flags.IntVar(&f.landmarks, "landmarks", 0,
		"landmarks of f3 (default: 4 for each dimension); with --error the most that a map "+
			"is grown to (default: 5000)")
}

// choose reports flags that are out of range or do not go together, and fills in
// the choices of a map. grows says that a certificate finds the dimension.
func (f *mapFlags) choose(c *cobra.Command, t model.Traits, grows bool, out *job.Choices) error {
	sized := c.Flags().Changed("dim")
	switch {
	case sized && f.dim < 1:
		return usage("--dim is %d and must be at least 1", f.dim)
	case c.Flags().Changed("landmarks") && f.landmarks < 1:
		return usage("--landmarks is %d and must be at least 1", f.landmarks)
	case f.mapKind != "" && !slices.Contains(model.MapNames(), f.mapKind):
		return usage("unknown map %q; there are %s", f.mapKind, strings.Join(model.MapNames(), ", "))
	case feature.Selection(f.selection).Validate() != nil:
		return usage("--%w", feature.Selection(f.selection).Validate())
	case f.projection != "" && !slices.Contains(project.Kinds(), f.projection):
		return usage("unknown projection %q; there are %s", f.projection, strings.Join(project.Kinds(), ", "))
	}
	text := ""
	if f.kernel != "" {
		k, err := spec.Parse(f.kernel)
		if err != nil {
			return err
		}
		text = k.String()
	}
	kind := f.mapKind
	if kind == "" {
		kind = job.DefaultMap(text, t)
	}
	if err := f.fits(kind, text, sized, grows, t.Kernel); err != nil {
		return err
	}
	out.Kernel, out.Map.Name, out.Map.Args = f.kernel, f.mapKind, map[string]any{}
	set := func(name string, given bool, v any) {
		if given {
			out.Map.Args[name] = v
		}
	}
	set("dim", sized && !t.Kernel, f.dim)
	set("landmarks", f.landmarks > 0 && !grows, f.landmarks)
	set("select", f.selection != "", f.selection)
	set("projection", f.projection != "", f.projection)
	set("repair", f.repair != "", f.repair)
	if err := called(c, "map", f.mapArgs, out.Map.Args); err != nil || f.mapKind == "" {
		return err
	}
	if m, err := model.NewMapper[data.Vector](f.mapKind, out.Map.Args); err == nil && m.Validate() != nil {
		return usage("map %s: %w", f.mapKind, m.Validate())
	}
	return nil
}

// callFlag is a flag that takes a name, or a name with hyperparameters.
type callFlag struct {
	name *string
	args *map[string]any
}

func (f callFlag) String() string {
	if f.name == nil {
		return ""
	}
	return *f.name
}

func (callFlag) Type() string { return "string" }

func (f callFlag) Set(text string) error {
	c, err := spec.ParseCall(text)
	*f.name, *f.args = c.Name, c.Args
	return err
}

// called adds the hyperparameters that stand in parentheses in a flag. None may
// have a flag of its own beside it.
func called(c *cobra.Command, flag string, args, to map[string]any) error {
	for name, v := range args {
		if other := strings.ReplaceAll(name, "_", "-"); c.Flags().Changed(other) {
			return usage("%s is given by --%s and in --%s; drop one", name, other, flag)
		}
		to[name] = v
	}
	return nil
}

// fits reports choices that do not go together.
func (f *mapFlags) fits(kind, kernel string, sized, grows, machine bool) error {
	switch none := kind == model.MapNone; {
	case f.selection != "" && !model.HasLandmarks(kind):
		return usage("--select is for maps with landmarks: f1, f2 and f3")
	case f.projection != "" && !projects(kind):
		return usage("--projection is for --map f3, project and direct")
	case kind == model.MapMonomials && sized:
		return usage("--map monomials has all monomials of the kernel's degree; drop --dim")
	case (kind == model.MapTaylor || kind == model.MapPowers) && sized:
		return usage("--map %s has all features up to its degree, as in '%s(degree=5)'; drop --dim", kind, kind)
	case kind == model.MapExplicit && sized:
		return usage("--map explicit has the features that the kernel lists; drop --dim")
	case none && kernel != "" && kernel != "linear" && !machine:
		return usage("--map none leaves the kernel %s without use; choose --map f1, f2 or f3, or drop --kernel", f.kernel)
	case !none && model.RawMap(kind, f.mapArgs) && kernel != "" && kernel != "linear":
		return usage("--map %s looks at no kernel; drop --kernel, or choose --map f1, f2 or f3", kind)
	case none && sized && !machine:
		return usage("--map none has no dimension to choose; drop --dim")
	case f.repair != "" && !slices.Contains(feature.Repairs, feature.Repair(f.repair)):
		return usage("--repair is %q and must be clip, flip or shift", f.repair)
	case f.repair != "" && f.selection != "" && f.selection != string(feature.Uniform) &&
		f.selection != string(feature.Independent):
		return usage("--repair takes landmarks drawn alike; drop --select %s", f.selection)
	case f.repair != "" && kind != model.MapF2:
		return usage("--repair is for --map f2; f1 takes any similarity as it stands")
	case f.landmarks > 0 && kind != model.MapF3 && !grows:
		return usage("--landmarks is for --map f3; %s has --dim landmarks", kind)
	}
	return nil
}

// projects reports whether maps of a kind end in a random projection.
func projects(kind string) bool {
	return kind == model.MapF3 || kind == model.MapProject || kind == model.MapDirect
}

// learnerFlags choose a learner and all that belongs to it.
type learnerFlags struct {
	mapFlags
	learner   string
	args      map[string]any // that stand in parentheses after its name
	task      string
	c         float64
	lambda    float64
	nu        float64
	epsilon   float64
	rounds    int
	loss      string
	weights   string
	metric    string
	calibrate string
	conformal float64
	tolerance float64
	passes    int
	claim     job.Claim
}

func (f *learnerFlags) add(flags *pflag.FlagSet) {
	f.mapFlags.add(flags)
	flags.Var(callFlag{&f.learner, &f.args}, "learner", "learner: "+strings.Join(model.LearnerNames(nil), ", ")+
		"; hyperparameters may follow, as in 'svm(C=10)' (default: svm; ridge for numbers)")
	flags.StringVar(&f.task, "task", "", "classify or regress (default: what the learner does; where it does both "+
		"or is left open, numbers are learnt as such unless they are few whole ones, and all else as classes)")
	flags.Float64Var(&f.c, "C", 0, "penalty C, the weight of a unit of loss (default: chosen on held-out training rows)")
	flags.Float64Var(&f.lambda, "lambda", 0,
		"penalty lambda, the weight of |w|², of ridge, kernel-ridge, falkon and kernel-sgd; of svm, logistic, pegasos "+
			"and kernel-svm in place of C, as lambda/2·|w|² + mean loss: C = 1/(lambda·rows) (default: chosen)")
	flags.Float64Var(&f.nu, "nu", 0.5, "fraction ν of nu-svm, nu-svr and one-class")
	flags.Float64Var(&f.epsilon, "epsilon", -1,
		"half of the width of svr's tube (default: a tenth of the targets' spread)")
	flags.IntVar(&f.rounds, "rounds", 100, "rounds of boosting")
	flags.StringVar(&f.loss, "loss", "squared-hinge", "loss of the svm: squared-hinge or hinge")
	flags.StringVar(&f.weights, "class-weight", "", "balanced, or weights by label such as 'spam=5,ham=1'")
	flags.StringVar(&f.metric, "metric", "", "what is chosen goes by: error, balanced, auc, f1, logloss; rmse or mae of "+
		"numbers\n(default: error, auc where one of two classes is rare; rmse)")
	flags.StringVar(&f.calibrate, "calibrate", string(calibrate.Softmax),
		"how scores become probabilities: temperature, platt, isotonic or none")
	flags.Float64Var(&f.conformal, "conformal", 0,
		"part of the rows to keep from training for prediction sets (kerf predict --set), such as 0.2")
	flags.Float64Var(&f.tolerance, "tolerance", 1e-3,
		"at which the learner stops: of the duality gap, relative to the objective, "+
			"or of the optimality conditions of kernel machines; of the residual of kernel-ridge, which is exact without")
	flags.IntVar(&f.passes, "max-passes", 0,
		"passes over the data after which a learner stops (default: 1000, more for few rows)")
	flags.Float64Var(&f.claim.Error, "error", 0,
		"instead of --dim: grow the map until it is certified on fresh rows to add at most this error")
	flags.Float64Var(&f.claim.Confidence, "confidence", 0.95, "of the certificate")
	flags.BoolVar(&f.claim.Atoms, "atoms", false,
		"for a certificate, rows that are the same are observations of their own and no copies")
	flags.Float64Var(&f.claim.Margin, "margin", 0, "margin of the targets that the certificate speaks of "+
		"(default: chosen on rows set apart, see kerf margin)")
}

// choose reports flags that are out of range or do not go together, and fills in
// the choices.
func (f *learnerFlags) choose(c *cobra.Command, out *job.Choices) error {
	changed := c.Flags().Changed
	t, err := f.settle(changed, out)
	if err != nil {
		return err
	}
	if err := f.inRange(changed, t, out); err != nil {
		return err
	}
	if err := f.classWeights(changed, t, out); err != nil {
		return err
	}
	if err := f.checkClaim(changed, t, out); err != nil {
		return err
	}
	if t.Kernel {
		if changed("map") && f.mapKind != model.MapNone || changed("dim") && f.learner != model.LearnerFalkon {
			return usage("--learner %s works in the kernel's own space; drop --map and --dim", f.learner)
		}
		f.mapKind = model.MapNone
	}
	if err := f.mapFlags.choose(c, t, out.Claim != nil, out); err != nil {
		return err
	}
	if out.Conformal = f.conformal; f.calibrate == "none" {
		out.Calibrate = ""
	} else {
		out.Calibrate = calibrate.Method(f.calibrate)
	}
	return f.hyperparameters(c, out)
}

// hyperparameters sets those that the learner has.
func (f *learnerFlags) hyperparameters(c *cobra.Command, out *job.Choices) error {
	changed := c.Flags().Changed
	l, err := model.NewLearner[string](f.learner, nil)
	if err != nil {
		return err
	}
	out.Learner.Args = map[string]any{}
	open := out.Learner.Name == "" // and then its own defaults hold
	for name, v := range map[string]any{
		"nu": f.nu, "epsilon": f.epsilon, "rounds": f.rounds, "loss": f.loss, "tolerance": f.tolerance,
	} {
		// kernel-ridge is exact unless a tolerance is given.
		own := name == "tolerance" && f.learner == model.LearnerKernelRidge && !changed(name)
		if model.Accepts(l, name) && !own && (!open || changed(name)) {
			out.Learner.Args[name] = v
		}
	}
	for name, v := range map[string]any{"C": f.c, "lambda": f.lambda, "max-passes": f.passes, "dim": f.dim} {
		if key := strings.ReplaceAll(name, "-", "_"); changed(name) && model.Accepts(l, key) {
			out.Learner.Args[key] = v
		}
	}
	return called(c, "learner", f.args, out.Learner.Args)
}

// classFlags belong to classes, and say that these are to be learnt.
var classFlags = []string{"C", "loss", "class-weight", "calibrate", "error"}

// settle fills in the learner or the task where one is left open. Where both are, or
// the learner has both tasks, and no flag belongs to classes, the data decide; without a
// learner the traits are those of the one of classes.
func (f *learnerFlags) settle(changed func(string) bool, out *job.Choices) (model.Traits, error) {
	if f.task != "" && f.task != string(model.Classify) && f.task != string(model.Regress) {
		return model.Traits{}, usage("--task is %q and must be classify or regress", f.task)
	}
	open, named := f.task == "" && (f.learner == "" || job.Undecided(f.learner)), f.learner
	if f.learner == "" {
		f.learner = job.DefaultLearner(model.Task(f.task))
	}
	t, ok := model.TraitsOf(f.learner)
	if !ok {
		return t, usage("unknown learner %q; there are %s", f.learner, strings.Join(model.LearnerNames(nil), ", "))
	}
	if open && !slices.ContainsFunc(classFlags, changed) {
		out.Learner.Name = named
		return t, nil
	}
	out.Learner.Name, out.Task = named, model.Task(f.task)
	if out.Task == "" {
		out.Task = job.DefaultTask(t)
	}
	if !t.Can(out.Task) {
		return t, usage("%s cannot %s", f.learner, out.Task)
	}
	return t, nil
}

// inRange reports hyperparameters that are out of range or not the learner's.
func (f *learnerFlags) inRange(changed func(string) bool, t model.Traits, out *job.Choices) error {
	regresses := out.Task == model.Regress
	if changed("metric") {
		by, err := eval.ParseCriterion(f.metric)
		if err != nil {
			return usage("%v", err)
		}
		out.Metric = by
	}
	methods := []string{"none", string(calibrate.Softmax), string(calibrate.Sigmoid), string(calibrate.Steps)}
	switch {
	case changed("C") && !(f.c > 0 && f.c <= 1e12):
		return usage("--C is %v and must be a positive number", f.c)
	case changed("C") && t.Penalty != model.PenaltyC:
		return usage("--C is for learners that have one; %s has none", f.learner)
	case changed("lambda") && !(f.lambda > 0 && f.lambda <= 1e12):
		return usage("--lambda is %v and must be a positive number", f.lambda)
	case changed("lambda") && !takes(f.learner, "lambda"):
		return usage("--lambda is for learners that have one; %s has none", f.learner)
	case (changed("lambda") || f.args["lambda"] != nil) && (changed("C") || f.args["C"] != nil):
		return usage("--C and --lambda say the same, C = 1/(lambda·rows); drop one")
	case !(f.nu > 0 && f.nu <= 1):
		return usage("--nu is %v and must be above 0 and at most 1", f.nu)
	case changed("epsilon") && !(f.epsilon >= 0 && f.epsilon <= 1e12):
		return usage("--epsilon is %v and must be at least 0", f.epsilon)
	case f.rounds < 1:
		return usage("--rounds is %d and must be at least 1", f.rounds)
	case f.loss != "hinge" && f.loss != "squared-hinge":
		return usage("--loss is %q and must be hinge or squared-hinge", f.loss)
	case !slices.Contains(methods, f.calibrate):
		return usage("--calibrate is %q and must be temperature, platt, isotonic or none", f.calibrate)
	case changed("calibrate") && f.calibrate != "none" && (regresses || t.Unsupervised):
		return usage("--calibrate makes probabilities of classes, and %s has none here; drop it", f.learner)
	case f.conformal != 0 && t.Unsupervised:
		return usage("--conformal makes sets of labels, and one-class has none; drop it")
	case !(f.conformal >= 0 && f.conformal < 1):
		return usage("--conformal is %v and must be at least 0 and below 1", f.conformal)
	case !(f.tolerance >= 0 && f.tolerance < 1):
		return usage("--tolerance is %v and must be at least 0 and below 1", f.tolerance)
	case t.Kernel && f.tolerance == 0 && f.learner != model.LearnerKernelRidge:
		return usage("--tolerance is 0 and must be above 0 for %s", f.learner)
	case changed("max-passes") && f.passes < 1:
		return usage("--max-passes is %d and must be at least 1", f.passes)
	}
	return nil
}

// takes reports whether a learner has a hyperparameter.
func takes(learner, name string) bool {
	l, err := model.NewLearner[string](learner, nil)
	return err == nil && model.Accepts(l, name)
}

// classWeights reads the weights of classes.
func (f *learnerFlags) classWeights(changed func(string) bool, t model.Traits, out *job.Choices) error {
	switch {
	case f.weights != "" && (out.Task == model.Regress || t.Unsupervised || !t.Weights):
		return usage("--class-weight is for learners of classes that take weights; %s does not", f.learner)
	case (changed("weight") || changed("weights")) && !t.Weights:
		takers := strings.Join(model.LearnerNames(func(t model.Traits) bool { return t.Weights }), ", ")
		return usage("%s takes no weights of rows; these learners do: %s", f.learner, takers)
	case f.weights == "":
		return nil
	case f.weights == "balanced":
		out.Balanced = true
		return nil
	}
	out.ClassWeight = map[string]float64{}
	for _, part := range strings.Split(f.weights, ",") {
		at := strings.LastIndex(part, "=")
		if at < 1 {
			return usage("--class-weight is %q and must be balanced, or weights by label such as 'spam=5,ham=1'", f.weights)
		}
		w, err := strconv.ParseFloat(part[at+1:], 64)
		if err != nil || !(w >= 0 && w <= 1e12) {
			return usage("--class-weight gives %q the weight %q, which is no number of at least 0", part[:at], part[at+1:])
		}
		out.ClassWeight[part[:at]] = w
	}
	return nil
}

// checkClaim reports flags of a certificate that do not go together.
func (f *learnerFlags) checkClaim(changed func(string) bool, t model.Traits, out *job.Choices) error {
	claim := f.claim
	given := func(name string) bool { return changed(name) || f.mapArgs[name] != nil }
	switch {
	case !changed("error") && (changed("confidence") || changed("margin") || changed("atoms")):
		return usage("--confidence, --margin and --atoms are for a certificate; give --error too")
	case !changed("error"):
		return nil
	case out.Task == model.Regress:
		return usage("--error certifies margins of classes; numbers have none")
	case given("dim"):
		return usage("--error finds the dimension itself; drop --dim")
	case f.conformal > 0:
		return usage("--error and --conformal both keep rows for themselves; choose one")
	case given("repair"):
		return usage("--error certifies what a kernel loses, and a repair makes another; drop --repair")
	case t.Kernel || f.mapKind != "" && f.mapKind != model.MapF2 && f.mapKind != model.MapF3:
		return usage("--error certifies the maps f2 and f3; choose one")
	case !(claim.Error > 0 && claim.Error < 1):
		return usage("--error is %v and must be between 0 and 1", claim.Error)
	case !(claim.Confidence > 0 && claim.Confidence < 1):
		return usage("--confidence is %v and must be between 0 and 1", claim.Confidence)
	case changed("margin") && !(claim.Margin > 0 && claim.Margin <= 1):
		return usage("--margin is %v and must be above 0 and at most 1", claim.Margin)
	}
	claim.Most = f.landmarks
	out.Claim = &claim
	return nil
}
