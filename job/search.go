package job

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/eval"
	"github.com/kerf-ml/kerf/internal/order"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/run"
	"github.com/kerf-ml/kerf/spec"
)

// search is a race of arms on a sample, by successive halving: all are fitted to a
// few rows, the better ones to more, the best to all.
type search struct {
	o      *TrainOptions
	size   rungs
	task   model.Task
	recipe model.Recipe[data.Vector] // of all arms but for kernel, map and learner
	views  []view
	dim    int   // coordinates of the vectors in the first view
	sample []int // rows that are looked at, among those to train on
	tried  []*arm

	first, second rung
}

// searches reports whether nothing was chosen, so that all is searched.
func (s *settled) searches(o *TrainOptions) bool {
	return o.Effort != Least && s.open && s.vectors && s.Claim == nil && !s.traits.Unsupervised && o.Checkpoint == ""
}

// leastSearched is how many rows a race needs.
const leastSearched = 20

// newSearch prepares a race on the rows to train on; nil where they are too few.
func newSearch(t *training[data.Vector], encode func(coding) (*part[data.Vector], error)) (*search, error) {
	size, err := t.o.Effort.rungs()
	if err != nil {
		return nil, err
	}
	if t.part.train.Len() > quickRows {
		size.dim = finalDim
	}
	s := &search{o: t.o, size: size, task: t.choices.Task}
	c := t.choices
	s.recipe = model.Recipe[data.Vector]{ClassWeight: c.ClassWeight, Balanced: c.Balanced, Seed: t.o.Seed, Run: t.o.Run}
	whole := t.part.train
	s.sample = make([]int, whole.Len())
	for i := range s.sample {
		s.sample[i] = i
	}
	if c.Conformal > 0 { // rows kept for prediction sets have no part in choices
		s.sample, _ = whole.Split(c.Conformal, seed.Derive(t.o.Seed, seed.Conformal))
	}
	if most := size.second + size.measure; len(s.sample) > most+most/2 {
		_, few := whole.Select(s.sample).Split(float64(most)/float64(len(s.sample)), seed.Derive(t.o.Seed, seed.Choice))
		s.sample = selected(s.sample, few)
	}
	if len(s.sample) < leastSearched {
		return nil, nil
	}
	s.dim = data.Dim(whole.X)
	for i, c := range t.codings() {
		if i >= size.views && !s.texts() {
			break
		}
		p := t.part
		if c != (coding{t.part.encoding.Scaled(), t.o.Read.Categories}) {
			if p, err = encode(c); err != nil {
				return nil, err
			}
		}
		if i > 0 && c.same(p.encoding.Table, s.views[0].part.encoding.Table) {
			continue
		}
		s.views = append(s.views, view{c, p, p.train.Select(s.sample)})
	}
	s.first, s.second, err = divide(s.views[0].sample, size, t.o.Seed)
	return s, err
}

// searchShare is the part of a given time that a race may take; the rest is for the fit.
const searchShare = 0.5

// race lets the arms run and returns the best ones, best first. Where the time for it is
// over they are the best so far.
func (s *search) race(whole context.Context, arms []*arm, stages *run.Stages) ([]*arm, error) {
	ctx, cancel := model.Share(whole, searchShare)
	defer cancel()
	for i, a := range arms {
		a.stage = fmt.Sprintf("%s (%d of %d)", a.name, i+1, len(arms))
	}
	ran, err := s.runBeside(ctx, arms, s.first, stages)
	if err = cmp.Or(err, whole.Err()); err != nil {
		return nil, err
	}
	best := s.leaders(ran)
	won := s.won(best[0])
	if won {
		best = best[:1]
	}
	again := best
	var finals []*arm
	if len(s.first.parts) > 1 { // folds: they have had all rows
		finals, again = best, s.balanced(best)
	} else {
		for i, a := range best {
			again[i] = a.again()
		}
		again = append(again, s.balanced(again)...)
	}
	if len(again) > 0 {
		var more []*arm
		more, err = s.runBeside(ctx, again, s.second, stages)
		finals = append(finals, more...)
	}
	if whole.Err() == nil && len(finals) == 0 { // no time or no memory for more: the first rung has to do
		s.second, s.tried = s.first, ran
		return s.leaders(ran)[:1], nil
	}
	if err == nil {
		var learnt []*arm
		if toLearn := s.toLearn(finals, won); len(toLearn) > 0 {
			learnt, _ = s.runBeside(ctx, toLearn, s.second, stages) // none need be better
		}
		finals = append(finals, learnt...)
	}
	if err = cmp.Or(err, whole.Err()); err != nil {
		return nil, err
	}
	order.Stable(finals, func(a, b *arm) int { return cmp.Compare(a.loss, b.loss) })
	s.tried = ran
	for _, a := range finals {
		if !slices.Contains(ran, a) {
			s.tried = append(s.tried, a)
		}
	}
	if svms := s.exact(finals[0]); len(svms) > 0 {
		svms, _ = s.runAll(ctx, svms, s.second, stages)
		s.tried = append(s.tried, svms...)
		for _, a := range svms {
			if a.error <= exactPart*finals[0].error && (finals[0].ridge || a.error < finals[0].error) {
				finals = []*arm{a}
			}
		}
	}
	return finals, whole.Err()
}

// errNoArm reports rows that no arm can be fitted to.
var errNoArm = errors.New("no model could be fitted to a part of the rows; choose a learner with --learner")

// runAll runs arms until ctx ends and returns those that went well. One that is not for
// these rows is left out; it is an error if all are.
func (s *search) runAll(ctx context.Context, arms []*arm, r rung, stages *run.Stages) ([]*arm, error) {
	var out []*arm
	for _, c := range chainsOf(arms) {
		out = append(out, c.run(func(a *arm) error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			stages.Next(cmp.Or(a.stage, a.name), s.work(a, r))
			return a.run(ctx, s.views[a.view].sample, r)
		})...)
	}
	if len(out) == 0 {
		return nil, cmp.Or(ctx.Err(), errNoArm)
	}
	return out, nil
}

// An svm takes the place of kernel ridge on landmarks if its error on the rows of a
// trial, where ridge had them all, is at most exactPart times that of ridge. mostPairs
// is up to how many classes it is tried.
const (
	exactPart = 1.25
	mostPairs = 30
)

// exact returns the arms of a kernel svm with the kernel of the best arm, and with half
// its width, which suits a hinge better, where there are so many rows that ridge has to
// make do with landmarks, and they would cost it.
func (s *search) exact(best *arm) []*arm {
	n := s.rows()
	if s.task != model.Classify || s.pair() > s.size.pair || s.views[0].sample.By != eval.ByError || !best.ridge ||
		s.byAll(best, n) || best.grid[best.at] >= smoothAt ||
		s.views[0].sample.Classes.Len() > mostPairs || best.kernel == nil || len(s.second.parts) > 1 {
		return nil
	}
	r := s.recipe
	r.Kernel, r.Map, r.Learner = best.kernel, model.None[data.Vector]{}, model.NewKernelSVM[data.Vector]()
	r.Run.Precision = run.Float32
	grid := model.Penalties(r.Learner, true, s.views[best.view].sample, chooserC, nil)
	of := func(k kernel.Kernel[data.Vector]) *arm {
		r.Kernel = k
		name := s.named(best.view, "svm, "+spec.Short(fmt.Sprint(k)))
		return &arm{family: "svm " + best.family, view: best.view, name: name, recipe: r, grid: grid}
	}
	out := []*arm{of(best.kernel)}
	for _, sh := range shapes {
		if sh.name == best.family {
			half := best.width / 2 * sh.unit(s.vectors(best.view), s.o.Seed)
			out = append(out, of(sh.kernelOf(half)))
		}
	}
	if s.size.near { // the narrower one, which is better as a rule
		out = out[len(out)-1:]
	}
	return out
}

// pair is how many rows the two largest classes have.
func (s *search) pair() int {
	whole := s.views[0].part.train
	count := make([]int, whole.Classes.Len())
	for _, c := range whole.Y {
		count[c]++
	}
	slices.Sort(count)
	return count[len(count)-1] + count[len(count)-2]
}

// fewErrors are so few that no other arm could be told to be better.
const fewErrors = 3

// won reports whether an arm leaves nothing to be won.
func (s *search) won(a *arm) bool {
	if s.task == model.Regress {
		return a.error == 0
	}
	return a.error*float64(s.first.sample) <= fewErrors
}

// farPart is how many times the loss of the best arm is too much for more rows to make good.
const farPart = 2

// leaders returns the best arm of each family and view, the best of them first, at
// most as many as get to the second rung.
func (s *search) leaders(ran []*arm) []*arm {
	sorted := slices.Clone(ran)
	order.Stable(sorted, func(a, b *arm) int { return cmp.Compare(a.loss, b.loss) })
	var out []*arm
	for _, a := range sorted {
		alike := func(b *arm) bool { return b.family == a.family && b.view == a.view }
		far := len(s.first.parts) == 1 && a.loss > farPart*sorted[0].loss
		if len(out) < s.size.keep && !far && !slices.ContainsFunc(out, alike) {
			out = append(out, a)
		}
	}
	return out
}

// toLearn returns arms with a learned metric: of the best kernel of Σ|x_j - y_j| for each way to
// encode categories, and the best of a Euclidean distance; nothing where nothing more is to be won.
func (s *search) toLearn(finals []*arm, won bool) []*arm {
	if won || s.size.rounds == 0 {
		return nil
	}
	sorted := slices.Clone(finals)
	order.Stable(sorted, func(a, b *arm) int { return cmp.Compare(a.loss, b.loss) })
	var out []*arm
	seen := map[string]bool{}
	for _, a := range sorted {
		if a.width == 0 {
			continue
		}
		of := "a distance"
		if a.family == shapes[0].name {
			of = string(s.views[a.view].categories)
		}
		if seen[of] {
			continue
		}
		if next := s.learnt(a); next != nil {
			seen[of] = true
			out = append(out, next)
		}
	}
	return out
}

// balanced returns the arms once more, with weights that make all classes count alike, where the
// criterion is of a rare class and nobody weighed them: which is better depends on how rare it is.
func (s *search) balanced(arms []*arm) []*arm {
	if s.views[0].sample.By != eval.ByF1 || s.recipe.Balanced || s.recipe.ClassWeight != nil {
		return nil
	}
	var out []*arm
	for _, a := range arms {
		next := *a
		next.recipe.Balanced, next.before = true, 0
		next.family, next.name = "balanced "+a.family, a.name+", balanced"
		out = append(out, &next)
	}
	return out
}

// options lists what was tried, in the order of trial.
func (s *search) options() []Option {
	var out []Option
	for _, a := range s.tried {
		out = append(out, Option{Name: a.name, Error: a.told, Rows: a.rows})
	}
	return out
}

// words says for people what was searched: how many candidates, the best ones and the
// plain linear model.
func (s *search) words(t *training[data.Vector]) string {
	sorted := slices.Clone(s.tried)
	order.Stable(sorted, func(a, b *arm) int {
		return cmp.Or(cmp.Compare(b.rows, a.rows), cmp.Compare(a.told, b.told))
	})
	var shown []Option
	seen := map[string]bool{}
	for i, a := range sorted {
		linear := a.family == linearKernel && !seen[linearKernel]
		if (i < 3 || linear) && !seen[a.name] {
			shown = append(shown, Option{Name: a.name, Error: a.told})
			seen[a.name], seen[a.family] = true, true
		}
	}
	return fmt.Sprintf("%d candidates on %d of %d rows; best on held-out rows: %s", len(s.tried), len(s.sample), s.rows(),
		t.optionWords(shown))
}

// allArms returns the first arms of all views.
func (s *search) allArms(ctx context.Context) ([]*arm, error) {
	of := make([][]*arm, len(s.views))
	err := par.For(ctx, s.recipe.Run.Quiet(), "", len(of), func(v int) error {
		of[v] = s.arms(v)
		return nil
	})
	return slices.Concat(of...), err
}

// rows is how many rows there are to train on.
func (s *search) rows() int { return s.views[0].part.train.Len() }

// searchFit searches for a model of vectors, the only instances with kernels to race.
func (t *training[T]) searchFit(ctx context.Context, encode func(coding) (*part[T], error)) (
	*Picked, model.Training, error) {
	of, as := any(t).(*training[data.Vector]), any(encode).(func(coding) (*part[data.Vector], error)) // see searches
	return searchFit(ctx, of, as)
}

// searchFit searches, encodes the rows as the best arm wants them, and fits it, or a
// blend of the best ones.
func searchFit(
	ctx context.Context, t *training[data.Vector], encode func(coding) (*part[data.Vector], error),
) (*Picked, model.Training, error) {
	var tr model.Training
	begun, counter := time.Now(), &run.Counter{}
	s, err := newSearch(t, encode)
	if err != nil || s == nil {
		return nil, tr, err
	}
	s.recipe.Run.Counter = counter
	arms, err := s.allArms(ctx)
	if err != nil {
		return nil, tr, err
	}
	stages := t.o.Run.Progress.Divide("train", s.planned(arms)+s.fitWork(usualMu))
	defer stages.End()
	finals, err := s.race(ctx, arms, stages)
	if err != nil {
		return nil, tr, err
	}
	mu := usualMu
	if best := finals[0]; best.ridge {
		mu = best.grid[best.at]
	}
	stages.Last("fit", s.fitWork(mu))
	arms, weight := s.blend(finals)
	v := s.views[arms[0].view]
	t.part = v.part
	s.views = []view{v} // the memory of the others is free
	for _, a := range finals {
		a.view = 0
	}
	recipes, scores := make([]model.Recipe[data.Vector], len(arms)), make([]*data.Matrix, len(arms))
	for i, a := range arms {
		if recipes[i], err = s.final(ctx, a, t.part.train); err != nil {
			return nil, tr, err
		}
		scores[i] = a.scores
	}
	t.growth = s.growth(arms[0])
	recipes[0].Calibrate, recipes[0].Conformal = t.choices.Calibrate, t.choices.Conformal
	held := s.held(v.sample, model.Blended(scores, weight))
	t.pipeline, tr, err = model.FitBlend(ctx, recipes, weight, t.part.train, held)
	lead := recipes[0]
	t.choices.Learner.Name, t.choices.traits = lead.Learner.Name(), lead.Learner.Traits()
	t.choices.Map.Name = lead.Map.Name()
	tr.Trials, tr.Evaluations, tr.Elapsed = nil, counter.Count(), time.Since(begun)
	t.o.Run.Counter.Add(tr.Evaluations)
	t.searched = s.words(t)
	return &Picked{Kernels: s.options(), Raced: true, rows: s.second.sample}, tr, err
}
