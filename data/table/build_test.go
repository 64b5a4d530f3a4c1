package table_test

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/data/table"
)

// TestBuilderAsReader builds the table of a file and compares it with what a
// Reader makes of the file.
func TestBuilderAsReader(t *testing.T) {
	want, err := read("a,b,c,y\n1,x,,u\n2.5,,,v\n,x,7,u\n-0,y,8,v\n", table.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b := table.NewBuilder(table.Options{Names: []string{"a", "b", "c", "y"}})
	for i, row := range [][]any{{1.0, "x", nil, "u"}, {2.5, nil, nil, "v"}, {nil, "x", 7.0, "u"},
		{math.Copysign(0, -1), "y", 8.0, "v"}} {
		b.Row(i + 2)
		for j, cell := range row {
			switch cell := cell.(type) {
			case float64:
				b.Number(j, cell)
			case string:
				b.Text(j, cell)
			}
		}
	}
	got, err := b.Table()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.Header, want.Header) || !slices.Equal(got.Lines, want.Lines) || got.Target != want.Target ||
		!slices.Equal(got.Labels(), want.Labels()) {
		t.Errorf("%+v, want %+v", got, want)
	}
	for i := range want.Len() {
		for j := range want.Cols() {
			a, okA := got.Cell(i, j)
			c, okC := want.Cell(i, j)
			if a != c || okA != okC {
				t.Errorf("cell %d, %d is %q %v, want %q %v", i, j, a, okA, c, okC)
			}
		}
	}
	x, _ := dense(t, mustFit(t, got, nil, scale.Standard), got)
	y, _ := dense(t, mustFit(t, want, nil, scale.Standard), want)
	if !reflect.DeepEqual(x, y) {
		t.Errorf("%v, want %v", x, y)
	}
	if again, err := b.Table(); again != nil || err != nil {
		t.Errorf("rows come twice: %v, %v", again, err)
	}
}

// TestBuilderInParts has columns that come late and tables that lack cells.
func TestBuilderInParts(t *testing.T) {
	b := table.NewBuilder(table.Options{Name: "f", Target: "y"})
	b.Row(1)
	b.Number(b.Column("y"), 1)
	b.Row(2)
	b.Number(b.Column("x"), 3)
	b.Number(b.Column("y"), 2)
	train, err := b.Table()
	if err != nil {
		t.Fatal(err)
	}
	s := mustFit(t, train, nil, scale.None)
	b.Row(3)
	b.Text(b.Column("new"), "a")
	b.Row(4)
	b.Number(b.Column("x"), 5)
	later, err := b.Table()
	if err != nil || !slices.Equal(later.Header, []string{"y", "x", "new"}) {
		t.Fatalf("%v, %v", later, err)
	}
	x, labels, err := s.Encode(later)
	if err != nil || !slices.Equal(x.(*data.Matrix).Data, []float64{3, 1, 5, 0}) ||
		!slices.Equal(labels, []string{"", ""}) {
		t.Errorf("%v, %q, %v", x, labels, err)
	}
	if !slices.Equal(train.Header, []string{"y", "x"}) || !slices.Equal(train.Labels(), []string{"1", "2"}) {
		t.Errorf("the first table has changed: %v", train)
	}
}

func TestBuilderCells(t *testing.T) {
	b := table.NewBuilder(table.Options{Name: "f", Target: "t"})
	for i, v := range []bool{true, false} {
		b.Row(i + 1)
		b.Bool(b.Column("b"), v)
		b.Bool(b.Column("t"), v)
		b.Text(b.Column("s"), []string{"01", ""}[i])
		b.Bool(b.Column("m"), v)
	}
	b.Row(3)
	b.Text(b.Column("m"), "x")
	b.Row(4)
	b.Bool(b.Column("m"), true)
	tab, err := b.Table()
	if err != nil {
		t.Fatal(err)
	}
	for j, want := range [][]string{{"1", "0", "-", "-"}, {"true", "false", "-", "-"}, {"01", "-", "-", "-"},
		{"1", "0", "x", "true"}} {
		for i := range want {
			cell, ok := tab.Cell(i, j)
			if !ok {
				cell = "-"
			}
			if cell != want[i] {
				t.Errorf("cell %d, %d is %q, want %q", i, j, cell, want[i])
			}
		}
	}
}

func TestBuilderFaults(t *testing.T) {
	b := table.NewBuilder(table.Options{Name: "f", Target: "none"})
	b.Row(7)
	b.Number(b.Column("x"), math.Inf(1))
	tab, err := b.Table()
	if err != nil {
		t.Fatal(err)
	}
	_, err = table.Fit(tab, nil, scale.None)
	var input *data.InputError
	if !errors.As(err, &input) || input.Line != 7 || input.Column != 1 {
		t.Errorf("error %v", err)
	}
	b = table.NewBuilder(table.Options{Name: "f", Target: "y"})
	b.Row(1)
	b.Number(b.Column("x"), 1)
	if _, err := b.Table(); !errors.As(err, &input) || !strings.Contains(err.Error(), `"y"`) {
		t.Errorf("error %v", err)
	}
	for name, f := range map[string]func(){
		"no row": func() { b := table.NewBuilder(table.Options{}); b.Number(b.Column("x"), 1) },
		"twice":  func() { b.Number(0, 1) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}

// TestRoom: numbers that come by room are the same cells as those that come one by one, with the same first fault, for
// columns in which rows had no cell before, and in the table after.
func TestRoom(t *testing.T) {
	values := []float64{1, math.Copysign(0, -1), math.Inf(1), math.NaN(), 2.5, math.Inf(-1), 7}
	missing := []bool{false, false, false, false, true, false, false}
	for _, before := range []int{0, 1, 3} {
		one, whole := table.NewBuilder(table.Options{Target: "none"}), table.NewBuilder(table.Options{Target: "none"})
		line := 0
		for range 2 { // tables
			for _, b := range []*table.Builder{one, whole} {
				b.Column("x")
				for i := range before {
					b.Row(line + i + 1)
				}
			}
			for i, v := range values {
				one.Row(line + before + i + 1)
				if !missing[i] {
					one.Number(0, v)
				}
			}
			room := whole.Room(0, len(values), 1, true)
			copy(room, values)
			room[4] = math.NaN()
			whole.Put(0, len(values), line+before+1, table.Settle(room, missing))
			for i := range values {
				whole.Row(line + before + i + 1)
			}
			line += before + len(values)
			a, _ := one.Table()
			b, _ := whole.Table()
			for i := range a.Len() {
				x, there := a.Cell(i, 0)
				if y, ok := b.Cell(i, 0); x != y || there != ok {
					t.Errorf("row %d: %q, %v and %q, %v", i, x, there, y, ok)
				}
			}
			_, want := table.Fit(a, nil, scale.None)
			if _, got := table.Fit(b, nil, scale.None); fmt.Sprint(got) != fmt.Sprint(want) || want == nil {
				t.Errorf("%v and %v", got, want)
			}
		}
	}
	b := table.NewBuilder(table.Options{Target: "x"})
	b.Column("x")
	if b.Room(0, 1, 1, false) == nil || b.Room(0, 1, 1, true) != nil {
		t.Error("numbers of the target have no room, or its truth values have")
	}
	b.Row(1)
	b.Text(0, "a")
	if b.Room(0, 1, 1, false) != nil {
		t.Error("texts have room for numbers")
	}
}
