package cli

import (
	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/data/table"
	"github.com/kerf-ml/kerf/spec"
)

// scaling returns the scaling of numbers. They are taken as they stand if the user
// gave the kernel's width, which is in their units, and where they come from no
// table: then they may be sparse.
func (f *inputFlags) scaling(in *input, open bool) (scale.Kind, error) {
	if f.scale == "auto" {
		if in.table != nil && in.kind == spec.KindVectors && open {
			return scale.Standard, nil
		}
		return scale.None, nil
	}
	s, err := scale.Parse(f.scale)
	if err != nil {
		return s, usage("--%w, or auto", err)
	}
	return s, nil
}

// fitScaling returns the scaling of vectors that come from no table, nil for none.
func (in *input) fitScaling(rows []int, kind scale.Kind) (*scale.Vectors, error) {
	if kind == scale.None {
		return nil, nil
	}
	stored := 0.0
	for i := range in.rows.Len() {
		stored += float64(len(in.rows.At(i).Value))
	}
	full := float64(in.Len()) * float64(data.Dim(in.rows))
	if full > mostFilled*max(stored, 1) {
		return nil, usage("--scale %s would fill the zeros of sparse data, %.0f values for each that is stored; use --scale none", kind, full/max(stored, 1))
	}
	if err := in.ctl.Reserve("the scaled rows", 16*full, "use --scale none, which leaves zeros out"); err != nil {
		return nil, err
	}
	return scale.FitVectors(kind, in.rows, rows), nil
}

// mostFilled is how many values scaling may make of one that is stored.
const mostFilled = 50

// scaled returns the scaling of the encoding's numbers.
func (e *encoding) scaled() scale.Kind {
	switch {
	case e.Table != nil:
		return e.Table.Scale
	case e.Scaling != nil:
		return e.Scaling.Kind
	}
	return scale.None
}

// mostWarned is the dimension up to which the spreads of vectors are looked at
// that come from no table. Those of more are sparse for the most part.
const mostWarned = 256

// warnScales tells of columns whose sizes are so different that a distance sees
// only one of them.
func (a *app) warnScales(e *encoding, instances any) {
	x, ok := instances.(data.Source[data.Vector])
	if !ok || e.scaled() != scale.None || x.Len() == 0 {
		return
	}
	var numbers []int
	if e.Table != nil {
		for _, c := range e.Table.Columns {
			if c.Kind == table.Number {
				numbers = append(numbers, c.Offset)
			}
		}
	} else if dim := data.Dim(x); dim <= mostWarned {
		for j := range dim {
			numbers = append(numbers, j)
		}
	}
	if low, high := spreads(x, numbers); high/low > 100 {
		a.warn("the columns' spreads differ by a factor of %.0f; try --scale standard", high/low)
	}
}
