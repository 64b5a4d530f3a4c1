package bound

// What the theorems leave of a margin γ, as parts of it.
const (
	KeptByProjection = 1.0 / 2 // a random projection; Blum 2006, theorem 3
	KeptByF2         = 1.0 / 2 // mapping F2; theorem 4
	KeptByF3         = 1.0 / 4 // mapping F3; theorem 5
	KeptByLift       = 1.0 / 2 // one more coordinate, for a separator that misses the origin; docs/math/margins.md
)

// By how many margins γ errors of random separators are below 1/2.
const (
	WeakEdge   = 1.0 / 4  // of one that is taken; Blum 2006, theorem 1
	SampleEdge = 1.0 / 6  // on the sample that it is picked on; algorithm 1
	PickEdge   = 1.0 / 12 // of that pick on the distribution
)

// DimSlope is the slope of log d by log γ, of the dimension d = O(1/γ²) that a
// projection needs.
const DimSlope = -2.0
