package stream

import (
	"context"
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/linalg"
	"github.com/kerf-ml/kerf/run"
	"github.com/kerf-ml/kerf/sums"
)

// SoftmaxPass sums up multinomial losses at the end of a step, with their gradient, and
// losses between where the step starts and ends. The points are a vector a class.
type SoftmaxPass struct {
	C, Unit    float64
	End, Start [][]float64
	Still      bool // the step leads nowhere
}

// fits reports points that are those of the classes and coordinates of the pass.
func (n *SoftmaxPass) fits(p *Pass) bool {
	if p.Classes < 3 || len(n.End) != p.Classes || len(n.Start) != p.Classes {
		return false
	}
	for k := range n.End {
		if len(n.End[k]) != p.Dim+1 || len(n.Start[k]) != p.Dim+1 {
			return false
		}
	}
	return true
}

// bytes is how much memory the sums take.
func (n *SoftmaxPass) bytes(p *Pass) float64 {
	width, classes := float64(p.Dim+1), float64(p.Classes)
	return 8 * (3*classes*width + sums.BlockRows*(width+3*classes))
}

// scratch is what adding a block needs.
func (n *SoftmaxPass) scratch(p *Pass) *scratch {
	s := &scratch{x: data.NewMatrix(sums.BlockRows, p.Dim+1), chosen: data.NewMatrix(sums.BlockRows, p.Classes),
		w: data.NewMatrix(2*p.Classes, p.Dim+1), score: data.NewMatrix(sums.BlockRows, 2*p.Classes)}
	for k := range p.Classes {
		copy(s.w.Row(k), n.End[k])
		copy(s.w.Row(p.Classes+k), n.Start[k])
	}
	return s
}

// addSoftmax adds the multinomial losses of the rows.
func (s *Sums) addSoftmax(ctx context.Context, ctl run.Control, block *sums.Block) error {
	n, sc, rows, dim, classes := s.Pass.Softmax, s.scratch, block.Rows(), s.Pass.Dim, s.Pass.Classes
	x := firstRows(sc.x, rows)
	for i := range rows {
		copy(x.Row(i), block.X.Row(i))
		x.Row(i)[dim] = n.Unit
	}
	score, slope := firstRows(sc.score, rows), firstRows(sc.chosen, rows)
	if err := linalg.MulT(context.WithoutCancel(ctx), ctl, 1, x, sc.w, 0, score); err != nil {
		return err
	}
	f, between := make([]float64, classes), ahead
	if n.Still {
		between = nil
	}
	for i := range rows {
		c, y, row := n.C, block.Y[i], slope.Row(i)
		if block.Weight != nil {
			c *= block.Weight[i]
		}
		end, start := score.Row(i)[:classes], score.Row(i)[classes:]
		s.Gradient.Value += c * (softmax(row, end) - end[y])
		row[y]--
		for k := range row {
			row[k] *= c
		}
		for l, part := range between {
			for k, a := range start {
				f[k] = a + part*(end[k]-a)
			}
			s.Gradient.Ahead[l] += c * (logSum(f) - f[y])
		}
	}
	return s.Gradient.Add(ctx, ctl, x, slope)
}

// firstRows returns the first rows of a matrix.
func firstRows(m *data.Matrix, rows int) *data.Matrix {
	return &data.Matrix{Rows: rows, Cols: m.Cols, Data: m.Data[:rows*m.Cols]}
}

// softmax sets p to exp(f)/Σ exp(f) and returns log Σ exp(f).
func softmax(p, f []float64) float64 {
	top, sum := largest(f), 0.0
	for k, a := range f {
		p[k] = math.Exp(a - top)
		sum += p[k]
	}
	for k := range p {
		p[k] /= sum
	}
	return top + math.Log(sum)
}

// logSum returns log Σ exp(f).
func logSum(f []float64) float64 {
	top, sum := largest(f), 0.0
	for _, a := range f {
		sum += math.Exp(a - top)
	}
	return top + math.Log(sum)
}

func largest(f []float64) float64 {
	top := math.Inf(-1)
	for _, a := range f {
		top = max(top, a)
	}
	return top
}
