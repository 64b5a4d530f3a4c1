package stream

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/run"
	"github.com/kerf-ml/kerf/sums"
)

// Pass says what is summed up in one pass over rows: one of Ridge, Newton and Softmax. It is plain
// data, so that a pass over rows on several machines can be described to each.
type Pass struct {
	Dim     int  // coordinates of a row
	Classes int  // 0 for numbers
	Similar bool // rows are similarities, as Basis has it; of Newton alone
	Ridge   *RidgePass
	Newton  *NewtonPass
	Softmax *SoftmaxPass
}

// RidgePass sums up products for each of some folds, into which rows are divided by their
// numbers.
type RidgePass struct {
	Targets      int
	Folds        int
	Seed         uint64
	Shift, Level []float64
}

// NewtonPass sums up losses of separators at the ends of steps, with their gradients and
// curvatures, and losses between where the steps start and end.
type NewtonPass struct {
	Loss    Loss
	C, Unit float64
	Seed    uint64
	Folds   int       // parts of the rows whose gradients are summed up apart; 0 for none
	Parts   []float64 // of the rows, that the curvature of each separator is over
	Classes []int     // that the separators have as their positive one
	Ends    [][]float64
	Starts  [][]float64
	Still   []bool // steps that lead nowhere
}

// ErrPass reports a pass, or sums, that cannot be: bytes that were damaged.
var ErrPass = errors.New("these bytes are no sums of this pass, or damaged")

// Validate reports a pass of which something is missing or does not fit the rest.
func (p *Pass) Validate() error {
	r, n := p.Ridge, p.Newton
	if p.Softmax != nil {
		if r != nil || n != nil || p.Similar || p.Dim < 1 || !p.Softmax.fits(p) {
			return ErrPass
		}
		return nil
	}
	fits := func(list []float64, size int) bool { return list == nil || len(list) == size }
	switch {
	case p.Dim < 1 || p.Classes < 0 || (r == nil) == (n == nil):
		return ErrPass
	case r != nil && (r.Targets < 1 || r.Folds < 1 || !fits(r.Shift, p.Dim) || !fits(r.Level, r.Targets)):
		return ErrPass
	case n == nil && p.Similar:
		return ErrPass
	case n == nil:
		return nil
	case n.Loss > Logistic || p.Classes < 2 || n.Folds < 0 || len(n.Ends) == 0 || len(n.Ends) != len(n.Classes) ||
		len(n.Starts) != len(n.Ends) || len(n.Still) != len(n.Ends) || len(n.Parts) != len(n.Ends):
		return ErrPass
	}
	for k := range n.Ends {
		if len(n.Ends[k]) != p.Dim+1 || len(n.Starts[k]) != p.Dim+1 {
			return ErrPass
		}
	}
	return nil
}

// Bytes returns how much memory the sums of the pass take.
func (p *Pass) Bytes() float64 {
	if p.Ridge != nil {
		return float64(p.Ridge.Folds)*sums.ProductsBytes(p.Dim, p.Ridge.Targets) + 8*2*float64(sums.BlockRows*p.Dim)
	}
	if p.Softmax != nil {
		return p.Softmax.bytes(p)
	}
	one := sums.QuadraticBytes(p.Dim+1) + separatorScratch(p.Dim, p.Newton.Folds)
	return float64(len(p.Newton.Ends))*one + newtonScratch(p.Dim)
}

// Sums are what a pass has summed up so far. It is not safe for concurrent use.
type Sums struct {
	Pass       *Pass
	Products   []*sums.Products  // a fold each
	Quadratics []*sums.Quadratic // a separator each
	Folds      []*sums.Gradient  // the same, a fold a row
	Gradient   *sums.Gradient    // of all classes

	basis   *Basis
	scratch *scratch
}

// NewSums returns the sums over no rows of a pass that is valid. Basis is that of similarities; sums that
// others are merged into need none.
func NewSums(p *Pass, basis *Basis) *Sums {
	s := &Sums{Pass: p, basis: basis}
	if r := p.Ridge; r != nil {
		for range r.Folds {
			s.Products = append(s.Products, sums.NewProducts(p.Dim, r.Targets, r.Shift, r.Level))
		}
		return s
	}
	if p.Softmax != nil {
		s.Gradient = sums.NewGradient(p.Classes, p.Dim+1, len(ahead))
		return s
	}
	for range p.Newton.Ends {
		s.Quadratics = append(s.Quadratics, sums.NewQuadratic(p.Dim+1, len(ahead)))
		if p.Newton.Folds > 0 {
			s.Folds = append(s.Folds, sums.NewGradient(p.Newton.Folds, p.Dim+1, 0))
		}
	}
	return s
}

// Add adds a block, which it may write to.
func (s *Sums) Add(ctx context.Context, ctl run.Control, b *sums.Block) error {
	if s.Pass.Similar != (s.basis != nil) {
		return ErrPass
	}
	if s.scratch == nil {
		s.scratch = newScratch(s)
	}
	switch {
	case s.Pass.Ridge != nil:
		return s.addProducts(ctx, ctl, b)
	case s.Pass.Softmax != nil:
		return s.addSoftmax(ctx, ctl.Quiet(), b)
	}
	return s.addLosses(ctx, ctl.Quiet(), b)
}

// End makes sums of similarities those of features, after the last row was added and before sums are
// written or merged.
func (s *Sums) End() {
	if s.basis == nil {
		return
	}
	for k, q := range s.Quadratics {
		s.basis.sum(q.Gradient[:s.Pass.Dim])
		if s.Pass.Newton.Folds > 0 {
			for f := range s.Pass.Newton.Folds {
				s.basis.sum(s.Folds[k].Slope.Row(f)[:s.Pass.Dim])
			}
		}
	}
}

// Rows returns how many rows were added.
func (s *Sums) Rows() int {
	rows := 0
	for _, p := range s.Products {
		rows += p.Rows
	}
	if s.Quadratics != nil {
		rows = s.Quadratics[0].Rows
	}
	if s.Gradient != nil {
		rows = s.Gradient.Rows
	}
	return rows
}

// gradients are those of all classes, or those of folds.
func (s *Sums) gradients() []*sums.Gradient {
	if s.Gradient != nil {
		return []*sums.Gradient{s.Gradient}
	}
	return s.Folds
}

// AppendBinary adds the binary form to b.
func (s *Sums) AppendBinary(b []byte) ([]byte, error) {
	one := func(part []byte) { b = append(binary.LittleEndian.AppendUint64(b, uint64(len(part))), part...) }
	for _, p := range s.Products {
		part, _ := p.AppendBinary(nil)
		one(part)
	}
	for _, q := range s.Quadratics {
		part, _ := q.AppendBinary(nil)
		one(part)
	}
	for _, g := range s.gradients() {
		part, _ := g.AppendBinary(nil)
		one(part)
	}
	return b, nil
}

// Merge adds sums over other rows, in their binary form, and returns how many rows these
// are. Bytes that are none are refused before anything is added.
func (s *Sums) Merge(b []byte) (rows int, err error) {
	other, gradients := &Sums{Pass: s.Pass}, []*sums.Gradient(nil)
	next := func() []byte {
		if len(b) < 8 || binary.LittleEndian.Uint64(b) > uint64(len(b)-8) {
			return nil
		}
		n := binary.LittleEndian.Uint64(b)
		part := b[8 : 8+n]
		b = b[8+n:]
		return part
	}
	for _, mine := range s.Products {
		p := &sums.Products{}
		if p.UnmarshalBinary(next()) != nil || p.Dim() != mine.Dim() || p.Targets() != mine.Targets() {
			return 0, ErrPass
		}
		other.Products = append(other.Products, p)
	}
	for _, mine := range s.Quadratics {
		q := &sums.Quadratic{}
		if q.UnmarshalBinary(next()) != nil || len(q.Gradient) != len(mine.Gradient) || len(q.Ahead) != len(mine.Ahead) {
			return 0, ErrPass
		}
		other.Quadratics = append(other.Quadratics, q)
	}
	for _, mine := range s.gradients() {
		g := &sums.Gradient{}
		if g.UnmarshalBinary(next()) != nil || !g.Fits(mine) {
			return 0, ErrPass
		}
		gradients = append(gradients, g)
	}
	if len(b) > 0 {
		return 0, ErrPass
	}
	for f, p := range s.Products {
		if err := p.Merge(other.Products[f]); err != nil {
			return 0, err
		}
	}
	for k, q := range s.Quadratics {
		if err := q.Merge(other.Quadratics[k]); err != nil {
			return 0, err
		}
	}
	for k, g := range s.gradients() {
		if err := g.Merge(gradients[k]); err != nil {
			return 0, err
		}
	}
	if s.Gradient != nil {
		other.Gradient = gradients[0]
	}
	return other.Rows(), nil
}

// scratch is what adding a block needs beside the sums.
type scratch struct {
	x, y   *data.Matrix
	weight []float64

	w      *data.Matrix // the first rows are the ends of the steps, the others where they begin
	bias   []float64    // of each, times the constant coordinate
	chosen *data.Matrix // rows of the curvature, or slopes of the scores
	score  *data.Matrix
	slope  *data.Matrix // a row for each row, a column for each separator, and fold of it
	sum    *data.Matrix // of slopes times rows
	some   *data.Matrix // similarities of the rows of any curvature
}

// newtonScratch is how many bytes a pass of Newton's method needs beside its sums, and separatorScratch how many
// for each separator, sums of its folds among them.
func newtonScratch(dim int) float64 { return 8 * 4 * float64(sums.BlockRows*(dim+1)) }

func separatorScratch(dim, folds int) float64 {
	return 8 * 2 * float64((folds+1)*(dim+1+sums.BlockRows))
}

func newScratch(of *Sums) *scratch {
	p := of.Pass
	if p.Ridge != nil {
		return &scratch{x: data.NewMatrix(sums.BlockRows, p.Dim), y: data.NewMatrix(sums.BlockRows, p.Ridge.Targets),
			weight: make([]float64, sums.BlockRows)}
	}
	if p.Softmax != nil {
		return p.Softmax.scratch(p)
	}
	n, columns := len(p.Newton.Ends), len(p.Newton.Ends)*max(1, p.Newton.Folds)
	s := &scratch{x: data.NewMatrix(sums.BlockRows, p.Dim), chosen: data.NewMatrix(sums.BlockRows, p.Dim+1),
		w: data.NewMatrix(2*n, p.Dim), bias: make([]float64, 2*n), score: data.NewMatrix(sums.BlockRows, 2*n),
		slope: data.NewMatrix(sums.BlockRows, columns), sum: data.NewMatrix(columns, p.Dim)}
	for k, w := range slices.Concat(p.Newton.Ends, p.Newton.Starts) {
		s.bias[k] = w[p.Dim] * p.Newton.Unit
		if w = w[:p.Dim]; of.basis != nil {
			w = of.basis.weights(w)
		}
		copy(s.w.Row(k), w)
	}
	if of.basis != nil {
		s.some = data.NewMatrix(sums.BlockRows, p.Dim)
	}
	return s
}

// addProducts adds the rows of each fold to its products.
func (s *Sums) addProducts(ctx context.Context, ctl run.Control, b *sums.Block) error {
	x, y := s.scratch.x, s.scratch.y
	for f, p := range s.Products {
		rows := s.fold(b, f)
		var c []float64
		if b.Weight != nil {
			c = s.scratch.weight[:rows]
		}
		err := p.Add(ctx, ctl, &data.Matrix{Rows: rows, Cols: x.Cols, Data: x.Data[:rows*x.Cols]},
			&data.Matrix{Rows: rows, Cols: y.Cols, Data: y.Data[:rows*y.Cols]}, c)
		if err != nil {
			return err
		}
	}
	return nil
}

// fold copies the rows of a fold, in their order, and returns how many there are.
func (s *Sums) fold(b *sums.Block, fold int) int {
	r, n := s.Pass.Ridge, 0
	for i := range b.Rows() {
		if r.Folds > 1 && foldOf(r.Seed, b.First+i, r.Folds) != fold {
			continue
		}
		copy(s.scratch.x.Row(n), b.X.Row(i))
		if b.Weight != nil {
			s.scratch.weight[n] = b.Weight[i]
		}
		target := s.scratch.y.Row(n)
		if b.Values != nil {
			target[0] = b.Values[i]
		}
		for k := range target {
			if b.Y == nil {
				break
			}
			if target[k] = -1; b.Y[i] == learn.PositiveClass(k, s.Pass.Classes) {
				target[k] = 1
			}
		}
		n++
	}
	return n
}

// chances returns a number in [0, 1) for each row of a block, by its number: rows with one
// below a part are drawn for that part of them.
func chances(sd uint64, b *sums.Block) []float64 {
	out := make([]float64, b.Rows())
	for i := range out {
		out[i] = float64(seed.Hash(sd, seed.Curvature, uint64(b.First+i))>>11) / (1 << 53)
	}
	return out
}
