package boost

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/kerf-ml/kerf/bound"
	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/run"
)

// Halfspace is the weak learner of Blum's survey, algorithm 1: draw a random
// unit vector h; take the separator h·x ≥ 0 if its weighted error is at most
//
//	1/2 - Part·γ
//
// and draw another one if not. The survey has γ/4 where errors are known and
// γ/6 where they are judged on a sample (footnote 2). If the rows are separable
// with margin γ, a draw is taken with probability at least bound.WeakChance(γ)
// ≥ γ/15 for any Part up to 1/4 and any weights, so that O(1/γ) draws suffice
// (theorem 1).
//
// The margin need not be known. A fit begins with γ = Margin; when
// bound.WeakTries(γ, Confidence) draws were all refused, γ is halved, down to
// Least. It stays halved in later rounds: the margin of a sample does not
// depend on weights. All draws are counted. Margin = Least takes γ as known.
//
// The separators pass through the origin; give instances a constant coordinate
// for others. Symmetric is an extension: a draw h that is refused is tried as
// -h, in the same try.
//
// Draw number k of a fit depends on Seed and k alone. Batch of them at once are
// multiplied with all rows, which changes nothing but the time; what is left
// of a batch serves the next round. Cost: O(n·d) a draw in a product of
// matrices, then O(n) for its error; memory 9·n + 16·Batch·d bytes beside the
// rows.
type Halfspace struct {
	Margin     float64 // γ to begin with, in (0, 1]; default 1/2
	Least      float64 // smallest γ that is tried, in (0, Margin]; default 1/1024
	Part       float64 // of γ that the edge must be, in (0, 1/4]; default 1/6
	Confidence float64 // with which a γ that is too large for the rows is told, in (0, 1); default 0.99
	Symmetric  bool    // try -h too; default false
	Batch      int     // directions multiplied at once, from 1 to 64; default 64
	Seed       uint64  // of the directions
}

// NewHalfspace returns the recipe with its defaults.
func NewHalfspace() Halfspace {
	return Halfspace{Margin: 0.5, Least: 1.0 / 1024, Part: 1.0 / 6, Confidence: 0.99, Batch: panelRules}
}

// Validate reports every field that is out of range.
func (h Halfspace) Validate() error {
	var faults []error
	if !(h.Margin > 0 && h.Margin <= 1) {
		faults = append(faults, fmt.Errorf("halfspace: margin is %v and must be above 0 and at most 1", h.Margin))
	}
	if !(h.Least >= 1e-9 && h.Least <= h.Margin) {
		faults = append(faults, fmt.Errorf("halfspace: least margin is %v and must be from 1e-9 to the margin %v", h.Least,
			h.Margin))
	}
	if !(h.Part > 0 && h.Part <= 0.25) {
		faults = append(faults, fmt.Errorf("halfspace: part is %v and must be above 0 and at most 1/4", h.Part))
	}
	if !(h.Confidence > 0 && h.Confidence < 1) {
		faults = append(faults, fmt.Errorf("halfspace: confidence is %v and must be above 0 and below 1", h.Confidence))
	}
	if h.Batch < 1 || h.Batch > panelRules {
		faults = append(faults, fmt.Errorf("halfspace: batch is %d and must be from 1 to %d", h.Batch, panelRules))
	}
	return errors.Join(faults...)
}

// Prepare returns the finder of one fit. The error wraps ErrConstant where all
// rows are zero.
func (h Halfspace) Prepare(_ context.Context, ctl run.Control, s *Sample) (Finder, error) {
	f := &halfspaces{h: h, ctl: ctl, s: s, margin: h.Margin}
	for i, x := range s.X {
		if !slices.ContainsFunc(x.Value, func(v float64) bool { return v != 0 }) {
			f.zeros = append(f.zeros, i)
		}
	}
	if len(f.zeros) == len(s.X) {
		return nil, fmt.Errorf("halfspace: every row is zero: %w", ErrConstant)
	}
	need := 9*float64(len(s.X)) + 16*float64(h.Batch)*float64(s.Dim)
	if err := ctl.Reserve("random directions", need, "use a smaller batch or fewer coordinates"); err != nil {
		return nil, err
	}
	f.word, f.says = make([]uint64, len(s.X)), make([]bool, len(s.X))
	return f, nil
}

// halfspaces is a Halfspace at work on one sample.
type halfspaces struct {
	h      Halfspace
	ctl    run.Control
	s      *Sample
	zeros  []int   // rows of zeros, of which h and -h say +1
	margin float64 // γ now

	batch *panel
	word  []uint64 // what the batch says of each row
	says  []bool   // what the last rule says
	next  int      // first of the batch that has not been tried
	drawn uint64   // directions drawn so far
}

// Find draws until a direction is taken.
func (f *halfspaces) Find(ctx context.Context, w Weights) (Found, error) {
	found := Found{}
	for {
		tries, err := bound.WeakTries(f.margin, f.h.Confidence)
		if err != nil {
			return Found{}, err
		}
		for range tries {
			one, err := f.try(ctx, w)
			if err != nil {
				return Found{}, err
			}
			found.Tries++
			if one.OK {
				one.Tries, one.Margin = found.Tries, f.margin
				return one, nil
			}
		}
		if f.margin/2 < f.h.Least {
			return found, nil
		}
		f.margin /= 2
	}
}

// State returns γ, how many directions were drawn before this batch, and how many
// of the batch were tried; one more than all where there is no batch.
func (f *halfspaces) State() []uint64 {
	if f.batch == nil {
		return []uint64{math.Float64bits(f.margin), f.drawn, uint64(f.h.Batch) + 1}
	}
	return []uint64{math.Float64bits(f.margin), f.drawn - uint64(f.batch.w.Rows), uint64(f.next)}
}

// Resume draws the batch again.
func (f *halfspaces) Resume(ctx context.Context, state []uint64) error {
	if len(state) != 3 || state[2] > uint64(f.h.Batch)+1 {
		return learn.ErrState
	}
	margin := math.Float64frombits(state[0])
	if !(margin >= f.h.Least && margin <= f.h.Margin) {
		return learn.ErrState
	}
	f.margin, f.drawn = margin, state[1]
	if state[2] == uint64(f.h.Batch)+1 {
		return nil
	}
	if err := f.draw(ctx); err != nil {
		return err
	}
	f.next = int(state[2])
	return nil
}

// try takes the next direction, or refuses it.
func (f *halfspaces) try(ctx context.Context, w Weights) (Found, error) {
	if f.batch == nil || f.next == f.batch.w.Rows {
		if err := f.draw(ctx); err != nil {
			return Found{}, err
		}
	}
	k := f.next
	wrong, err := f.wrong(ctx, w, k)
	if err != nil {
		return Found{}, err
	}
	f.next++
	allowed := f.allowed(w.Total())
	direction := f.batch.w.Row(k)
	if wrong <= allowed {
		for i, word := range f.word {
			f.says[i] = word>>k&1 != 0
		}
		return Found{Rule: Rule{W: slices.Clone(direction)}, OK: true, says: f.says}, nil
	}
	if f.h.Symmetric && f.opposite(w, wrong) <= allowed {
		r := Rule{W: make([]float64, len(direction))}
		for j, v := range direction {
			r.W[j] = -v
		}
		return Found{Rule: r, OK: true}, nil
	}
	return Found{}, nil
}

// allowed returns the largest weight that a rule may have wrong.
func (f *halfspaces) allowed(total int64) int64 {
	edge := int64(math.Ceil(f.h.Part * f.margin * float64(total)))
	return total/2 - edge
}

// opposite returns the weight that -h has wrong, from that of h: what h has
// right, but for rows of zeros, of which both say +1.
func (f *halfspaces) opposite(w Weights, wrong int64) int64 {
	other := w.Total() - wrong
	for _, i := range f.zeros {
		other -= w.Signed[i]
	}
	return other
}

// draw makes the next batch of directions and what they say of each row. Where
// ctx ends meanwhile the same batch is next.
func (f *halfspaces) draw(ctx context.Context) error {
	h := data.NewMatrix(f.h.Batch, f.s.Dim)
	for k := range h.Rows {
		if err := ctx.Err(); err != nil {
			return err
		}
		rng := seed.Stream(f.h.Seed, seed.Directions, f.drawn+uint64(k))
		row := h.Row(k)
		for j := range row {
			row[j] = rng.NormFloat64()
		}
		if length := norm(row); length > 0 {
			for j := range row {
				row[j] /= length
			}
		}
	}
	p := newPanel(h, make([]float64, h.Rows))
	n, step := len(f.s.X), tileRows(f.s.Dim)
	err := par.For(ctx, f.ctl, "", par.Blocks(n, step), func(b int) error {
		lo, hi := par.Range(b, n, step)
		t := tiles.Get().(*tile)
		defer t.release()
		t.load(f.s.X, lo, hi, f.s.Dim)
		t.apply(p)
		copy(f.word[lo:hi], t.word)
		return nil
	})
	if err != nil {
		f.batch = nil
		return err
	}
	f.batch, f.next = p, 0
	f.drawn += uint64(h.Rows)
	return nil
}

// wrong returns the weight that direction k of the batch has wrong: all of the
// rows labelled +1, less those of them of which it says +1, and with those
// labelled -1 of which it does.
func (f *halfspaces) wrong(ctx context.Context, w Weights, k int) (int64, error) {
	n := len(f.word)
	part := make([]int64, par.Blocks(n, blockRows))
	err := par.For(ctx, f.ctl, "", len(part), func(b int) error {
		lo, hi := par.Range(b, n, blockRows)
		signed := w.Signed[lo:hi]
		sum := int64(0)
		for i, word := range f.word[lo:hi] {
			sum += signed[i] & -int64(word>>k&1)
		}
		part[b] = sum
		return nil
	})
	wrong := w.Plus
	for _, p := range part {
		wrong -= p
	}
	return wrong, err
}
