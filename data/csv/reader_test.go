package csv_test

import (
	"context"
	stdcsv "encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/csv"
	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/data/table"
)

// read reads a whole table.
func read(text string, o table.Options) (*table.Table, error) {
	o.Name = "f"
	r, err := csv.NewReader(strings.NewReader(text), o)
	if err != nil {
		return nil, err
	}
	return r.Read(context.Background(), 0)
}

func mustRead(t testing.TB, text string, o table.Options) *table.Table {
	t.Helper()
	tab, err := read(text, o)
	if err != nil {
		t.Fatal(err)
	}
	return tab
}

// grid returns all cells, "∅" for missing ones.
func grid(tab *table.Table) [][]string {
	all := make([][]string, tab.Len())
	for i := range all {
		for j := range tab.Cols() {
			cell, ok := tab.Cell(i, j)
			if !ok {
				cell = "∅"
			}
			all[i] = append(all[i], cell)
		}
	}
	return all
}

func TestCells(t *testing.T) {
	tests := []struct {
		name, text string
		want       string // of the grid
	}{
		{"plain", "1,a\n2,b\n", "[[1 a] [2 b]]"},
		{"blanks", " 1 ,\ta b \n 2, b \n", "[[1 a b] [2 b]]"},
		{"CRLF and blank lines", "\r\n1,a\r\n  \r\n2,b\r\n\r\n", "[[1 a] [2 b]]"},
		{"no newline at the end", "1,a\n2,b", "[[1 a] [2 b]]"},
		{"byte order mark", "\xef\xbb\xbf1,a\n2,b", "[[1 a] [2 b]]"},
		{"missing", "?,NA,n/a,NULL,,x\n1,2,3,4,5,y\n", "[[∅ ∅ ∅ ∅ ∅ x] [1 2 3 4 5 y]]"},
		{"quoted", `"a,""b""" , " c ","?"` + "\n1,2,3\n", `[[a,"b"  c  ?] [1 2 3]]`},
		{"quoted lines", "\"a\r\n\r\nb\",1\nc,2\n", "[[a\r\n\r\nb 1] [c 2]]"},
		{"quote inside", "5\" pipe,1\n6\" pipe,2\n", `[[5" pipe 1] [6" pipe 2]]`},
		{"empty last cell", "1,2,\n3,4,\n", "[[1 2 ∅] [3 4 ∅]]"},
		{"tabs", "a\t\t 1 \n\"b\tc\"\t2\t3\n", "[[a ∅ 1] [b\tc 2 3]]"},
		{"tabs and loose quotes", "x\t\"so\" he said\ny\t\"quoted\"\nz\t\"open\n",
			"[[x \"so\" he said] [y quoted] [z \"open]]"},
		{"semicolons", "1,5;a\n2,5;b\n", "[[1,5 a] [2,5 b]]"},
		{"bars", "1|a\n2|b\n", "[[1 a] [2 b]]"},
		{"one column", "1\n2\n", "[[1] [2]]"},
		{"blanks between", "  1.5   2\ta \r\n 3  4 b\n", "[[1.5 2 a] [3 4 b]]"},
		{"blanks between quotes", "1 \"a b\"  2\n3 c 4\n5 \"d\" 6 \n", "[[1 a b 2] [3 c 4] [5 d 6]]"},
		{"remarks", "# made by hand, in 2020\n#\n\n1,a\n2,b\n", "[[1 a] [2 b]]"},
		{"no remarks", "#x,a\n#y,b\n", "[[#x a] [#y b]]"},
		{"numbers, then text", "1.50,x\n,x\n007,x\nnan,x\nu,x\n2.50,x\n", "[[1.5 x] [∅ x] [7 x] [nan x] [u x] [2.50 x]]"},
		{"target is verbatim", "1.50,1.50\n2,007\n", "[[1.5 1.50] [2 007]]"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			tab := mustRead(t, test.text, table.Options{Header: table.Absent})
			if got := fmt.Sprint(grid(tab)); got != test.want {
				t.Errorf("cells %q, want %q", got, test.want)
			}
		})
	}
}

func TestVerbatim(t *testing.T) {
	tab := mustRead(t, "1.50,a\n007,b\n?,c\n", table.Options{Verbatim: true})
	if got, want := fmt.Sprint(grid(tab)), "[[1.50 a] [007 b] [∅ c]]"; got != want {
		t.Errorf("cells %s, want %s", got, want)
	}
	s, err := table.Fit(tab, nil, scale.None)
	if err != nil || s.Columns[0].Kind != table.Number || s.Columns[0].Mean != 4.25 {
		t.Errorf("a verbatim column of numbers is not a number: %+v, %v", s, err)
	}
}

func TestHeader(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
	}{
		{"over numbers", "a,b\n1,2\n3,4\n", []string{"a", "b"}},
		{"over numbers and texts", "name,age\nann,3\nbob,4\n", []string{"name", "age"}},
		{"over missing and numbers", "a,b\n?,2\n,4\n", []string{"a", "b"}},
		{"one row", "a,b\n1,x\n", []string{"a", "b"}},
		{"without a name", "a,,c\n1,2,3\n", []string{"a", "column 2", "c"}},
		{"over texts", "animal,colour\ncat,red\ncat,blue\n", []string{"animal", "colour"}},
		{"in a remark", "# by hand\n#a, b\n1,2\n3,4\n", []string{"a", "b"}},
		{"over blanks", "a  b c\n 1 2  x\n 3 4 y\n", []string{"a", "b", "c"}},
		{"that does not fit", "a,b\n1,2,x\n3,4,y\n", nil},
		{"numbers", "1,2\n3,4\n", nil},
		{"texts that come again", "cat,red\ncat,blue\ndog,red\n", nil},
		{"texts that are not distinct", "y,y\nn,n\nn,n\n", nil},
		{"texts without repetition", "a,b\nc,d\ne,f\n", nil},
		{"missing in the first row", "?,x\n1,x\n2,x\n", nil},
		{"single row", "a,b\n", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			tab := mustRead(t, test.text, table.Options{})
			if !slices.Equal(tab.Header, test.want) {
				t.Errorf("header %q, want %q", tab.Header, test.want)
			}
		})
	}
	known := table.Options{Names: []string{"x", "y", "z"}}
	if tab := mustRead(t, "z,x\na,b\n", known); tab.Header == nil {
		t.Error("known names are no header")
	}
	if tab := mustRead(t, "a,b\n1,x\n", table.Options{Header: table.Absent}); tab.Len() != 2 {
		t.Error("absent means absent")
	}
	if tab := mustRead(t, "1,2\n3,4\n", table.Options{Header: table.Present}); tab.Header[0] != "1" {
		t.Error("present means present")
	}
	if tab := mustRead(t, "odd\n3,4\n5,6\n", table.Options{Header: table.Skip}); tab.Header != nil || tab.Len() != 2 ||
		tab.Lines[0] != 2 {
		t.Error("skip means skip")
	}
}

func TestTarget(t *testing.T) {
	const text = "a,b,7\n1,2,3\n4,5,6\n"
	tests := []struct {
		target string
		want   int
	}{{"", 2}, {"last", 2}, {"first", 0}, {"none", -1}, {"b", 1}, {"2", 1}, {"3", 2}, {"7", 2}}
	for _, test := range tests {
		if tab := mustRead(t, text, table.Options{Target: test.target}); tab.Target != test.want {
			t.Errorf("target %q is column %d, want %d", test.target, tab.Target, test.want)
		}
	}
}

func TestReadFaults(t *testing.T) {
	tests := []struct {
		name, text   string
		o            table.Options
		line, column int
		want         string
	}{
		{"empty", " \n", table.Options{}, 0, 0, "is empty"},
		{"only a header", "a,b\n", table.Options{Header: table.Present}, 0, 0, "a header and no rows"},
		{"only a row to skip", "a,b\n", table.Options{Header: table.Skip}, 0, 0, "a header and no rows"},
		{"ragged", "1,2\n3,4\n\n5\n", table.Options{}, 4, 0, "the row has 1 cell and line 1 has 2"},
		{"ragged after a header", "a,b\n1,2\n5,6,7\n", table.Options{}, 3, 0, "the row has 3 cells and line 2 has 2"},
		{"short header", "a,b\n1,2,3\n4,5,6\n", table.Options{Header: table.Present}, 2, 0,
			"the row has 3 cells and the header in line 1 names 2; correct the header, or leave it aside with --header skip"},
		{"open quote", "1,2\n3,\"4\n5,6\n", table.Options{}, 2, 3, "never closed"},
		{"text after a quote", "1,2\n3, \"4\"x\n", table.Options{}, 2, 7, "after the closing quote"},
		{"text after a quote in a later line", "1,2\n3,\"4\n4\"x\n", table.Options{}, 3, 3, "after the closing quote"},
		{"no such target", "a,b\n1,2\n", table.Options{Target: "c"}, 0, 0, "the columns are a, b"},
		{"no such number", "1,2\n", table.Options{Target: "3"}, 0, 0, "a number from 1 to 2"},
		{"no such column to drop", "1,2\n", table.Options{Drop: []string{"0"}}, 0, 0, "a number from 1 to 2"},
		{"target dropped", "1,2\n", table.Options{Drop: []string{"2"}}, 0, 0, "both dropped and the target"},
		{"comma", "1,2\n", table.Options{Comma: '"'}, 0, 0, "cannot separate"},
		{"too many columns", strings.Repeat(",", 1<<20) + "\n", table.Options{Comma: ','}, 1, 0, "more than 1048576 columns"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := read(test.text, test.o)
			checkFault(t, err, test.line, test.column, test.want)
		})
	}
}

func checkFault(t *testing.T, err error, line, column int, want string) {
	t.Helper()
	var input *data.InputError
	if !errors.As(err, &input) || input.Line != line || input.Column != column || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want line %d, column %d, %q", err, line, column, want)
	}
}

func TestReadInParts(t *testing.T) {
	var text strings.Builder
	for i := range 100 {
		fmt.Fprintf(&text, "%d,x%d\n", i, i)
	}
	for _, max := range []int{1, 7, 99, 100, 101} {
		r, err := csv.NewReader(iotest.OneByteReader(strings.NewReader(text.String())), table.Options{})
		if err != nil {
			t.Fatal(err)
		}
		rows := 0
		for {
			tab, err := r.Read(t.Context(), max)
			if err == io.EOF {
				break
			}
			if err != nil || tab.Len() == 0 || tab.Len() > max {
				t.Fatalf("%v", err)
			}
			for i, label := range tab.Labels() {
				if label != fmt.Sprintf("x%d", rows) || tab.Lines[i] != rows+1 {
					t.Fatalf("row %d has label %s and line %d", rows, label, tab.Lines[i])
				}
				rows++
			}
		}
		if _, err := r.Read(t.Context(), max); rows != 100 || err != io.EOF {
			t.Errorf("max %d: %d rows, then %v", max, rows, err)
		}
	}
}

func TestErrorsOfTheStream(t *testing.T) {
	failing := io.MultiReader(strings.NewReader("1,2\n"), iotest.ErrReader(errors.New("disk on fire")))
	_, err := csv.NewReader(failing, table.Options{})
	checkFault(t, err, 0, 0, "disk on fire")
	r, err := csv.NewReader(strings.NewReader("1,2\n"), table.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Read(ctx, 0); err != context.Canceled {
		t.Errorf("error %v, want that of the context", err)
	}
}

// TestAgainstEncodingCSV writes tables with encoding/csv and reads them back.
func TestAgainstEncodingCSV(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.IntRange(2, 5).Draw(t, "width")
		comma := rapid.SampledFrom([]rune{',', ';', '|'}).Draw(t, "comma")
		cell := rapid.StringMatching("[ab ,;|\"\n\t]{0,6}z")
		rows := rapid.SliceOfN(rapid.SliceOfN(cell, width, width), 1, 9).Draw(t, "rows")
		var text strings.Builder
		w := stdcsv.NewWriter(&text)
		w.Comma = comma
		if err := w.WriteAll(rows); err != nil {
			t.Fatal(err)
		}
		tab, err := read(text.String(), table.Options{Header: table.Absent, Comma: comma})
		if err != nil {
			t.Fatal(err)
		}
		for i, row := range grid(tab) {
			for j, cell := range row {
				// encoding/csv quotes a leading blank, but no tab inside.
				if cell != rows[i][j] {
					t.Fatalf("cell %q, want %q in %q", cell, rows[i][j], text.String())
				}
			}
		}
	})
}
