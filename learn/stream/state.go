package stream

import (
	"math"

	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/sums"
)

// mark tells fits apart.
func (n *newton) mark(s *Sample, tasks int) uint64 {
	lists := [][]float64{{float64(n.Loss), n.C, n.Tolerance, float64(n.MaxPasses), n.Unit, float64(n.Seed),
		float64(s.Dim), float64(s.Rows), s.Weight, float64(tasks)}}
	lists = append(lists, n.Active, n.Cs)
	for _, f := range n.Start {
		lists = append(lists, f.W, []float64{f.Bias})
	}
	if s.Basis != nil {
		return learn.Mark("stream newton of similarities", lists...)
	}
	return learn.Mark("stream newton", lists...)
}

// state writes where a fit stands.
func (n *newton) state(s *Sample, all []*separation, at progress) []byte {
	w := learn.NewState(n.mark(s, len(all)))
	w.Ints(at.group, at.passes, at.row, len(at.sums), len(at.folds), n.changes, len(n.choices))
	w.Floats(n.c)
	for _, c := range n.choices {
		w.Floats(c.C, c.Loss)
	}
	chooses := 0
	if n.chooses {
		chooses = 1
	}
	w.Ints(chooses)
	for _, t := range all {
		w.Floats(t.w...)
		w.Floats(t.p...)
		w.Floats(t.value, t.gap)
		flags := 0
		if t.done {
			flags |= 1
		}
		if t.stuck {
			flags |= 2
		}
		w.Ints(flags)
	}
	for _, q := range at.sums {
		b, _ := q.AppendBinary(nil)
		w.Bytes(b)
	}
	for _, g := range at.folds {
		b, _ := g.AppendBinary(nil)
		w.Bytes(b)
	}
	return w.Seal()
}

// restore takes over the state of a fit that was ended.
func (n *newton) restore(s *Sample, all []*separation, group int) (progress, error) {
	var at progress
	if n.Checkpoint.From == nil {
		return at, nil
	}
	in := learn.OpenState(n.Checkpoint.From, n.mark(s, len(all)))
	at.group, at.passes, at.row = in.Int(len(all)), in.Int(n.MaxPasses), in.Int(math.MaxInt)
	count, folds, changes, choices := in.Int(group), in.Int(group), in.Int(mostChanges), in.Int(len(n.Cs)+1)
	n.c, n.changes = in.Float(), changes
	for range choices {
		n.choices = append(n.choices, Choice{in.Float(), in.Float()})
	}
	n.chooses = in.Int(1) == 1 && n.chooses
	for _, t := range all {
		in.Floats(t.w)
		in.Floats(t.p)
		t.value, t.gap = in.Float(), in.Float()
		flags := in.Int(3)
		t.done, t.stuck = flags&1 != 0, flags&2 != 0
	}
	for range count {
		q := &sums.Quadratic{}
		if q.UnmarshalBinary(in.Bytes()) != nil || len(q.Gradient) != s.Dim+1 || len(q.Ahead) != len(ahead) {
			return at, learn.ErrState
		}
		at.sums = append(at.sums, q)
	}
	for range folds {
		g := &sums.Gradient{}
		if g.UnmarshalBinary(in.Bytes()) != nil || g.Slope.Rows != newtonFolds || g.Slope.Cols != s.Dim+1 ||
			len(g.Ahead) != 0 {
			return at, learn.ErrState
		}
		at.folds = append(at.folds, g)
	}
	if folds > 0 && folds != count || (folds > 0) != (n.chooses && count > 0) || !(n.c > 0) {
		return at, learn.ErrState
	}
	live := 0
	for k := at.group * group; k < min((at.group+1)*group, len(all)); k++ {
		if !all[k].done {
			live++
		}
	}
	if in.Done() != nil || at.row%sums.BlockRows != 0 || live != count {
		return at, learn.ErrState
	}
	return at, nil
}
