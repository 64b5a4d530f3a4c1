package job

import (
	"math"

	"github.com/kerf-ml/kerf/dataset"
)

// Effort is how much work goes into choosing what nobody chose. It is measured in
// rows and candidates, not in seconds: what is tried depends on the data and the
// seed alone.
type Effort string

// The efforts. Least tries some widths, dimensions and maps of one kernel, and gives a
// linear separator of a short vector of features; Quick lets some kernels race on a small
// sample and takes seconds; Normal lets encodings, kernels and learned metrics race, for
// about half a minute of two cores; Thorough does it on larger samples.
const (
	Least    Effort = "least"
	Quick    Effort = "quick"
	Normal   Effort = "normal"
	Thorough Effort = "thorough"
)

// Efforts are all of them.
var Efforts = []Effort{Least, Quick, Normal, Thorough}

// rungs are the sizes of a race.
type rungs struct {
	first   int // rows that all arms are fitted to
	second  int // rows that the better ones are fitted to again
	measure int // rows that they are measured on
	keep    int // arms that get to the second rung
	shapes  int // families of kernels that are tried
	metric  int // rows that a metric is learnt from
	rounds  int // of learning a metric
	blend   int // arms that may be joined in the model
	few     int // arms that may be joined where rows are few
	wide    bool
	views   int  // ways to encode the rows that are tried, of other rows than texts
	all     int  // rows up to which all of them are landmarks
	dim     int  // landmarks past that
	near    bool // linear models are fitted as exactly as is enough for trials
	pair    int  // rows that a machine of two classes may have
}

// allViews is more than there are.
const allViews = 100

// rungs returns the sizes of an effort; empty is Normal.
func (e Effort) rungs() (rungs, error) {
	switch e {
	case Quick:
		return rungs{
			first: 500, second: 1500, measure: 2000, keep: 3, shapes: 4, blend: 1, few: 4, views: 1, all: choleskyRows,
			dim: 2048, pair: 4000, near: true,
		}, nil
	case Normal, "":
		return rungs{
			first: 1200, second: 3000, measure: 3000, keep: 6, shapes: 4, metric: 3000, rounds: 4, blend: 4,
			few: 8, views: allViews, all: stepsRows, dim: finalDim, pair: math.MaxInt,
		}, nil
	case Thorough:
		return rungs{
			first: 3000, second: 7000, measure: 5000, keep: 12, shapes: 5, metric: 5000, rounds: 6, blend: 8,
			few: 12, wide: true, views: allViews, all: stepsRows, dim: finalDim, pair: math.MaxInt,
		}, nil
	}
	return rungs{}, dataset.BadOption("%s is %q and must be least, quick, normal or thorough", dataset.Option("effort"),
		string(e))
}
