package stream

import (
	"math"

	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/sums"
)

// mark tells fits apart.
func (n Newton) mark(s *Sample, tasks int) uint64 {
	lists := [][]float64{{float64(n.Loss), n.C, n.Tolerance, float64(n.MaxPasses), n.Unit, float64(n.Seed),
		float64(s.Dim), float64(s.Rows), s.Weight, float64(tasks)}}
	lists = append(lists, n.Active)
	for _, f := range n.Start {
		lists = append(lists, f.W, []float64{f.Bias})
	}
	return learn.Mark("stream newton", lists...)
}

// state writes where a fit stands.
func (n Newton) state(s *Sample, all []*separation, at progress) []byte {
	w := learn.NewState(n.mark(s, len(all)))
	w.Ints(at.group, at.passes, at.row, len(at.sums))
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
	return w.Seal()
}

// restore takes over the state of a fit that was ended.
func (n Newton) restore(s *Sample, all []*separation, group int) (progress, error) {
	var at progress
	if n.Checkpoint.From == nil {
		return at, nil
	}
	in := learn.OpenState(n.Checkpoint.From, n.mark(s, len(all)))
	at.group, at.passes, at.row = in.Int(len(all)), in.Int(n.MaxPasses), in.Int(math.MaxInt)
	count := in.Int(group)
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
