package job

import (
	"fmt"
	"maps"
	"strings"

	"github.com/kerf-ml/kerf/certificate"
	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/spec"
)

// settled are choices with all filled in that does not need the data.
type settled struct {
	Choices
	kernel  spec.Kernel
	traits  model.Traits // of the learner
	mapOpen bool         // nobody chose a map, or what belongs to one
	named   bool         // somebody chose the kernel
	open    bool         // nobody chose kernel, map or learner
	vectors bool         // instances are vectors
	// nobody chose the kernel or the map of instances that are no vectors, and the
	// learner takes sparse features
	unchosen bool
}

// settle fills in what was left open, for instances of a kind.
func settle[T any](c Choices, kind spec.Kind[T]) (*settled, error) {
	s := &settled{Choices: c, named: c.Kernel != ""}
	s.open = c.Kernel == "" && c.Map.Name == "" && len(c.Map.Args) == 0 && c.Learner.Name == "" &&
		len(c.Learner.Args) == 0
	var zero T
	_, s.vectors = any(zero).(data.Vector)
	if err := s.settleLearner(); err != nil {
		return nil, err
	}
	text := c.Kernel
	if text == "" {
		text = kind.Default()
		if s.vectors && model.RawMap(c.Map.Name, c.Map.Args) && !s.traits.Kernel {
			text = linearKernel
		}
	}
	var err error
	if s.kernel, err = spec.Parse(text); err != nil {
		return nil, err
	}
	others := len(c.Map.Args)
	if has(c.Map, "dim") {
		others--
	}
	s.mapOpen = c.Map.Name == "" && s.vectors && !s.traits.Kernel && c.Claim == nil && others == 0
	s.unchosen = !s.named && !s.vectors && c.Map.Name == "" && len(c.Map.Args) == 0 && c.Claim == nil &&
		!s.traits.Kernel && s.traits.Penalty == model.PenaltyC && !s.regresses()
	if s.Map.Name == "" {
		s.Map.Name = DefaultMap(text, s.traits)
	}
	switch {
	case s.Claim == nil:
	case s.regresses():
		return nil, dataset.BadOption("%s certifies margins of classes; numbers have none", dataset.Option("error"))
	case s.traits.Kernel:
		return nil, dataset.BadOption("%s certifies the maps f2 and f3; %s works in the kernel's own space",
			dataset.Option("error"), s.Learner.Name)
	case s.Map.Name == model.MapNone:
		return nil, dataset.BadOption("%s certifies a map into features; the linear kernel has none to choose",
			dataset.Option("error"))
	}
	return s, nil
}

// linearKernel is the kernel that needs no map.
const linearKernel = "linear"

// DefaultMap returns the map of a kernel and a learner where nobody chose one.
func DefaultMap(kernel string, t model.Traits) string {
	if t.Kernel || kernel == linearKernel {
		return model.MapNone
	}
	return model.MapF2
}

// settleLearner fills in the learner or the task where one is left open.
func (s *settled) settleLearner() error {
	if s.Learner.Name == "" {
		s.Learner.Name = DefaultLearner(s.Task)
	}
	t, ok := model.TraitsOf(s.Learner.Name)
	if !ok {
		return dataset.BadOption("unknown learner %q; there are %s", s.Learner.Name,
			strings.Join(model.LearnerNames(nil), ", "))
	}
	s.traits = t
	if s.Task == "" {
		s.Task = DefaultTask(t)
	}
	if !t.Can(s.Task) {
		return dataset.BadOption("%s cannot %s", s.Learner.Name, s.Task)
	}
	return nil
}

// DefaultLearner returns the learner of a task where nobody chose one.
func DefaultLearner(t model.Task) string {
	if t == model.Regress {
		return model.LearnerRidge
	}
	return model.LearnerSVM
}

// DefaultTask returns the task of a learner where nobody chose one.
func DefaultTask(t model.Traits) model.Task {
	if t.Can(model.Classify) {
		return model.Classify
	}
	return model.Regress
}

func (s *settled) regresses() bool { return s.Task == model.Regress }

// chooses reports whether the penalty is left open.
func (s *settled) chooses() bool { return !has(s.Learner, "C") && !has(s.Learner, "lambda") }

// excess reports whether more features were asked for than n rows can give, of a map
// or learner that chooses landmarks among them.
func (s *settled) excess(n int) bool {
	landmarks := model.Landmarked(s.Map.Name) || s.traits.Kernel
	return s.Claim == nil && landmarks && s.dim() > n
}

// warnExcess tells of a dimension that is cut.
func (o *Options) warnExcess(s *settled, n int) {
	if s.excess(n) {
		o.warn("--dim is %d and there are %d rows to choose landmarks among; the dimension is %d", s.dim(), n, n)
	}
}

// dim returns the number of features that was asked for, 0 for none.
func (s *settled) dim() int {
	v := s.Map.Args["dim"]
	if s.traits.Kernel {
		v = s.Learner.Args["dim"]
	}
	switch v := v.(type) {
	case int:
		return v
	case float64:
		return int(v)
	}
	return 0
}

// otherMaps returns the maps that are tried beside f2 where the map was left open:
// Fourier features of a Gaussian kernel, and none where neither a kernel nor a
// dimension was named, which it would leave without use.
func (s *settled) otherMaps() []string {
	if !s.mapOpen || s.Map.Name != model.MapF2 {
		return nil
	}
	var out []string
	if s.kernel.Name() == spec.Gauss {
		out = append(out, model.MapFourier)
	}
	if !s.named && s.dim() == 0 {
		out = append(out, model.MapNone)
	}
	return out
}

// scaling returns the scaling of numbers. They are taken as they stand if the
// kernel's width was given, which is in their units, and where they come from a file
// that is no table: then they may be sparse.
func (o *Options) scaling(rows *dataset.Rows, open bool) (scale.Kind, error) {
	if o.Scale == "" || o.Scale == "auto" {
		if rows.Measured() && open {
			return scale.Standard, nil
		}
		return scale.None, nil
	}
	if o.Scale == string(scale.TFIDF) {
		return scale.TFIDF, nil
	}
	s, err := scale.Parse(o.Scale)
	if err != nil {
		return s, dataset.BadOption("--%v, or auto", err)
	}
	return s, nil
}

// rowVisits is how many rows a learner may visit where no limit was set: a few
// seconds of work for few rows, and 1000 passes over many.
const rowVisits = 20_000_000

// certifyMost bounds the landmarks of a map that is grown to a claim.
const certifyMost = 5000

// recipe returns the recipe of the choices, for n rows.
func recipe[T any](o *Options, s *settled, k kernel.Kernel[T], n int) (model.Recipe[T], error) {
	r := model.Recipe[T]{
		Kernel: k, Choose: s.chooses(), ClassWeight: s.ClassWeight, Balanced: s.Balanced, Calibrate: s.Calibrate,
		Conformal: s.Conformal, Seed: o.Seed, Run: o.Run,
	}
	var err error
	if r.Learner, err = learnerOf[T](s, n); err != nil {
		return r, err
	}
	args := maps.Clone(s.Map.Args)
	if model.SizedMap(s.Map.Name) && s.dim() == 0 {
		args = with(args, "dim", model.DimUpTo(s.Map.Name, min(model.DefaultDim, n)))
	}
	if s.excess(n) && !s.traits.Kernel {
		args = with(args, "dim", n)
	}
	if s.Claim != nil && !has(s.Map, "select") {
		args = with(args, "select", string(feature.RPCholesky)) // about half as many are certified as at random
	}
	if r.Map, err = model.NewMapper[T](s.Map.Name, args); err != nil {
		return r, dataset.BadOption("%v", err)
	}
	if c := s.Claim; c != nil {
		r.Claim = &model.Claim{
			Claim: certificate.NewClaim(c.Margin, c.Error, c.Confidence), Most: c.Most, Atoms: c.Atoms,
		}
		if c.Most == 0 {
			r.Claim.Most = certifyMost
		}
	}
	return r, nil
}

// learnerOf returns the learner of the choices, for n rows.
func learnerOf[T any](s *settled, n int) (model.Learner, error) {
	args := maps.Clone(s.Learner.Args)
	plain, err := model.NewLearner[T](s.Learner.Name, nil)
	if err != nil {
		return nil, err
	}
	fill := func(name string, v any) {
		if !has(s.Learner, name) && model.Accepts(plain, name) {
			args = with(args, name, v)
		}
	}
	fill("max_passes", min(max(1000, rowVisits/max(n, 1)), 20000))
	fill("dim", min(model.DefaultDim, n))
	if s.excess(n) && s.traits.Kernel {
		args = with(args, "dim", n)
	}
	if !s.chooses() {
		fill("choose", false)
	}
	l, err := model.NewLearner[T](s.Learner.Name, args)
	if err != nil {
		return nil, dataset.BadOption("%v", err)
	}
	return l, nil
}

func with(args map[string]any, name string, v any) map[string]any {
	if args == nil {
		args = map[string]any{}
	}
	args[name] = v
	return args
}

// kernelName is what a model's kernel is called.
func kernelName[T any](k kernel.Kernel[T]) string {
	if k == nil {
		return linearKernel
	}
	return spec.Short(fmt.Sprint(k))
}
