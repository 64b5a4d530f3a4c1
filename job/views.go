package job

import (
	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/model"
)

// view is a way to encode the rows.
type view[T any] struct {
	scale  scale.Kind
	part   *part[T]
	sample model.Sample[T] // some of the rows to train on
}

// Dense vectors that come from no table are scaled if they have at most so many
// coordinates; more are pixels or counts as a rule, whose sizes mean something.
const (
	mostScalable = 256
	denseEnough  = 0.5
)

// scales returns the ways in which the rows may be encoded.
func (t *training[T]) scales() []scale.Kind {
	if t.o.Scale != "" && t.o.Scale != "auto" {
		return []scale.Kind{t.part.encoding.Scaled()}
	}
	if t.rows.HasNumbers() {
		if len(t.part.encoding.Table.Numbers()) == 0 {
			return []scale.Kind{t.part.encoding.Scaled()}
		}
		return []scale.Kind{scale.Standard, scale.Quantile}
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
