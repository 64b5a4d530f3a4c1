package feature

import (
	"context"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/run"
)

// similar is a map whose features are B·F1(x), for B = 1 where there is no matrix.
type similar[T any] interface {
	similarities() (columns *gram.Columns[T], b *data.Matrix, lower bool)
}

func (m *Landmarks[T]) similarities() (*gram.Columns[T], *data.Matrix, bool) {
	return m.columns, nil, false
}

func (m *rotated[T]) similarities() (*gram.Columns[T], *data.Matrix, bool) {
	return m.landmarks.columns, m.matrix, m.lower
}

// applyThere maps all instances on the device of the run. It returns false where the cores have to: there
// is no device, it does not know the map, or a feature is not finite and they tell which.
func applyThere[T any, F float32 | float64](
	ctx context.Context, ctl run.Control, m Map[T], dst []F, x data.Source[T],
) (done bool, err error) {
	s, ok := m.(similar[T])
	if !ok {
		return false, nil
	}
	columns, b, lower := s.similarities()
	if b == nil {
		return gram.FillThere(ctx, ctl, columns, dst, x)
	}
	return gram.MapThere(ctx, ctl, columns, dst, x, b, lower)
}
