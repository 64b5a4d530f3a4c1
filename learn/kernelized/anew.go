package kernelized

import (
	"context"
	"errors"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// anewMost is up to how many coordinates the rows of a round are computed anew and
// not kept. A solution asks for a row about twice. To keep it, its memory has to be
// taken from the system, written and read again, which costs as much as some
// hundred operations a value; and memory does not get faster with the cores.
const anewMost = 128

// anew reports whether rows are computed where they are needed: those of a kernel
// with a form on vectors of few coordinates. Steps over all variables have rows in
// memory already, and problems that share them ask for a row many times.
func (s *smo[T]) anew() bool {
	x, ok := any(s.x).(data.Source[data.Vector])
	if _, form := kernel.FormOf(s.kernel); !form || !ok || s.rows.keep || s.dual.n <= sequenceMost {
		return false
	}
	if s.dim == 0 {
		s.dim = data.Dim(x)
	}
	return s.dim <= anewMost
}

// add adds the rows of the instances at the places in index to the scores, each
// times its change, without storing them.
func (w *round[T, F]) add(ctx context.Context, scores []float64, index []int, change []float64) error {
	precision := run.Float64
	if _, single := any(F(0)).(float32); single {
		precision = run.Float32
	}
	x, sum := w.sample(), make([]float64, len(scores))
	c := gram.BindOn(w.ctl, w.kernel, data.Source[T](data.Subset[T]{Of: x, Index: index}), precision)
	if err := c.Product(ctx, w.ctl.Quiet(), sum, x, change); err != nil {
		if v := (*gram.ValueError)(nil); errors.As(err, &v) {
			v.Row, v.Col = w.instance(v.Row), w.instance(index[v.Col])
		}
		return err
	}
	for i, v := range sum {
		scores[i] += v
	}
	return nil
}

// instance returns which instance stands at a place of the sample.
func (s *smo[T]) instance(place int) int {
	if active := s.state.shrunk.active; active != nil {
		return active[place]
	}
	return place
}
