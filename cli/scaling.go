package cli

import (
	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/data/table"
	"github.com/kerf-ml/kerf/dataset"
)

// scaling returns the scaling of numbers. They are taken as they stand if the user
// gave the kernel's width, which is in their units, and where they come from no
// table: then they may be sparse.
func (f *inputFlags) scaling(in *dataset.Rows, open bool) (scale.Kind, error) {
	if f.scale == "auto" {
		if in.IsTable() && in.Kind == dataset.Vectors && open {
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

// mostWarned is the dimension up to which the spreads of vectors are looked at
// that come from no table. Those of more are sparse for the most part.
const mostWarned = 256

// warnScales tells of columns whose sizes are so different that a distance sees
// only one of them.
func (a *app) warnScales(e *dataset.Encoding, instances any) {
	x, ok := instances.(data.Source[data.Vector])
	if !ok || e.Scaled() != scale.None || x.Len() == 0 {
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
