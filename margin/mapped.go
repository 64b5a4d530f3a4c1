package margin

import (
	"context"
	"fmt"
	"slices"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/run"
)

// mappedRows is how many instances are mapped at a time: enough for full tiles
// on many cores, few enough for their features to be small beside the data.
const mappedRows = 8192

// Mapped returns the margins of the instances x with labels y, each +1 or -1,
// under a separator of their features: those of Separator.Sample on the mapped
// instances, which are never all in memory. For the separators of F2 these are
// the margins that theorem 4 speaks of.
func Mapped[T any](ctx context.Context, ctl run.Control, s Separator, m feature.Map[T], x data.Source[T], y []float64) (Margins, error) {
	if x.Len() != len(y) {
		return nil, fmt.Errorf("margins: %d instances and %d labels", x.Len(), len(y))
	}
	if len(s.W) != m.Dim() {
		return nil, fmt.Errorf("margins: the separator has %d weights and the map %d features", len(s.W), m.Dim())
	}
	if err := s.check(); err != nil {
		return nil, fmt.Errorf("margins: %w", err)
	}
	all := make(Margins, 0, len(y))
	for lo := 0; lo < len(y); lo += mappedRows {
		hi := min(lo+mappedRows, len(y))
		features, err := feature.Apply(ctx, ctl, m, data.Range[T]{Of: x, Lo: lo, Hi: hi})
		if err != nil {
			return nil, err
		}
		part, err := s.Sample(ctx, ctl, features, y[lo:hi])
		if err != nil {
			return nil, fmt.Errorf("of the instances from %d on: %w", lo, err)
		}
		all = append(all, part...)
	}
	slices.Sort(all)
	return all, nil
}
