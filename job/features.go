package job

import (
	"context"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/model"
)

// Mapped is what came of mapping a file.
type Mapped struct {
	Dim    int    `json:"dim"`
	Output string `json:"output"` // file that the caller wrote to
	Rows   int    `json:"rows"`
}

// UseFeatures takes the features of some rows, and their labels, nil where there
// are none.
type UseFeatures func(features *data.Matrix, labels []string) error

// mapBytes is how many bytes of features are made at a time, about: enough rows for all
// cores, and little memory for those that wait to be used.
const mapBytes = 8 << 20

// mapRows returns how many rows are mapped at a time.
func (o *Options) mapRows(dim int) int {
	bytes := 8 * float64(max(dim, 1))
	return max(1, min(dataset.PartOf(o.Run, bytes), int(mapBytes/bytes)))
}

// mapped are the features of some rows.
type mapped struct {
	x      *data.Matrix
	labels []string
}

// MapFeatures maps the rows of a file by the map of a model, part by part, while those before
// are used.
func MapFeatures(ctx context.Context, m *model.Model, path string, o Options, use UseFeatures) (*Mapped, error) {
	out, check, most := &Mapped{Dim: m.Dim()}, o.labelsKnown(m), o.mapRows(m.Dim())
	err := par.Ahead(ctx, o.Run, func(ctx context.Context, hand func(mapped) error) error {
		return o.stream(ctx, m, path, func(r *dataset.Rows) error {
			if err := check(r); err != nil {
				return err
			}
			return m.EachFeatures(ctx, o.Run, r, most, func(first int, x *data.Matrix) error {
				part := mapped{x: x}
				if r.Labels != nil {
					part.labels = r.Labels[first : first+x.Rows]
				}
				return hand(part)
			})
		})
	}, func(part mapped) error {
		out.Rows += part.x.Rows
		return use(part.x, part.labels)
	})
	return out, err
}

// FittedMap is a map fitted to the rows of a file, which it can give the features
// of.
type FittedMap struct {
	Rows, Dim int
	Model     *model.Model // the map, of rows like these: it predicts nothing
	each      func(ctx context.Context, use UseFeatures) error
}

// Each maps the rows that the map was fitted to, part by part.
func (f *FittedMap) Each(ctx context.Context, use UseFeatures) error { return f.each(ctx, use) }

// FitMap fits a map to the rows of a file, without their labels.
func FitMap(ctx context.Context, path string, o Options) (*FittedMap, error) {
	o.Read.Unlabeled = true
	if err := o.unweighted("a map"); err != nil {
		return nil, err
	}
	rows, w, err := o.read(ctx, path)
	if err != nil {
		return nil, err
	}
	return w.fitMap(ctx, rows, &o)
}

// FitMapRows is FitMap of rows that a program has.
func FitMapRows(ctx context.Context, rows *dataset.Rows, o Options) (*FittedMap, error) {
	w, err := o.given(rows)
	if err != nil {
		return nil, err
	}
	return w.fitMap(ctx, rows, &o)
}

func (w typed[T]) fitMap(ctx context.Context, rows *dataset.Rows, o *Options) (*FittedMap, error) {
	o.warnLabels(rows)
	s, e, x, labels, err := instances(o, w.kind, rows)
	if err != nil {
		return nil, err
	}
	k, err := w.kind.Make(s.kernel, x, o.Seed)
	if err != nil {
		return nil, err
	}
	o.warnExcess(s, x.Len())
	r, err := recipe(o, s, k, x.Len())
	if err != nil {
		return nil, err
	}
	m, err := r.FitMap(ctx, x)
	if err != nil {
		return nil, inFile(rows.Name, err)
	}
	each := func(ctx context.Context, use UseFeatures) error {
		size := dataset.PartOf(o.Run, 8*float64(m.Dim()))
		for lo := 0; lo < x.Len(); lo += size {
			hi := min(lo+size, x.Len())
			features, err := feature.Apply(ctx, o.Run, m, data.Range[T]{Of: x, Lo: lo, Hi: hi})
			if err != nil {
				return inFile(rows.Name, model.Moved(err, lo))
			}
			part := labels
			if labels != nil {
				part = labels[lo:hi]
			}
			if err := use(features, part); err != nil {
				return err
			}
		}
		return nil
	}
	whole, err := model.OfMap(r, m, e, model.Kind[T](w.kind))
	return &FittedMap{Rows: x.Len(), Dim: m.Dim(), Model: whole, each: each}, err
}
