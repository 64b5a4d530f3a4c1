package job

import (
	"math"

	"github.com/kerf-ml/kerf/eval"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/sums"
)

const (
	// mostMeasured is how many rows an evaluation keeps at most, or as many as take
	// measuredShare of the budget: with a million the AUC of a sample is that of all to 0.1%.
	mostMeasured  = 1 << 20
	measuredShare = 1.0 / 16
)

// whole is what is known of all rows of an evaluation, of which a uniform sample is kept
// where they are many. A nil one keeps them all.
type whole struct {
	sample  *sums.Reservoir
	numbers []int // of the rows that are kept, from 0
	rows    int
	live    int // of positive weight
	zero    int

	// Of classes: sums of weights and numbers of rows of each true class, the last one for
	// unknown ones, and predicted one.
	weight  [][]float64
	confuse [][]int
	margin  [2]float64 // least and largest

	// Of numbers: sums of weights, squares and values of errors, and the truth.
	sum, squares, absolute float64
	weighted               bool
	square                 float64 // of weights
	truthMean, truthSquare float64 // by weight
}

// newWhole returns what is known of no rows of a model.
func newWhole(o *Options, m *model.Model) *whole {
	outputs := m.Outputs()
	each := 8 * float64(6+2*outputs)
	most := min(mostMeasured, int(measuredShare*float64(o.budget())/each))
	w := &whole{sample: sums.NewReservoir(o.Seed, most), margin: [2]float64{math.Inf(1), math.Inf(-1)}}
	if k := m.Classes.Len(); !m.Regresses() {
		for range k + 1 {
			w.weight, w.confuse = append(w.weight, make([]float64, k)), append(w.confuse, make([]int, k))
		}
	}
	return w
}

// add counts the last n rows of an evaluation, and lets go of rows where there are too many.
func (w *whole) add(v *evaluation, n int) error {
	if w == nil {
		return nil
	}
	at := len(w.numbers)
	for i := at; i < at+n; i++ {
		weight := 1.0
		if v.weights != nil {
			weight, w.weighted = v.weights[i], true
		}
		if w.count(v, i, weight); weight > 0 {
			w.live++
		} else {
			w.zero++
		}
		w.sample.Offer(w.rows)
		w.numbers = append(w.numbers, w.rows)
		w.rows++
	}
	if len(w.numbers) > w.sample.Most+w.sample.Most/2 {
		w.let(v)
	}
	return nil
}

// count adds row i of those kept to the sums.
func (w *whole) count(v *evaluation, i int, weight float64) {
	w.sum += weight
	w.square += weight * weight
	if v.m.Regresses() {
		e, y := v.scores[i]-v.truth.values[i], v.truth.values[i]
		w.squares += weight * e * e
		w.absolute += weight * math.Abs(e)
		if w.sum > 0 { // the moments of West (1979), by weight
			step := y - w.truthMean
			w.truthMean += step * weight / w.sum
			w.truthSquare += weight * step * (y - w.truthMean)
		}
		return
	}
	t := v.truth.y[i]
	if t < 0 {
		t = len(w.confuse) - 1
	}
	w.weight[t][v.predicted[i]] += weight
	w.confuse[t][v.predicted[i]]++
	w.margin = [2]float64{min(w.margin[0], v.margins[i]), max(w.margin[1], v.margins[i])}
}

// let lets go of the rows that are not in the sample.
func (w *whole) let(v *evaluation) {
	var index []int
	for i, row := range w.numbers {
		if w.sample.Kept(row) {
			index = append(index, i)
		}
	}
	cols := 1
	if v.truth.y != nil {
		cols = len(v.scores) / len(w.numbers)
	}
	for to, i := range index {
		copy(v.scores[to*cols:(to+1)*cols], v.scores[i*cols:(i+1)*cols])
	}
	v.scores = v.scores[:len(index)*cols]
	w.numbers = only(w.numbers, index)
	v.predicted, v.truth.y, v.margins = only(v.predicted, index), only(v.truth.y, index), only(v.margins, index)
	v.truth.values, v.weights = only(v.truth.values, index), only(v.weights, index)
}

// only moves the elements that index names, in increasing order, to the front.
func only[E any](list []E, index []int) []E {
	if list == nil {
		return nil
	}
	for to, i := range index {
		list[to] = list[i]
	}
	return list[:len(index)]
}

// settle lets go of the last rows too many, and says what measures are of.
func (v *evaluation) settle() {
	w := v.whole
	if w == nil || w.rows <= w.sample.Most {
		v.whole = nil
		return
	}
	w.let(v)
	exact := "errors and the table of classes are"
	if v.m.Regresses() {
		exact = "RMSE, MAE and R² are"
	}
	v.o.note("%s: %s rows; %s of all of them, the other measures and the intervals of a uniform sample of %s", v.path,
		grouped(int64(w.rows)), exact, grouped(int64(len(w.numbers))))
}

// metrics are those of all rows: cells of the table count as rows of their weight.
func (w *whole) metrics() (eval.Metrics, int) {
	var truth, predicted []int
	var weight []float64
	unknown, classes := 0, len(w.confuse)-1
	for t, row := range w.confuse {
		for p, n := range row {
			if n == 0 {
				continue
			}
			c := t
			if t == classes {
				c, unknown = -1, unknown+n
			}
			truth, predicted, weight = append(truth, c), append(predicted, p), append(weight, w.weight[t][p])
		}
	}
	m := eval.Measure{Weight: weight}.Metrics(predicted, truth, classes)
	m.N, m.Weights = w.live, w.weights()
	return m, unknown
}

// weights are those of all rows, nil where they have none.
func (w *whole) weights() *eval.Weights {
	if !w.weighted {
		return nil
	}
	return &eval.Weights{Sum: w.sum, Effective: w.sum * (w.sum / w.square), Zero: w.zero}
}

// classesOf puts what is known of all rows in the place of what is of the sample.
func (w *whole) classesOf(c *ClassEvaluation) {
	if w == nil {
		return
	}
	c.Metrics, c.Unknown = w.metrics()
	if !w.weighted {
		wrong := int(math.Round(c.Error * float64(w.rows)))
		c.Intervals.Error = share(wrong, w.rows, c.Confidence)
		c.Intervals.Accuracy = share(w.rows-wrong, w.rows, c.Confidence)
	}
	c.Confusion = w.confuse[:len(w.confuse)-1]
	c.Margins.Min, c.Margins.Max = w.margin[0], w.margin[1]
}

// share is the interval of a part of rows.
func share(count, n int, confidence float64) *eval.Interval {
	i, err := eval.Proportion(count, n, confidence)
	if err != nil {
		return nil
	}
	return &i
}

// numbersOf is the same of numbers.
func (w *whole) numbersOf(r *eval.Regression) {
	if w == nil {
		return
	}
	r.N, r.Weights = w.live, w.weights()
	r.RMSE, r.MAE = math.Sqrt(w.squares/w.sum), w.absolute/w.sum
	if r.R2 != nil && w.truthSquare > 0 {
		*r.R2 = 1 - w.squares/w.truthSquare
	}
}
