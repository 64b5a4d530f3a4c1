package run_test

import (
	"math"
	"testing"
	"time"

	"github.com/kerf-ml/kerf/run"
)

// clock is a clock that goes when it is told.
type clock struct{ now time.Time }

func (c *clock) time() time.Time { return c.now }
func (c *clock) pass(seconds float64) {
	c.now = c.now.Add(time.Duration(seconds * float64(time.Second)))
}

// within checks that the time left is known and within a factor of two of the truth.
func within(t *testing.T, m *run.Meter, at string, left float64) {
	t.Helper()
	s := m.Look()
	if said := s.Left.Seconds(); said < left/2 || said > 2*left {
		t.Errorf("%s: part %.3f, %.1f s left, in truth %.1f", at, s.Part, said, left)
	}
}

// TestMeterLimit: a part with a limit takes no longer, and what comes after it is added.
func TestMeterLimit(t *testing.T) {
	c := &clock{time.Unix(1, 0)}
	m := run.NewMeter(c.time)
	p := m.Progress()
	s := p.Divide("tune", 110_000)
	s.Next("search", 100_000) // of which a tenth is done each ten seconds, and thirty are all there are
	p.Within(30 * time.Second)
	rounds := p.Divide("", 100_000)
	for i := range 3 {
		rounds.Next("round", 10_000)
		c.pass(10)
		rounds.Left(100_000 - 10_000*float64(i+1))
		within(t, m, "search", 20-10*float64(i)+10)
	}
	rounds.End()
	s.Last("train", 10_000)
	c.pass(5)
	within(t, m, "train", 5)
	s.End()
}

// TestMeterStages: stages whose plan is off by up to a half each way, in which some
// count, some approach a tolerance and some are silent, leave an estimate within a
// factor of two from a tenth of the work on.
func TestMeterStages(t *testing.T) {
	c := &clock{time.Unix(1, 0)}
	m := run.NewMeter(c.time)
	p := m.Progress()
	type stage struct{ planned, takes float64 }
	stages := []stage{{5, 6}, {20, 27}, {30, 22}, {10, 14}, {35, 31}}
	whole, spent := 100.0, 0.0
	s := p.Divide("train", 1000*whole)
	for i, one := range stages {
		s.Next("stage", 1000*one.planned)
		const steps = 50
		if i%3 == 0 {
			p.Begin("blocks", steps)
		} else {
			p.Begin("sweeps", 0)
		}
		for k := range steps {
			c.pass(one.takes / steps)
			spent += one.takes / steps
			switch i % 3 {
			case 0:
				p.Advance(int64(k + 1))
			case 1: // the gap falls from 1 to 1e-4
				p.Approach(1, math.Pow(1e-4, float64(k+1)/steps), 1e-4)
			}
			if spent > whole/10 && spent < 0.95*whole {
				within(t, m, "on the way", whole-spent)
			}
		}
		p.End()
	}
	s.End()
	if got := m.Look(); got.Task != "" || got.Left >= 0 {
		t.Errorf("after the end %+v", got)
	}
}

// TestMeterLast: a last part that turns out small brings the end near.
func TestMeterLast(t *testing.T) {
	c := &clock{time.Unix(1, 0)}
	m := run.NewMeter(c.time)
	s := m.Progress().Divide("train", 1000)
	s.Next("choose", 500)
	c.pass(9)
	s.Last("fit", 55)
	within(t, m, "when the last part is known", 1)
	s.End()
}

// TestMeterNests: a task that begins anew within a step does not undo what is known,
// and the innermost task with a name is the one that is shown.
func TestMeterNests(t *testing.T) {
	c := &clock{time.Unix(1, 0)}
	m := run.NewMeter(c.time)
	p := m.Progress()
	if s := m.Look(); s.Task != "" || s.Left >= 0 {
		t.Errorf("before anything %+v", s)
	}
	p.Begin("folds", 4)
	if s := m.Look(); s.Task != "folds" || s.Left >= 0 {
		t.Errorf("at once %+v", s)
	}
	for range 2 {
		p.Begin("map", 10)
		for k := range 10 {
			c.pass(0.5)
			p.Advance(int64(k + 1))
		}
		p.End()
	}
	if s := m.Look(); s.Part > 0.25 || s.Elapsed != 10*time.Second || s.Task != "folds" {
		t.Errorf("within the first step %+v", s)
	}
	p.Advance(1)
	p.Begin("", 0)
	if s := m.Look(); s.Task != "folds" || s.Within != "folds" || s.Left != 30*time.Second {
		t.Errorf("after the first step %+v", s)
	}
	c.pass(5) // in silence: the clock is taken at its word, and no further than the step
	if s := m.Look(); s.Part < 0.37 || s.Part > 0.38 {
		t.Errorf("half of a silent step %+v", s)
	}
	c.pass(500)
	if s := m.Look(); s.Part > 0.5 {
		t.Errorf("long in a silent step %+v", s)
	}
}

// TestStagesSkipped: parts that turn out to be skipped leave the plan at once, and do
// not count as work that was done quickly; one that is larger than what is left makes
// the task grow.
func TestStagesSkipped(t *testing.T) {
	c := &clock{time.Unix(1, 0)}
	m := run.NewMeter(c.time)
	s := m.Progress().Divide("train", 1000)
	s.Next("try", 10)
	c.pass(10)
	s.Left(90) // 900 are skipped
	within(t, m, "after a skip", 90)
	s.Next("try", 10)
	c.pass(10)
	s.Next("fit", 160)
	c.pass(80)
	within(t, m, "in a part that is larger than planned", 80)
	s.End()
}

// TestMeterTasks: of a part with several tasks, whose number nobody knows, the first
// one's end is not the part's.
func TestMeterTasks(t *testing.T) {
	c := &clock{time.Unix(1, 0)}
	m := run.NewMeter(c.time)
	p := m.Progress()
	s := p.Divide("train", 40)
	s.Next("first", 10)
	c.pass(10)
	s.Next("second", 30)
	for _, task := range []string{"eigenvalues", "again"} {
		p.Begin(task, 15)
		for k := range 15 {
			c.pass(1)
			p.Advance(int64(k + 1))
		}
		p.End()
		if task == "eigenvalues" {
			p.Begin("leave one out", 15)
			within(t, m, "between two tasks", 15)
			p.End()
		}
	}
	s.End()
}

// A number that falls towards a goal is believed late: while a part is within its plan
// the plan holds, and once it is late what the number says counts more and more.
func TestMeterNear(t *testing.T) {
	clock := &clock{time.Unix(0, 0)}
	m := run.NewMeter(clock.time)
	p := m.Progress()
	stages := p.Divide("all", 200)
	stages.Next("first", 100)
	clock.now = clock.now.Add(10 * time.Second) // a pace of 10 units a second
	stages.Next("second", 100)
	p.Begin("", 0)
	for _, c := range []struct {
		second      int
		part        float64 // that the number says
		least, most float64
	}{
		{1, 0.01, 8, 10}, {4, 0.1, 5, 7}, {6, 0.15, 3, 6}, {9, 0.2, 0.5, 4}, // in 10 by the plan
		{20, 0.5, 8, 20}, {30, 0.75, 7, 11}, {39, 0.97, 0.5, 2.5}, // in 40, by the number
	} {
		clock.now = time.Unix(int64(10+c.second), 0)
		p.Near(c.part)
		if left := m.Look().Left.Seconds(); left < c.least || left > c.most {
			t.Errorf("after %d seconds, at %v: %.1f left, want %v to %v", c.second, c.part, left, c.least, c.most)
		}
	}
}

// TestMeterBounds: the time left is said to a factor of two, and from the least to the most
// of what was said of late once the plan turned out to be wrong, until that is long ago.
func TestMeterBounds(t *testing.T) {
	c := &clock{time.Unix(1, 0)}
	m := run.NewMeter(c.time)
	p := m.Progress()
	if s := m.Look(); s.Least != 0 || s.Most != 0 {
		t.Errorf("without work: %v to %v", s.Least, s.Most)
	}
	s := p.Divide("train", 100)
	check := func(at string, least, most float64) {
		t.Helper()
		s := m.Look()
		if got := s.Least.Seconds(); math.Abs(got-least) > 1e-6 {
			t.Errorf("%s: at least %v s left, want %v", at, got, least)
		}
		if got := s.Most.Seconds(); math.Abs(got-most) > 1e-6 {
			t.Errorf("%s: at most %v s left, want %v", at, got, most)
		}
	}
	part := func(units float64) {
		s.Next("part", units)
		c.pass(units)
	}
	part(20)
	s.Left(80)
	check("a plan that holds", 40, 160)
	part(2)
	s.Left(18) // it ends at 40, where 100 was said
	check("a plan that changed", 9, 78)
	for range 10 {
		part(1)
		s.Left(18)
		m.Look()
	}
	check("a change that is long ago", 9, 36)
	s.End()
}
