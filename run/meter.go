package run

import (
	"math"
	"slices"
	"sync"
	"time"
)

// Meter follows tasks and says how far the outermost one is, and how long it will
// still take. Sizes are taken from the plan, and speeds from the clock:
//
//	left = left of the part under way + units of all parts after it / pace
//
// where the pace is that of the parts that have ended, of which late ones count more.
// The part under way is judged by the same pace, and by its own the more the further
// it is, or the later it is by the plan. Parts that were skipped count in neither. Between two reports the meter goes
// by the clock. It is safe for concurrent use.
type Meter struct {
	now func() time.Time

	mu    sync.Mutex
	stack []level
	begun time.Time // of the outermost task
	ended time.Time // when the last part ended, or the outermost task began
	pace  pace      // of the parts that have ended
	shown float64   // the largest part that was shown
	said  []said    // of the outermost task, from early to late
}

// said is what the meter took for the end of the outermost task at some time, both in
// seconds since it began.
type said struct{ at, end float64 }

// level is a task under way.
type level struct {
	task        string
	total, done int64
	share       int64   // steps that the next task within this one is
	near        float64 // part that is done, where steps do not tell
	part        bool    // it is a part of known size of the one above
	split       bool    // parts within it have ended
	tasks       int     // that have begun within it
	bytes       bool    // its steps are bytes of a file

	begun time.Time
	until time.Time // when it ends if not before; zero where that is not known
	known float64   // part of it that is known to be done
	at    time.Time // when that became known
}

// pace is a number of units and the time they took.
type pace struct{ units, seconds float64 }

// memory is the part of the time so far after which an ended part counts for 1/e of
// what it did.
const memory = 1.0

// add takes in what has just ended, when so many seconds had passed in all.
func (p *pace) add(units, seconds, elapsed float64) {
	if !(seconds > 0) {
		return
	}
	keep := math.Exp(-seconds / (memory * elapsed)) // elapsed > 0, as seconds are of it
	p.units, p.seconds = keep*p.units+units, keep*p.seconds+seconds
}

// NewMeter returns a meter that goes by the given clock.
func NewMeter(now func() time.Time) *Meter { return &Meter{now: now} }

// Progress returns what tells the meter.
func (m *Meter) Progress() Progress {
	return Progress{
		Start: m.start,
		Step:  func(done int64) { m.tell(func(l *level) { l.done, l.share = done, 1 }) },
		Share: func(units int64) { m.tell(func(l *level) { l.share = units }) },
		Total: func(total int64) {
			m.tell(func(l *level) {
				l.total = total
				l.known = 0 // of another whole
			})
		},
		Near:   func(part float64) { m.tell(func(l *level) { l.near = part }) },
		Read:   func(bytes, size int64) { m.tell(func(l *level) { l.done, l.total, l.bytes = bytes, size, true }) },
		Limit:  func(most time.Duration) { m.tell(func(l *level) { l.until = m.now().Add(most) }) },
		Finish: m.finish,
	}
}

func (m *Meter) start(task string, total int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now, part := m.now(), false
	if len(m.stack) == 0 {
		m.begun, m.ended, m.pace, m.shown, m.said = now, now, pace{}, 0, nil
	} else {
		above := &m.stack[len(m.stack)-1]
		part = above.share != 1
		if above.tasks++; above.tasks == 2 && above.total == 0 && above.near == 0 {
			above.known, above.at = 0, above.begun // how far the first was says nothing of the whole
		}
	}
	m.stack = append(m.stack, level{task: task, total: total, share: 1, part: part, begun: now, at: now})
}

func (m *Meter) finish() {
	m.mu.Lock()
	defer m.mu.Unlock()
	last := len(m.stack) - 1
	if last < 0 {
		return
	}
	if l := m.stack[last]; l.part && !l.split {
		now := m.now()
		from, to := m.span(last)
		m.pace.add(to-from, now.Sub(m.ended).Seconds(), now.Sub(m.begun).Seconds())
		m.ended = now
		for i := range m.stack {
			m.stack[i].split = true
		}
	}
	m.stack = m.stack[:last]
	m.note(nil)
}

// tell changes the innermost task.
func (m *Meter) tell(change func(*level)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if last := len(m.stack) - 1; last >= 0 {
		change(&m.stack[last])
		m.note(&m.stack[last])
	}
}

// note takes down how far each task has come. What is known never falls: a task that
// begins anew within a step does not undo it. Told is the task that had something to
// say, which holds even where it was known before its time.
func (m *Meter) note(told *level) {
	now := m.now()
	for i := range m.stack {
		l := &m.stack[i]
		if part := m.within(i, 0); part > l.known || part == l.known && l == told {
			l.known, l.at = part, now
		}
	}
}

// within returns the part of task i that is done, with the innermost step under way
// counted as so much.
func (m *Meter) within(i int, step float64) float64 {
	for k := len(m.stack) - 1; k >= i; k-- {
		l := m.stack[k]
		switch {
		case l.near > 0:
			step = l.near + step*(1-l.near)/2 // it may end at any step from here on
		case l.total > 0:
			step = min((float64(l.done)+float64(l.share)*step)/float64(l.total), 1)
		case l.tasks > 1: // nobody knows how many are to come
			step = 0
		}
	}
	return min(step, 1)
}

// span returns where task i begins and ends, in units of the outermost task.
func (m *Meter) span(i int) (from, to float64) {
	to = 1
	for k := i - 1; k >= 0; k-- {
		if l := m.stack[k]; l.total > 0 {
			whole := float64(max(l.total, l.done))
			from, to = (float64(l.done)+float64(l.share)*from)/whole, (float64(l.done)+float64(l.share)*to)/whole
			from, to = min(from, 1), min(to, 1)
		}
	}
	whole := m.whole()
	return from * whole, to * whole
}

// whole is the size of the outermost task in its units.
func (m *Meter) whole() float64 { return float64(max(m.stack[0].total, 1)) }

// Sight is what a meter shows.
type Sight struct {
	Task    string        // the innermost one that has a name; empty where nothing is under way
	Within  string        // the outermost one
	Part    float64       // of the outermost task that is done, about
	Elapsed time.Duration // since it began
	Left    time.Duration // that it will take, about; negative where that is not known
	Least   time.Duration // that it will take: half of Left, or less where the plan is unsure
	Most    time.Duration // likewise: twice Left, or more
	Read    int64         // bytes of a file that were read
	Size    int64         // of the file, 0 where that is not known
}

// Limits of what is said about the time left.
const (
	leastSeen = 0.005 // part of a task that must be done before its pace says anything
	mostGuess = 0.9   // of a step under way that may be taken for done by the clock alone
	lately    = 0.3   // part of the time so far of which it counts what was said in it
	thin      = 0.005 // part of the time so far that lies between what is kept of that
	within    = 2.0   // factor that the time left is known to where the plan is sure
	unsure    = 3.0   // factor between the least and the most that was said, from which on it is not
)

// Look returns where the run is.
func (m *Meter) Look() Sight {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := Sight{Left: -1}
	if len(m.stack) == 0 {
		return s
	}
	s.Within = m.stack[0].task
	for _, l := range m.stack {
		if l.task != "" {
			s.Task = l.task
		}
		if l.bytes {
			s.Read, s.Size = l.done, l.total
		}
	}
	now := m.now()
	s.Elapsed, s.Part = now.Sub(m.begun), m.stack[0].known
	if left, ok := m.left(now); ok {
		least, most := m.bounds(s.Elapsed.Seconds(), left)
		s.Left, s.Least, s.Most = duration(left), duration(least), duration(most)
		s.Part = s.Elapsed.Seconds() / (s.Elapsed.Seconds() + left)
	}
	m.shown = max(m.shown, s.Part)
	s.Part = m.shown
	return s
}

func duration(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// bounds returns the least and the most seconds that may be left, and takes down that
// about so many are. How unsure a plan is shows in what was said of late: one that has just
// been found wrong, or drifts, is likely to be wrong again.
func (m *Meter) bounds(at, left float64) (least, most float64) {
	m.said = slices.DeleteFunc(m.said, func(s said) bool { return s.at < (1-lately)*at })
	least, most = left, left
	for _, s := range m.said {
		least, most = min(least, max(s.end-at, 0)), max(most, s.end-at)
	}
	if n := len(m.said); n == 0 || at-m.said[n-1].at > thin*at {
		m.said = append(m.said, said{at, at + left})
	}
	if most <= unsure*least {
		least, most = left, left
	}
	return min(least, left/within), max(most, within*left)
}

// left returns the seconds that the outermost task will take, and whether that can be
// said by now.
func (m *Meter) left(now time.Time) (seconds float64, ok bool) {
	i := 0 // the part under way
	for k := range m.stack {
		if m.stack[k].part {
			i = k
		}
	}
	l := &m.stack[i]
	own := l.left(now, m.within(i, 1))
	if !l.part {
		return m.limited(now, i, own, 0, 0), l.known >= leastSeen && own > 0
	}
	from, to := m.span(i)
	p, after, silent := m.pace, m.whole()-to, now.Sub(l.at).Seconds()
	// A number that falls towards a goal falls unevenly, and mostly faster at the end:
	// early on it says little about the pace.
	weight, near := 1.0, m.nears(i)
	if near {
		weight = l.known * l.known
	}
	p.add(weight*l.known*(to-from), weight*l.at.Sub(m.ended).Seconds(), now.Sub(m.begun).Seconds())
	rest := (1 - l.known) * (to - from)
	if p.units <= 0 || p.units < leastSeen*(p.units+rest+after) {
		return 0, false
	}
	pace := p.units / p.seconds
	spent := now.Sub(l.begun).Seconds()
	late := spent - (to-from)/pace
	plan := max(min(rest/pace-silent, -late), (1-mostGuess)*rest/pace, late/2)
	trust := l.known * l.known // an early part is a poor measure of a whole
	if near && late > 0 {
		trust = max(trust, late/spent) // and the plan one that has failed
	}
	return m.limited(now, i, (1-trust)*plan+trust*own, to, 1/pace), true
}

// limited returns the seconds that the outermost task takes where task i, which is at the
// given place of it when it ends, takes so many and a unit after it so many others: no
// task takes longer than its limit.
func (m *Meter) limited(now time.Time, i int, left, end, unit float64) float64 {
	for k := i; k >= 0; k-- {
		_, to := m.span(k)
		left, end = left+(to-end)*unit, to
		if until := m.stack[k].until; !until.IsZero() {
			left = min(left, max(until.Sub(now).Seconds(), 0))
		}
	}
	return left + (m.whole()-end)*unit
}

// nears reports whether a number that falls towards a goal says how far task i is.
func (m *Meter) nears(i int) bool {
	for _, l := range m.stack[i:] {
		if l.near > 0 {
			return true
		}
	}
	return false
}

// left returns the seconds that a task will take at its own pace, where the step under
// way ends at the given part of it; 0 for one whose pace is not known.
func (l *level) left(now time.Time, end float64) float64 {
	spent, silent := l.at.Sub(l.begun).Seconds(), now.Sub(l.at).Seconds()
	if l.known <= 0 || spent <= 0 {
		return 0
	}
	done := min(l.known+l.known/spent*silent, l.known+mostGuess*max(end-l.known, 0))
	return (spent + silent) * (1 - done) / done
}
