package job

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/metric"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/run"
	"github.com/kerf-ml/kerf/spec"
)

// ridgeGrid are the penalties μ of (K + μI)α = y.
var ridgeGrid = []float64{10, 1, 0.1, 1e-2, 1e-3, 1e-4, 1e-5}

// usualPlace is where in the grid the best penalty is, or next to it, as a rule.
const usualPlace = 2

// A shape is a family of kernels on vectors.
type shape struct {
	name   string
	widths []float64 // in median distances, in the order of trial
	taxi   bool
	q      float64
	few    bool // not for vectors of more than mostTaxi coordinates
}

// shapes are the families, in the order in which more of them are tried.
var shapes = []shape{
	{name: "laplace", widths: []float64{1, 2, 0.5, 4, 8}, taxi: true, q: 1, few: true},
	{name: "rbf", widths: []float64{1, 0.5, 2, 0.25}, q: 2},
	{name: "stretched1", widths: []float64{2, 1, 4, 8}, q: 1},
	{name: "stretched1.4", widths: []float64{1, 2, 0.5, 4}, q: 1.4, few: true},
	{name: "stretched0.7", widths: []float64{2, 1, 4, 8}, q: 0.7, few: true},
}

// everyView is how many shapes are tried on all views of the rows, and not on the first alone.
const everyView = 3

// mostCoordinates is how many coordinates vectors may have for kernels of a distance
// to be tried on them: past it they are texts as a rule, and nearly orthogonal.
const mostCoordinates = 3000

// mostMetric is how many coordinates a full metric may have, and mostScaled a
// diagonal one.
const (
	mostMetric = 200
	mostScaled = 300
)

// mostTaxi is how many coordinates vectors may have for kernels of Σ|x_j - y_j|, which
// no matrix product computes, and for other exponents than 1 and 2: distances of many
// coordinates are nearly alike, and an exponent changes little there but the width.
const mostTaxi = 300

// unit is the median distance of vectors that a shape's widths are multiples of.
func (s shape) unit(x data.Source[data.Vector], sd uint64) float64 {
	if s.taxi {
		return kernel.MedianTaxi(x, sd)
	}
	return kernel.MedianDistance(x, sd)
}

// kernelOf returns the kernel of a shape, of a length.
func (s shape) kernelOf(length float64) kernel.Kernel[data.Vector] {
	if s.taxi {
		return kernel.Laplacian{Gamma: round4(1 / length)}
	}
	if s.q == 2 {
		return kernel.Gaussian{Gamma: round4(1 / length / length)}
	}
	return kernel.StretchedKernel{Q: s.q, Length: round4(length)}
}

// round4 rounds to four digits, so that people can copy a width.
func round4(v float64) float64 {
	r, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'e', 3, 64), 64) // it was just written
	return r
}

// vectors are the rows of a view that the search looks at.
func (s *search) vectors(view int) data.Source[data.Vector] {
	return s.views[view].sample.X
}

// arms returns the first arms of a view of the rows.
func (s *search) arms(view int) []*arm {
	x, out := s.vectors(view), []*arm{s.linear(view)}
	texts := data.Dim(x) > mostCoordinates
	if (view == 0 || s.size.wide || texts) && s.triesLogistic(data.Dim(x)) {
		out = append(out, s.logistic(view))
	}
	if texts {
		return out
	}
	units := map[bool]float64{} // by taxi
	for i, sh := range shapes[:s.size.shapes] {
		if i >= everyView && view > 0 && !s.size.wide {
			break
		}
		if sh.few && data.Dim(x) > mostTaxi {
			continue
		}
		unit, known := units[sh.taxi]
		if !known {
			unit = sh.unit(x, s.o.Seed)
			units[sh.taxi] = unit
		}
		for _, width := range sh.widths {
			a := s.machine(sh.name, view, sh.kernelOf(width*unit))
			a.width = width
			out = append(out, a)
		}
	}
	if (view == 0 || s.size.wide) && data.Dim(x) <= mostMonomials {
		for _, degree := range degrees {
			k := kernel.Polynomial{Degree: degree, Coef: 1, Gamma: round4(1 / squareLength(x))}
			out = append(out, s.machine(fmt.Sprintf("poly%d", degree), view, k))
		}
	}
	return out
}

// degrees are those of the polynomials that are tried, on vectors of at most mostMonomials coordinates.
var degrees = []int{2, 3}

const mostMonomials = 300

// squareLength is the mean squared length of vectors, of a thousand at most; 1 where it is 0.
func squareLength(x data.Source[data.Vector]) float64 {
	sum, n := 0.0, min(x.Len(), 1000)
	for i := range n {
		sum += x.At(i).Norm2() / float64(n)
	}
	if !(sum > 0) || math.IsInf(sum, 1) {
		return 1
	}
	return sum
}

// machine returns the arm of kernel ridge with a kernel.
func (s *search) machine(family string, view int, k kernel.Kernel[data.Vector]) *arm {
	r := s.recipe
	r.Kernel, r.Map, r.Learner = k, model.None[data.Vector]{}, model.NewKernelRidge[data.Vector]()
	return &arm{family: family, view: view, name: s.named(view, spec.Short(fmt.Sprint(k))), recipe: r, ridge: true,
		grid: ridgeGrid, from: usualPlace}
}

// linear returns the arm of the plain linear model.
func (s *search) linear(view int) *arm {
	r := s.recipe
	r.Map = model.None[data.Vector]{}
	var grid []float64
	if s.task == model.Regress {
		r.Learner = model.NewRidge()
		grid = chooserLambda
	} else {
		r.Learner = model.NewSVM().Quick(s.size.second)
		grid = model.Penalties(r.Learner, true, s.views[view].sample, everySecond(model.GridC), nil)
	}
	a := &arm{family: linearKernel, view: view, name: s.named(view, linearKernel), recipe: r, grid: grid}
	if s.task == model.Classify {
		a.whole = s.whole(model.NewSVM())
	}
	return a
}

// whole is the learner of a fit to all rows, near enough for a quick one.
func (s *search) whole(l model.Learner) model.Learner {
	if q, ok := l.(model.Quicker); ok && s.size.near {
		return q.Quick(s.rows())
	}
	return l
}

// triesLogistic reports whether the logistic loss takes part: in classes, with separators that are soon learnt, of
// texts or few coordinates, and where rows are many. Of few rows a mean of models is taken, of which its log odds are
// no part.
func (s *search) triesLogistic(dim int) bool {
	return s.task == model.Classify && s.rows() > foldedRows && (dim <= mostMonomials || dim > mostCoordinates) &&
		dim*learn.Separators(s.views[0].sample.Classes.Len()) <= mostWeights
}

// logistic returns the arm of the plain linear model by the logistic loss.
func (s *search) logistic(view int) *arm {
	r := s.recipe
	r.Map, r.Learner = model.None[data.Vector]{}, model.NewLogistic().Quick(s.size.second)
	grid := model.Penalties(r.Learner, true, s.views[view].sample, everySecond(model.GridC), nil)
	return &arm{family: model.LearnerLogistic, view: view, name: s.named(view, model.LearnerLogistic), recipe: r,
		whole: s.whole(model.NewLogistic()), grid: grid}
}

// named is the name of an arm for people: with its view where there are several.
func (s *search) named(view int, name string) string {
	if len(s.views) < 2 {
		return name
	}
	return name + " of " + s.views[view].words()
}

// around returns the penalties next to the one that was best.
func (a *arm) around() []float64 {
	if !a.ridge {
		return a.grid
	}
	v := a.grid[a.at]
	return []float64{10 * v, v, v / 10}
}

// again returns the arm for the second rung.
func (a *arm) again() *arm {
	next := *a
	next.grid, next.scores, next.kernel, next.stage = a.around(), nil, nil, ""
	if a.ridge {
		next.from = 1
	}
	if a.before == 0 {
		next.before, next.beforeRows = a.error, a.rows
	}
	return &next
}

// learnt returns the arm whose kernel is that of another in a metric that is learnt
// from the rows, nil where there is none to learn.
func (s *search) learnt(a *arm) *arm {
	v := s.vectors(a.view)
	at := slices.IndexFunc(shapes, func(sh shape) bool { return sh.name == a.family })
	if at < 0 || data.Dim(v) > mostScaled || data.Dim(v) < 2 {
		return nil
	}
	of := shapes[at]
	r := metric.New()
	r.Taxi, r.Q, r.Full, r.Length, r.Penalty = of.taxi, of.q, !of.taxi && data.Dim(v) <= mostMetric, a.width, a.grid[a.at]
	r.Rounds, r.Seed = s.size.rounds, s.o.Seed
	next := a.again()
	next.family, next.name = "learned "+a.family, s.named(a.view, "learned metric of "+a.family)
	next.learn = func(
		ctx context.Context, ctl run.Control, part model.Sample[data.Vector],
	) (kernel.Kernel[data.Vector], error) {
		own := r
		own.Run = ctl
		return s.learnKernel(ctx, own, part)
	}
	next.grid, next.from = ridgeGrid[:5], min(a.at, 4)
	return next
}

// manyColumns is past how many coordinates a metric is learnt from fewer rows, of which each
// takes longer then.
const manyColumns = 64

// learnKernel learns a metric from some of the rows.
func (s *search) learnKernel(
	ctx context.Context, r metric.Recipe, part model.Sample[data.Vector],
) (kernel.Kernel[data.Vector], error) {
	few, most := part, s.size.metric
	if s.dim > manyColumns {
		most = most * 2 / 3
	}
	if part.Len() > most {
		_, some := part.Split(float64(most)/float64(part.Len()), s.o.Seed)
		few = part.Select(some)
	}
	got, err := r.Learn(ctx, few.X, targetsMatrix(few))
	if err != nil {
		return nil, err
	}
	return got.Kernel, nil
}

// targetsMatrix returns what a metric is learnt from: numbers in units of their
// spread around their mean, or +1 and -1, a column a class.
func targetsMatrix(s model.Sample[data.Vector]) *data.Matrix {
	if s.Task == model.Regress {
		y, mean := data.NewMatrix(s.Len(), 1), 0.0
		for _, v := range s.Values {
			mean += v / float64(s.Len())
		}
		spread := s.Spread()
		for i, v := range s.Values {
			y.Data[i] = (v - mean) / spread
		}
		return y
	}
	k := s.Classes.Len()
	if k == 2 {
		y := data.NewMatrix(s.Len(), 1)
		for i, c := range s.Y {
			y.Data[i] = float64(2*c - 1)
		}
		return y
	}
	y := data.NewMatrix(s.Len(), k)
	for i, c := range s.Y {
		for j := range k {
			y.Row(i)[j] = -1
		}
		y.Row(i)[c] = 1
	}
	return y
}
