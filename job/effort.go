package job

import (
	"github.com/kerf-ml/kerf/dataset"
)

// Effort is how much work goes into choosing what nobody chose. It is measured in
// rows and candidates, not in seconds: what is tried depends on the data and the
// seed alone.
type Effort string

// The efforts. Quick tries some widths, dimensions and maps of one kernel and takes
// seconds; Normal lets encodings, kernels and learned metrics race on a sample, for
// about half a minute of two cores; Thorough does it on larger ones.
const (
	Quick    Effort = "quick"
	Normal   Effort = "normal"
	Thorough Effort = "thorough"
)

// Efforts are all of them.
var Efforts = []Effort{Quick, Normal, Thorough}

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
}

// rungs returns the sizes of an effort; empty is Normal.
func (e Effort) rungs() (rungs, error) {
	switch e {
	case Normal, "":
		return rungs{
			first: 1200, second: 3000, measure: 3000, keep: 6, shapes: 4, metric: 3000, rounds: 4, blend: 4,
			few: 8,
		}, nil
	case Thorough:
		return rungs{
			first: 3000, second: 7000, measure: 5000, keep: 12, shapes: 5, metric: 5000, rounds: 6, blend: 8,
			few: 12, wide: true,
		}, nil
	}
	return rungs{}, dataset.BadOption("%s is %q and must be quick, normal or thorough", dataset.Option("effort"),
		string(e))
}
