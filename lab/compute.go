package lab

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/margin"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/project"
	"github.com/kerf-ml/kerf/run"
	"github.com/kerf-ml/kerf/spec"
)

// Answer is what a state looks like. Parts that cannot be computed are nil, and Faults say
// why: a similarity that is no kernel has no F2, but F1.
type Answer struct {
	N       int        `json:"n"`
	Classes []string   `json:"classes"`
	Axes    [2]string  `json:"axes"`
	View    [4]float64 `json:"view"`   // left, bottom, right, top
	Kernel  string     `json:"kernel"` // with what the data settled
	Notes   []string   `json:"notes"`

	Lesson  string   `json:"lesson"` // what is to be seen, in a sentence
	Why     string   `json:"why"`    // and what else is to be said
	Fit     *Fit     `json:"fit"`
	F1      *Side    `json:"f1"`
	F2      *Side    `json:"f2"`
	Plan    *Plan    `json:"plan"`
	Growth  []Growth `json:"growth"`
	Certain *Certain `json:"certificate"`

	Faults  map[string]string  `json:"faults"`
	Charts  map[string]string  `json:"charts"` // SVG, by name
	Seconds map[string]float64 `json:"seconds"`

	// Of the picture; see Frame.
	Points    []float32 `json:"-"` // x and y of each
	Labels    []uint8   `json:"-"`
	Margins   []float32 `json:"-"` // of each point under the separator of Fit
	Landmarks []float32 `json:"-"` // x and y of each
	Cells     int       `json:"cells"`
	Raster    []float32 `json:"-"` // margins of the cells, row after row from the top
	Decided   []uint8   `json:"-"` // classes of the cells
}

// Fit is what the learner found on the chosen map.
type Fit struct {
	Map        string  `json:"map"`
	Dim        int     `json:"dim"`
	Drawn      int     `json:"drawn"` // landmarks, of which Dim are independent; 0 for a map without
	Learner    string  `json:"learner"`
	Error      float64 `json:"error"`       // part of the points that are wrong
	FreshError number  `json:"fresh_error"` // of fresh points
	Least      float64 `json:"least"`       // margin
	Most       float64 `json:"most"`        // of the absolute margins
	Twentieth  float64 `json:"twentieth"`   // margin that 95% of the points have
	Support    int     `json:"support"`
	Iterations int     `json:"iterations"`
	Status     string  `json:"status"`
}

// number is a number that may be missing: NaN and infinities are null in JSON.
type number float64

// MarshalJSON writes the number, or null.
func (n number) MarshalJSON() ([]byte, error) {
	if v := float64(n); math.IsNaN(v) || math.IsInf(v, 0) {
		return []byte("null"), nil
	}
	return fmt.Appendf(nil, "%g", float64(n)), nil
}

// problem is a state on its way to an answer.
type problem struct {
	*State
	lab *Lab
	*points
	kernel kernel.Kernel[data.Vector]
	marks  data.Slice[data.Vector] // landmarks, more than Dim where more can be had for nothing
	f1     *feature.Landmarks[data.Vector]
	f2     *feature.Orthogonal[data.Vector]
	run    run.Control
	answer *Answer
}

// Compute computes what a state looks like. It ends with the context's error soon after
// that does.
func (l *Lab) Compute(ctx context.Context, s State) (*Answer, error) {
	begun := time.Now()
	if err := s.Validate(); err != nil {
		return nil, &fault{400, err.Error()}
	}
	p, err := l.points(ctx, &s)
	if err != nil {
		return nil, err
	}
	q := &problem{State: &s, lab: l, points: p, run: l.o.Run}
	q.answer = &Answer{
		N: len(p.y), Classes: p.classes, Axes: p.axes, View: p.view(s.Data == DataDrawn), Notes: p.notes,
		Faults: map[string]string{}, Charts: map[string]string{}, Seconds: map[string]float64{}, Cells: s.Cells,
	}
	if err := q.setUp(ctx); err != nil {
		return nil, err
	}
	parts := []part{{"fit", q.fit}, {"plan", q.planAll}, {"f2", q.compareF2}, {"f1", q.compareF1}}
	if !s.Draft {
		parts = append(parts, part{"growth", q.grow})
	}
	errs, took := make([]error, len(parts)), make([]float64, len(parts))
	err = par.For(ctx, q.run, "", len(parts), func(i int) error {
		at := time.Now()
		errs[i] = parts[i].do(ctx)
		took[i] = time.Since(at).Seconds()
		return nil
	})
	if err = errors.Join(err, ctx.Err()); err != nil {
		return nil, err
	}
	a := q.answer
	for i, err := range errs {
		if err != nil {
			a.Faults[parts[i].name] = oneLine(err.Error())
		}
		a.Seconds[parts[i].name] = took[i]
	}
	a.certify(ctx, q)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	q.picture()
	a.tell(q)
	a.charts(q)
	a.Seconds["all"] = time.Since(begun).Seconds()
	return a, nil
}

// part is a part of an answer.
type part struct {
	name string
	do   func(ctx context.Context) error
}

// setUp makes the kernel, the landmarks and the maps F1 and F2 of them.
func (q *problem) setUp(ctx context.Context) error {
	k, err := q.State.kernel()
	if err != nil {
		return &fault{400, err.Error()}
	}
	if q.kernel, err = (spec.Vectors{}).Make(k, q.x, uint64(q.Seed)); err != nil {
		return refused("%v", err)
	}
	q.answer.Kernel = kernelName(q.kernel, k)
	if err := q.choose(ctx); err != nil {
		return err
	}
	chosen := q.marks[:min(q.Dim, len(q.marks))]
	q.f1 = feature.NewLandmarks[data.Vector](q.kernel, chosen, run.Float64)
	recipe := feature.NewF2[data.Vector](q.kernel, len(chosen))
	recipe.Run = q.run
	if q.f2, err = recipe.FitTo(ctx, chosen); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		q.f2 = nil
		q.answer.Faults["f2"] = oneLine(err.Error())
	}
	return nil
}

// kernelName says which kernel it is, with the width that the data settled.
func kernelName(k kernel.Kernel[data.Vector], text spec.Kernel) string {
	if s, ok := k.(fmt.Stringer); ok && text.Open() {
		return s.String()
	}
	return text.String()
}

// choose chooses landmarks. Of those that are drawn alike there are as many as the slider
// can ask for, and the first ones are taken: moving it adds and removes landmarks, and
// changes none.
func (q *problem) choose(ctx context.Context) error {
	size := q.Dim
	if q.Select == feature.Uniform || q.Select == feature.Independent {
		size = MaxDim
	}
	var from data.Source[data.Vector] = q.x
	if q.pool != nil {
		some := make(data.Slice[data.Vector], len(q.pool))
		for i, row := range q.pool {
			some[i] = q.x.At(row)
		}
		from = some
	}
	c := feature.NewChooser(q.kernel, size, q.Select)
	c.Seed, c.Run = uint64(q.Seed), q.run
	chosen, err := c.Choose(ctx, from)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return refused("%v", err)
	}
	order := chosen.Index
	if q.Select == feature.Uniform {
		order = shuffled(order, uint64(q.Seed))
	}
	for _, i := range order {
		q.marks = append(q.marks, from.At(i))
	}
	return nil
}

// fixed is the recipe of a map that is there already.
type fixed struct {
	name string
	m    feature.Map[data.Vector]
}

func (f fixed) Name() string    { return f.name }
func (f fixed) Validate() error { return nil }
func (f fixed) Fit(context.Context, model.Problem[data.Vector]) (feature.Map[data.Vector], error) {
	return f.m, nil
}

// mapper returns the map of the state.
func (q *problem) mapper(ctx context.Context) (model.Mapper[data.Vector], error) {
	if q.Map == model.MapNone || q.kernelLearner() {
		return model.None[data.Vector]{}, nil
	}
	if q.f2 == nil && (q.Map == model.MapF2 || q.Map == model.MapF3) {
		return nil, errors.New(q.answer.Faults["f2"])
	}
	switch q.Map {
	case model.MapF1:
		return fixed{q.Map, q.f1}, nil
	case model.MapF2:
		return fixed{q.Map, q.f2}, nil
	case model.MapF3:
		p, err := project.Gaussian{Dim: q.Project, Seed: uint64(q.Seed)}.Fit(q.f2.Dim())
		if err != nil {
			return nil, err
		}
		m, err := feature.NewCompressed(ctx, q.run, q.f2, p)
		return fixed{q.Map, m}, err
	}
	r := feature.NewFourier(q.kernel, q.Dim+q.Dim%2)
	r.Seed, r.Run = uint64(q.Seed), q.run
	m, err := r.Fit(ctx, 2)
	return fixed{q.Map, m}, err
}

// draftTolerance is that of learners while a slider moves.
const draftTolerance = 0.02

// learner returns the learner of the state.
func (q *problem) learner() (model.Learner, error) {
	l, err := model.NewLearner[data.Vector](q.Learner, nil)
	if err != nil {
		return nil, err
	}
	args := map[string]any{}
	for _, name := range []string{model.PenaltyC, model.PenaltyLambda} {
		if t, _ := model.TraitsOf(q.Learner); t.Penalty == name && model.Accepts(l, name) {
			args[name] = q.Penalty
		}
	}
	if q.Draft && model.Accepts(l, "tolerance") && q.Learner != model.LearnerKernelRidge {
		args["tolerance"] = draftTolerance
	}
	if model.Accepts(l, "max_passes") {
		args["max_passes"] = 200
	}
	if model.Accepts(l, "unit") && !q.Bias {
		args["unit"] = 0.0
	}
	return model.NewLearner[data.Vector](q.Learner, args)
}

// fit trains the learner on the map, and looks at every point and every cell.
func (q *problem) fit(ctx context.Context) error {
	m, err := q.mapper(ctx)
	if err != nil {
		return err
	}
	learner, err := q.learner()
	if err != nil {
		return err
	}
	recipe := model.Recipe[data.Vector]{Kernel: q.kernel, Map: m, Learner: learner, Seed: uint64(q.Seed), Run: q.run}
	p, t, err := recipe.FitSample(ctx, q.sample())
	if err != nil {
		return err
	}
	a := q.answer
	scores, margins, err := p.ScoreMargins(ctx, q.run, q.x, q.y)
	if err != nil {
		return err
	}
	sorted := margin.NewMargins(slices.Clone(margins))
	a.Fit = &Fit{
		Map: m.Name(), Dim: p.Map.Dim(), Learner: q.Learner, Error: wrong(p.DecideAll(scores), q.y),
		Least: sorted.Min(), Most: max(math.Abs(sorted[0]), math.Abs(sorted[len(sorted)-1])),
		Twentieth: sorted.Quantile(0.05), Support: t.Support, Iterations: t.Iterations, Status: statusWord(t.Status),
		FreshError: number(math.NaN()),
	}
	if model.HasLandmarks(m.Name()) {
		a.Fit.Drawn = q.f1.Dim()
	}
	for _, v := range margins {
		a.Margins = append(a.Margins, float32(v))
	}
	if q.freshY != nil && !q.Draft {
		said, err := p.ScoreAll(ctx, q.run, q.fresh)
		if err != nil {
			return err
		}
		a.Fit.FreshError = number(wrong(p.DecideAll(said), q.freshY))
	}
	return q.raster(ctx, p)
}

// raster decides every cell of the window.
func (q *problem) raster(ctx context.Context, p *model.Pipeline[data.Vector]) error {
	a, n := q.answer, q.State.Cells
	grid, y := data.NewMatrix(n*n, 2), make([]int, n*n)
	side := (a.View[2] - a.View[0]) / float64(n)
	for i := range n * n {
		grid.Row(i)[0] = a.View[0] + (float64(i%n)+0.5)*side
		grid.Row(i)[1] = a.View[3] - (float64(i/n)+0.5)*side
		y[i] = 1
	}
	scores, margins, err := p.ScoreMargins(ctx, q.run, grid, y)
	if err != nil {
		return err
	}
	decided := p.DecideAll(scores)
	a.Raster, a.Decided = make([]float32, n*n), make([]uint8, n*n)
	for i, c := range decided {
		a.Decided[i], a.Raster[i] = uint8(c), float32(margins[i])
	}
	if len(q.classes) > 2 { // how far the first is ahead of the second
		for i := range decided {
			first, second := math.Inf(-1), math.Inf(-1)
			for _, v := range scores.Row(i) {
				if v > first {
					first, second = v, first
				} else if v > second {
					second = v
				}
			}
			a.Raster[i] = float32(first - second)
		}
	}
	return nil
}

// picture puts points and landmarks into the answer.
func (q *problem) picture() {
	a := q.answer
	for i, c := range q.y {
		a.Points = append(a.Points, float32(q.x.Row(i)[0]), float32(q.x.Row(i)[1]))
		a.Labels = append(a.Labels, uint8(c))
	}
	for _, z := range q.marks[:min(q.Dim, len(q.marks))] {
		a.Landmarks = append(a.Landmarks, float32(z.Value[0]), float32(z.Value[1]))
	}
}

// wrong returns the part of decisions that are not the truth.
func wrong(said, truth []int) float64 {
	count := 0
	for i, c := range said {
		if c != truth[i] {
			count++
		}
	}
	return float64(count) / float64(max(1, len(said)))
}

// statusWord says how a fit ended.
func statusWord(s learn.Status) string {
	if s == "" {
		return string(learn.Converged)
	}
	return string(s)
}
