package job

import (
	"context"
	"fmt"
	"iter"
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/run"
)

// How many penalties in turn may bring nothing before the path of an arm ends: of one that begins with the
// simplest model, and of one that begins near the best.
const (
	idlePenalties = 2
	idleAround    = 1
)

// run fits an arm on each division of a rung at some of its penalties and notes the best. It looks for it along
// the grid, from where the arm begins; where the divisions are large and come one after the other, at all.
func (a *arm) run(ctx context.Context, s model.Sample[data.Vector], r rung) error {
	t := &tryout{arm: a, s: s, on: measured(s, r), scores: make([]*data.Matrix, len(a.grid))}
	t.judge = newJudge(t.on, bySquares(s))
	if r.together() {
		idle := idlePenalties
		if a.from > 0 {
			idle = idleAround
		}
		if err := t.follow(ctx, r.parts, newClimb(len(a.grid), a.from, idle)); err != nil {
			return err
		}
	} else {
		for i := range r.parts {
			if err := t.follow(ctx, r.parts[i:i+1], newClimb(len(a.grid), 0, len(a.grid))); err != nil {
				return err
			}
		}
	}
	if a.learn != nil && !t.learnt {
		return errNoMetric(a)
	}
	a.loss, a.rows = math.Inf(1), r.rows
	for i, m := range t.scores {
		if m == nil {
			continue
		}
		if loss := t.judge.lossOf(a, m); loss < a.loss {
			a.loss, a.told, a.error, a.at, a.scores = loss, t.on.Loss(m), t.on.Error(m), i, m
		}
	}
	if a.scores == nil {
		return fmt.Errorf("%s has no finite loss", a.name)
	}
	return nil
}

// together reports divisions that are worked on at the same time, since they take little memory.
func (r rung) together() bool { return len(r.parts) == 1 || r.rows <= foldedRows }

// errNoMetric reports an arm whose metric is no better than the plain distance.
func errNoMetric(a *arm) error { return fmt.Errorf("%s is no better than none", a.name) }

// tryout is an arm on a rung.
type tryout struct {
	*arm
	s      model.Sample[data.Vector]
	on     model.Sample[data.Vector] // the rows measured on
	judge  judge
	scores []*data.Matrix // of these, at each penalty that was tried
	first  int            // row of on that the next division begins at
	learnt bool           // a metric was better than the plain distance somewhere
}

// fold is the arm on a division, at one penalty after another.
type fold struct {
	classes data.Classes // of the rows fitted to
	first   int          // row of all those measured on
	next    func() (model.Scored, error, bool)
	stop    func()
}

// follow fits the arm on some divisions at the penalties that c leads to by the loss on all of them together.
func (t *tryout) follow(ctx context.Context, parts []division, c *climb) error {
	at := 0
	order := func(yield func(int) bool) {
		for yield(at) {
		}
	}
	var folds []*fold
	for _, d := range parts {
		f, err := t.fold(ctx, d, order)
		if err != nil {
			return err
		}
		defer f.stop()
		folds = append(folds, f)
		t.first += len(d.measure)
	}
	if t.learn != nil && !t.learnt && t.first == t.on.Len() {
		return errNoMetric(t.arm)
	}
	for i, more := c.next(); more; i, more = c.next() {
		at = i
		if t.scores[i] == nil {
			t.scores[i] = data.NewMatrix(t.on.Len(), outputs(t.s))
		}
		for _, f := range folds {
			m, err, more := f.next()
			if err != nil {
				return err
			}
			if !more { // there is one penalty alone
				t.scores[i] = nil
				return nil
			}
			place(t.scores[i], f.first, m.Scores, f.classes, t.s.Classes)
		}
		c.note(i, t.judge.lossOf(t.arm, t.scores[i]))
	}
	return nil
}

// fold prepares the arm on a division.
func (t *tryout) fold(ctx context.Context, d division, order iter.Seq[int]) (*fold, error) {
	part := t.s.Select(d.fit)
	if t.s.Task != model.Regress {
		part = present(part)
	}
	if t.s.Task != model.Regress && part.Classes.Len() < 2 {
		return nil, fmt.Errorf("a part of the rows has a single class")
	}
	recipe := t.recipe
	if t.ridge {
		recipe.Run.Precision = run.Float32 // a trial looks at far coarser differences
	}
	if t.learn != nil {
		k, err := t.learn(ctx, recipe.Run, part)
		if err != nil {
			return nil, err
		}
		recipe.Kernel = k
		_, is := k.(kernel.Learned)
		t.learnt = t.learnt || is
	}
	t.kernel = recipe.Kernel
	penalties := make([]float64, len(t.grid))
	for i, v := range t.grid {
		penalties[i] = t.penalty(v, part)
	}
	f := &fold{classes: part.Classes, first: t.first}
	f.next, f.stop = iter.Pull2(recipe.TrialsInOrder(ctx, part, t.s.Select(d.measure).X, penalties, order))
	return f, nil
}
