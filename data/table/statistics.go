package table

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/seed"
)

// Categories says what coordinates a column of categories has.
type Categories string

// OneHot, which empty means too, is a coordinate a category. ByTarget is statistics
// of the target, see Statistics, for each column of three categories or more. Auto
// is that for columns of more than 50 categories, and of more than 20 where all
// columns together have more than 500, and one coordinate a category for the others.
// Levels is a coordinate a category, for numbers of few values too, and a missing one of
// two categories is between them; see isLevels.
const (
	OneHot         Categories = "onehot"
	ByTarget       Categories = "target"
	AutoCategories Categories = "auto"
	Levels         Categories = "levels"
)

// What AutoCategories goes by, and the sizes of Statistics.
const (
	manyLevels   = 50
	manyOneHot   = 500
	mostFrequent = 20 // categories with a coordinate of their own beside the statistics
	mostShares   = 10 // classes of which shares are coordinates
	smoothing    = 10 // rows that the mean over all categories counts as
	crossFolds   = 5
)

// ParseCategories returns the way of a name.
func ParseCategories(name string) (Categories, error) {
	switch c := Categories(name); c {
	case "":
		return OneHot, nil
	case OneHot, ByTarget, AutoCategories, Levels:
		return c, nil
	}
	return "", fmt.Errorf("categories is %q and must be onehot, target, auto or levels", name)
}

// OfTarget reports whether the coordinates may be statistics of the target.
func (c Categories) OfTarget() bool { return c == ByTarget || c == AutoCategories }

// Statistics are coordinates of a category, in the place of one for each category
// but the most frequent: the mean of the target over the rows with the category,
// smoothed as (Σy + 10·m)/(n + 10) with m the mean over all rows, and log(1 + n). For
// classes the target is 1 in a class and 0 elsewhere: a mean for the second of two
// classes, one for each of up to ten. Each coordinate has mean 0 and deviation 1 over
// the training rows. Weights of rows have no part in it.
//
// Training rows must not see their own target: theirs are the means over the rows of
// the four other folds of five, which Recipe.FitEncode puts there, and no schema
// knows.
type Statistics struct {
	Frequent []int     `json:"frequent"` // categories with a coordinate of their own, at most 20, the first ones
	Names    []string  `json:"names"`    // of the statistics
	Values   []float64 `json:"values"`   // of category k those from k·len(Names) on
	Other    []float64 `json:"other"`    // of a missing or unknown category
}

// of returns the statistics of a category, unseen or absent.
func (s *Statistics) of(category int) []float64 {
	if m := len(s.Names); category >= 0 {
		return s.Values[category*m:][:m]
	}
	return s.Other
}

// valid reports whether the statistics are those of so many categories.
func (s *Statistics) valid(categories int) bool {
	m, last := len(s.Names), -1
	if m == 0 || len(s.Other) != m || len(s.Values) != categories*m || len(s.Frequent) > mostFrequent {
		return false
	}
	for _, k := range s.Frequent {
		if k <= last || k >= categories {
			return false
		}
		last = k
	}
	odd := func(v float64) bool { return v-v != 0 }
	return !slices.ContainsFunc(s.Values, odd) && !slices.ContainsFunc(s.Other, odd)
}

// target is what statistics are of: y[q·n+i] is target q of row i, of n.
type target struct {
	names []string
	y     []float64
	fold  []int8 // of each row
}

// target returns the targets of all rows of a table, nil where statistics are not
// wanted or there are more than ten classes.
func (r Recipe) target(t *Table, rows []int) (*target, error) {
	how, err := ParseCategories(string(r.Categories))
	if err != nil || !how.OfTarget() {
		return nil, err
	}
	n := t.Len()
	out := &target{fold: make([]int8, n)}
	for _, i := range rows {
		out.fold[i] = int8(seed.Stream(r.Seed, seed.Crossing, uint64(i)).IntN(crossFolds))
	}
	if r.Values != nil {
		largest := 0.0
		for _, i := range rows {
			largest = max(largest, math.Abs(r.Values[i]))
		}
		out.names, out.y = []string{"mean"}, make([]float64, n)
		for _, i := range rows {
			out.y[i] = r.Values[i] / max(largest, math.SmallestNonzeroFloat64) // no sum of these overflows
		}
		return out, nil
	}
	labels := r.Labels
	if labels == nil {
		labels = t.Labels()
	}
	if labels == nil {
		return nil, &data.InputError{
			File: t.Name, Problem: "there is no target that categories could have statistics of",
			Advice: "name the target, or take one coordinate a category",
		}
	}
	known := map[string]int{}
	for _, i := range rows {
		known[labels[i]] = 0
	}
	if len(known) > mostShares {
		return nil, nil
	}
	var names []string
	for name := range known {
		names = append(names, name)
	}
	slices.Sort(names)
	if len(names) == 2 {
		names = names[1:]
	}
	out.y = make([]float64, len(names)*n)
	for q, name := range names {
		out.names = append(out.names, "share of "+name)
		for _, i := range rows {
			if labels[i] == name {
				out.y[q*n+i] = 1
			}
		}
	}
	return out, nil
}

// crossed are the statistics of training rows by the folds that they are not in:
// values[i*m:(i+1)*m] of row rows[i].
type crossed struct {
	place  map[int]int
	values map[int][]float64 // by column of the schema
}

// fitStatistics puts statistics in the place of the coordinates of columns of many
// categories, and returns those of the training rows, nil for none.
func (r Recipe) fitStatistics(s *Schema, t *Table, rows []int) (*crossed, error) {
	y, err := r.target(t, rows)
	if y == nil || err != nil {
		return nil, err
	}
	all := 0
	for _, c := range s.Columns {
		all += len(c.Categories)
	}
	out := &crossed{place: make(map[int]int, len(rows)), values: map[int][]float64{}}
	for at, i := range rows {
		out.place[i] = at
	}
	for j := range s.Columns {
		c := &s.Columns[j]
		n := len(c.Categories)
		if n <= 2 || r.Categories == AutoCategories && n <= manyLevels && (n <= mostFrequent || all <= manyOneHot) {
			continue
		}
		out.values[j] = c.fitStatistics(y, newPart(c, t.column[j]), rows)
	}
	if len(out.values) == 0 {
		return nil, nil
	}
	return out, nil
}

// fitStatistics gives a column statistics and returns those of the rows themselves.
func (c *Column) fitStatistics(y *target, p *part, rows []int) []float64 {
	levels, targets, n := len(c.Categories), len(y.names), len(p.from.code)
	if p.from.code == nil {
		n = len(p.from.value)
	}
	// Counts and sums of each category, of all rows and of each fold; the last
	// category is any.
	count := make([]float64, (levels+1)*(crossFolds+1))
	sum := make([]float64, len(count)*targets)
	at := make([]int, len(rows))
	for k, i := range rows {
		at[k] = p.category(i)
		for _, level := range []int{at[k], levels} {
			if level < 0 {
				continue
			}
			for _, fold := range []int{int(y.fold[i]), crossFolds} {
				cell := level*(crossFolds+1) + fold
				count[cell]++
				for q := range targets {
					sum[cell*targets+q] += y.y[q*n+i]
				}
			}
		}
	}
	// value is the statistic q of a category by all rows but those of a fold,
	// crossFolds for none.
	value := func(level, fold, q int) float64 {
		over := func(level int) (n, s float64) {
			if level < 0 {
				return 0, 0
			}
			all := level*(crossFolds+1) + crossFolds
			n, s = count[all], sum[all*targets+q]
			if fold < crossFolds {
				n -= count[level*(crossFolds+1)+fold]
				s -= sum[(level*(crossFolds+1)+fold)*targets+q]
			}
			return n, s
		}
		n, s := over(levels)
		mean := s / max(n, 1)
		n, s = over(level)
		return (s + smoothing*mean) / (n + smoothing)
	}
	frequency := func(level int) float64 {
		if level < 0 {
			return 0
		}
		return math.Log1p(count[level*(crossFolds+1)+crossFolds])
	}
	m := targets + 1
	own := make([]float64, len(rows)*m)
	for k, i := range rows {
		for q := range targets {
			own[k*m+q] = value(at[k], int(y.fold[i]), q)
		}
		own[k*m+targets] = frequency(at[k])
	}
	st := &Statistics{Names: append(slices.Clone(y.names), "log count"), Other: make([]float64, m)}
	for level := range levels {
		for q := range targets {
			st.Values = append(st.Values, value(level, crossFolds, q))
		}
		st.Values = append(st.Values, frequency(level))
	}
	for q := range targets {
		st.Other[q] = value(absent, crossFolds, q)
	}
	standardise(m, own, st.Values, st.Other)
	st.Frequent = frequent(count, levels)
	c.Statistics, c.Size = st, len(st.Frequent)+m
	if c.Indicator {
		c.Size++
	}
	return own
}

// standardise gives each of m columns of the first list mean 0 and deviation 1, and
// does the same to the others.
func standardise(m int, lists ...[]float64) {
	for q := range m {
		n, mean, square := 0.0, 0.0, 0.0
		for k := q; k < len(lists[0]); k += m {
			n++
			mean += (lists[0][k] - mean) / n
		}
		for k := q; k < len(lists[0]); k += m {
			square += (lists[0][k] - mean) * (lists[0][k] - mean)
		}
		spread := math.Sqrt(square / n)
		if !(spread > 1e-9*math.Abs(mean)) { // the same in all rows, but for rounding
			spread = max(math.Abs(mean), 1)
		}
		for _, list := range lists {
			for k := q; k < len(list); k += m {
				list[k] = (list[k] - mean) / spread
			}
		}
	}
}

// frequent returns the most frequent categories, in increasing order; of equally
// frequent ones the first.
func frequent(count []float64, levels int) []int {
	order := make([]int, levels)
	for k := range order {
		order[k] = k
	}
	of := func(k int) float64 { return count[k*(crossFolds+1)+crossFolds] }
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(of(b), of(a)) })
	order = order[:min(levels, mostFrequent)]
	slices.Sort(order)
	return order
}
