package table_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/data/table"
)

// rowsOf writes a table of n rows.
func rowsOf(header string, n int, row func(i int) string) string {
	var b strings.Builder
	b.WriteString(header)
	for i := range n {
		b.WriteString(row(i) + "\n")
	}
	return b.String()
}

func TestLeaveOut(t *testing.T) {
	every := func(row string) func(int) string {
		return func(i int) string {
			return strings.NewReplacer("#", fmt.Sprint(i), "%", fmt.Sprint(i*i%7)).Replace(row)
		}
	}
	for _, c := range []struct {
		name, header, row, want string
		n                       int
	}{
		{"names of identifiers", "id,customer_id,PassengerId,paid,grid,y\n", "#,1#,2#,3#,4%,%",
			"ignored: id (different in every row), customer_id (different in every row), " +
				"PassengerId (different in every row)", 20},
		{"numbers of rows", "Unnamed: 0,x,y\n", "#,%,a%", "ignored: Unnamed: 0 (different in every row)", 20},
		{"no header", "", "#,%,5%,a%", "ignored: column 1 (different in every row)", 20},
		{"the only number", "", "#,a%", "", 20},
		{"a measurement", "time,x,y\n", "#,%,a%", "", 20},
		{"floats", "id,x,y\n", "#.5,%,a%", "", 20},
		{"twice", "id,x,y\n", "%,1%,a%", "", 20},
		{"numbers elsewhere", "index,x,y\n", "9#,%,a%", "", 20},
		{"constant", "unit,x,z,y\n", "kg,3,%,a%", "ignored: unit (constant), x (constant)", 20},
		{"all constant", "unit,x,y\n", "kg,3,a%", "", 20},
		{"few rows", "id,unit,x,u,y\n", "#,kg,%,%,a%", "", 19},
		{"the same", "a,b,c,d,y\n", "%,%,u%,u%,a%", "ignored: b (the same as a), d (the same as c)", 20},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := mustFit(t, mustRead(t, rowsOf(c.header, c.n, every(c.row)), table.Options{}), nil, scale.None)
			_, got, _ := strings.Cut(s.Summary(), "; ")
			if got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// TestLeaveOutRows checks that rows held out have no part in what is left out, and
// that the number of the row is known from some rows as from all.
func TestLeaveOutRows(t *testing.T) {
	text := rowsOf("row,a,b,y\n", 60, func(i int) string { return fmt.Sprintf("%d,%d,%d,%d", i+1, i%7, i%7+i/50, i%2) })
	tab := mustRead(t, text, table.Options{})
	some := make([]int, 0, 25)
	for i := 0; i < 50; i += 2 {
		some = append(some, i)
	}
	for want, rows := range map[string][]int{
		"3 columns: 1 number → 1 coordinate; ignored: row (different in every row), b (the same as a)": some,
		"3 columns: 2 numbers → 2 coordinates; ignored: row (different in every row)":                  nil,
	} {
		if got := mustFit(t, tab, rows, scale.None).Summary(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
