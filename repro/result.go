package repro

// Result is what an experiment measured.
type Result struct {
	Name       string   `json:"name"`
	Title      string   `json:"title"`
	Claim      string   `json:"claim"`
	Where      string   `json:"where"`
	Method     string   `json:"method"`
	Params     Params   `json:"params"`
	Command    string   `json:"command"`    // that repeats it
	Confidence float64  `json:"confidence"` // of each interval
	Verdict    Verdict  `json:"verdict"`    // the worst of the rows
	Rows       []Row    `json:"rows"`
	Figures    []Figure `json:"figures"`
	Notes      []string `json:"notes,omitempty"` // what else there is to say, a paragraph each
	Seconds    float64  `json:"seconds"`
}

// Verdict is what a measurement says of a claim.
type Verdict string

// The verdicts. The interval of what is measured lies on the side of the promise
// with all of itself, with a part, or not at all.
const (
	Holds     Verdict = "holds"
	Undecided Verdict = "undecided"
	Fails     Verdict = "fails"
	Shown     Verdict = "" // nothing is promised of it
)

// and returns the worse of two verdicts.
func (v Verdict) and(w Verdict) Verdict {
	rank := map[Verdict]int{Shown: 0, Holds: 1, Undecided: 2, Fails: 3}
	if rank[w] > rank[v] {
		return w
	}
	return v
}

// Row is one measurement beside its promise.
type Row struct {
	What     string    `json:"what"` // what is measured; rows of one kind share it
	At       []Setting `json:"at"`   // where
	Measured Measured  `json:"measured"`
	Relation Relation  `json:"relation,omitempty"` // of the measured to the promised; empty where nothing is promised
	Promised *float64  `json:"promised,omitempty"`
	Slack    float64   `json:"slack,omitempty"` // of About
	Verdict  Verdict   `json:"verdict,omitempty"`
	Time     bool      `json:"time,omitempty"` // whether it is a time, which no two runs share
}

// Setting is a value at which a row was measured: γ, d, a kind of projection.
type Setting struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Text  string  `json:"text,omitempty"` // in place of the value
}

// Relation is how the measured is to stand to the promised.
type Relation string

// The relations.
const (
	AtMost  Relation = "≤"
	AtLeast Relation = "≥"
	About   Relation = "≈" // within Slack
	Equal   Relation = "=" // the promised is within the interval
)

// Figure is a chart of measurements and bounds.
type Figure struct {
	Title  string   `json:"title"` // names the theorem
	X      Axis     `json:"x"`
	Y      Axis     `json:"y"`
	Series []Series `json:"series"`
	Note   string   `json:"note"` // how to read it
}

// Axis is a direction of a figure.
type Axis struct {
	Label   string   `json:"label"` // with the unit
	Log     bool     `json:"log,omitempty"`
	Zero    bool     `json:"zero,omitempty"`    // whether it begins at 0
	Percent bool     `json:"percent,omitempty"` // whether numbers are parts of one
	Names   []string `json:"names,omitempty"`   // written at 0, 1, 2 … in place of numbers
}

// Series is points that belong together: measurements are drawn as points with
// intervals, what is promised as a dashed line.
type Series struct {
	Name   string  `json:"name"`
	Bound  bool    `json:"bound,omitempty"`  // what is promised
	Joined bool    `json:"joined,omitempty"` // measurements with lines between them
	Points []Point `json:"points"`
}

// Point is a measurement at x, or a bound, whose ends are y.
type Point struct {
	X    float64 `json:"x"`
	Y    float64 `json:"y"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Summary is several results together.
type Summary struct {
	Hold    int       `json:"hold"`
	Open    int       `json:"undecided"`
	Fail    int       `json:"fail"`
	Shown   int       `json:"reported"` // of which nothing is promised
	Seconds float64   `json:"seconds"`
	Results []*Result `json:"results"`
}

// Summarise counts the verdicts.
func Summarise(results []*Result) Summary {
	s := Summary{Results: results, Hold: count(results, Holds), Open: count(results, Undecided),
		Fail: count(results, Fails), Shown: count(results, Shown)}
	for _, r := range results {
		s.Seconds += r.Seconds
	}
	return s
}
