package job

import (
	"context"
	"fmt"
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/run"
	"github.com/kerf-ml/kerf/spec"
)

// variant is a kernel and the map that goes with it; a map of nil is the recipe's.
type variant[T any] struct {
	kernel kernel.Kernel[T]
	mapper model.Mapper[T]
}

// String names the variant, by its map too where that is more than its name.
func (v variant[T]) String() string {
	if e, ok := v.mapper.(model.Explicit[T]); ok && e.IDF {
		return fmt.Sprintf("%v, idf", v.kernel)
	}
	return fmt.Sprint(v.kernel)
}

// variants returns what is worth a trial on instances of which nobody chose kernel or
// map, nothing where that is not known.
func variants[T any](s *settled, kind spec.Kind[T], x data.Source[T], seed uint64) ([]variant[T], error) {
	suggester, ok := kind.(spec.Suggester[T])
	if !ok || !s.unchosen {
		return nil, nil
	}
	var out []variant[T]
	for _, c := range suggester.Suggest(x) {
		k, err := spec.Parse(c.Kernel)
		if err != nil {
			return nil, err
		}
		v := variant[T]{}
		if v.kernel, err = kind.Make(k, x, seed); err != nil {
			return nil, err
		}
		if c.Map.Name != "" {
			if v.mapper, err = model.NewMapper[T](c.Map.Name, c.Map.Args); err != nil {
				return nil, err
			}
		}
		out = append(out, v)
	}
	return out, nil
}

// of returns the recipe of a variant.
func (v variant[T]) of(r model.Recipe[T]) model.Recipe[T] {
	r.Kernel = v.kernel
	if v.mapper != nil {
		r.Map = v.mapper
	}
	return r
}

// chooseVariant tries variants and returns the recipe of the best, that of the first
// where there are too few rows for a trial. They come in the order of their promise:
// a later one must be better than the best before it by a standard error. One that is
// not for these rows is passed over.
func chooseVariant[T any](
	ctx, whole context.Context, r, quick model.Recipe[T], o *open[T], s model.Sample[T], plan *plan[T], stages *run.Stages,
) (model.Recipe[T], []Option, error) {
	best, least := o.variants[0], math.Inf(1)
	t := trialOn(s, kernelRows, r.Seed)
	if t == nil || len(o.variants) == 1 {
		return best.of(r), nil, nil
	}
	var tried []Option
	for i, v := range o.variants {
		stages.Next(fmt.Sprintf("kernel %d of %d", i+1, len(o.variants)), plan.kernels[i])
		e, err := t.loss(ctx, sized(v.of(quick), min(kernelDim, max(s.Len()/4, 1))))
		switch {
		case model.Over(ctx, whole):
			return best.of(r), tried, nil
		case whole.Err() != nil:
			return r, nil, err
		case err != nil:
			continue
		}
		tried = append(tried, Option{Name: v.String(), Error: e})
		if e < (1-t.measure.Doubt(least))*least || len(tried) == 1 {
			best, least = v, e
		}
	}
	return best.of(r), tried, nil
}
