package job

import "math"

// climb looks for the least of some losses that fall to it and rise from there, but for noise, of which each
// is dear. It begins at a place, goes on to later ones as long as they are better, and where none was, to earlier
// ones.
type climb struct {
	losses []float64 // NaN where it has not been
	from   int
	idle   int // places in turn that may be worse
}

// level is up to how many times the least loss so far another is no worse: it need not be the end of the way.
const level = 1.005

func newClimb(n, from, idle int) *climb {
	c := &climb{losses: make([]float64, n), from: from, idle: idle}
	for i := range c.losses {
		c.losses[i] = math.NaN()
	}
	return c
}

// next returns the place to look at, false where the least is found.
func (c *climb) next() (int, bool) {
	better, at, more := c.along(1)
	if !more && !better {
		_, at, more = c.along(-1)
	}
	return at, more
}

// along goes from the first place in a direction and returns the place that is unknown, if more are worth a look, and
// whether one was better than the first.
func (c *climb) along(step int) (better bool, at int, more bool) {
	worse, least := 0, math.Inf(1)
	for at = c.from; at >= 0 && at < len(c.losses); at += step {
		loss := c.losses[at]
		switch {
		case math.IsNaN(loss):
			return better, at, true
		case loss < least:
			better, worse, least = at != c.from, 0, loss
		case !(loss <= level*least):
			worse++
		}
		if worse == c.idle {
			return better, at, false
		}
	}
	return better, at, false
}

// note sets the loss at a place; one that is no number is the worst.
func (c *climb) note(at int, loss float64) {
	if math.IsNaN(loss) {
		loss = math.Inf(1)
	}
	c.losses[at] = loss
}
