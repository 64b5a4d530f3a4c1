package model

import (
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/run"
)

// Worker is a learner that knows about how much work a fit to n rows of m features
// and so many separators is, in multiplications. It is asked for the sake of
// progress alone.
type Worker interface {
	Work(n, m, separators float64) float64
}

// Constants of the work, found by trial: they bear on the time that is said to be
// left, and on nothing else.
const (
	passWork    = 230  // passes over the features that a linear learner is worth
	listWork    = 100  // of finding or listing a feature of a row
	listNumbers = 2e7  // of lists, from which on they are read from memory
	listMap     = 1.4  // times as long listing takes then
	listPasses  = 1.8  // times as long a pass over them takes
	rawWork     = 5    // times as many over coordinates that no map has made
	warmPart    = 0.6  // of a fit, that one from the end of another takes
	machineWork = 100  // of a kernel machine, for each pair of rows beside its similarity
	machineRows = 3000 // up to which a kernel machine takes all pairs of them; of n rows about √(n/3000) times fewer
	supportPart = 0.15 // of the rows, that are a kernel machine's support
	overhead    = 32   // of a similarity, beside its coordinates
	widthRows   = 64   // that the width of instances is taken from
	unsized     = 1000 // features of a map that does not say
)

// work is about how many multiplications each stage of a fit takes.
type work struct{ fitMap, mapAll, choose, learn, score float64 }

func (w work) total() float64 { return w.fitMap + w.mapAll + w.choose + w.learn + w.score }

// Work is about how many multiplications it takes to fit the recipe to a sample.
func (r Recipe[T]) Work(s Sample[T]) float64 { return r.work(s, float64(s.Len())).total() }

// TrialWork is that of trials at so many penalties on a part of a sample, of n rows.
func (r Recipe[T]) TrialWork(s Sample[T], n float64, penalties int) float64 {
	r.Choose, r.Calibrate = false, ""
	w, pace := r.work(s, n), r.pace()
	w.learn = pathWork(w.learn*pace.trial/pace.fit, penalties)
	return w.total()
}

// pace is how long multiplications of fits take, beside those of maps: of trials on
// few rows, of trials at many penalties, and of the last fit.
type pace struct{ trial, choose, fit float64 }

func (r Recipe[T]) pace() pace {
	switch l := r.Learner.(type) {
	case Logistic:
		return pace{trial: 4, choose: 3, fit: 8} // many more passes to the end than trials make
	case Worker:
		return pace{1, 1, 1}
	default:
		if l.Traits().Kernel {
			return pace{1, 1, 1}
		}
		return pace{trial: 1.5, choose: 1, fit: 1.5}
	}
}

// work plans a fit to n rows of a sample.
func (r Recipe[T]) work(s Sample[T], n float64) work {
	each := width(s.X) + overhead
	separators := float64(learn.Separators(max(s.Classes.Len(), 2)))
	m, w, passes := float64(DimOf(r.Map)), work{}, float64(passWork)
	switch {
	case r.Learner.Traits().Kernel:
		m = n
		each += machineWork
	case r.Map.Name() == MapNone:
		m, passes = each-overhead, rawWork*passWork
	case r.Map.Name() == MapExplicit: // features that a row has, which are as many as it is long
		far := min(n*each/listNumbers, 1)
		m, w.fitMap, w.mapAll = each, listWork*n*each, listWork*n*each*(1+far*(listMap-1))
		passes *= 1 + far*(listPasses-1)
	default:
		if m == 0 {
			m = unsized
		}
		w.fitMap, w.mapAll = m*each, n*m*each
		if Landmarked(r.Map.Name()) {
			m = min(m, n)
			w.fitMap = m*m*each + m*m*m
			w.mapAll = n * m * (each + m/2)
		}
	}
	fit := func(n float64) float64 {
		switch l := r.Learner.(type) {
		case Worker:
			return l.Work(n, m, separators)
		default:
			if r.Learner.Traits().Kernel {
				return n * math.Sqrt(n*machineRows) * each
			}
			return passes * n * m * separators
		}
	}
	pace := r.pace()
	w.learn = pace.fit * fit(n)
	penalties := len(Penalties(r.Learner, r.Choose, s, GridC, GridLambda))
	if penalties > 1 || r.Calibrate != "" && s.Task == Classify {
		rows := min(n, chooseFewest)
		if !r.Learner.Traits().Kernel {
			rows = min(n, float64(chooseRows(m, separators)))
		}
		w.choose = pathWork(pace.choose*fit((1-HeldOutPart)*rows), penalties)
	}
	if penalties > 1 && !r.Learner.Traits().Kernel {
		w.learn *= warmPart // from the end of the best trial
	}
	w.score = n * m * separators
	if r.Learner.Traits().Kernel {
		w.score = n * m * each * supportPart / 2
	}
	if r.knowsScores(separators) {
		w.score = n * separators
	}
	return w
}

// knowsScores reports whether the learner knows the scores of the rows that it was fitted to.
func (r Recipe[T]) knowsScores(separators float64) bool {
	switch r.Learner.(type) {
	case KernelRidge[T]:
		return true
	case KernelSVM[T], NuSVM[T], OneClass[T], SVR[T], NuSVR[T]:
		return separators == 1 && r.Run.Precision == run.Float64
	}
	return false
}

// penaltyWork is the work of fit i along a path whose first one is given.
func penaltyWork(first float64, i int) float64 {
	if i > 0 {
		return warmPart * first
	}
	return first
}

// pathWork is the work of a whole path.
func pathWork(first float64, penalties int) float64 {
	return penaltyWork(first, 0) + float64(penalties-1)*penaltyWork(first, 1)
}

// chooseRows is how many rows a choice of a penalty looks at.
func chooseRows(features, separators float64) int {
	return int(min(max(chooseWork/max(features*separators, 1), chooseFewest), chooseMost))
}

// width is about how many numbers an instance has, from the first few.
func width[T any](x data.Source[T]) float64 {
	sum, n := 0, min(x.Len(), widthRows)
	for i := range n {
		switch v := any(x.At(i)).(type) {
		case data.Vector:
			sum += len(v.Value)
		case string:
			sum += textWork * len(v)
		case data.Set:
			sum += textWork * len(v)
		}
	}
	return float64(sum) / float64(max(n, 1))
}

// textWork is how many multiplications a letter of a string or an item of a set is
// worth.
const textWork = 8
