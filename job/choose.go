package job

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/run"
	"github.com/kerf-ml/kerf/spec"
)

// Picked is what was chosen among, and the error of each on held-out rows.
type Picked struct {
	Kernels []Option `json:"kernels,omitempty"`
	Dims    []Option `json:"dims,omitempty"`
	Maps    []Option `json:"maps,omitempty"`

	Raced bool `json:"-"` // whether the kernels are candidates of a race, of all kinds

	rows int // that dimensions and maps were measured on
}

// tried returns how many candidates were measured. The map whose dimension was
// chosen is among both.
func (p *Picked) tried() int {
	if p == nil {
		return 0
	}
	n := len(p.Kernels) + len(p.Dims) + len(p.Maps)
	if len(p.Dims) > 0 && len(p.Maps) > 0 {
		n--
	}
	return n
}

// Option is one kernel, dimension or map that was tried.
type Option struct {
	Name  string  `json:"name"`
	Error float64 `json:"error"`          // its loss by what choices go by
	Rows  int     `json:"rows,omitempty"` // fitted to, of a race
}

// open is what is chosen on held-out rows of a sample: one of several kernels,
// then the number of features, then the map that makes them.
type open[T any] struct {
	variants []variant[T]       // kernels with their maps, in place of kernels
	kernels  []kernel.Kernel[T] // fewer than two are no choice
	dims     []int              // increasing
	maps     []string           // beside the recipe's, which is kept unless another is clearly better

	// most is how many features F2 may have where sums over a stream choose again: it gets
	// twice those that are chosen here, as far as that. 0 for no such choice.
	most int
}

// What is tried of each, and on how many rows.
const (
	LeastDim     = 64 // features, at least
	MostDim      = 1024
	widthFactor  = 16.0 // of gamma, up and down
	kernelRows   = 4000 // that kernels are tried on
	dimRows      = 8000 // that dimensions and maps are tried on
	kernelDim    = 200  // features with which kernels are tried
	anyClassDim  = 256  // features that are tried for any number of classes
	mostWeights  = 1 << 14
	mapGain      = 0.05 // part of the error that another map must save, unless two standard errors are more
	wholeGain    = 0.99 // of the least error, that another dimension must get below to count as better
	smallestGain = 1.02 // of the least error, that the smallest dimension may have to be taken
)

var (
	widthFactors  = []float64{1, 0.25, 4, 1 / widthFactor, widthFactor} // of the median distance's gamma
	chooserC      = everySecond(model.GridC[2:7])                       // 1, 10, 100
	chooserLambda = everySecond(model.GridLambda[1:6])                  // 1e-2, 1e-4, 1e-6
)

// everySecond thins a grid.
func everySecond(grid []float64) []float64 {
	var out []float64
	for i := 0; i < len(grid); i += 2 {
		out = append(out, grid[i])
	}
	return out
}

// leftOpen returns what the choices leave to be chosen for instances x, nil for
// nothing.
func leftOpen[T any](
	s *settled, kind spec.Kind[T], k kernel.Kernel[T], x data.Source[T], seed uint64,
) (*open[T], error) {
	if s.Claim != nil || s.traits.Unsupervised {
		return nil, nil // rows of a certificate must have no part in a choice
	}
	n := x.Len()
	o := &open[T]{maps: s.otherMaps()}
	var err error
	if o.variants, err = variants(s, kind, x, seed); err != nil {
		return nil, err
	}
	if s.kernel.Open() {
		o.kernels = widths(k)
	}
	if v, ok := any(x).(data.Source[data.Vector]); ok && s.Map.Name == model.MapProject {
		n = min(n, data.Dim(v)) // more coordinates than there are tell no more
	}
	if s.dim() == 0 && !s.traits.Kernel && model.SizedMap(s.Map.Name) {
		for d := LeastDim; d <= MostDim; d *= 2 {
			o.dims = append(o.dims, model.DimUpTo(s.Map.Name, min(d, n)))
			if d >= n {
				break
			}
		}
	}
	few := len(o.dims) < 2 && !(len(o.dims) == 1 && s.Map.Name == model.MapProject)
	if len(o.variants) == 0 && len(o.kernels) < 2 && few && len(o.maps) == 0 {
		return nil, nil
	}
	return o, nil
}

// widths returns a kernel and the same with other widths.
func widths[T any](k kernel.Kernel[T]) []kernel.Kernel[T] {
	var out []kernel.Kernel[T]
	for _, factor := range widthFactors {
		var other any
		switch k := any(k).(type) {
		case kernel.Gaussian:
			other = kernel.Gaussian{Gamma: factor * k.Gamma}
		case kernel.Laplacian:
			other = kernel.Laplacian{Gamma: factor * k.Gamma}
		default:
			return nil
		}
		out = append(out, other.(kernel.Kernel[T]))
	}
	return out
}

// trial measures recipes on held-out rows of a sample.
type trial[T any] struct{ fit, measure model.Sample[T] }

// trialOn divides a sample of about so many rows; nil where there are too few.
func trialOn[T any](s model.Sample[T], rows int, sd uint64) *trial[T] {
	if s.Len() > rows {
		_, few := s.Split(float64(rows)/float64(s.Len()), seed.Derive(sd, seed.SearchSample))
		s = s.Select(few)
	}
	fit, measure, ok := s.HoldOut(model.HeldOutPart, seed.Derive(sd, seed.SearchHeldOut))
	if !ok {
		return nil
	}
	return &trial[T]{fit, measure}
}

// loss is that of a recipe, at the penalty that is best.
func (t *trial[T]) loss(ctx context.Context, r model.Recipe[T]) (float64, error) {
	return r.TryBest(ctx, t.fit, t.measure, model.Penalties(r.Learner, r.Choose, t.fit, chooserC, chooserLambda))
}

// choose fills in what a recipe leaves open, in a part of the time that is left.
func choose[T any](
	whole context.Context, r model.Recipe[T], o *open[T], s model.Sample[T], plan *plan[T], stages *run.Stages,
) (model.Recipe[T], *Picked, error) {
	var picked Picked
	ctx, cancel := model.Share(whole, model.ChooseShare)
	defer cancel()
	quick := r.Quick(min(s.Len(), dimRows))
	if len(o.variants) > 0 {
		var err error
		own := r.Map.Name()
		if r, picked.Kernels, err = chooseVariant(ctx, whole, r, quick, o, s, plan, stages); err != nil {
			return r, nil, err
		}
		if r.Map.Name() != own { // one whose features are not chosen
			return r, &picked, nil
		}
	} else if t := trialOn(s, kernelRows, r.Seed); t != nil && len(o.kernels) > 1 {
		best := math.Inf(1)
		for i, k := range o.kernels {
			stages.Next(fmt.Sprintf("kernel %d of %d", i+1, len(o.kernels)), plan.kernels[i])
			few := sized(quick, min(kernelDim, max(s.Len()/4, 1)))
			few.Kernel = k
			e, err := t.loss(ctx, few)
			if model.Over(ctx, whole) {
				break
			}
			if err != nil {
				return r, nil, err
			}
			picked.Kernels = append(picked.Kernels, Option{Name: fmt.Sprint(k), Error: e})
			if e < best {
				best, r.Kernel = e, k
			}
		}
	}
	t := trialOn(s, dimRows, r.Seed)
	if t == nil {
		return r, &picked, nil
	}
	quick.Kernel, picked.rows = r.Kernel, t.measure.Len()
	var err error
	dims := affordable(o.dims, s)
	if len(dims) == 1 {
		r.Map = model.Resize(r.Map, dims[0])
	}
	if len(dims) > 1 {
		tell := func(i, best int) {
			likely := plan.likely(dims[i])
			if best > 0 {
				likely = model.Resize(r.Map, best)
			}
			stages.Left(plan.left(len(plan.kernels), i, likely))
			stages.Next(fmt.Sprintf("dimension %d", dims[i]), plan.dims[i])
		}
		if r.Map, picked.Dims, err = chooseDim(ctx, whole, quick, r.Map, dims, t, tell); err != nil {
			return r, nil, err
		}
	}
	if len(o.maps) > 0 {
		quick.Map = r.Map
		tell := func(i int) { stages.Next("map "+o.maps[i], plan.ofMap(i, r.Map)) }
		stages.Left(plan.left(len(plan.kernels), len(plan.dims), r.Map))
		if r.Map, picked.Maps, err = chooseMap(ctx, whole, quick, o, picked.Dims, t, tell); err != nil {
			return r, nil, err
		}
	}
	d := 2 * model.DimOf(r.Map)
	if len(picked.Dims) > 0 && r.Map.Name() == model.MapF2 && d <= min(o.most, dims[len(dims)-1]) {
		r.Map = model.Resize(r.Map, d)
	}
	return r, &picked, nil
}

// sized returns the recipe with at most so many features, of its map or of a
// learner with landmarks of its own.
func sized[T any](r model.Recipe[T], most int) model.Recipe[T] {
	if d := model.DimOf(r.Map); d > 0 {
		r.Map = model.Resize(r.Map, min(model.DimUpTo(r.Map.Name(), most), d))
	}
	if l, ok := r.Learner.(model.SizedLearner); ok {
		r.Learner = l.WithDim(min(most, max(model.DimOf(r.Learner), 1)))
	}
	return r
}

// affordable returns the dimensions that are not too many for the classes.
func affordable[T any](dims []int, s model.Sample[T]) []int {
	if s.Task == model.Regress {
		return dims
	}
	var out []int
	for _, d := range dims {
		if d <= anyClassDim || d*learn.Separators(s.Classes.Len()) <= mostWeights {
			out = append(out, d)
		}
	}
	return out
}

// chooseDim tries dimensions from the smallest on until two in turn brought less
// than a hundredth of the error, and takes the smallest whose error is within two
// hundredths of the least. Before each one tell hears its number, and the best one so
// far where the last brought nothing, else -1.
func chooseDim[T any](
	ctx, whole context.Context, quick model.Recipe[T], own model.Mapper[T], dims []int, t *trial[T],
	tell func(i, best int),
) (model.Mapper[T], []Option, error) {
	var tried []Option
	resize := own.(model.SizedMapper[T]).WithDim
	least, idle := math.Inf(1), 0
	for i, d := range dims {
		best := -1
		if idle > 0 {
			best = dims[smallest(tried, least)]
		}
		tell(i, best)
		quick.Map = resize(d)
		e, err := t.loss(ctx, quick)
		if model.Over(ctx, whole) {
			break
		}
		if err != nil {
			return own, nil, err
		}
		tried = append(tried, Option{Name: fmt.Sprint(d), Error: e})
		if e > wholeGain*least {
			idle++
		} else {
			idle = 0
		}
		least = min(least, e)
		if idle == 2 || least == 0 {
			break
		}
	}
	return resize(dims[smallest(tried, least)]), tried, nil
}

// smallest is the first option whose error is within two hundredths of the least.
func smallest(tried []Option, least float64) int {
	return max(0, slices.IndexFunc(tried, func(o Option) bool { return o.Error <= smallestGain*least }))
}

// chooseMap tries the recipe's map and others with the same number of features.
// The first has been tried if its number of features was chosen. Another one is
// taken where it has a smaller error than all and saves a part of the first one's.
func chooseMap[T any](
	ctx, whole context.Context, quick model.Recipe[T], o *open[T], dims []Option, t *trial[T], tell func(i int),
) (model.Mapper[T], []Option, error) {
	first, dim := quick.Map, model.DimOf(quick.Map)
	best, own, least := first, math.Inf(1), math.Inf(1)
	var tried []Option
	for i, name := range append([]string{first.Name()}, o.maps...) {
		e, known := 0.0, false
		if i > 0 {
			tell(i - 1)
		}
		if len(tried) == 0 {
			e, known = errorAt(dims, fmt.Sprint(dim))
		} else {
			size, err := dim, error(nil)
			if len(o.dims) > 0 { // nobody chose it
				size = model.DimUpTo(name, dim)
			}
			if quick.Map, err = mapOf[T](name, size); err != nil {
				return best, nil, err
			}
		}
		if !known {
			var err error
			e, err = t.loss(ctx, quick)
			switch {
			case model.Over(ctx, whole):
				return best, tried, nil
			case err != nil && (len(tried) == 0 || whole.Err() != nil):
				return best, nil, err
			case err != nil: // it is not for these rows
				continue
			}
		}
		tried = append(tried, Option{Name: name, Error: e})
		if len(tried) == 1 {
			own, least = e, e
		} else if e < least && e <= (1-max(mapGain, 2*t.measure.Doubt(own)))*own {
			best, least = quick.Map, e
		}
	}
	return best, tried, nil
}

// mapOf returns the map of a name with so many features, where it has any to
// choose.
func mapOf[T any](name string, dim int) (model.Mapper[T], error) {
	if !model.SizedMap(name) {
		return model.NewMapper[T](name, nil)
	}
	return model.NewMapper[T](name, map[string]any{"dim": dim})
}

// errorAt returns the error of the option of a name.
func errorAt(options []Option, name string) (float64, bool) {
	for _, o := range options {
		if o.Name == name {
			return o.Error, true
		}
	}
	return 0, false
}
