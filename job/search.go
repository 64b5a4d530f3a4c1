package job

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/eval"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/run"
	"github.com/kerf-ml/kerf/spec"
)

// search is a race of arms on a sample, by successive halving: all are fitted to a
// few rows, the better ones to more, the best to all.
type search[T any] struct {
	o      *TrainOptions
	kind   spec.Kind[T]
	size   rungs
	task   model.Task
	recipe model.Recipe[T] // of all arms but for kernel, map and learner
	views  []view[T]
	sample []int // rows that are looked at, among those to train on
	tried  []*arm[T]

	first, second rung
}

// view is a way to encode the rows.
type view[T any] struct {
	scale  scale.Kind
	part   *part[T]
	sample model.Sample[T] // some of the rows to train on
}

// searches reports whether nothing was chosen, so that all is searched.
func (s *settled) searches(o *TrainOptions) bool {
	return o.Effort != Quick && s.open && s.vectors && s.Claim == nil && !s.traits.Unsupervised && o.Checkpoint == ""
}

// leastSearched is how many rows a race needs.
const leastSearched = 20

// Dense vectors that come from no table are scaled if they have at most so many
// coordinates; more are pixels or counts as a rule, whose sizes mean something.
const (
	mostScalable = 256
	denseEnough  = 0.5
)

// scales returns the ways in which the rows may be encoded.
func (t *training[T]) scales() []scale.Kind {
	if t.o.Scale != "" && t.o.Scale != "auto" {
		return []scale.Kind{t.part.encoding.Scaled()}
	}
	if t.rows.HasNumbers() {
		if len(t.part.encoding.Table.Numbers()) == 0 {
			return []scale.Kind{t.part.encoding.Scaled()}
		}
		return []scale.Kind{scale.Standard, scale.Quantile}
	}
	x, ok := any(t.part.train.X).(data.Source[data.Vector])
	if !ok {
		return []scale.Kind{scale.None}
	}
	d, stored, n := data.Dim(x), 0, min(x.Len(), 1000)
	for i := range n {
		stored += len(x.At(i).Value)
	}
	if d > mostCoordinates && areCounts(x) {
		return []scale.Kind{scale.None, scale.TFIDF}
	}
	if d > mostScalable || float64(stored) < denseEnough*float64(n)*float64(d) {
		return []scale.Kind{scale.None}
	}
	return []scale.Kind{scale.Standard, scale.Quantile}
}

// areCounts reports whether no number of the vectors is below 0.
func areCounts(x data.Source[data.Vector]) bool {
	for i := range x.Len() {
		for _, v := range x.At(i).Value {
			if !(v >= 0) {
				return false
			}
		}
	}
	return true
}

// newSearch prepares a race on the rows to train on; nil where they are too few.
func newSearch[T any](t *training[T], encode func(scale.Kind) (*part[T], error)) (*search[T], error) {
	size, err := t.o.Effort.rungs()
	if err != nil {
		return nil, err
	}
	s := &search[T]{o: t.o, kind: t.kind, size: size, task: t.choices.Task}
	c := t.choices
	s.recipe = model.Recipe[T]{ClassWeight: c.ClassWeight, Balanced: c.Balanced, Seed: t.o.Seed, Run: t.o.Run}
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
	for _, kind := range t.scales() {
		p := t.part
		if kind != t.part.encoding.Scaled() {
			if p, err = encode(kind); err != nil {
				return nil, err
			}
		}
		s.views = append(s.views, view[T]{kind, p, p.train.Select(s.sample)})
	}
	s.first, s.second, err = divide(s.views[0].sample, size, t.o.Seed)
	return s, err
}

// searchShare is the part of a given time that a race may take; the rest is for the fit.
const searchShare = 0.5

// race lets the arms run and returns the best ones, best first. Where the time for it is
// over they are the best so far.
func (s *search[T]) race(whole context.Context) ([]*arm[T], error) {
	ctx, cancel := model.Share(whole, searchShare)
	defer cancel()
	var arms []*arm[T]
	for v := range s.views {
		arms = append(arms, s.arms(v)...)
	}
	more := s.work(s.second) * float64(s.size.keep+3) // with the learned ones
	stages := s.o.Run.Progress.Divide("search", s.work(s.first)*float64(len(arms))+more)
	defer stages.End()
	for i, a := range arms {
		arms[i].stage = fmt.Sprintf("%s (%d of %d)", a.name, i+1, len(arms))
	}
	ran, err := s.runAll(ctx, arms, s.first, stages)
	if err = cmp.Or(err, whole.Err()); err != nil {
		return nil, err
	}
	best := s.leaders(ran)
	won := s.won(best[0])
	if won {
		best = best[:1]
	}
	for i, a := range best {
		best[i] = a.again()
	}
	finals, err := s.runAll(ctx, best, s.second, stages)
	if whole.Err() == nil && ctx.Err() != nil && len(finals) == 0 { // the first rung has to do
		s.second, s.tried = s.first, ran
		return s.leaders(ran)[:1], nil
	}
	if err == nil {
		var learnt []*arm[T]
		if toLearn := s.toLearn(finals, won); len(toLearn) > 0 {
			learnt, _ = s.runAll(ctx, toLearn, s.second, stages) // none need be better
		}
		finals = append(finals, learnt...)
	}
	if err = cmp.Or(err, whole.Err()); err != nil {
		return nil, err
	}
	slices.SortStableFunc(finals, func(a, b *arm[T]) int { return cmp.Compare(a.loss, b.loss) })
	s.tried = append(ran, finals...)
	if svms := s.exact(finals[0]); len(svms) > 0 {
		svms, _ = s.runAll(ctx, svms, s.second, stages)
		s.tried = append(s.tried, svms...)
		for _, a := range svms {
			if a.error <= exactPart*finals[0].error && (finals[0].ridge || a.error < finals[0].error) {
				finals = []*arm[T]{a}
			}
		}
	}
	return finals, whole.Err()
}

// errNoArm reports rows that no arm can be fitted to.
var errNoArm = errors.New("no model could be fitted to a part of the rows; try --effort quick")

// runAll runs arms until ctx ends and returns those that went well. One that is not for
// these rows is left out; it is an error if all are.
func (s *search[T]) runAll(ctx context.Context, arms []*arm[T], r rung, stages *run.Stages) ([]*arm[T], error) {
	var out []*arm[T]
	for _, a := range arms {
		stages.Next(cmp.Or(a.stage, a.name), s.work(r))
		if err := a.run(ctx, s.views[a.view].sample, r); err == nil {
			out = append(out, a)
		}
		if ctx.Err() != nil {
			break
		}
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
func (s *search[T]) exact(best *arm[T]) []*arm[T] {
	n := s.rows()
	if s.task != model.Classify || !best.ridge || s.byAll(best, n) || best.grid[best.at] >= smoothAt ||
		s.views[0].sample.Classes.Len() > mostPairs || best.kernel == nil || len(s.second.parts) > 1 {
		return nil
	}
	r := s.recipe
	r.Kernel, r.Map, r.Learner = best.kernel, model.None[T]{}, model.NewKernelSVM[T]()
	r.Run.Precision = run.Float32
	grid := model.Penalties(r.Learner, true, s.views[best.view].sample, chooserC, nil)
	of := func(k kernel.Kernel[T]) *arm[T] {
		r.Kernel = k
		name := s.named(best.view, "svm, "+spec.Short(fmt.Sprint(k)))
		return &arm[T]{family: "svm " + best.family, view: best.view, name: name, recipe: r, grid: grid}
	}
	out := []*arm[T]{of(best.kernel)}
	for _, sh := range shapes {
		if x, ok := any(s.views[best.view].sample.X).(data.Source[data.Vector]); ok && sh.name == best.family {
			out = append(out, of(any(sh.kernelOf(best.width/2, x, s.o.Seed)).(kernel.Kernel[T])))
		}
	}
	return out
}

// fewErrors are so few that no other arm could be told to be better.
const fewErrors = 3

// won reports whether an arm leaves nothing to be won.
func (s *search[T]) won(a *arm[T]) bool {
	if s.task == model.Regress {
		return a.error == 0
	}
	return a.error*float64(s.first.sample) <= fewErrors
}

// work is about that of an arm on a rung: a few factorisations of K.
func (s *search[T]) work(r rung) float64 {
	sum := 0.0
	for _, d := range r.parts {
		n := float64(len(d.fit))
		sum += n * n * (n + 100)
	}
	return sum
}

// leaders returns the best arm of each family and view, the best of them first, at
// most as many as get to the second rung.
func (s *search[T]) leaders(ran []*arm[T]) []*arm[T] {
	sorted := slices.Clone(ran)
	slices.SortStableFunc(sorted, func(a, b *arm[T]) int { return cmp.Compare(a.loss, b.loss) })
	var out []*arm[T]
	for _, a := range sorted {
		alike := func(b *arm[T]) bool { return b.family == a.family && b.view == a.view }
		if len(out) < s.size.keep && !slices.ContainsFunc(out, alike) {
			out = append(out, a)
		}
	}
	return out
}

// toLearn returns arms with a learned metric: of the best kernel of Σ|x_j - y_j| and
// the best of a Euclidean distance, nothing where nothing more is to be won.
func (s *search[T]) toLearn(finals []*arm[T], won bool) []*arm[T] {
	if won {
		return nil
	}
	sorted := slices.Clone(finals)
	slices.SortStableFunc(sorted, func(a, b *arm[T]) int { return cmp.Compare(a.loss, b.loss) })
	var out []*arm[T]
	seen := map[bool]int{}
	for _, a := range sorted {
		if a.width == 0 {
			continue
		}
		taxi := a.family == shapes[0].name
		if seen[taxi] >= 1 {
			continue
		}
		if next := s.learnt(a); next != nil {
			seen[taxi]++
			out = append(out, next)
		}
	}
	return out
}

// Sizes of a final fit.
const (
	choleskyRows = 4000  // up to which kernel ridge is solved by a factorisation
	stepsRows    = 34000 // up to which it is solved by conjugate gradients
	finalDim     = 4096  // landmarks past that
	stepsError   = 1e-3  // of the residual
	smoothAt     = 0.5   // μ from which on a function is so smooth that landmarks do as well as all rows
	singleAt     = 1e-3  // μ from which on K may be rounded to float32

	// About how many seconds a fit takes, generously, where there is a limit: for each
	// pair of rows, and for each row and landmark.
	allSeconds, dimSeconds = 2e-7, 3e-7
	leastDim               = 100
)

// final returns the recipe of an arm for all rows.
func (s *search[T]) final(ctx context.Context, a *arm[T], whole model.Sample[T]) (model.Recipe[T], error) {
	r := a.recipe
	r.Kernel = a.kernel
	if a.learn != nil && len(s.second.parts) > 1 {
		k, err := a.learn(ctx, whole)
		if err != nil {
			return r, err
		}
		r.Kernel = k
	}
	penalty, n := a.penalty(a.grid[a.at], whole), whole.Len()
	if !a.ridge {
		if s.task == model.Classify && !r.Learner.Traits().Kernel {
			r.Learner = model.NewSVM()
		}
		r.Learner = r.Learner.(model.Penalized).WithPenalty(penalty)
		return r, nil
	}
	if n > choleskyRows && (a.grid[a.at] >= singleAt || !s.byAll(a, n)) {
		r.Run.Precision = run.Float32
	}
	dim, all := finalDim, n <= choleskyRows || s.byAll(a, n)
	if end, ok := ctx.Deadline(); ok { // what is not over in time is nothing
		left := time.Until(end).Seconds()
		all = all && left > allSeconds*float64(n)*float64(n)
		dim = int(min(finalDim, max(leastDim, left/dimSeconds/float64(n))))
	}
	switch {
	case all && n <= choleskyRows:
		r.Learner = model.NewKernelRidge[T]().WithPenalty(penalty)
	case all:
		l := model.NewKernelRidge[T]()
		l.Tolerance = stepsError
		r.Learner = l.WithPenalty(penalty)
	default:
		l := model.NewFalkon[T]()
		l.Dim = min(dim, n)
		r.Learner = l.WithPenalty(penalty)
	}
	return r, nil
}

// byAll reports whether an arm is fitted with all of n rows as landmarks.
func (s *search[T]) byAll(a *arm[T], n int) bool {
	return a.ridge && n <= choleskyRows || a.ridge && a.grid[a.at] < smoothAt && n <= stepsRows &&
		s.o.Run.Reserve("", 6*float64(n)*float64(n), "") == nil
}

// members is how many arms are joined in a model of n rows: as many as can be fitted
// in the time.
func (s *search[T]) members(best *arm[T], n int) int {
	switch {
	case n <= choleskyRows:
		return s.size.blend
	case n <= 2*choleskyRows:
		return max(1, s.size.blend/2)
	}
	return max(1, 3*s.size.blend/4) // beside the best one, those that are soon fitted
}

// options lists what was tried, best first.
func (s *search[T]) options() []Option {
	var out []Option
	for _, a := range s.tried {
		out = append(out, Option{Name: a.name, Error: a.error})
	}
	return out
}

// words says for people what was searched: how many candidates, the best ones and the
// plain linear model.
func (s *search[T]) words(t *training[T]) string {
	sorted := slices.Clone(s.tried)
	slices.SortStableFunc(sorted, func(a, b *arm[T]) int {
		return cmp.Or(cmp.Compare(b.rows, a.rows), cmp.Compare(a.error, b.error))
	})
	var shown []Option
	seen := map[string]bool{}
	for i, a := range sorted {
		linear := a.family == linearKernel && !seen[linearKernel]
		if (i < 3 || linear) && !seen[a.name] {
			shown = append(shown, Option{Name: a.name, Error: a.error})
			seen[a.name], seen[a.family] = true, true
		}
	}
	return fmt.Sprintf("%d candidates on %d of %d rows; best on held-out rows: %s", len(s.tried), len(s.sample), s.rows(),
		t.optionWords(shown))
}

// blend chooses the arms that are joined, all of the view of the best one, and their
// weights, by the scores of the rows that they were measured on.
func (s *search[T]) blend(finals []*arm[T]) ([]*arm[T], []float64) {
	best := finals[0]
	most := s.members(best, s.views[best.view].part.train.Len())
	var among []*arm[T]
	for _, a := range finals {
		if a.view == best.view && (a == best || !s.byAll(a, s.rows()) || s.rows() <= 2*choleskyRows) {
			among = append(among, a)
		}
	}
	if s.o.Single {
		return finals[:1], []float64{1}
	}
	if s.rows() > foldedRows {
		among = among[:min(len(among), 2*most)]
	}
	if most == 1 || len(among) == 1 {
		return finals[:1], []float64{1}
	}
	if s.rows() <= foldedRows { // too few rows to weigh the arms by: the mean of those that are nearly as good
		n := 1
		for n < min(len(among), s.size.few) && among[n].loss <= nearly*best.loss {
			n++
		}
		return among[:n], equal(n)
	}
	on := measured(s.views[best.view].sample, s.second)
	scores := make([]*data.Matrix, len(among))
	for i, a := range among {
		scores[i] = a.scores
	}
	judge := newJudge(on)
	weight := eval.Greedy(len(among), 3*most, func(w []float64) float64 {
		some := 0
		for _, v := range w {
			if v > 0 {
				some++
			}
		}
		if some > most {
			return math.Inf(1)
		}
		return judge.loss(model.Blended(scores, w))
	})
	var arms []*arm[T]
	var kept []float64
	for i, w := range weight {
		if w > 0 {
			arms, kept = append(arms, among[i]), append(kept, w)
		}
	}
	return arms, kept
}

// nearly is how much larger than the least a loss may be to be nearly as good.
const nearly = 1.1

// equal returns n weights that are the same.
func equal(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = 1 / float64(n)
	}
	return out
}

// rows is how many rows there are to train on.
func (s *search[T]) rows() int { return s.views[0].part.train.Len() }

// held returns the scores of the rows that the second rung measured on, as those of rows
// of their own: one that was measured several times has the mean of its scores.
func (s *search[T]) held(sample model.Sample[T], scores *data.Matrix) *model.HeldOut {
	place, index, times := map[int]int{}, []int{}, []float64{}
	out := data.NewMatrix(0, scores.Cols)
	row := 0
	for _, d := range s.second.parts {
		for _, i := range d.measure {
			at, known := place[i]
			if !known {
				at = len(index)
				place[i], index, times = at, append(index, i), append(times, 0)
				out.Data, out.Rows = append(out.Data, make([]float64, out.Cols)...), out.Rows+1
			}
			times[at]++
			for c, v := range scores.Row(row) {
				out.Row(at)[c] += (v - out.Row(at)[c]) / times[at]
			}
			row++
		}
	}
	on := sample.Select(index)
	return &model.HeldOut{Scores: out, Y: on.Y, Values: on.Values, Weight: on.Weight}
}

// steepest is the largest power of the number of rows by which an error is taken to
// fall.
const steepest = 0.6

// growth returns what the error of an arm is multiplied by when it is fitted to all
// rows: the error fell from the first rung to the second by a power of the rows, and
// is taken to go on so. It is 1 where the rungs had all rows.
func (s *search[T]) growth(a *arm[T]) float64 {
	n := float64(s.rows())
	if len(s.second.parts) > 1 || a.rows <= a.beforeRows || a.beforeRows == 0 || !(a.before > 0 && a.error > 0) {
		return 1
	}
	power := math.Log(a.before/a.error) / math.Log(float64(a.rows)/float64(a.beforeRows))
	return math.Pow(n/float64(a.rows), -min(max(power, 0), steepest))
}

// searchFit searches, encodes the rows as the best arm wants them, and fits it, or a
// blend of the best ones.
func (t *training[T]) searchFit(
	ctx context.Context, encode func(scale.Kind) (*part[T], error),
) (*Picked, model.Training, error) {
	var tr model.Training
	begun, counter := time.Now(), &run.Counter{}
	s, err := newSearch(t, encode)
	if err != nil || s == nil {
		return nil, tr, err
	}
	s.recipe.Run.Counter = counter
	finals, err := s.race(ctx)
	if err != nil {
		return nil, tr, err
	}
	arms, weight := s.blend(finals)
	v := s.views[arms[0].view]
	t.part = v.part
	s.views = []view[T]{v} // the memory of the others is free
	for _, a := range finals {
		a.view = 0
	}
	recipes, scores := make([]model.Recipe[T], len(arms)), make([]*data.Matrix, len(arms))
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
	return &Picked{Kernels: s.options(), rows: s.second.sample}, tr, err
}
