package cli_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// row is a row of made data, in every form that the kinds of instances have.
type row struct {
	x, y   float64 // NaN for a missing one
	colour string  // empty for a missing one
	text   string
	items  []string
	label  string
	weight int
}

// layout is how rows are written.
type layout struct {
	bare    bool // without labels
	weight  bool // with weights: a column of a table, a file beside others
	colour  bool // with the column of categories
	swapped bool // the columns in another order, and others among them; indices of LIBSVM in another order
}

// world is a cell with its files.
type world struct {
	*testing.T
	cell
	dir   string
	files int
}

// rows returns 42 rows of the cell's target, of which some coincide.
func (w *world) rows() []row {
	r := rand.New(rand.NewPCG(7, 11))
	out := make([]row, 42)
	for i := range out {
		o := row{x: round(r.NormFloat64()), y: round(r.NormFloat64()), weight: i % 3}
		class := min(int(2*math.Hypot(o.x, o.y)), 3)
		letters := []string{"aab", "abc", "bcd", "ddc"}[class]
		for range 8 {
			o.text += string(letters[r.IntN(len(letters))])
		}
		o.items = []string{o.text[:1], o.text[1:3], o.text[3:5]}
		o.colour = []string{"red", "green", "blue"}[(class+r.IntN(2))%3]
		switch w.target {
		case "two":
			o.label = []string{"in", "in", "out", "out"}[class]
		case "many":
			o.label = []string{"near", "mid", "far", "far"}[class]
		case "numbers":
			o.label = spellNumber(float64(class) + round(r.Float64()))
		case "one-class":
			o.label = []string{"inlier", "inlier", "inlier", "outlier"}[class]
		}
		out[i] = o
	}
	return out
}

func round(v float64) float64 { return math.Round(1000*v) / 1000 }

func spellNumber(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// isTable reports whether the cell's files are tables.
func (w *world) isTable() bool {
	return w.kind == "dense" || w.trait == "columns" && w.kind != "sparse"
}

// write writes rows to a new file, and their weights to another.
func (w *world) write(rows []row, l layout) (path, weights string) {
	w.Helper()
	w.files++
	ending := map[string]string{"dense": ".csv", "sparse": ".libsvm", "strings": ".txt", "sets": ".baskets"}[w.kind]
	if w.isTable() {
		ending = ".csv"
	}
	path = filepath.Join(w.dir, fmt.Sprintf("d%d%s", w.files, ending))
	var text, weight strings.Builder
	for i, r := range rows {
		switch {
		case w.isTable():
			names, cells := w.cells(r, l)
			if i == 0 {
				text.WriteString(strings.Join(names, ",") + "\n")
			}
			text.WriteString(strings.Join(cells, ",") + "\n")
		default:
			text.WriteString(w.line(r, l) + "\n")
		}
		fmt.Fprintln(&weight, r.weight)
	}
	writeFile(w, path, []byte(text.String()))
	if l.weight && !w.isTable() {
		weights = writeFile(w, path+".w", []byte(weight.String()))
	}
	return path, weights
}

// cells returns the columns of a table and a row's cells.
func (w *world) cells(r row, l layout) (names, cells []string) {
	add := func(name, cell string) { names, cells = append(names, name), append(cells, cell) }
	number := func(v float64) string {
		if math.IsNaN(v) {
			return "?"
		}
		return spellNumber(v)
	}
	switch {
	case w.kind == "dense":
		add("x", number(r.x))
		add("y", number(r.y))
		if l.colour {
			add("colour", r.colour)
		}
	case w.kind == "strings":
		add("text", r.text)
	default:
		add("colour", r.colour)
		add("shape", r.text[:1])
	}
	if l.weight {
		add("w", strconv.Itoa(r.weight))
	}
	if !l.bare {
		add("label", r.label)
	}
	if l.swapped {
		add("new", r.text[1:2])
		for i, j := 0, len(names)-1; i < j; i, j = i+1, j-1 {
			names[i], names[j], cells[i], cells[j] = names[j], names[i], cells[j], cells[i]
		}
	}
	return names, cells
}

// line returns a row of a format without columns.
func (w *world) line(r row, l layout) string {
	var label, rest string
	switch w.kind {
	case "sparse":
		label, rest = r.label+" ", fmt.Sprintf("1:%v 2:%v", r.x, r.y)
		if l.swapped {
			rest = fmt.Sprintf("2:%v 1:%v", r.y, r.x)
		}
	case "strings":
		label, rest = r.label+"\t", r.text
	case "sets":
		label, rest = r.label+",", strings.Join(r.items, ",")
	}
	if l.bare {
		return rest
	}
	return label + rest
}

// record returns a row as a Go program would hand it over.
func (w *world) record(r row, l layout) any {
	switch {
	case w.isTable():
		names, cells := w.cells(r, l)
		out := map[string]any{}
		for j, name := range names {
			out[name] = cells[j]
		}
		return out
	case w.kind == "sparse":
		return []float64{0, r.x, r.y}
	case w.kind == "strings":
		return r.text
	}
	return r.items
}

// repeated returns each row as often as its weight says.
func repeated(rows []row) []row {
	var out []row
	for _, r := range rows {
		for range r.weight {
			out = append(out, r)
		}
	}
	return out
}

// twice returns each row twice.
func twice(rows []row) []row {
	var out []row
	for _, r := range rows {
		out = append(out, r, r)
	}
	return out
}

// changed returns the rows with something done to each.
func changed(rows []row, change func(i int, r *row)) []row {
	out := make([]row, len(rows))
	for i, r := range rows {
		out[i] = r
		change(i, &out[i])
	}
	return out
}
