package lab

import "fmt"

// wider is how much larger a margin must be for a lesson to be drawn from it.
const wider = 1.5

// tell says what is to be seen of F1 and F2.
func (a *Answer) tell(q *problem) {
	d := q.f1.Dim()
	switch {
	case a.F1 == nil:
	case a.F2 == nil:
		a.Lesson = "This similarity is no kernel on these landmarks, so there is no F2; F1 takes any similarity, and " +
			"promises no margin."
	case a.F1.Separable && a.F2.Separable && a.F2.Margin > wider*a.F1.Margin:
		a.Lesson = fmt.Sprintf("On the same %d landmarks F1 leaves a gap of %s and F2 one of %s, because F1’s columns "+
			"repeat "+
			"each other: %s of their length is one direction that all points share, while F2 first sets the landmarks at "+
			"right angles.", d, angle(a.F1), angle(a.F2), percent(a.F1.Share))
		a.Why = a.kept() + " Move the sliders: the wider the kernel, the more alike the landmarks, and the more F1 loses."
	case a.F1.Separable && a.F2.Separable && a.F2.Margin > a.F1.Margin:
		a.Lesson = fmt.Sprintf("On the same %d landmarks F1 leaves a gap of %s and F2 one of %s.", d, angle(a.F1),
			angle(a.F2))
		a.Why = a.kept() + " Make the kernel wider, and the landmarks more alike to it, to see F1 lose more."
	case a.F1.Separable && a.F2.Separable:
		a.Lesson = fmt.Sprintf("On the same %d landmarks F1 leaves a gap of %s and F2 one of %s: the kernel is so "+
			"narrow that "+
			"landmarks are at right angles already, and F1 has nothing to lose.", d, angle(a.F1), angle(a.F2))
		a.Why = "No theorem promises that of F1: make the kernel wider."
	case a.F2.Separable:
		a.Lesson = fmt.Sprintf("On the same %d landmarks F2 leaves a gap of %s, and F1 none that is above rounding.", d,
			angle(a.F2))
		a.Why = a.kept()
	default:
		a.Lesson = fmt.Sprintf("On these %d landmarks no separator through the origin tells all points apart.", d)
		a.Why = "More landmarks or another kernel may; where labels are noisy, look at the points below a margin."
	}
}

// kept says what F2 keeps of the kernel's margin.
func (a *Answer) kept() string {
	if a.Plan == nil || !(a.Plan.Largest > 0) {
		return "F2 is promised half of the kernel’s margin, by theorem 4."
	}
	part := min(1, a.F2.Margin/float64(a.Plan.Largest))
	return fmt.Sprintf("F2 keeps %.0f%% of the kernel’s margin of %.2g; theorem 4 promises half.", 100*part,
		float64(a.Plan.Largest))
}

// angle says the margin of a side as an angle.
func angle(s *Side) string { return fmt.Sprintf("%.2g°", float64(s.Degrees)) }

// percent says the largest share.
func percent(share []float64) string {
	if len(share) == 0 {
		return "most"
	}
	return fmt.Sprintf("%.3g%%", 100*share[0])
}
