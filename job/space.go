package job

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/eval"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/spec"
)

// candidate is one choice of all that a search may choose.
type candidate struct {
	kernel  int     // index among the kernels of the space
	way     int     // index among its maps
	factor  float64 // of the gamma that the median distance gives; 1 where the kernel is given
	dim     int     // 0 where the map has none to choose
	penalty float64 // C or lambda; 0 where the learner has none or chooses itself
}

// alike reports whether two candidates differ in their penalty at most.
func (c candidate) alike(other candidate) bool {
	c.penalty = other.penalty
	return c == other
}

// space is what is searched.
type space struct {
	kernels []spec.Kernel
	maps    []string
	width   bool   // whether the kernel's width is open
	dim     [2]int // smallest and largest; zero where there is none to choose

	penalty   string // C, lambda or nothing
	penalties [2]float64
	standard  string // the kernel where nobody chose one
}

// newSpace returns the space that the choices leave open, for n rows of a kind and
// targets of the given spread, which is 1 for classes, divided by the rows' mean
// weight: C weighs a unit of both.
func newSpace[T any](c *settled, kind spec.Kind[T], n int, spread float64) (space, error) {
	s := space{kernels: []spec.Kernel{c.kernel}, standard: kind.Default()}
	s.width = c.kernel.Open() || strings.TrimSpace(c.kernel.String()) == spec.Laplace
	if !c.named && c.kernel.String() != linearKernel {
		s.kernels = nil
		for _, text := range kind.Candidates() {
			k, err := spec.Parse(text)
			if err != nil {
				return s, err
			}
			s.kernels = append(s.kernels, k)
		}
	}
	own := c.Map.Name
	if s.maps = []string{own}; len(c.otherMaps()) > 0 {
		s.maps = append([]string{own, own}, c.otherMaps()...)
	}
	l, err := learnerOf[T](c, n)
	if err != nil {
		return s, err
	}
	if (model.SizedMap(own) || model.Accepts(l, "dim")) && c.dim() == 0 {
		s.dim = [2]int{min(LeastDim, n), min(MostDim, n)}
	}
	switch penalty := c.traits.Penalty; {
	case !c.chooses():
	case penalty == model.PenaltyC:
		s.penalty, s.penalties = penalty, [2]float64{slices.Min(model.GridC) * spread, slices.Max(model.GridC) * spread}
	case penalty == model.PenaltyLambda:
		s.penalty, s.penalties = penalty, [2]float64{slices.Min(model.GridLambda), slices.Max(model.GridLambda)}
	}
	return s, nil
}

// axes returns the ranges of the space, and how many steps a grid may have in
// each at most. Those that are not searched have a single step.
func (s space) axes() (eval.Space, []int) {
	space, steps := eval.Space{eval.Log(1, 1), eval.Linear(0, 1), eval.Log(1, 1), eval.Log(1, 1),
		eval.Linear(0, 1)}, []int{1, len(s.kernels), 1, 1, len(s.maps)}
	if s.penalty != "" {
		space[0], steps[0] = eval.Log(s.penalties[0], s.penalties[1]), 9
	}
	if s.width {
		space[2], steps[2] = eval.Log(1/widthFactor, widthFactor), 9
	}
	if s.dim[1] > s.dim[0] {
		space[3], steps[3] = eval.Range{Low: float64(s.dim[0]), High: float64(s.dim[1]), Log: true, Whole: true}, 9
	}
	return space, steps
}

// at returns the candidate at a point of the axes.
func (s space) at(point []float64) candidate {
	pick := func(at float64, n int) int { return min(int(at*float64(n)), n-1) }
	c := candidate{factor: 1, dim: s.dim[0], kernel: pick(point[1], len(s.kernels)), way: pick(point[4], len(s.maps))}
	if s.penalty != "" {
		c.penalty = round2(point[0])
	}
	if s.width {
		c.factor = point[2]
	}
	if s.dim[1] > s.dim[0] {
		c.dim = int(point[3])
	}
	return s.plain(c)
}

// plain returns the candidate as the first of those that are the same: a kernel or
// a map stands in the list more than once, Fourier features are pairs of a Gaussian
// kernel, and without a map there is neither a kernel nor a dimension.
func (s space) plain(c candidate) candidate {
	c.way = slices.Index(s.maps, s.maps[c.way])
	if len(s.maps) > 1 && s.maps[c.way] == model.MapNone {
		c.kernel, c.factor, c.dim = 0, 1, 0
	}
	if s.maps[c.way] == model.MapFourier || s.maps[c.way] == model.MapORF {
		c.kernel = 0
	}
	if c.dim > 0 {
		c.dim = model.DimUpTo(s.maps[c.way], c.dim)
	}
	name := s.kernels[c.kernel].String()
	c.kernel = slices.IndexFunc(s.kernels, func(k spec.Kernel) bool { return k.String() == name })
	return c
}

// usual returns the candidate that stands for no search: the median distance, the
// dimension that kerf train takes, and a penalty in the middle.
func (s space) usual() candidate {
	c := candidate{factor: 1, dim: min(model.DefaultDim, s.dim[1])}
	if c.dim > 0 {
		c.dim = model.DimUpTo(s.maps[0], c.dim)
	}
	for i, k := range s.kernels {
		if k.String() == s.standard && s.standard != spec.Gauss {
			c.kernel = i
		}
	}
	if s.penalty != "" {
		c.penalty = round2(s.middle())
	}
	return c
}

// grid returns a grid of at most the given number of candidates: as many steps
// as there is room for, alike in all that is searched.
func (s space) grid(most int) ([]candidate, error) {
	space, limits := s.axes()
	steps := []int{1, 1, 1, 1, 1}
	best, err := s.gridOf(space, steps)
	for grown := true; grown && err == nil; {
		grown = false
		for i := range steps {
			if steps[i] == limits[i] {
				continue
			}
			steps[i]++
			var finer []candidate
			if finer, err = s.gridOf(space, steps); err != nil {
				return nil, err
			}
			if len(finer) > most {
				steps[i]--
				continue
			}
			best, grown = finer, true
		}
	}
	return best, err
}

// gridOf returns the different candidates of a grid.
func (s space) gridOf(space eval.Space, steps []int) ([]candidate, error) {
	points, err := space.Grid(steps...)
	all := make([]candidate, len(points))
	for i, p := range points {
		all[i] = s.at(p)
	}
	return s.distinct(all, len(all)), err
}

// sample returns the usual candidate and random ones, each at several penalties, at
// most the given number in all.
func (s space) sample(most int, sd uint64) ([]candidate, error) {
	space, _ := s.axes()
	rungs := s.rungs(most)
	points, err := space.Sample(8*most/rungs+1, sd) // there may be few different ones
	usual, drawn := s.usual(), []candidate{}
	for u := range rungs {
		usual.penalty = s.rung(s.middle(), u, rungs)
		drawn = append(drawn, usual)
	}
	for _, p := range points {
		for u := range rungs {
			c := s.at(p)
			c.penalty = s.rung(p[0], u, rungs)
			drawn = append(drawn, c)
		}
	}
	return s.distinct(drawn, most), err
}

// rungs returns at how many penalties a random point is tried, of so many candidates
// in all: an odd number, so that the middle is among them, and few where there
// would be few points.
func (s space) rungs(most int) int {
	switch {
	case s.penalty == "" || most < 12:
		return 1
	case most < 30:
		return 3
	}
	return 5
}

// middle returns the penalty in the middle.
func (s space) middle() float64 { return math.Sqrt(s.penalties[0] * s.penalties[1]) }

// rung returns penalty u of those at which a point is tried: equal steps over the
// whole range, of which one part holds the penalty of the point where the whole has
// it.
func (s space) rung(penalty float64, u, rungs int) float64 {
	if s.penalty == "" {
		return 0
	}
	low, whole := math.Log(s.penalties[0]), math.Log(s.penalties[1]/s.penalties[0])
	at := (math.Log(penalty) - low) / whole
	return round2(math.Exp(low + whole*(float64(u)+at)/float64(rungs)))
}

// path returns the order of candidates from the penalty of the simplest model on.
func (s space) path(group []candidate) []int {
	order := make([]int, len(group))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		if s.penalty == "lambda" {
			i, j = j, i
		}
		return cmp.Compare(group[i].penalty, group[j].penalty)
	})
	return order
}

// distinct returns the first candidates that are different.
func (s space) distinct(all []candidate, most int) []candidate {
	var out []candidate
	seen := map[candidate]bool{}
	for _, c := range all {
		if len(out) < most && !seen[c] {
			seen[c] = true
			out = append(out, c)
		}
	}
	return out
}

// round2 rounds to two digits, which is as exact as a penalty needs to be.
func round2(v float64) float64 {
	r, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'e', 1, 64), 64) // it was just written
	return r
}

// choices returns the choices that ask for a candidate, but for its kernel.
func (c candidate) choices(of *settled, s space) *settled {
	out := *of
	out.Map.Name, out.mapOpen, out.unchosen = s.maps[c.way], false, false
	if c.dim > 0 && out.traits.Kernel {
		out.Learner.Args = with(maps.Clone(out.Learner.Args), "dim", c.dim)
	} else if c.dim > 0 {
		out.Map.Args = with(maps.Clone(out.Map.Args), "dim", c.dim)
	}
	if s.penalty != "" {
		out.Learner.Args = with(maps.Clone(out.Learner.Args), s.penalty, c.penalty)
	}
	return &out
}

// medians are the median distances of some vectors, the unit of the widths that
// are tried. Those of other instances are not used.
type medians struct {
	euclidean, taxi float64
}

// newMedians measures what the space needs to know of the instances.
func newMedians[T any](s space, x data.Source[T], sd uint64) medians {
	w := medians{euclidean: 1, taxi: 1}
	v, ok := any(x).(data.Source[data.Vector])
	if !ok || !s.width {
		return w
	}
	for _, k := range s.kernels {
		if k.Open() && w.euclidean == 1 {
			w.euclidean = kernel.MedianDistance(v, sd)
		}
		if strings.TrimSpace(k.String()) == spec.Laplace && w.taxi == 1 {
			w.taxi = kernel.MedianTaxi(v, sd)
		}
	}
	return w
}

// makeKernel makes the kernel of a candidate. A Gaussian has
//
//	gamma = factor/(2·median²)
//
// with the median of |x - y|, a Laplacian factor/median with that of Σ|x_j - y_j|.
func makeKernel[T any](kind spec.Kind[T], s space, c candidate, w medians, sd uint64) (kernel.Kernel[T], error) {
	k := s.kernels[c.kernel]
	text := strings.TrimSpace(k.String())
	switch {
	case !s.width:
		return kind.Make(k, data.Slice[T]{}, sd)
	case text == spec.Gauss:
		return makeWidth(kind, text, c.factor/(2*w.euclidean*w.euclidean), sd)
	case text == spec.Laplace:
		return makeWidth(kind, text, c.factor/w.taxi, sd)
	}
	// In a larger kernel the width is taken from data. Two points as far apart as
	// the width that is wanted have it as the median of their distances.
	two := data.Slice[data.Vector]{data.Dense(0), data.Dense(w.euclidean / math.Sqrt(c.factor))}
	x, ok := any(two).(data.Source[T])
	if !ok {
		return nil, fmt.Errorf("the kernel %s is for vectors", k)
	}
	return kind.Make(k, x, sd)
}

// makeWidth makes a kernel of a gamma of four digits, so that people can copy it.
func makeWidth[T any](kind spec.Kind[T], name string, gamma float64, sd uint64) (kernel.Kernel[T], error) {
	k, err := spec.Parse(fmt.Sprintf("%s(gamma=%.4g)", name, gamma))
	if err != nil {
		return nil, err
	}
	return kind.Make(k, data.Slice[T]{}, sd)
}
