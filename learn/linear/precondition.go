package linear

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/linalg"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/run"
)

// Constants of the model of a Hessian, found by trial.
const (
	widest      = 4096 // most coordinates of a model with all pairs of them
	dearest     = 4000 // and most operations of its factor for each number stored
	staleChange = 0.3  // part of the curvature that may have changed since
	patience    = 4    // products of a direction that call for nothing better
	gramRows    = 1024 // rows that are multiplied at a time
	mostModels  = 4    // that are made at a time

	costly       = 1 << 22 // numbers of rows from which a model with all pairs has to be worth its time
	diagonalRows = 2000    // about how many of them the diagonal is of, until then
	attempt      = 10      // products of a direction by the diagonal that show that it is

	rowsPerSampled = 7.0  // rows for each one of a model
	leastSampled   = 3.0  // rows of a model, as a multiple of the coordinates
	mostSampled    = 40.0 // and at most
)

// model stands in for the Hessian I + Σ h·x·xᵀ in conjugate gradients: the same
// sum over a random part of the rows with h > 0, m of them, weighted to stand
// for all, as the factor of a Cholesky decomposition. With m = b·d rows of
// similar length the error falls by about 1/√b a product (Marchenko and Pastur
// 1967); where m is all of them it is the Hessian, and stays near it while few
// rows change sides. Problems of many coordinates have the diagonal only. So has a large one of the
// logistic loss at first, whose Hessian is often near enough to it: a model costs as much as several products.
type model struct {
	factor *data.Matrix // lower triangle, nil for the diagonal
	scale  []float64    // one by the diagonal
	h      []float64    // curvature that it was made for
	modest bool         // of the diagonal, until a direction by it takes long
}

// prepare makes the models of tasks anew whose curvature has changed by much and whose
// last direction took long.
func (p *primal) prepare(ctx context.Context, tasks []*task) error {
	var anew []*model
	same := map[*model]*model{} // as at w = 0, where all tasks have the same curvature
	for _, t := range tasks {
		m := p.model[p.index[t]]
		if p.modest && (m.h == nil || m.modest && t.steps < attempt) {
			if m.h == nil || m.stale(t.now.h) {
				m.h = append(m.h[:0], t.now.h...)
				m.diagonal(p, max(1, len(p.rows)/diagonalRows))
			}
			m.modest, t.most = true, attempt
			continue
		}
		if m.h != nil && !m.modest && (t.steps <= patience || !m.stale(t.now.h)) {
			continue
		}
		m.modest, t.most = false, 0
		m.h = append(m.h[:0], t.now.h...)
		at := slices.IndexFunc(p.model, func(other *model) bool { return other != m && slices.Equal(other.h, m.h) })
		switch {
		case at < 0:
			anew = append(anew, m)
		case slices.Contains(anew, p.model[at]):
			same[m] = p.model[at]
		default:
			m.factor, m.scale = p.model[at].factor, p.model[at].scale
		}
	}
	err := p.renew(ctx, anew)
	for m, other := range same {
		m.factor, m.scale = other.factor, other.scale
	}
	return err
}

// renew makes models for the curvature that they have, several at a time: a decomposition
// has parts that no second core can help with.
func (p *primal) renew(ctx context.Context, models []*model) error {
	ctl := p.ctl
	ctl.Workers = min(ctl.Cores(), mostModels)
	return par.For(ctx, ctl, "", len(models), func(k int) error {
		if p.diagonal {
			models[k].diagonal(p, 1)
			return nil
		}
		return p.factorise(ctx, models[k])
	})
}

// stale reports whether the curvature differs by much from what m was made for.
func (m *model) stale(h []float64) bool {
	change, all := 0.0, 0.0
	for i, a := range m.h {
		change += math.Abs(h[i] - a)
		all += a
	}
	return len(m.h) != len(h) || change > staleChange*all
}

// diagonal keeps 1 + Σ h·x² of each coordinate, from every so manyth row.
func (m *model) diagonal(p *primal, every int) {
	m.scale = make([]float64, p.dim+1)
	for i := 0; i < len(p.rows); i += every {
		x, h := p.rows[i], m.h[i]*float64(every)
		if h == 0 {
			continue
		}
		for k, v := range x.Value {
			j := k
			if x.Index != nil {
				j = int(x.Index[k])
			}
			m.scale[j] += h * v * v
		}
		m.scale[p.dim] += h * p.unit * p.unit
	}
	for j, a := range m.scale {
		m.scale[j] = 1 / (1 + a)
	}
}

// sampleSize returns how many rows of so many stand for all in a model: more,
// the more a pass over the rows costs beside it.
func sampleSize(rows, dim int) int {
	ratio := float64(rows) / float64(dim+1) / rowsPerSampled
	return int(float64(dim+1) * min(max(ratio, leastSampled), mostSampled))
}

// factorise sums over some of the rows with h > 0 and decomposes.
func (p *primal) factorise(ctx context.Context, m *model) error {
	var rows []int
	for i, a := range m.h {
		if a != 0 {
			rows = append(rows, i)
		}
	}
	scale := 1.0
	if most := sampleSize(len(p.rows), p.dim); len(rows) > 3*most/2 {
		all := len(rows)
		chosen := seed.Choose(all, most, p.seed, seed.Sketch)
		part := make([]int, most)
		for k, i := range chosen {
			part[k] = rows[i]
		}
		rows, scale = part, float64(all)/float64(most)
	}
	width := p.dim + 1
	m.factor = data.NewMatrix(width, width) // the one before may be another task's too
	weight := make([]float64, len(rows))
	for k, i := range rows {
		weight[k] = scale * m.h[i]
	}
	return m.decompose(ctx, p.ctl, func() error { return p.gram(ctx, p.ctl, m.factor, rows, weight) })
}

// gram adds Σ weight·x·xᵀ over the rows, constant coordinate included, to the
// lower triangle of g.
func (s *sample) gram(ctx context.Context, ctl run.Control, g *data.Matrix, rows []int, weight []float64) error {
	buf := make([]float64, min(gramRows, len(rows))*(s.dim+1))
	for lo := 0; lo < len(rows); lo += gramRows {
		part := rows[lo:min(lo+gramRows, len(rows))]
		err := addGram(ctx, ctl, g, buf, len(part), func(row []float64, k int) {
			s.rows[part[k]].CopyTo(row[:s.dim])
			row[s.dim] = s.unit
			vmath.Scale(row, math.Sqrt(weight[lo+k]))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// decompose has the factor, which is zero, filled with the sum, adds the identity and
// factorises, with more of it where rounding leaves the sum indefinite. The sum is then
// made again, which is rare: a copy of it for that would take longer to write, on one
// core, than all cores take to factorise.
func (m *model) decompose(ctx context.Context, ctl run.Control, fill func() error) error {
	if err := fill(); err != nil {
		return err
	}
	g, largest := m.factor, 0.0
	for j := range g.Rows {
		largest = max(largest, g.Row(j)[j])
	}
	diagonal := make([]float64, g.Rows)
	for j := range diagonal {
		diagonal[j] = g.Row(j)[j]
	}
	for add := 1.0; ; add = max(10*add, 1e-14*largest) {
		for j, a := range diagonal {
			g.Row(j)[j] = a + add
		}
		err := linalg.Cholesky(ctx, ctl, g)
		var fault *linalg.NotPositiveError
		if err == nil || !errors.As(err, &fault) {
			return err
		}
		if add > largest {
			return err // not finite
		}
		clear(g.Data)
		if err := fill(); err != nil {
			return err
		}
	}
}

// solve sets z to the model's inverse times r.
func (p *primal) solve(t *task) { p.model[p.index[t]].solve(t.z, t.r) }

func (m *model) solve(z, r []float64) {
	copy(z, r)
	if m.factor == nil {
		for j, a := range m.scale {
			z[j] *= a
		}
		return
	}
	l := m.factor
	for j := range z { // L·z = r
		row := l.Row(j)
		z[j] = (z[j] - vmath.Dot(row[:j], z[:j])) / row[j]
	}
	for j := len(z) - 1; j >= 0; j-- { // Lᵀ·z = z
		row := l.Row(j)
		z[j] /= row[j]
		vmath.Axpy(z[:j], -z[j], row[:j])
	}
}

// norm returns |v|.
func norm(v []float64) float64 { return math.Sqrt(squared(v)) }

// dot returns v·w.
func dot(v, w []float64) float64 { return vmath.Dot(v, w) }
