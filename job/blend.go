package job

import (
	"math"
	"slices"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/eval"
	"github.com/kerf-ml/kerf/model"
)

// members is how many arms are joined in a model: as many as can be fitted
// in the time.
func (s *search) members() int {
	switch n := s.rows(); {
	case n <= choleskyRows:
		return s.size.blend
	case n <= 2*choleskyRows:
		return max(1, s.size.blend/2)
	}
	return max(1, 3*s.size.blend/4) // beside the best one, those that are soon fitted
}

// blend chooses the arms that are joined, all of the view of the best one, and their
// weights, by the scores of the rows that they were measured on.
func (s *search) blend(finals []*arm) ([]*arm, []float64) {
	best := finals[0]
	if s.o.Single {
		return finals[:1], []float64{1}
	}
	if best.family == model.LearnerLogistic {
		return s.beside(best, finals[1:])
	}
	most := s.members()
	var among []*arm
	for _, a := range finals {
		odds := a.family == model.LearnerLogistic // scores that are not around +1 and -1 join no others
		if a.view == best.view && !odds && (a == best || !s.byAll(a, s.rows()) || s.rows() <= 2*choleskyRows) {
			among = append(among, a)
		}
	}
	if s.rows() > foldedRows {
		among = among[:min(len(among), 2*most)]
	}
	if most == 1 || len(among) == 1 {
		return finals[:1], []float64{1}
	}
	if s.rows() <= foldedRows { // too few rows to weigh the arms by: the mean of those that are nearly as good
		n, far := 1, best.loss*nearlyOf(s.views[best.view].sample)
		for n < min(len(among), s.size.few) && among[n].loss <= far {
			n++
		}
		return among[:n], equal(n)
	}
	on := measured(s.views[best.view].sample, s.second)
	scores := make([]*data.Matrix, len(among))
	for i, a := range among {
		scores[i] = a.scores
	}
	judge := newJudge(on, false)
	weight := eval.Greedy(len(among), 3*most, func(w []float64) float64 {
		some := 0
		for _, v := range w {
			if v > 0 {
				some++
			}
		}
		if some > most {
			return math.Inf(1)
		}
		return judge.loss(model.Blended(scores, w))
	})
	var arms []*arm
	var kept []float64
	for i, w := range weight {
		if w > 0 {
			arms, kept = append(arms, among[i]), append(kept, w)
		}
	}
	return arms, kept
}

// beside returns an arm of log odds, which joins no others, or the others joined where
// that is better.
func (s *search) beside(odds *arm, others []*arm) ([]*arm, []float64) {
	others = slices.DeleteFunc(slices.Clone(others), func(a *arm) bool { return a.family == odds.family })
	if len(others) > 0 {
		arms, weight := s.blend(others)
		scores := make([]*data.Matrix, len(arms))
		for i, a := range arms {
			scores[i] = a.scores
		}
		on := measured(s.views[arms[0].view].sample, s.second)
		if newJudge(on, false).loss(model.Blended(scores, weight)) < odds.loss {
			return arms, weight
		}
	}
	return []*arm{odds}, []float64{1}
}

// How much larger than the least a loss may be to be nearly as good. Squares alone differ less from arm to arm than
// with the errors beside them.
const (
	nearly        = 1.1
	nearlySquares = 1.05
)

// nearlyOf is that of arms measured on a sample.
func nearlyOf(s model.Sample[data.Vector]) float64 {
	if bySquares(s) {
		return nearlySquares
	}
	return nearly
}

// equal returns n weights that are the same.
func equal(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = 1 / float64(n)
	}
	return out
}

// held returns the scores of the rows that the second rung measured on, as those of rows
// of their own: one that was measured several times has the mean of its scores.
func (s *search) held(sample model.Sample[data.Vector], scores *data.Matrix) *model.HeldOut {
	place, index, times := map[int]int{}, []int{}, []float64{}
	out := data.NewMatrix(0, scores.Cols)
	row := 0
	for _, d := range s.second.parts {
		for _, i := range d.measure {
			at, known := place[i]
			if !known {
				at = len(index)
				place[i], index, times = at, append(index, i), append(times, 0)
				out.Data, out.Rows = append(out.Data, make([]float64, out.Cols)...), out.Rows+1
			}
			times[at]++
			for c, v := range scores.Row(row) {
				out.Row(at)[c] += (v - out.Row(at)[c]) / times[at]
			}
			row++
		}
	}
	on := sample.Select(index)
	return &model.HeldOut{Scores: out, Y: on.Y, Values: on.Values, Weight: on.Weight}
}

// steepest is the largest power of the number of rows by which an error is taken to
// fall.
const steepest = 0.6

// growth returns what the error of an arm is multiplied by when it is fitted to all
// rows: the error fell from the first rung to the second by a power of the rows, and
// is taken to go on so. It is 1 where the rungs had all rows.
func (s *search) growth(a *arm) float64 {
	n := float64(s.rows())
	if len(s.second.parts) > 1 || a.rows <= a.beforeRows || a.beforeRows == 0 || !(a.before > 0 && a.error > 0) {
		return 1
	}
	power := math.Log(a.before/a.error) / math.Log(float64(a.rows)/float64(a.beforeRows))
	return math.Pow(n/float64(a.rows), -min(max(power, 0), steepest))
}
