package table

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// dayFirst and monthFirst are the layouts of days that may be read either way.
var dayFirst, monthFirst = []string{"2/1/2006", "2-1-2006"}, []string{"1/2/2006", "1-2-2006"}

// layouts returns the ways in which cells may be written that are dates, times or
// both, in the notation of package time. A month, day or hour may have one digit or
// two, and seconds a fraction.
func layouts() []string {
	days := []string{"2006-1-2", "2006/1/2", "2006.1.2", "2.1.2006", "2 Jan 2006", "2-Jan-2006", "Jan 2, 2006"}
	days = slices.Concat(days, dayFirst, monthFirst)
	clocks := []string{"15:04", "15:04:05", "15:04Z07:00", "15:04:05Z07:00", "15:04:05 Z07:00", "3:04 PM", "3:04:05 PM"}
	out := slices.Concat(days, []string{"15:04", "15:04:05", "3:04 PM"})
	for _, day := range days {
		for _, between := range []string{" ", "T"} {
			for _, clock := range clocks {
				out = append(out, day+between+clock)
			}
		}
	}
	return out
}

// layoutOf returns the layout in which all cells of a column are dates, empty for
// none, and whether day and month may be told apart.
func layoutOf(cells *column) (layout string, ambiguous bool) {
	var left []string
	for k, e := range cells.entry {
		if e.content != text || len(e.text) > 40 || !strings.ContainsAny(e.text[:1], "0123456789JFMASOND") {
			return "", false
		}
		if k == 0 {
			left = layouts()
		}
		left = slices.DeleteFunc(left, func(layout string) bool {
			_, err := time.Parse(layout, e.text)
			return err != nil
		})
		if len(left) == 0 {
			return "", false
		}
	}
	if len(left) == 0 {
		return "", false
	}
	for k, day := range dayFirst {
		for _, layout := range left {
			rest, ok := strings.CutPrefix(layout, day)
			if ok && slices.Contains(left, monthFirst[k]+rest) {
				return "", true
			}
		}
	}
	return left[0], false
}

// Parts of a date beside its time, each of which is a sine and a cosine: the day of
// the year, the day of the week and the time of day.
const (
	partYear = "year"
	partWeek = "week"
	partDay  = "day"
)

// moment is a date as numbers: days since 1970, and the parts as angles.
type moment struct {
	days  float64
	angle [3]float64 // of the year, the week and the day
}

var partNames = []string{partYear, partWeek, partDay}

func newMoment(t time.Time) moment {
	t0 := float64(t.Unix()) + float64(t.Nanosecond())/1e9
	clock := float64(t.Hour()*3600+t.Minute()*60+t.Second()) / 86400
	turn := 2 * math.Pi
	return moment{t0 / 86400, [3]float64{
		turn * float64(t.YearDay()-1) / 365.25, turn * float64(t.Weekday()) / 7, turn * clock,
	}}
}

// moments returns each different cell of a column as a date; the time of what is
// none is NaN.
func moments(cells *column, layout string) []moment {
	out := make([]moment, len(cells.entry))
	for k, e := range cells.entry {
		t, err := time.Parse(layout, e.text)
		if out[k] = newMoment(t); err != nil {
			out[k].days = math.NaN()
		}
	}
	return out
}

// fitDate makes a column one of dates: the time in days, scaled as numbers are, and
// the parts that are not the same in all rows.
func (c *Column) fitDate(cells *column, rows []int, r Recipe, layout string, knots int) {
	all := moments(cells, layout)
	var present []moment
	for _, i := range rows {
		if code := cells.code[i]; code >= 0 && !math.IsNaN(all[code].days) {
			present = append(present, all[code])
		}
	}
	c.Kind, c.Layout = Date, layout
	c.setScale(r.Scale.FitKnots(func(yield func(float64) bool) {
		for _, m := range present {
			if !yield(m.days) {
				return
			}
		}
	}, knots), r.Scale)
	for k, name := range partNames {
		if slices.ContainsFunc(present, func(m moment) bool { return m.angle[k] != present[0].angle[k] }) {
			c.Parts = append(c.Parts, name)
		}
	}
	c.Indicator = len(present) < len(rows)
	c.Size = c.dateSize()
}

func (c *Column) dateSize() int {
	size := 1 + 2*len(c.Parts)
	if c.Indicator {
		size++
	}
	return size
}

// putDate is put for a date.
func (p *part) putDate(t *Table, row int, set func(j int, v float64)) error {
	c := p.to
	gone := p.from.code == nil || p.from.code[row] < 0 || math.IsNaN(p.moments[p.from.code[row]].days)
	m := moment{days: c.Mean}
	if !gone {
		m = p.moments[p.from.code[row]]
	}
	scaled := c.scaled(m.days)
	if scaled-scaled != 0 {
		return c.tooFar(t, row, m.days)
	}
	set(c.Offset, scaled)
	at := c.Offset + 1
	for k, name := range partNames {
		if !slices.Contains(c.Parts, name) {
			continue
		}
		if !gone {
			set(at, math.Sin(m.angle[k]))
			set(at+1, math.Cos(m.angle[k]))
		}
		at += 2
	}
	if gone && c.Indicator {
		set(at, 1)
	}
	return nil
}

// dateNames names the coordinates of a date.
func (c *Column) dateNames() []string {
	names := []string{c.Name}
	for _, part := range c.Parts {
		names = append(names, c.Name+" "+part+" sine", c.Name+" "+part+" cosine")
	}
	return names
}

// validDate reports whether layout and parts are such as fitDate sets.
func (c *Column) validDate() bool {
	at := -1
	for _, part := range c.Parts {
		k := slices.Index(partNames, part)
		if k <= at {
			return false
		}
		at = k
	}
	return slices.Contains(layouts(), c.Layout)
}

// shown is how a layout is written for people.
func shown(layout string) string {
	return strings.NewReplacer("2006", "YYYY", "Jan", "Mon", "15:04:05", "hh:mm:ss", "15:04", "hh:mm", "3:04:05 PM",
		"hh:mm:ss PM", "3:04 PM", "hh:mm PM", "Z07:00", "Z", "1", "M", "2", "D").Replace(layout)
}

// odd reports a cell that is not of the format or layout of training.
func (c *Column) odd(t *Table, row int, cell string) error {
	what := "a number as the others"
	if c.Kind == Date {
		what = fmt.Sprintf("a date written %s", shown(c.Layout))
	} else if words := c.Format.words(); words != "" {
		what = "a number " + words
	}
	return badCell(t, row, fmt.Sprintf("%q is not %s, as %s held in training", clip(cell), what, quoteName(c.Name)),
		"correct the cell, or leave it empty if the value is missing")
}
