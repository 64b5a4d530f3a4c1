package report_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/kerf-ml/kerf/report"
)

// texts returns the character data and the attributes of XML, and what is wrong
// with it.
func texts(content string) (out []string, err error) {
	d := xml.NewDecoder(strings.NewReader(content))
	for {
		t, err := d.Token()
		switch t := t.(type) {
		case xml.CharData:
			out = append(out, string(t))
		case xml.StartElement:
			for _, a := range t.Attr {
				out = append(out, a.Value)
			}
		}
		if errors.Is(err, io.EOF) {
			return out, nil
		} else if err != nil {
			return out, err
		}
	}
}

// whole checks that a picture is well formed and that nothing leaves it, and
// returns its texts. Places are read from the attributes of elements: a text
// may look like one.
func whole(t interface{ Fatalf(string, ...any) }, svg string) []string {
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%v: %s", err, svg)
		}
		element, _ := token.(xml.StartElement)
		for _, a := range element.Attr {
			if !slices.Contains([]string{"x", "y", "width", "height"}, a.Name.Local) {
				continue
			}
			if v, err := strconv.ParseFloat(a.Value, 64); err != nil || !(v >= -1 && v <= 1000) {
				t.Fatalf("%s=%q is no place in %s", a.Name.Local, a.Value, svg)
			}
		}
	}
	out, err := texts(svg)
	if err != nil {
		t.Fatalf("%v: %s", err, svg)
	}
	return out
}

// anyNumber draws numbers of every size, and what is none.
func anyNumber() *rapid.Generator[float64] {
	return rapid.OneOf(
		rapid.Float64(), rapid.Float64Range(-5, 5), rapid.Float64Range(1e-9, 1e9),
		rapid.SampledFrom([]float64{0, 1, 1, 1e300, -1e300, 1e-310, math.MaxFloat64, math.NaN(), math.Inf(1), math.Inf(-1)}),
	)
}

// TestChartOfAnyNumbers: nothing panics, leaves the picture or is no number.
func TestChartOfAnyNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		axis := func(name string) report.Axis {
			a := report.Axis{
				Label: "<a & b>", Log: rapid.Bool().Draw(t, name+" log"), FromZero: rapid.Bool().Draw(t, name+" zero"),
				Percent: rapid.Bool().Draw(t, name+" percent"), Hidden: rapid.Bool().Draw(t, name+" hidden"),
			}
			if rapid.Bool().Draw(t, name+" given") {
				a.Low, a.High = anyNumber().Draw(t, "low"), anyNumber().Draw(t, "high")
			}
			if rapid.Bool().Draw(t, name+" ticks") {
				a.Ticks = rapid.SliceOfN(anyNumber(), 0, 5).Draw(t, "ticks")
			}
			return a
		}
		c := report.Chart{Title: `"title" <x>`, X: axis("x"), Y: axis("y")}
		for range rapid.IntRange(0, 8).Draw(t, "series") {
			s := report.Series{
				Name: "<s>", Kind: report.Kind(rapid.IntRange(0, 4).Draw(t, "kind")), Width: anyNumber().Draw(t, "width"),
				Size: anyNumber().Draw(t, "size"), Colour: rapid.IntRange(-1, 7).Draw(t, "colour"),
			}
			for range rapid.IntRange(0, 10).Draw(t, "points") {
				s.Points = append(s.Points, report.Point{
					X: anyNumber().Draw(t, "x"), Y: anyNumber().Draw(t, "y"), Low: anyNumber().Draw(t, "low"),
					High: anyNumber().Draw(t, "high"),
				})
			}
			c.Series = append(c.Series, s)
		}
		for range rapid.IntRange(0, 3).Draw(t, "rules") {
			c.Rules = append(c.Rules, report.Rule{At: anyNumber().Draw(t, "at"), Level: rapid.Bool().Draw(t, "level"),
				Text: "<rule>"})
		}
		svg := c.SVG()
		whole(t, svg)
		if paths := regexp.MustCompile(` d="[^"]*(NaN|Inf|e[+-])`).FindString(svg); paths != "" {
			t.Fatalf("%s in %s", paths, svg)
		}
	})
}

// TestNoData: charts of nothing say so.
func TestNoData(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	line := func(points ...report.Point) []report.Series { return []report.Series{{Points: points}} }
	for name, c := range map[string]report.Chart{
		"empty":        {},
		"no points":    {Series: []report.Series{{Kind: report.Bars}}},
		"not finite":   {Series: line(report.Point{X: nan, Y: 1}, report.Point{X: 1, Y: inf}, report.Point{X: -inf, Y: nan})},
		"rule alone":   {Rules: []report.Rule{{At: 1}}},
		"not positive": {X: report.Axis{Log: true}, Series: line(report.Point{X: 0, Y: 1}, report.Point{X: -1, Y: 1})},
	} {
		svg := c.SVG()
		whole(t, svg)
		if !strings.Contains(svg, ">no data<") {
			t.Errorf("%s: %s", name, svg)
		}
	}
	for name, points := range map[string][]report.Point{
		"one": {{X: 3, Y: 4}}, "constant": {{X: 1, Y: 2}, {X: 1, Y: 2}}, "level": {{X: 1, Y: 0}, {X: 2, Y: 0}},
	} {
		for _, log := range []bool{false, true} {
			c := report.Chart{X: report.Axis{Log: log}, Series: []report.Series{{Kind: report.Joined, Points: points}}}
			svg := c.SVG()
			whole(t, svg)
			if strings.Contains(svg, "no data") || strings.Count(svg, `class="dot `) != len(points) {
				t.Errorf("%s: %s", name, svg)
			}
		}
	}
}

// TestChartParts: every part of a chart is drawn.
func TestChartParts(t *testing.T) {
	c := report.Chart{
		Title: "Error",
		X:     report.Axis{Label: "landmarks", Log: true},
		Y:     report.Axis{Label: "error", Percent: true, FromZero: true},
		Series: []report.Series{
			{Name: "measured", Kind: report.Points, Points: []report.Point{
				{X: 10, Y: 0.3, Low: 0.2, High: 0.4}, {X: 1000, Y: 0.1, Text: "a & b"},
			}},
			{Name: "bound", Dashed: true, Points: []report.Point{
				{X: 10, Y: 0.5}, {X: math.NaN()}, {X: 100, Y: 0.3}, {X: 1000, Y: 0.2},
			}},
			{Name: "steps", Kind: report.Steps, Points: []report.Point{{X: 10, Y: 0.1}, {X: 100, Y: 0.2}}},
		},
		Rules: []report.Rule{{At: 0.05, Level: true, Text: "asked for", Colour: 3}, {At: 100, Text: "here"}},
	}
	svg := c.SVG()
	whole(t, svg)
	for _, want := range []string{
		`role="img" aria-label="Error: error by landmarks"`, ">measured, 10: 30% (20% to 40%)<", ">a &amp; b<",
		`class="whisker k1"`,
		`class="line k2 dashed"`, `class="rule k3"`, ">asked for<", ">here<", ">landmarks<", ">10<", ">100<",
		">1000<", ">0%<", ">20%<",
	} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %s in %s", want, svg)
		}
	}
	line := func(class string) string {
		return regexp.MustCompile(`class="line ` + class + `[^"]*" d="([^"]*)"`).FindStringSubmatch(svg)[1]
	}
	if d := line("k2"); strings.Count(d, "M") != 2 {
		t.Errorf("the line is not broken where a point is missing: %s", d)
	}
	if d := line("k3"); !regexp.MustCompile(`^M\S+ \S+H\S+V\S+$`).MatchString(d) {
		t.Errorf("no steps: %s", d)
	}
}

// words are where numbers stand, to which side of it, and what they are.
var words = regexp.MustCompile(`<text x="([^"]*)" y="[^"]*" text-anchor="(\w+)">([^<]*)<`)

// TestLabelsHaveRoom: numbers and labels lie within the picture.
func TestLabelsHaveRoom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := math.Pow(10, float64(rapid.IntRange(-12, 12).Draw(t, "size")))
		from := size * rapid.Float64Range(-1e4, 1e4).Draw(t, "from")
		p := []report.Point{{X: from, Y: from}, {X: from + size, Y: from + size}}
		c := report.Chart{X: report.Axis{Label: "x"}, Y: report.Axis{Label: "y"}, Series: []report.Series{{Points: p}}}
		end := 0.0
		for _, m := range words.FindAllStringSubmatch(c.SVG(), -1) {
			var at float64
			fmt.Sscanf(m[1], "%g", &at)
			width := 6.6 * float64(len(m[3]))
			left := at - width
			if m[2] == "middle" {
				left = at - width/2
				if left < end {
					t.Fatalf("%q lies upon what is before it", m[3])
				}
				end = left + width
			}
			if left < 0 || left+width > 420 {
				t.Fatalf("%q is from %g to %g", m[3], left, left+width)
			}
		}
	})
}

// FuzzChartTexts: texts are shown as they stand, and are never part of the page.
func FuzzChartTexts(f *testing.F) {
	for _, s := range []string{"", "a", `</svg><script>alert(1)</script>`, `" onload="x`, "\x00\x1b\xff", "\ufffe",
		"]]>", "&amp;", "oadx=", "\u202ex", strings.Repeat("long ", 100)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c := report.Chart{
			Title: s, X: report.Axis{Label: s, Names: []string{s, s}}, Y: report.Axis{Label: s},
			Series: []report.Series{{Name: s, Kind: report.Points, Points: []report.Point{{Y: 1, Text: s}, {X: 1, Y: 2}}}},
			Rules:  []report.Rule{{At: 1, Text: s}},
		}
		whole(t, c.SVG())
		if n := strings.Count(c.SVG(), "<svg"); n != 1 || strings.Contains(c.SVG(), "<script") {
			t.Errorf("%d pictures: %s", n, c.SVG())
		}
		var page strings.Builder
		d := report.Document{
			Title: s, Headline: report.Fact{Name: s, Value: s, Interval: s}, Lead: s, Warning: s,
			Sections: []report.Section{{
				Title: s, Text: s, Facts: []report.Fact{{Name: s, Value: s, Interval: s}}, Note: s,
				Table:   &report.Table{Columns: []string{s}, Rows: [][]report.Cell{{{Value: s, Small: s}}}},
				Matrix:  &report.Matrix{Names: []string{s, "b"}, Counts: [][]int{{1, 2}, {3, 4}}},
				Figures: []report.Figure{{Chart: c, Note: s}},
			}},
		}
		if err := report.Write(&page, d); err != nil {
			t.Fatal(err)
		}
		body := strings.ReplaceAll(page.String()[strings.Index(page.String(), "<h1>"):], "</html>\n", "")
		out, err := texts("<body>" + body + "</body>")
		if err != nil {
			t.Fatalf("%v: %s", err, body)
		}
		plain := len(s) < 40 && strings.Trim(s, "abcxyz<>&\"'") == ""
		if plain && !strings.Contains(strings.Join(out, "|"), s) {
			t.Errorf("%q is not shown", s)
		}
	})
}
