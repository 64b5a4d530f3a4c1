package job

import (
	"slices"

	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/internal/seed"
)

// sampled draws rows of a file uniformly while they are read part by part: those with
// the smallest numbers that a seed gives their places. Of rows of weight 0 none is
// drawn. It holds at most twice as many as it draws, and the rows of one part.
type sampled struct {
	most int // 0 for all
	seed uint64

	parts  []*dataset.Rows
	drawn  [][]uint64 // of each row of each part
	limit  uint64     // no row of a larger number counts any more; 0 for none yet
	number int        // rows in parts
}

// add takes rows of the file, before which there are others.
func (s *sampled) add(r *dataset.Rows, before int) {
	var index []int
	var drawn []uint64
	for i := range r.Len() {
		v := seed.Hash(s.seed, seed.Explanations, uint64(before+i))
		if (r.Weights == nil || r.Weights[i] > 0) && (s.limit == 0 || v <= s.limit) {
			index, drawn = append(index, i), append(drawn, v)
		}
	}
	if index == nil {
		return
	}
	if len(index) < r.Len() {
		r = r.Pick(index)
	}
	s.parts, s.drawn, s.number = append(s.parts, r), append(s.drawn, drawn), s.number+len(index)
	if s.most > 0 && s.number > 2*s.most {
		s.prune()
	}
}

// prune keeps the rows that count.
func (s *sampled) prune() {
	if s.most == 0 || s.number <= s.most {
		return
	}
	all := slices.Concat(s.drawn...)
	slices.Sort(all)
	s.limit, s.number = all[s.most-1], 0
	var parts []*dataset.Rows
	var drawn [][]uint64
	for k, r := range s.parts {
		var index []int
		var kept []uint64
		for i, v := range s.drawn[k] {
			if v <= s.limit {
				index, kept = append(index, i), append(kept, v)
			}
		}
		if index != nil {
			parts, drawn = append(parts, r.Pick(index)), append(drawn, kept)
			s.number += len(index)
		}
	}
	s.parts, s.drawn = parts, drawn
}

// rows returns the sample in the order of the file, nil where there is none.
func (s *sampled) rows() *dataset.Rows {
	s.prune()
	if len(s.parts) == 0 {
		return nil
	}
	return dataset.Join(s.parts)
}
