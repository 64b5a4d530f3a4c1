package run

// Stages is the progress of work in parts whose sizes are known about: one task,
// in which Next begins one part after another. Sizes are in any one unit. Parts that
// turn out to be skipped, or smaller than was thought, leave the plan by Left.
type Stages struct {
	p     Progress
	done  int64
	size  int64 // of the part under way; 0 for none
	total int64
}

// Divide begins a task of the given size. Parts of sizes are shares of it.
func (p Progress) Divide(task string, size float64) *Stages {
	s := &Stages{p: p, total: units(size)}
	p.Begin(task, s.total)
	return s
}

// mostUnits is more than any work, and few enough to be added.
const mostUnits = 1 << 61

// units is a size as a whole number of at least 1.
func units(size float64) int64 {
	if !(size >= 1) {
		return 1
	}
	return int64(min(size, mostUnits))
}

// Next ends the part under way and begins another one. Where it is more than what is
// left, the task grows.
func (s *Stages) Next(task string, size float64) {
	s.leave()
	s.size = units(size)
	if s.size > s.total-s.done {
		s.plan(s.size)
	}
	s.p.Part(task, s.size, 0)
}

// Left ends the part under way and says how much is left after it, as is known by now:
// what was planned beyond that counts no more.
func (s *Stages) Left(size float64) {
	s.leave()
	s.plan(units(size))
}

// plan sets what is left.
func (s *Stages) plan(left int64) {
	s.total = s.done + left
	if s.p.Total != nil {
		s.p.Total(s.total)
	}
}

// Last ends the part under way and begins the last one, whose size is known better by
// now.
func (s *Stages) Last(task string, size float64) {
	s.Left(size)
	s.Next(task, size)
}

// leave ends the part under way.
func (s *Stages) leave() {
	if s.size > 0 {
		s.p.End()
		s.done = min(s.done+s.size, mostUnits)
		s.size = 0
		s.p.Advance(s.done)
	}
}

// End ends the task.
func (s *Stages) End() {
	s.leave()
	s.p.End()
}
