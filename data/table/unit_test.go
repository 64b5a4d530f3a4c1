package table_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/data/table"
)

var header = table.Options{Header: table.Present}

// tsv makes a table of one column of cells and a target.
func tsv(cells []string, comma string) string {
	var b strings.Builder
	b.WriteString("x" + comma + "y\n")
	for i, cell := range cells {
		if comma == "," && strings.Contains(cell, ",") {
			cell = `"` + cell + `"`
		}
		fmt.Fprintf(&b, "%s%sa%d\n", cell, comma, i%2)
	}
	return b.String()
}

func TestUnits(t *testing.T) {
	for _, c := range []struct {
		comma string
		cells string // with | between them
		want  []float64
		says  string
	}{
		{"\t", "12 kg|7kg|-3.5 kg|4", []float64{12, 7, -3.5, 4}, "read: x (in kg)"},
		{",", "$1,200.50|$3|-$4,000|$-5", []float64{1200.5, 3, -4000, -5}, "read: x (in $)"},
		{"\t", "$1,200|$3,000|$4", []float64{1200, 3000, 4}, "read: x (in $)"},
		{"\t", "45%|5.5 %|.5%", []float64{45, 5.5, 0.5}, "read: x (in %)"},
		{";", "1,5|-2,75|3|1e3", []float64{1.5, -2.75, 3, 1000}, "read: x (with a decimal comma)"},
		{"\t", "1 234,5 €|7,25 €|0,5", []float64{1234.5, 7.25, 0.5}, "read: x (in € with a decimal comma)"},
		{";", "1.234,5|7,25|12.000,0", []float64{1234.5, 7.25, 12000}, "read: x (with a decimal comma)"},
		{",", "1,200|3,000|4", []float64{1200, 3000, 4}, "read: x (with signs between thousands)"},
		{"\t", "5 m2|6.5 m2", []float64{5, 6.5}, "read: x (in m2)"},
		{"\t", "12 kg|7 lb", nil, ""},
		{"\t", "c1|c2|c3", nil, ""},
		{"\t", "10-19|20-29", nil, ""},
		{"\t", "1/2|3/4", nil, ""},
		{"\t", "10.0.0.1|192.168.100.100", nil, ""},
		{"\t", "1,5|1.5", nil, ""},
		{"\t", "1.000|1,5", nil, ""},
		{"\t", "030 123 456|040 123 456", nil, ""},
		{"\t", "3 of 5|4 of 5", nil, ""},
	} {
		cells := strings.Split(c.cells, "|")
		tab := mustRead(t, tsv(cells, c.comma), table.Options{Header: table.Present, Comma: rune(c.comma[0])})
		s := mustFit(t, tab, nil, scale.None)
		if (s.Columns[0].Kind == table.Number) != (c.want != nil) {
			t.Errorf("%s is a %s", c.cells, s.Columns[0].Kind)
			continue
		}
		if c.want == nil {
			continue
		}
		rows, _ := dense(t, s, tab)
		for i, want := range c.want {
			if rows[i][0] != want {
				t.Errorf("%s is %v, want %v", cells[i], rows[i][0], want)
			}
		}
		if _, says, _ := strings.Cut(s.Summary(), "; "); says != c.says {
			t.Errorf("%s: summary %q, want %q", c.cells, says, c.says)
		}
	}
}

// TestUnitFaults checks cells that are not as those of training.
func TestUnitFaults(t *testing.T) {
	s := mustFit(t, mustRead(t, tsv([]string{"1,5", "2,75"}, ";"), header), nil, scale.None)
	for cell, want := range map[string]string{
		"1.5":   `"1.5" may be thousands, and column "x" held decimal commas in training`,
		"1.000": `"1.000" may be thousands`,
		"2 kg":  `"2 kg" is not a number with a decimal comma`, "abc": `"abc" is not`, "NaN": "NaN is not a number",
	} {
		_, _, err := s.Encode(mustRead(t, tsv([]string{"1", cell}, ";"), s.Options("f")))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "f:3:") {
			t.Errorf("%s: %v, want %q", cell, err, want)
		}
	}
	b := table.NewBuilder(s.Options("f"))
	b.Row(1)
	b.Number(b.Column("x"), 1.5) // as a number, it can be nothing else
	tab, err := b.Table()
	if err != nil {
		t.Fatal(err)
	}
	if rows, _ := dense(t, s, tab); rows[0][0] != 1.5 {
		t.Errorf("1.5 is %v", rows[0])
	}
}

func TestDates(t *testing.T) {
	at := func(text string) time.Time {
		v, err := time.Parse("2006-01-02 15:04:05", text)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, c := range []struct {
		cells string
		want  string // with | between them
		parts []string
	}{
		{"2024-03-01|2023-12-24|?", "2024-03-01 00:00:00|2023-12-24 00:00:00|", []string{"year", "week"}},
		{"2024-03-01|2024-03-08", "2024-03-01 00:00:00|2024-03-08 00:00:00", []string{"year"}},
		{"2024-03-01T12:30:00Z|2024-03-02T01:00:30.5Z", "2024-03-01 12:30:00|2024-03-02 01:00:30.5",
			[]string{"year", "week", "day"}},
		{"2024-03-01 12:30|2024-03-01 8:05", "2024-03-01 12:30:00|2024-03-01 08:05:00", []string{"day"}},
		{"01.03.2024|24.12.2024", "2024-03-01 00:00:00|2024-12-24 00:00:00", []string{"year", "week"}},
		{"3/1/2024|12/24/2024", "2024-03-01 00:00:00|2024-12-24 00:00:00", []string{"year", "week"}},
		{"3/1/2024|24/12/2024", "2024-01-03 00:00:00|2024-12-24 00:00:00", []string{"year", "week"}},
		{"12:30|6:00", "0000-01-01 12:30:00|0000-01-01 06:00:00", []string{"day"}},
	} {
		tab := mustRead(t, tsv(strings.Split(c.cells, "|"), "\t"), table.Options{Header: table.Present})
		s := mustFit(t, tab, nil, scale.None)
		if s.Columns[0].Kind != table.Date || !slices.Equal(s.Columns[0].Parts, c.parts) {
			t.Errorf("%s: %+v", c.cells, s.Columns[0])
			continue
		}
		rows, _ := dense(t, s, tab)
		for i, text := range strings.Split(c.want, "|") {
			want := make([]float64, s.Width)
			if text == "" {
				want[0], want[s.Width-1] = s.Columns[0].Mean, 1
			} else {
				v := at(text)
				want[0] = float64(v.UnixMilli()) / 86400e3
				for k, part := range c.parts {
					clock := float64(v.Hour())/24 + float64(v.Minute())/24/60 + float64(v.Second())/86400
					turn := map[string]float64{
						"year": float64(v.YearDay()-1) / 365.25, "week": float64(v.Weekday()) / 7, "day": clock,
					}
					want[1+2*k], want[2+2*k] = math.Sincos(2 * math.Pi * turn[part])
				}
			}
			for j := range want {
				if math.Abs(rows[i][j]-want[j]) > 1e-12*max(1, math.Abs(want[j])) { // a few roundings
					t.Errorf("%s: row %d is %v, want %v", c.cells, i, rows[i], want)
					break
				}
			}
		}
	}
}

func TestDateFaults(t *testing.T) {
	s := mustFit(t, mustRead(t, tsv([]string{"3/1/2024", "4/2/2024"}, "\t"), header), nil, scale.None)
	want := "1 column: 1 category → 2 coordinates; read: x (dates whose day and month cannot be told apart)"
	if s.Summary() != want {
		t.Errorf("summary %q, want %q", s.Summary(), want)
	}
	s = mustFit(t, mustRead(t, tsv([]string{"2024-03-01", "2024-04-02"}, "\t"), header), nil, scale.Standard)
	if want := "1 column: 1 date → 5 coordinates; read: x (YYYY-M-D)"; s.Summary() != want {
		t.Errorf("summary %q, want %q", s.Summary(), want)
	}
	for _, cell := range []string{"01.03.2024", "20240301", "soon"} {
		_, _, err := s.Encode(mustRead(t, tsv([]string{"2024-03-01", cell}, "\t"), s.Options("f")))
		checkFault(t, err, 3, 0, "is not a date written YYYY-M-D, as column \"x\" held in training")
	}
}

// FuzzCells reads a column of two cells in all the ways there are.
func FuzzCells(f *testing.F) {
	for _, s := range []string{"12 kg", "$1,200.50", "1 234,5 €", "2024-03-01", "3/1/2024 12:30", "", "-$.5", "٣"} {
		f.Add(s, "7")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		build := table.NewBuilder(table.Options{Name: "f", Target: "none"})
		for i, cell := range []string{a, b} {
			build.Row(i + 1)
			build.Text(build.Column("x"), cell)
		}
		tab, err := build.Table()
		if err != nil {
			t.Fatal(err)
		}
		s, err := table.Fit(tab, nil, scale.Standard)
		if err != nil {
			return
		}
		if err := s.Validate(); err != nil {
			t.Fatal(err)
		}
		x, _, err := s.Encode(tab)
		if err != nil {
			t.Fatal(err)
		}
		for i := range x.Len() {
			if !x.At(i).Finite() {
				t.Fatalf("%q and %q become %v", a, b, x.At(i))
			}
		}
	})
}
