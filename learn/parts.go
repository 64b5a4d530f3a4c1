package learn

import "sync"

// Parts keeps the states of the parts of a fit, such as the separators of many
// classes, as one state. A part is not begun, under way with a state of its own,
// or done with what makes its result again. The state of the whole is handed
// over when it is due, with what the parts left last: each leaves a state in the
// first round after that, so that none is much older than the whole. It is safe
// for concurrent use.
type Parts struct {
	outer Checkpoint
	mark  uint64

	mu    sync.Mutex
	part  []partState
	times int  // that the whole was handed over
	done  int  // parts that are
	asked bool // the whole is wanted, and was not handed over since
}

// partState is where a part stands.
type partState struct {
	stage stage
	state []byte
	left  int // times of the whole when the state was left
}

type stage int

const (
	waiting stage = iota
	running
	done
)

// Split returns the parts of a fit of n parts, with what From says of them. The
// mark tells the problem from others; each part should tell its own.
func (c Checkpoint) Split(mark uint64, n int) (*Parts, error) {
	p := &Parts{outer: c, mark: mark, part: make([]partState, n), times: 1}
	if c.From == nil {
		return p, nil
	}
	r := OpenState(c.From, mark)
	if r.Int(n) != n {
		return nil, ErrState
	}
	for i := range p.part {
		one := &p.part[i]
		one.stage = stage(r.Int(int(done)))
		if one.stage != waiting {
			one.state = r.Bytes()
		}
		if one.stage == done {
			p.done++
		}
	}
	return p, r.Done()
}

// encode writes the whole.
func (p *Parts) encode() []byte {
	w := NewState(p.mark)
	w.Ints(len(p.part))
	for _, one := range p.part {
		w.Ints(int(one.stage))
		if one.stage != waiting {
			w.Bytes(one.state)
		}
	}
	return w.Seal()
}

// Result returns what a part that is done left, and whether it is.
func (p *Parts) Result(i int) ([]byte, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.part[i].state, p.part[i].stage == done
}

// At returns the checkpoint of a part that is not done.
func (p *Parts) At(i int) Checkpoint {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := Checkpoint{From: p.part[i].state}
	if p.outer.Save != nil {
		c.Every = p.outer.Every
		c.Due = func() bool { return p.due(i) }
		c.Save = func(state []byte) error { return p.leave(i, running, state) }
	}
	return c
}

// due reports whether a state of part i is wanted.
func (p *Parts) due(i int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.part[i].left != p.times || p.whole()
}

// whole reports whether a state of the whole is wanted. Once it is, it stays so
// until it is handed over.
func (p *Parts) whole() bool {
	p.asked = p.asked || p.outer.Due == nil || p.outer.Due()
	return p.asked
}

// Finish notes that part i is done, with what makes its result again; nil is the
// state that it left last. When all parts are done the whole is handed over, due
// or not.
func (p *Parts) Finish(i int, result []byte) error { return p.leave(i, done, result) }

// leave takes the state of a part, and hands the whole over where it is due.
func (p *Parts) leave(i int, at stage, state []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.part[i].stage == done {
		p.done-- // it may be taken up again
	}
	if at == done {
		p.done++
	}
	if state == nil {
		state = p.part[i].state
	}
	p.part[i] = partState{stage: at, state: state, left: p.times}
	if p.outer.Save == nil || !(at == done && p.done == len(p.part)) && !p.whole() {
		return nil
	}
	p.times++
	p.asked = false
	return p.outer.Save(p.encode())
}
