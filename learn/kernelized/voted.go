package kernelized

import (
	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kernel"
)

// Voted is a sequence of separators that vote. Separator k is the sum of
// Sign[j]·φ(Support[Order[j]]) over j ≤ k and has Votes[k] votes, the number of
// instances after which it was the perceptron's; the first, w = 0, has none. It
// is immutable and safe for concurrent use.
type Voted[T any] struct {
	Kernel  kernel.Kernel[T]
	Support data.Source[T]
	Order   []int     // which instance was added
	Sign    []float64 // its label
	Votes   []int
}

// Score returns the part of the votes that are for +1 less the part that are for
// -1, where a score of 0 votes for +1: one evaluation of the kernel an instance
// of Support and an addition a separator.
func (v *Voted[T]) Score(x T) float64 {
	values := make([]float64, v.Support.Len())
	for p := range values {
		values[p] = v.Kernel.Eval(v.Support.At(p), x)
	}
	score, balance, all := 0.0, 0, 0
	for k, p := range v.Order {
		score += v.Sign[k] * values[p]
		all += v.Votes[k]
		if score >= 0 {
			balance += v.Votes[k]
		} else {
			balance -= v.Votes[k]
		}
	}
	if all == 0 {
		return 0
	}
	return float64(balance) / float64(all)
}

// Predict returns +1 where the score is at least 0 and -1 elsewhere.
func (v *Voted[T]) Predict(x T) float64 {
	if v.Score(x) >= 0 {
		return 1
	}
	return -1
}

// votedOf returns the separators of a run.
func votedOf[T any](k kernel.Kernel[T], x data.Source[T], a *averaging) *Voted[T] {
	place, index := make([]int, len(a.y)), []int{}
	for i, c := range a.counts {
		if c > 0 {
			place[i] = len(index)
			index = append(index, i)
		}
	}
	v := &Voted[T]{Kernel: k, Support: take(x, index)}
	for j, m := range a.mistakes {
		until := a.shown + 1
		if j+1 < len(a.mistakes) {
			until = a.mistakes[j+1].time
		}
		v.Order = append(v.Order, place[m.instance])
		v.Sign = append(v.Sign, a.y[m.instance])
		v.Votes = append(v.Votes, until-m.time)
	}
	return v
}
