package linear

import "github.com/kerf-ml/kerf/internal/vmath"

// Constants of the stages, found by trial as those of the subspace steps.
const (
	stageRatio = 4    // each stage has this many times the C of the one before
	stageGap   = 2e-3 // relative gap, as the sweeps estimate it, at which a stage ends
)

// firstStage returns the C to begin with on the way to c. An update moves α by
// about 1/|x|², so that a row whose α belongs at C gets there in C·|x|²
// updates: far too many when C is large. Rows that belong at C for one C
// mostly do for the next as well, and get there at once when α grows in
// proportion. So the first stage has the C that one update reaches.
func (s *sample) firstStage(c float64) float64 {
	sum := 0.0
	for _, q := range s.norm {
		sum += q / float64(len(s.norm))
	}
	if sum == 0 {
		return c
	}
	return min(c, 1/sum)
}

// stageEnd returns the pass by which a stage at c that begins after the given
// number of passes must end: its equal share of those left, with the last one's.
func (s SVM) stageEnd(passes int, c float64) int {
	stages := 1
	for ; c < s.C; c *= stageRatio {
		stages++
	}
	return passes + (s.MaxPasses-passes)/stages
}

// rescale goes to another C with α, and so w, in proportion. Where that would
// make D smaller, which it does once few rows are at C, α grows by the factor
// that makes D largest.
func (d *descent) rescale(c float64) {
	ratio := c / d.c
	if ratio > 1 {
		sum := 0.0
		for _, a := range d.alpha {
			sum += a
		}
		// With q = |w|² + Σ δ·α² for the new δ, D(tα) = t·Σα - ½t²q is largest
		// at t = Σα/q, and no smaller than D(α) up to as far again beyond.
		if peak := sum / (d.w.length2() + d.ridges(d.alpha, nil)/ratio); ratio > 2*peak-1 {
			ratio = min(max(peak, 1), ratio)
		}
	}
	for i, a := range d.alpha {
		d.alpha[i] = min(a*ratio, d.top(c, i))
		if a == d.top(d.c, i) && ratio == c/d.c {
			d.alpha[i] = d.top(c, i) // exactly: a bound is recognised by equality
		}
	}
	vmath.Scale(d.w.w, ratio)
	d.w.bias *= ratio
	d.c = c
	d.settle()
	d.restore()
}
