package stream

import (
	"context"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/linalg"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/run"
	"github.com/kerf-ml/kerf/sums"
)

// addLosses adds the losses of the rows.
func (s *Sums) addLosses(ctx context.Context, ctl run.Control, block *sums.Block) error {
	if err := ctx.Err(); err != nil || block.Rows() == 0 {
		return err
	}
	ctx = context.WithoutCancel(ctx)
	n, sc, rows := s.Pass.Newton, s.scratch, block.Rows()
	score, slope := firstRows(sc.score, rows), firstRows(sc.slope, rows)
	if err := linalg.MulT(ctx, ctl, 1, block.X, sc.w, 0, score); err != nil {
		return err
	}
	for i := range rows {
		vmath.Axpy(score.Row(i), 1, sc.bias)
	}
	chance := chances(n.Seed, block)
	clear(slope.Data)
	bends := make([]bent, len(s.Quadratics))
	for k := range s.Quadratics {
		bends[k] = s.lossesOf(k, block, score, slope, chance)
	}
	if err := linalg.TMul(ctx, ctl, 1, slope, block.X, 0, sc.sum); err != nil {
		return err
	}
	folds := max(1, n.Folds)
	for k, q := range s.Quadratics {
		q.Rows += rows
		for f := range folds {
			sum, bias := sc.sum.Row(k*folds+f), 0.0
			for i := range rows {
				bias += slope.Row(i)[k*folds+f]
			}
			s.addSlope(q.Gradient, sum, bias)
			if n.Folds > 0 {
				s.addSlope(s.Folds[k].Slope.Row(f), sum, bias)
			}
		}
		if n.Folds > 0 {
			s.Folds[k].Rows += rows
		}
	}
	return s.bend(ctx, ctl, block, bends)
}

// addSlope adds the sum of slopes times rows, and that of the slopes, to a gradient.
func (s *Sums) addSlope(gradient, sum []float64, slopes float64) {
	vmath.Axpy(gradient[:s.Pass.Dim], 1, sum)
	gradient[s.Pass.Dim] += s.Pass.Newton.Unit * slopes
}

// bent are the rows of a block that the curvature of a separator is over.
type bent struct {
	rows []int
	bend []float64 // second derivatives of their losses
}

// lossesOf adds the losses of separator k, writes their slopes and returns the rows of its curvature.
func (s *Sums) lossesOf(k int, block *sums.Block, score, slope *data.Matrix, chance []float64) (out bent) {
	n, q, between := s.Pass.Newton, s.Quadratics[k], ahead
	if n.Still[k] {
		between = nil
	}
	for i := range block.Rows() {
		y, c := -1.0, n.C
		if block.Y[i] == n.Classes[k] {
			y = 1
		}
		if block.Weight != nil {
			c *= block.Weight[i]
		}
		end, start := y*score.Row(i)[k], y*score.Row(i)[len(s.Quadratics)+k]
		value, first, second := n.Loss.at(end)
		q.Value += c * value
		column := k
		if n.Folds > 0 {
			column = k*n.Folds + foldOf(n.Seed, block.First+i, n.Folds)
		}
		slope.Row(i)[column] = c * y * first
		for l, part := range between {
			q.Ahead[l] += c * n.Loss.value(start+part*(end-start))
		}
		if chance[i] <= n.Parts[k] && second > 0 && c > 0 {
			out.rows, out.bend = append(out.rows, i), append(out.bend, c*second)
		}
	}
	return out
}

// bend adds the curvatures of all separators, from features of the rows that one of them is over.
func (s *Sums) bend(ctx context.Context, ctl run.Control, block *sums.Block, bends []bent) error {
	dim, at := s.Pass.Dim, make([]int, block.Rows()) // where the features of a row are
	features := block.X
	if s.basis == nil {
		for i := range at {
			at[i] = i
		}
	} else {
		needed := 0
		for _, c := range bends {
			for _, i := range c.rows {
				at[i] = -1
			}
		}
		for i := range at {
			if at[i] < 0 {
				copy(s.scratch.some.Row(needed), block.X.Row(i))
				at[i], needed = needed, needed+1
			}
		}
		features = firstRows(s.scratch.x, needed)
		if err := s.basis.features(ctx, ctl, features, firstRows(s.scratch.some, needed)); err != nil {
			return err
		}
	}
	for k, q := range s.Quadratics {
		few := firstRows(s.scratch.chosen, len(bends[k].rows))
		for j, i := range bends[k].rows {
			copy(few.Row(j), features.Row(at[i]))
			few.Row(j)[dim] = s.Pass.Newton.Unit
		}
		if err := q.Bend(ctx, ctl, few, bends[k].bend); err != nil {
			return err
		}
	}
	return nil
}
