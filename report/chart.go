package report

// Chart is a picture of series between two axes. It has no colours of its own:
// Style gives them to it, for a light and for a dark ground.
type Chart struct {
	Title         string  // also what a screen reader says
	Width, Height float64 // in units of which a letter is 12 high; 0 for 420 and 260
	X, Y          Axis
	Series        []Series // later ones lie above earlier ones
	Rules         []Rule
}

// Axis is one direction of a chart.
type Axis struct {
	Label     string
	Low, High float64   // the ends; those of the data unless Low < High
	FromZero  bool      // whether the ends of the data include 0
	Log       bool      // logarithmic: what is not positive is left out
	Percent   bool      // whether numbers are parts of one, written as percentages
	Ticks     []float64 // where numbers stand; nil for round ones
	Names     []string  // written at 0, 1, 2 … in place of numbers
	Hidden    bool      // neither line nor numbers
}

// Kind is how the points of a series are drawn.
type Kind int

const (
	Line   Kind = iota // joined by straight lines
	Points             // each by itself
	Joined             // each by itself, and joined
	Steps              // each Y holds until the next X
	Bars               // columns from 0 to Y, Width wide around X
)

// Series is points that belong together.
type Series struct {
	Name   string // in the legend; none if empty
	Kind   Kind
	Points []Point
	Colour int     // from 1 to Colours; 0 for the place of the series
	Size   float64 // of points; 0 for 7
	Width  float64 // of bars, in units of X
	Faint  bool    // for many points that lie upon each other
	Dashed bool
}

// Colours is how many colours series can have.
const Colours = 6

// Point is a point of a series. One that is not finite is left out, and a line
// is broken there.
type Point struct {
	X, Y      float64
	Low, High float64 // an interval of Y, drawn where Low < High
	Text      string  // shown under the pointer; empty for the numbers
}

// Rule is a straight line across the chart: a bound, a threshold, a mean.
type Rule struct {
	At     float64
	Level  bool // at a value of Y; else at one of X
	Text   string
	Colour int // from 1 to Colours; 0 for that of the axes
}

// mark returns the number of the colour of series i.
func (s Series) mark(i int) int {
	if s.Colour >= 1 && s.Colour <= Colours {
		return s.Colour
	}
	return i%Colours + 1
}
