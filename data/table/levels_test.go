package table_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/data/table"
)

// Numbers of few whole values are categories, a missing one of two categories is none of
// them, and all else is as without levels.
func TestLevels(t *testing.T) {
	var b strings.Builder
	b.WriteString("legs,half,many,two,vote,colour,y\n")
	for i := range 60 {
		vote, colour, legs := []string{"y", "n", "?"}[i%3], []string{"red", "green", "?", "blue"}[i%4], fmt.Sprint(i%5*2)
		if i == 7 {
			legs = ""
		}
		fmt.Fprintf(&b, "%s,%v,%d,%d,%s,%s,%d\n", legs, float64(i%3)/2, i%11, i%2, vote, colour, i%2)
	}
	in, err := read(b.String(), table.Options{})
	if err != nil {
		t.Fatal(err)
	}
	plain, err := table.Fit(in, nil, scale.Standard)
	if err != nil {
		t.Fatal(err)
	}
	levels, err := table.Recipe{Scale: scale.Standard, Categories: table.Levels}.Fit(in, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := levels.Validate(); err != nil {
		t.Error(err)
	}
	want := []string{"legs=0", "legs=2", "legs=4", "legs=6", "legs=8", "legs missing", "half", "many", "two", "vote=n",
		"vote=y", "colour=blue", "colour=green", "colour=red", "colour missing"}
	if got := levels.Coordinates(); !slices.Equal(got, want) {
		t.Errorf("coordinates are %q", got)
	}
	if levels.SameColumns(plain) || !plain.SameColumns(plain) {
		t.Error("schemas are compared wrongly")
	}
	x, _, err := levels.Encode(in)
	if err != nil {
		t.Fatal(err)
	}
	old, _, err := plain.Encode(in)
	if err != nil {
		t.Fatal(err)
	}
	was := plain.Coordinates()
	a, o := encodedRows(x, levels.Width), encodedRows(old, plain.Width)
	for i := range a {
		legs := make([]float64, 6)
		if legs[i%5] = 1; i == 7 {
			legs = []float64{0, 0, 0, 0, 0, 1}
		}
		if !slices.Equal(a[i][:6], legs) {
			t.Errorf("row %d: legs are %v", i, a[i][:6])
		}
		for j, name := range want[6:] {
			if v := o[i][slices.Index(was, name)]; a[i][6+j] != v {
				t.Errorf("row %d: %s is %v and was %v", i, name, a[i][6+j], v)
			}
		}
	}
	// What training did not have is none of the levels, and is counted.
	in, err = read("legs,half,many,two,vote,colour\n3,0,1,1,y,red\n4.0,0,1,1,n,red\n", table.Options{Target: "none"})
	if err != nil {
		t.Fatal(err)
	}
	if x, _, err = levels.Encode(in); err != nil {
		t.Fatal(err)
	}
	a = encodedRows(x, levels.Width)
	if !slices.Equal(a[0][:6], []float64{0, 0, 0, 0, 0, 1}) || !slices.Equal(a[1][:6], []float64{0, 0, 1, 0, 0, 0}) {
		t.Errorf("legs are %v and %v", a[0][:6], a[1][:6])
	}
	if n, err := levels.Unseen(in); n != 1 || err != nil {
		t.Error(n, err)
	}
}

// Too few rows of each value, and a single value more than there may be, are numbers.
func TestNoLevels(t *testing.T) {
	for name, row := range map[string]func(i int) int{
		"two values":    func(i int) int { return i % 2 },
		"many values":   func(i int) int { return i % 11 },
		"different":     func(i int) int { return i * i },
		"beyond a grid": func(i int) int { return i * i * i * i },
	} {
		text := "a,b,y\n"
		for i := range 44 {
			text += fmt.Sprintf("%d,%d,%d\n", row(i), i*i%17, i%3)
		}
		in, err := read(text, table.Options{})
		if err != nil {
			t.Fatal(err)
		}
		s, err := table.Recipe{Scale: scale.Standard, Categories: table.Levels}.Fit(in, nil)
		if err != nil || s.Columns[0].Kind != table.Number {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
}
