package feature

import (
	"errors"
	"slices"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/run"
)

// Joined is several maps side by side,
//
//	x ↦ (m_1(x), …, m_k(x))
//
// whose inner products are the sums of the maps' own: it is the map of a sum of
// kernels. It is as safe for concurrent use as the maps. MapBlock and MapBlock32
// are as fast as those of the maps, which they use.
type Joined[T any] struct {
	maps []Map[T]
	dim  int
}

// NewJoined returns the maps side by side.
func NewJoined[T any](maps ...Map[T]) (*Joined[T], error) {
	j := &Joined[T]{maps: slices.Clone(maps)}
	for _, m := range maps {
		if m == nil {
			return nil, errors.New("a map to join is missing")
		}
		j.dim += m.Dim()
	}
	if len(maps) == 0 {
		return nil, errors.New("there are no maps to join")
	}
	return j, nil
}

// Dim returns the sum of the maps' dimensions.
func (j *Joined[T]) Dim() int { return j.dim }

// Maps returns the maps.
func (j *Joined[T]) Maps() []Map[T] { return slices.Clone(j.maps) }

// MapTo sets dst = (m_1(x), …, m_k(x)).
func (j *Joined[T]) MapTo(dst []float64, x T) {
	for _, m := range j.maps {
		m.MapTo(dst[:m.Dim()], x)
		dst = dst[m.Dim():]
	}
}

// MapBlock maps the instances of x into the rows of dst.
func (j *Joined[T]) MapBlock(ctl run.Control, dst []float64, x data.Source[T], first int) error {
	return join(j, ctl, dst, x, first, mapBlock[T])
}

// MapBlock32 maps the instances of x into the rows of dst.
func (j *Joined[T]) MapBlock32(ctl run.Control, dst []float32, x data.Source[T], first int) error {
	return join(j, ctl, dst, x, first, mapBlock32[T])
}

// join maps by one map after the other and copies the features to their places.
func join[T any, F float32 | float64](
	j *Joined[T], ctl run.Control, dst []F, x data.Source[T], first int,
	block func(ctl run.Control, m Map[T], dst []F, x data.Source[T], first int) error,
) error {
	n, at := x.Len(), 0
	for _, m := range j.maps {
		d := m.Dim()
		features := make([]F, n*d)
		if err := block(ctl, m, features, x, first); err != nil {
			return err
		}
		for i := range n {
			copy(dst[i*j.dim+at:][:d], features[i*d:(i+1)*d])
		}
		at += d
	}
	return nil
}
