package explain

import (
	"cmp"
	"context"
	"slices"

	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/run"
)

// Search finds, part by part, the rows of a file that are most like rows which are
// explained, and which of its rows landmarks are: a model keeps its landmarks without
// their labels.
type Search struct {
	Most int // rows that are kept for each, at least 0
	Run  run.Control

	m    *model.Model
	x    *model.Encoded
	rows []*Row
}

// NewSearch returns a search of five rows for each of the rows that Why has explained,
// which the model has encoded as x.
func NewSearch(m *model.Model, x *model.Encoded, rows []*Row) *Search {
	return &Search{Most: 5, m: m, x: x, rows: rows}
}

// Add looks at some rows of the file, which the model has encoded as others.
func (s *Search) Add(ctx context.Context, r *dataset.Rows, others *model.Encoded) error {
	label := func(i int) string {
		if r.Labels == nil {
			return ""
		}
		return r.Labels[i]
	}
	for k, out := range s.rows {
		alike, err := s.m.Similarities(ctx, s.Run, s.x, k, others)
		if err != nil {
			return err
		}
		for i, v := range alike {
			s.keep(out, Similar{Row: r.First() + i + 1, Label: label(i), Similarity: v}, func() string {
				return s.m.Encoding.RowText(r, i)
			})
		}
		for _, list := range [][]Landmark{out.Landmarks, out.Strongest} {
			for j := range list {
				if err := s.find(ctx, &list[j], r, others, label); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// keep takes a row into the list of one that is explained, where it is near enough. Of
// rows that are equally near the first stays.
func (s *Search) keep(to *Row, one Similar, text func() string) {
	at, _ := slices.BinarySearchFunc(to.Similar, one, func(a, b Similar) int {
		if c := cmp.Compare(b.Similarity, a.Similarity); c != 0 {
			return c
		}
		return -1 // after all that are as near
	})
	if at >= s.Most {
		return
	}
	one.Text = text()
	to.Similar = slices.Insert(to.Similar, at, one)
	to.Similar = to.Similar[:min(len(to.Similar), s.Most)]
}

// find looks for a landmark among rows.
func (s *Search) find(
	ctx context.Context, l *Landmark, r *dataset.Rows, others *model.Encoded, label func(i int) string,
) error {
	landmarks := s.m.Landmarks(l.part)
	for i := 0; i < others.Len() && l.Row == 0; i++ {
		if i%blockOfRows == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if s.m.Same(landmarks, l.Landmark-1, others, i) {
			l.Row, l.Label, l.Text = r.First()+i+1, label(i), s.m.Encoding.RowText(r, i)
		}
	}
	return nil
}
