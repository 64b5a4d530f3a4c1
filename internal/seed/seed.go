// Package seed derives independent random streams from one seed. Streams are
// named by purpose and block index, never by worker, so that results do not
// depend on how many workers there are.
package seed

import "math/rand/v2"

// Purposes of streams. Two uses of one seed with different purposes are
// independent. The numbers are part of what makes results reproducible: they
// are never reused or renumbered.
const (
	Split uint64 = iota + 1
	Landmarks
	Projection
	Shuffle
	Generator
	Noise
	Bandwidth
	Frequencies
	Hashes
	Sketch
	Folds
	Candidates
	Resamples
	Directions
	Crossing
	Experiments
	Recipes
	Reservoir
	StreamFolds
	StreamHeldOut
	Curvature
	Explanations
)

// Parts of a training that divide rows, each with a seed of its own. The numbers
// are part of what makes results reproducible, as those above.
const (
	Choice        uint64 = iota // a sample to choose on
	ChoiceHeldOut               // what is held out of it
	CurveHeldOut                // what an error-at-margin curve is counted on
	Conformal                   // rows for prediction sets
	Calibration                 // those of them that probabilities are fitted to
	SearchSample                // a sample to compare kernels, dimensions and maps on
	SearchHeldOut               // what is held out of it
	SearchSplit                 // what a search tests on where it has no folds
	MetricHeldOut               // what rounds of learning a metric are compared on
)

// Derive returns the seed of a part.
func Derive(seed, part uint64) uint64 { return seed + part }

// Stream returns the random stream of a seed for a purpose and a block.
func Stream(seed, purpose, block uint64) *rand.Rand {
	return rand.New(rand.NewPCG(mix(seed^mix(purpose)), mix(block+0x9e3779b97f4a7c15*seed)))
}

// Hash returns the number that a seed gives an index for a purpose, uniform over 64
// bits. It depends on nothing but these three, so that rows can be drawn or divided
// by their place in the data, in any order and on any machine.
func Hash(seed, purpose, index uint64) uint64 { return mix(mix(seed^mix(purpose)) ^ mix(index)) }

// Reorder shuffles the order of a pass over rows, each pass by a stream of its own.
func Reorder(order []int, seed uint64, pass int) {
	swap := func(i, j int) { order[i], order[j] = order[j], order[i] }
	Stream(seed, Shuffle, uint64(pass)).Shuffle(len(order), swap)
}

// mix is the finaliser of splitmix64: a bijection on 64 bits that spreads
// neighbouring inputs over the whole range.
func mix(z uint64) uint64 {
	z += 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Choose returns k distinct indices of 0..n-1 drawn uniformly, in the order in
// which they were drawn; all n of them if k ≥ n.
func Choose(n, k int, seed, purpose uint64) []int {
	return Stream(seed, purpose, 0).Perm(n)[:min(k, n)]
}
