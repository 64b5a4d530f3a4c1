package explain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/order"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/run"
)

// Permutation measures how much worse a model gets when a column tells it nothing: when
// each row has the cell of another row there (Breiman 2001, Fisher, Rudin and Dominici
// 2019). With L(i, j) the loss of row i with the cell of row j, the importance is
//
//	mean over i ≠ j of L(i, j)  -  mean over i of L(i, i)
//
// or, for a metric that is no mean over rows, the same difference of the metric. Each of
// the Repeats passes takes another row for each row, all of them in a random circle, so
// that no row keeps its cell and each gives its own once.
type Permutation struct {
	Metric     string  // see ParseMetric; empty for the error, or the RMSE of numbers
	Repeats    int     // passes
	Confidence float64 // of the intervals
	Rows       int     // at most, drawn from those given; 0 for all
	Most       int     // columns at most, those that most rows have something in; 0 for all
	Seed       uint64
	Run        run.Control
}

// NewPermutation returns the recipe of 5 passes over at most 5,000 rows, for at most
// 1,000 columns, with intervals of confidence 0.95.
func NewPermutation() Permutation {
	return Permutation{Repeats: 5, Confidence: 0.95, Rows: 5000, Most: 1000, Seed: 1}
}

// Validate reports every field that is out of range.
func (p Permutation) Validate() error {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	if p.Repeats < 1 || p.Repeats > mostRepeats {
		fault("repeats is %d and must be at least 1 and at most %d", p.Repeats, mostRepeats)
	}
	if !(p.Confidence > 0 && p.Confidence < 1) {
		fault("confidence is %v and must be above 0 and below 1", p.Confidence)
	}
	if p.Rows < 0 || p.Rows > 0 && p.Rows < fewestRows {
		fault("rows is %d and must be at least %d, or 0 for all", p.Rows, fewestRows)
	}
	if p.Most < 0 {
		fault("most is %d and must be at least 0", p.Most)
	}
	return errors.Join(faults...)
}

const (
	mostRepeats = 10_000
	fewestRows  = 10   // of which a spread can be told
	mostGroups  = 20   // of rows that are left out in turn
	blockOfRows = 4096 // rows that are changed and scored together
)

// Importance is that of a column.
type Importance struct {
	Column string   `json:"column"`
	Mean   float64  `json:"mean"` // how much the loss grows
	Low    float64  `json:"low"`
	High   float64  `json:"high"`
	Metric *float64 `json:"learned_metric,omitempty"` // share of the column in the metric's diagonal, of 1 in all
}

// Ranking are the columns of a model by importance, the largest first.
type Ranking struct {
	Importance []Importance `json:"importance"`
	Metric     string       `json:"metric"`
	Loss       float64      `json:"loss"` // by the metric, of the rows as they are
	Rows       int          `json:"rows"`
	Repeats    int          `json:"repeats"`
	Confidence float64      `json:"confidence"`
	LeftOut    int          `json:"left_out,omitempty"` // columns that few rows have something in
}

// ErrFew reports rows that are too few to tell a spread.
var ErrFew = fmt.Errorf("importance needs at least %d labelled rows", fewestRows)

// ErrFar reports predictions whose loss is past all numbers.
var ErrFar = errors.New("predictions are so far from the truth that their loss is past all numbers")

// Columns ranks the columns of rows that the model has encoded.
//
// The intervals hold, with the confidence, the importance on new rows: that of this
// model, fitted once, over the distribution that the rows were drawn from independently.
// They are estimate ± t·se by the jackknife: rows are divided into 20 groups, each group
// is left out in turn as both those that take cells and those that give them, and t is
// the quantile of Student's distribution of 19 degrees. That approaches the confidence
// with many rows, for each column by itself. An interval of 0 to 0 says that no loss
// changed at all.
//
// The result is the same for any number of workers. The cost is that of scoring the
// changed rows, Repeats times for each column.
func (p Permutation) Columns(ctx context.Context, m *model.Model, x *model.Encoded, t Truth) (*Ranking, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	metric, err := ParseMetric(p.Metric, m.Head)
	if err != nil {
		return nil, err
	}
	p.Metric = metric
	live := p.draw(&t)
	if len(live) < fewestRows {
		return nil, ErrFew
	}
	if x, err = m.Pick(x, live); err != nil {
		return nil, err
	}
	all, err := m.Columns(x)
	if err != nil {
		return nil, err
	}
	out := &Ranking{Metric: metric, Rows: len(live), Repeats: p.Repeats, Confidence: p.Confidence,
		Importance: []Importance{}}
	columns := most(all, p.Most)
	out.LeftOut = len(all) - len(columns)
	outputs := m.Outputs()
	if err := p.Run.Reserve("the scores of the rows", 24*float64(len(live))*float64(outputs),
		"give fewer rows"); err != nil {
		return nil, err
	}
	e := &exchange{p: &p, m: m, x: x, truth: chosen(t, live)}
	if err := e.begin(ctx); err != nil {
		return nil, err
	}
	if out.Loss = e.loss(e.scores, e.truth.Weight); !finite(out.Loss) {
		return nil, ErrFar
	}
	p.Run.Progress.Begin("exchange columns", int64(len(columns)))
	defer p.Run.Progress.End()
	for i, c := range columns {
		one, err := e.column(ctx, c)
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", c.Name, err)
		}
		if !finite(one.Mean, one.Low, one.High) {
			return nil, fmt.Errorf("column %s exchanged: %w", c.Name, ErrFar)
		}
		out.Importance = append(out.Importance, one)
		p.Run.Progress.Advance(int64(i + 1))
	}
	addMetric(m, columns, out.Importance)
	order.Stable(out.Importance, func(a, b Importance) int { return cmp.Compare(b.Mean, a.Mean) })
	return out, nil
}

// finite reports whether all values are numbers.
func finite(values ...float64) bool {
	return !slices.ContainsFunc(values, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
}

// draw returns the rows that count: all of a weight above 0, or some of these.
func (p Permutation) draw(t *Truth) []int {
	var live []int
	for i := range t.Len() {
		if t.Weight == nil || t.Weight[i] > 0 {
			live = append(live, i)
		}
	}
	if p.Rows == 0 || len(live) <= p.Rows {
		return live
	}
	order := seed.Stream(p.Seed, seed.Explanations, 0).Perm(len(live))[:p.Rows]
	slices.Sort(order)
	for k, i := range order {
		order[k] = live[i]
	}
	return order
}

// chosen returns what is true of some rows, each with a weight.
func chosen(t Truth, index []int) Truth {
	out := Truth{Weight: make([]float64, len(index))}
	for k, i := range index {
		if t.Classes != nil {
			out.Classes = append(out.Classes, t.Classes[i])
		} else {
			out.Values = append(out.Values, t.Values[i])
		}
		if out.Weight[k] = 1; t.Weight != nil {
			out.Weight[k] = t.Weight[i]
		}
	}
	return out
}

// most returns the columns that most rows have something in, in their order.
func most(all []model.Column, limit int) []model.Column {
	if limit == 0 || len(all) <= limit {
		return all
	}
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(all[j].Rows, all[i].Rows) })
	order = order[:limit]
	slices.Sort(order)
	out := make([]model.Column, limit)
	for k, i := range order {
		out[k] = all[i]
	}
	return out
}

// addMetric adds the shares of columns in the diagonal of the metric that was learnt; of
// a blend the mean over the parts that have one, by weight.
func addMetric(m *model.Model, columns []model.Column, to []Importance) {
	share, weights := make([]float64, len(columns)), 0.0
	for _, d := range m.Diagonals() {
		sum := 0.0
		for _, v := range d.Diagonal {
			sum += v
		}
		if !(sum > 0) {
			continue
		}
		weights += d.Weight
		for i, c := range columns {
			share[i] += d.Weight * c.DiagonalOf(d.Diagonal) / sum
		}
	}
	if weights == 0 {
		return
	}
	for i := range to {
		v := share[i] / weights
		to[i].Metric = &v
	}
}

// exchange is a measurement under way.
type exchange struct {
	p      *Permutation
	m      *model.Model
	x      *model.Encoded
	truth  Truth
	loss   func(scores *data.Matrix, weight []float64) float64
	scores *data.Matrix // of the rows as they are

	group  []int // of each row
	many   int   // groups
	passes []pass
}

// pass is one exchange of cells.
type pass struct {
	donor []int     // the row whose cell a row gets
	base  []float64 // losses of the rows as they are, without each group; the last is that of all
}

// begin scores the rows as they are, and draws groups and passes.
func (e *exchange) begin(ctx context.Context) error {
	n := e.x.Len()
	e.loss = lossOf(e.p.Metric, e.m.Head, &e.truth)
	e.many, e.group = min(mostGroups, n), make([]int, n)
	for place, i := range seed.Stream(e.p.Seed, seed.Explanations, 1).Perm(n) {
		e.group[i] = place % e.many
	}
	var err error
	if e.scores, err = e.m.ScoreEncoded(ctx, e.p.Run.Quiet(), e.x); err != nil {
		return err
	}
	for r := range e.p.Repeats {
		circle, donor := seed.Stream(e.p.Seed, seed.Explanations, uint64(2+r)).Perm(n), make([]int, n)
		for k, i := range circle {
			donor[i] = circle[(k+1)%n]
		}
		base, err := e.losses(ctx, e.scores, donor)
		if err != nil {
			return err
		}
		e.passes = append(e.passes, pass{donor, base})
	}
	return nil
}

// losses returns the losses of scores without each group, among those that give cells
// too, and last that of all. A row counts by its weight times that of the row whose cell
// it gets: as many rows as it stands for take as many cells. Losses before and after an
// exchange are by the same weights, so that rows which it does not change cancel.
func (e *exchange) losses(ctx context.Context, scores *data.Matrix, donor []int) ([]float64, error) {
	out := make([]float64, e.many+1)
	err := par.For(ctx, e.p.Run.Quiet(), "", len(out), func(g int) error {
		weight := make([]float64, len(donor))
		for i, j := range donor {
			if e.group[i] != g && e.group[j] != g {
				weight[i] = e.truth.Weight[i] * e.truth.Weight[j]
			}
		}
		out[g] = e.loss(scores, weight)
		return nil
	})
	return out, err
}

// column measures one.
func (e *exchange) column(ctx context.Context, c model.Column) (Importance, error) {
	growth := make([]float64, e.many+1)
	scores := data.NewMatrix(e.scores.Rows, e.scores.Cols)
	for _, pass := range e.passes {
		copy(scores.Data, e.scores.Data)
		changed, err := e.rescore(ctx, scores, pass.donor, c)
		if err != nil {
			return Importance{}, err
		}
		if !changed {
			continue
		}
		l, err := e.losses(ctx, scores, pass.donor)
		if err != nil {
			return Importance{}, err
		}
		for g, v := range l {
			growth[g] += (v - pass.base[g]) / float64(len(e.passes))
		}
	}
	mean, reach := growth[e.many], student(e.p.Confidence, e.many-1)*jackknife(growth[:e.many])
	return Importance{Column: c.Name, Mean: mean, Low: mean - reach, High: mean + reach}, nil
}

// rescore sets the scores of rows whose column another row's cell changes.
func (e *exchange) rescore(ctx context.Context, scores *data.Matrix, donor []int, c model.Column) (bool, error) {
	any := false
	for lo := 0; lo < len(donor); lo += blockOfRows {
		hi := min(lo+blockOfRows, len(donor))
		to := make([]int, hi-lo)
		for k := range to {
			to[k] = lo + k
		}
		x, places, err := e.m.Swap(e.x, to, e.x, donor[lo:hi], c)
		if err != nil {
			return false, err
		}
		if len(places) == 0 {
			continue
		}
		s, err := e.m.ScoreEncoded(ctx, e.p.Run.Quiet(), x)
		if err != nil {
			return false, err
		}
		for k, at := range places {
			copy(scores.Row(lo+at), s.Row(k))
		}
		any = true
	}
	return any, nil
}

// jackknife returns the standard error of an estimate, given those without each group:
// √((G-1)/G · Σ (θ_g - mean θ)²).
func jackknife(without []float64) float64 {
	n, mean, sum := float64(len(without)), 0.0, 0.0
	for _, v := range without {
		mean += v / n
	}
	for _, v := range without {
		sum += (v - mean) * (v - mean)
	}
	return math.Sqrt((n - 1) / n * sum)
}

// student returns the t within which Student's distribution lies with a probability.
func student(confidence float64, freedom int) float64 {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(freedom)}.Quantile(0.5 + confidence/2)
}
