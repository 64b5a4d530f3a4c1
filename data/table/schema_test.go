package table_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/csv"
	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/data/table"
)

func mustFit(t testing.TB, tab *table.Table, rows []int, scale scale.Kind) *table.Schema {
	t.Helper()
	s, err := table.Fit(tab, rows, scale)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(); err != nil {
		t.Fatal(err)
	}
	return s
}

// dense returns the encoded rows as plain slices.
func dense(t testing.TB, s *table.Schema, tab *table.Table) ([][]float64, []string) {
	t.Helper()
	x, labels, err := s.Encode(tab)
	if err != nil {
		t.Fatal(err)
	}
	if m, ok := x.(*data.CSR); ok {
		if err := m.Validate(); err != nil {
			t.Fatal(err)
		}
	}
	if data.Dim(x) != s.Width || len(s.Coordinates()) != s.Width {
		t.Fatalf("%d coordinates with %d names, want %d", data.Dim(x), len(s.Coordinates()), s.Width)
	}
	rows := make([][]float64, x.Len())
	for i := range rows {
		rows[i] = make([]float64, s.Width)
		x.At(i).CopyTo(rows[i])
	}
	return rows, labels
}

const people = "age,work,height,class\n" +
	"20,state,180,yes\n" +
	"40,private,?,no\n" +
	"?,private,160,yes\n" +
	"60,,170,no\n"

func TestEncode(t *testing.T) {
	tab := mustRead(t, people, table.Options{})
	s := mustFit(t, tab, nil, scale.None)
	want := [][]float64{
		{20, 0, 0, 1, 0, 180, 0},
		{40, 0, 1, 0, 0, 170, 1},
		{40, 1, 1, 0, 0, 160, 0},
		{60, 0, 0, 0, 1, 170, 0},
	}
	rows, labels := dense(t, s, tab)
	if !reflect.DeepEqual(rows, want) || !slices.Equal(labels, []string{"yes", "no", "yes", "no"}) {
		t.Errorf("rows %v, labels %q", rows, labels)
	}
	names := []string{"age", "age missing", "work=private", "work=state", "work missing", "height",
		"height missing"}
	if !slices.Equal(s.Coordinates(), names) {
		t.Errorf("coordinates %q", s.Coordinates())
	}
	if want := "3 columns: 2 numbers, 1 category → 7 coordinates"; s.Summary() != want {
		t.Errorf("summary %q, want %q", s.Summary(), want)
	}
}

func TestScale(t *testing.T) {
	const text = "1,5,-3,a\n2,5,?,b\n3,5,1,a\n"
	third := math.Sqrt(1.5) // 1 over the deviation √(2/3) of 1, 2, 3
	tests := []struct {
		scale scale.Kind
		want  [][]float64
	}{
		{scale.None, [][]float64{{1, 5, -3, 0}, {2, 5, -1, 1}, {3, 5, 1, 0}}},
		{scale.Standard, [][]float64{{-third, 0, -1, 0}, {0, 0, 0, 1}, {third, 0, 1, 0}}},
		{scale.Range, [][]float64{{-1, 0, -1, 0}, {0, 0, 0, 1}, {1, 0, 1, 0}}},
	}
	for _, test := range tests {
		tab := mustRead(t, text, table.Options{})
		rows, _ := dense(t, mustFit(t, tab, nil, test.scale), tab)
		for i := range rows {
			for j := range rows[i] {
				if math.Abs(rows[i][j]-test.want[i][j]) > 1e-15 {
					t.Errorf("%s: row %d is %v, want %v", test.scale, i, rows[i], test.want[i])
				}
			}
		}
	}
	if _, err := table.Fit(mustRead(t, text, table.Options{}), nil, "weird"); err == nil {
		t.Error("a scale that is none")
	}
	// A constant column stays 0 under Range and is shifted under Standard.
	tab := mustRead(t, text, table.Options{})
	other := mustRead(t, "1,7,1,a\n", table.Options{})
	for scale, want := range map[scale.Kind]float64{scale.Range: 0, scale.Standard: 2} {
		if rows, _ := dense(t, mustFit(t, tab, nil, scale), other); rows[0][1] != want {
			t.Errorf("%s: constant column became %v, want %v", scale, rows[0][1], want)
		}
	}
}

// TestFitOnRows checks that rows held out have no part in the schema.
func TestFitOnRows(t *testing.T) {
	tab := mustRead(t, people, table.Options{})
	s := mustFit(t, tab, []int{0, 3}, scale.Range)
	if c := s.Columns[0]; c.Indicator || c.Mean != 40 || c.Center != 40 || c.Spread != 20 {
		t.Errorf("age: %+v", c)
	}
	if c := s.Columns[1]; !slices.Equal(c.Categories, []string{"state"}) {
		t.Errorf("work: %+v", c)
	}
	if n, err := s.Unseen(tab); n != 2 || err != nil {
		t.Errorf("unseen %d, %v, want 2", n, err)
	}
	rows, _ := dense(t, s, tab)
	if want := []float64{0, 0, 1, 0}; !slices.Equal(rows[1], want) {
		t.Errorf("row 1 is %v, want %v", rows[1], want)
	}
}

// TestExtremes checks that no statistic of finite numbers overflows.
func TestExtremes(t *testing.T) {
	for _, text := range []string{
		"1.7e308,a\n-1.7e308,b\n1.7e308,c\n1.7e308,d\n", "5e-324,a\n0,b\n-5e-324,c\n", "1e308,a\n1e-308,b\n",
		"1e-170,a\n2e-170,b\n",
	} {
		for _, kind := range scale.Kinds() {
			tab := mustRead(t, text, table.Options{})
			rows, _ := dense(t, mustFit(t, tab, nil, kind), tab)
			for i, row := range rows {
				if row[0]-row[0] != 0 || kind == scale.Range && math.Abs(row[0]) > 1+1e-15 || kind == scale.Standard &&
					math.Abs(row[0]) > 2 {
					t.Errorf("%q, %s: row %d is %v", text, kind, i, row)
				}
			}
		}
	}
	s := mustFit(t, mustRead(t, "1e-300,a\n2e-300,b\n", table.Options{}), nil, scale.Standard)
	_, _, err := s.Encode(mustRead(t, "1,a\n1e300,b\n", table.Options{}))
	checkFault(t, err, 2, 0, "too far from the values in training")
}

func TestCategoriesOfNumbers(t *testing.T) {
	// 7 is a number before the first text and a text after it; both are one
	// category, in training as later, when a part of a file has numbers alone.
	s := mustFit(t, mustRead(t, "7.0,a\nu,b\n7,c\n+7e0,d\nNaN,e\n", table.Options{}), nil, scale.None)
	if c := s.Columns[0]; !slices.Equal(c.Categories, []string{"7", "NaN", "u"}) {
		t.Fatalf("categories %q", c.Categories)
	}
	other := mustRead(t, "7.00,a\n8,b\nNaN,c\n?,d\n", table.Options{})
	rows, _ := dense(t, s, other)
	if want := [][]float64{{1, 0, 0}, {0, 0, 0}, {0, 1, 0}, {0, 0, 0}}; !reflect.DeepEqual(rows, want) {
		t.Errorf("rows %v, want %v", rows, want)
	}
	if n, err := s.Unseen(other); n != 1 || err != nil {
		t.Errorf("unseen %d, %v, want 1", n, err)
	}
}

func TestIgnored(t *testing.T) {
	var text strings.Builder
	for i := range 20 {
		fmt.Fprintf(&text, "id%d,%d,,x,%d\n", i, i, i%2)
	}
	s := mustFit(t, mustRead(t, text.String(), table.Options{Drop: []string{"4"}}), nil, scale.None)
	if want := "4 columns: 1 number → 1 coordinate; ignored: column 1 (different in nearly every row), " +
		"column 3 (empty), column 4 (dropped)"; s.Summary() != want {
		t.Errorf("summary %q, want %q", s.Summary(), want)
	}
	var why []string
	for _, c := range s.Columns {
		why = append(why, c.Why)
	}
	if want := []string{"different in nearly every row", "", "empty", "dropped", ""}; !slices.Equal(why, want) {
		t.Errorf("reasons %q, want %q", why, want)
	}
}

func TestSparse(t *testing.T) {
	var text strings.Builder
	for i := range 100 {
		fmt.Fprintf(&text, "%d,c%d,%d\n", i-50, i%30, i%2)
	}
	tab := mustRead(t, text.String(), table.Options{})
	s := mustFit(t, tab, nil, scale.None)
	x, _, err := s.Encode(tab)
	if _, ok := x.(*data.CSR); !ok || err != nil || !s.IsSparse() || s.Width != 31 {
		t.Fatalf("%T of width %d, %v", x, s.Width, err)
	}
	rows, _ := dense(t, s, tab)
	for i, row := range rows {
		want := make([]float64, 31)
		want[0] = float64(i - 50)
		want[1+slices.Index(s.Columns[1].Categories, fmt.Sprintf("c%d", i%30))] = 1
		if !slices.Equal(row, want) {
			t.Fatalf("row %d is %v, want %v", i, row, want)
		}
	}
}

func TestMatch(t *testing.T) {
	s := mustFit(t, mustRead(t, people, table.Options{}), nil, scale.None)
	bare := mustFit(t, mustRead(t, strings.SplitAfterN(people, "\n", 2)[1], table.Options{}), nil, scale.None)
	row := []float64{20, 0, 0, 1, 0, 180, 0}
	tests := []struct {
		name, text string
		schema     *table.Schema
		labels     []string
	}{
		{"same", "age,work,height,class\n20,state,180,yes\n", s, []string{"yes"}},
		{"other order, more columns", "class,extra,height,age,work\nyes,1,180,20,state\n", s, []string{"yes"}},
		{"no target", "height,work,age\n180,state,20\n", s, nil},
		{"missing label", "age,work,height,class\n20,state,180,?\n", s, []string{""}},
		{"header in the table alone", "a,b,c,d\n20,state,180,yes\n", bare, []string{"yes"}},
		{"header in the schema alone", "20,state,180,yes\n", s, []string{"yes"}},
		{"position without the target", "20,state,180\n", bare, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			rows, labels := dense(t, test.schema, mustRead(t, test.text, test.schema.Options("f")))
			if !slices.Equal(rows[0], row) || !slices.Equal(labels, test.labels) || (labels == nil) != (test.labels == nil) {
				t.Errorf("row %v, labels %q", rows[0], labels)
			}
		})
	}
}

func TestEncodeFaults(t *testing.T) {
	s := mustFit(t, mustRead(t, people, table.Options{}), nil, scale.None)
	tests := []struct {
		name, text   string
		line, column int
		want         string
	}{
		{"columns are not there", "age,class\n20,yes\n", 0, 0, "lacks 2 columns that training had: work, height"},
		{"too few", "20,state\n", 0, 0, "the table has 2 columns and training had 4 columns, or 3 without the target"},
		{"text for a number", "age,work,height\n20,state,180\nold,state,1\n", 3, 1,
			`"old" is not a number, and column "age" held only numbers`},
		{"NaN", "age,work,height\n20,state,180\n20,state, NaN\n", 3, 11,
			"NaN is not a number that kerf can use; leave the cell empty or write ? for a missing value"},
		{"too large", "age,work,height\n1e999,state,180\n", 2, 1, "1e999 is not a number that kerf can use"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			tab := mustRead(t, test.text, s.Options("f"))
			_, _, err := s.Encode(tab)
			checkFault(t, err, test.line, test.column, test.want)
			if _, err := s.Unseen(tab); err == nil {
				t.Error("Unseen has no error")
			}
		})
	}
}

func TestFitFaults(t *testing.T) {
	tests := []struct {
		name, text   string
		o            table.Options
		rows         []int
		line, column int
		want         string
	}{
		{"missing label", "1,a\n2,?\n", table.Options{}, nil, 2, 0, "the label is missing in column 2"},
		{"missing label with header", "x,\"y\"\n1,a\n2,?\n", table.Options{}, nil, 3, 0,
			`the label is missing in column "y"`},
		{"NaN among numbers", "1,a\n-inf,b\n", table.Options{}, nil, 2, 1, "-inf is not a number that kerf can use"},
		{"target alone", "1\n2\n", table.Options{}, nil, 0, 0, "no column is left"},
		{"no rows", "1,a\n", table.Options{}, []int{}, 0, 0, "no rows"},
		{"commas of either kind", "1,500;a\n-2,750;b\n", table.Options{}, nil, 1, 1, `"1,500" is a number with a comma`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := table.Fit(mustRead(t, test.text, test.o), test.rows, scale.None)
			checkFault(t, err, test.line, test.column, test.want)
		})
	}
	if _, err := table.Fit(mustRead(t, "1,a\n2,?\n", table.Options{}), []int{0}, scale.None); err != nil {
		t.Errorf("a label that is missing in a row held out: %v", err)
	}
}

func TestSchemaJSON(t *testing.T) {
	tab := mustRead(t, people, table.Options{Drop: []string{"height"}})
	s := mustFit(t, tab, nil, scale.Standard)
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var back table.Schema
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(*s, back) {
		t.Errorf("read %+v, want %+v", back, *s)
	}
	breaks := map[string]func(*table.Schema){
		"target":     func(s *table.Schema) { s.Target = 0 },
		"far target": func(s *table.Schema) { s.Target = 9 },
		"width":      func(s *table.Schema) { s.Width++ },
		"comma":      func(s *table.Schema) { s.Comma = "" },
		"scale":      func(s *table.Schema) { s.Scale = "" },
		"offset":     func(s *table.Schema) { s.Columns[1].Offset = 0 },
		"size":       func(s *table.Schema) { s.Columns[1].Size = 1 },
		"kind":       func(s *table.Schema) { s.Columns[0].Kind = "x" },
		"categories": func(s *table.Schema) { slices.Reverse(s.Columns[1].Categories) },
		"spread":     func(s *table.Schema) { s.Columns[0].Spread = math.NaN() },
		"own scale":  func(s *table.Schema) { s.Columns[0].Scale = scale.Mixed },
		"its place":  func(s *table.Schema) { s.Columns[1].Scale = scale.Log },
		"curve":      func(s *table.Schema) { s.Columns[0].Curve = &scale.Curve{Knots: []float64{1}} },
		"indicator":  func(s *table.Schema) { s.Columns[1].Indicator = false },
	}
	for name, change := range breaks {
		var broken table.Schema
		if err := json.Unmarshal(text, &broken); err != nil {
			t.Fatal(err)
		}
		if change(&broken); broken.Validate() == nil {
			t.Errorf("a schema with a broken %s is valid", name)
		}
	}
}

func ExampleFit() {
	const text = "colour,size,class\nred,1,a\nblue,3,b\nred,5,a\n"
	r, err := csv.NewReader(strings.NewReader(text), table.Options{Name: "shapes.csv"})
	if err != nil {
		fmt.Println(err)
		return
	}
	tab, err := r.Read(context.Background(), 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := table.Fit(tab, nil, scale.Range)
	if err != nil {
		fmt.Println(err)
		return
	}
	x, labels, err := s.Encode(tab)
	fmt.Println(s.Summary())
	fmt.Println(s.Coordinates())
	fmt.Println(x.At(0).Value, labels[0], err)
	// Output:
	// 2 columns: 1 number, 1 category → 3 coordinates
	// [colour=blue colour=red size]
	// [0 1 -1] a <nil>
}

// TestMixed checks that each column says its scale, and is encoded by it.
func TestMixed(t *testing.T) {
	text := rowsOf("plain,long,heavy,y\n", 200, func(i int) string {
		z := math.Sqrt2 * math.Erfinv(2*(float64(i*37%200)+0.5)/200-1)
		return fmt.Sprintf("%v,%v,%v,%d", z, math.Exp(2*z), z*z*z*z*z, i%2)
	})
	tab := mustRead(t, text, table.Options{})
	s := mustFit(t, tab, nil, scale.Mixed)
	rows, _ := dense(t, s, tab)
	for j, want := range []scale.Kind{scale.Standard, scale.Log, scale.Quantile} {
		if got := s.Columns[j].Scale; got != want {
			t.Fatalf("%s is %s, want %s", s.Columns[j].Name, got, want)
		}
		one := mustFit(t, tab, nil, want)
		alone, _ := dense(t, one, tab)
		for i := range rows {
			if rows[i][j] != alone[i][j] {
				t.Fatalf("row %d, %s is %v, want %v", i, want, rows[i][j], alone[i][j])
			}
		}
	}
}
