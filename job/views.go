package job

import (
	"fmt"
	"slices"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/data/table"
	"github.com/kerf-ml/kerf/model"
)

// coding is a way to encode rows: the scale of numbers, and what becomes of categories.
type coding struct {
	scale      scale.Kind
	categories table.Categories
}

// words says the way for people.
func (c coding) words() string {
	switch c.categories {
	case table.ByTarget:
		return fmt.Sprintf("%s numbers and shares of categories", c.scale)
	case table.Levels:
		return fmt.Sprintf("%s numbers and levels", c.scale)
	}
	return fmt.Sprintf("%s numbers", c.scale)
}

// view are the rows, encoded in a way.
type view struct {
	coding
	part   *part[data.Vector]
	sample model.Sample[data.Vector] // some of the rows to train on
}

// Dense vectors that come from no table are scaled if they have at most so many
// coordinates; more are pixels or counts as a rule, whose sizes mean something.
const (
	mostScalable = 256
	denseEnough  = 0.5
)

// statisticsRows is how many rows there must be for statistics of the target to be tried for categories:
// among fewer, those of some tell of others.
const statisticsRows = 1000

// codings returns the ways in which the rows may be encoded.
func (t *training[T]) codings() []coding {
	own := t.o.Read.Categories
	var out []coding
	for _, kind := range t.scales() {
		out = append(out, coding{kind, own})
	}
	if own == "" && t.part.train.Len() >= statisticsRows && t.hasCategories() {
		out = append(out, coding{out[0].scale, table.ByTarget})
	}
	if own == "" && t.part.encoding.Table != nil {
		out = append(out, coding{out[0].scale, table.Levels})
	}
	return out
}

// hasCategories reports a table with a column of categories that statistics are for.
func (t *training[T]) hasCategories() bool {
	s := t.part.encoding.Table
	return s != nil && slices.ContainsFunc(s.Columns, func(c table.Column) bool {
		return c.Kind == table.Category && len(c.Categories) > 2
	})
}

// same reports whether the way is no other for these rows than the first, of another schema: a mixed scale of a table
// without a column for logarithms, or levels where there are none.
func (c coding) same(s, first *table.Schema) bool {
	if c.categories == table.Levels {
		return s.SameColumns(first)
	}
	return c.scale == scale.Mixed && s != nil && !slices.ContainsFunc(s.Columns, func(c table.Column) bool {
		return c.Scale == scale.Log
	})
}

// scales returns the scales that are tried.
func (t *training[T]) scales() []scale.Kind {
	if t.o.Scale != "" && t.o.Scale != "auto" {
		return []scale.Kind{t.part.encoding.Scaled()}
	}
	if t.rows.HasNumbers() {
		if len(t.part.encoding.Table.Numbers()) == 0 {
			return []scale.Kind{t.part.encoding.Scaled()}
		}
		return []scale.Kind{scale.Standard, scale.Quantile, scale.Mixed}
	}
	x := any(t.part.train.X).(data.Source[data.Vector]) // nothing else is searched
	d, stored, n := data.Dim(x), 0, min(x.Len(), 1000)
	for i := range n {
		stored += len(x.At(i).Value)
	}
	if d > mostCoordinates && areCounts(x) {
		return []scale.Kind{scale.None, scale.TFIDF}
	}
	if d > mostScalable || float64(stored) < denseEnough*float64(n)*float64(d) {
		return []scale.Kind{scale.None}
	}
	return []scale.Kind{scale.Standard, scale.Quantile}
}

// areCounts reports whether no number of the vectors is below 0.
func areCounts(x data.Source[data.Vector]) bool {
	for i := range x.Len() {
		for _, v := range x.At(i).Value {
			if !(v >= 0) {
				return false
			}
		}
	}
	return true
}
