package table

import (
	"hash/maphash"
	"math"
	"regexp"
	"slices"
)

// Why columns are ignored.
const (
	emptyColumn    = "empty"
	constantColumn = "constant"
)

// leaveOut ignores columns from which nothing can be learnt, of at least manyRows
// rows:
//
//   - those that are the same in all rows, unless no other column is left;
//   - those that are the same as one before in all rows, cell by cell;
//   - whole numbers that are different in every row and named id, uid, uuid, guid or
//     with such a word at the end, as in customer_id;
//   - the number of the row in the table, from 0 or from 1, where the column is named
//     index, row, number or the like, or is the first of three or more without names.
func (s *Schema) leaveOut(t *Table, rows []int) {
	if len(rows) < manyRows {
		return
	}
	parts := make([]*part, len(s.Columns))
	for j := range s.Columns {
		if s.Columns[j].Size > 0 {
			parts[j] = newPart(&s.Columns[j], t.column[j])
		}
	}
	ignore := func(j int, why string) {
		s.Columns[j] = Column{Name: s.Columns[j].Name, Kind: Ignored, Why: why}
		parts[j] = nil
	}
	left := s.features()
	var constant []int
	same := sameColumns(parts, rows)
	for j, p := range parts {
		switch {
		case p == nil:
		case p.isConstant(rows):
			constant = append(constant, j)
		case same[j] >= 0:
			ignore(j, "the same as "+s.Columns[same[j]].Name)
		case p.isIdentifier(t, rows, s.Columns[j].Name, s.Header, j == 0 && left > 2):
			ignore(j, "different in every row")
		}
	}
	if len(constant) < s.features() {
		for _, j := range constant {
			ignore(j, constantColumn)
		}
	}
}

// cell is what a cell is worth: a number, the days of a date, or the index of a category.
func (p *part) cell(row int) float64 {
	switch p.to.Kind {
	case Category:
		return float64(p.category(row))
	case Date:
		if p.from.code[row] < 0 {
			return math.NaN()
		}
		return p.moments[p.from.code[row]].days
	case Text:
		return float64(p.from.code[row])
	}
	return p.number(row)
}

// isConstant reports a column without missing cells whose cells are all the same.
func (p *part) isConstant(rows []int) bool {
	if p.to.Indicator {
		return false
	}
	first := p.cell(rows[0])
	return !slices.ContainsFunc(rows, func(i int) bool { return p.cell(i) != first })
}

// sameColumns returns for each column the first one before it that is the same, -1
// where there is none.
func sameColumns(parts []*part, rows []int) []int {
	out, seed := make([]int, len(parts)), maphash.MakeSeed()
	alike := map[uint64][]int{} // columns whose first cells are the same
	for j, p := range parts {
		if out[j] = -1; p != nil {
			sum := p.hash(seed, rows[:min(len(rows), firstCells)])
			alike[sum] = append(alike[sum], j)
		}
	}
	known := map[uint64][]int{}
	for _, columns := range alike {
		if len(columns) == 1 {
			continue
		}
		for _, j := range columns {
			sum := parts[j].hash(seed, rows)
			for _, k := range known[sum] {
				if parts[j].sameAs(parts[k], rows) {
					out[j] = k
					break
				}
			}
			if out[j] < 0 {
				known[sum] = append(known[sum], j)
			}
		}
	}
	return out
}

// firstCells is how many cells of a column tell it from most others.
const firstCells = 256

// hash returns a hash of cells. Whatever it is, equal columns are compared cell by cell.
func (p *part) hash(seed maphash.Seed, rows []int) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	for _, i := range rows {
		maphash.WriteComparable(&h, math.Float64bits(p.cell(i)))
	}
	return h.Sum64()
}

func (p *part) sameAs(q *part, rows []int) bool {
	if p.to.Kind != q.to.Kind || !slices.Equal(p.to.Categories, q.to.Categories) ||
		!slices.Equal(p.to.Words, q.to.Words) {
		return false
	}
	return !slices.ContainsFunc(rows, func(i int) bool {
		return math.Float64bits(p.cell(i)) != math.Float64bits(q.cell(i))
	})
}

var (
	// identifierName is a name of whole numbers that say nothing but which row it is.
	identifierName = regexp.MustCompile(`^(?i:|.*[^a-z])(?i:u|gu|uu)?(?i:id)$|[a-z]I[dD]$`)

	// rowName is a name of the row's number.
	rowName = regexp.MustCompile(`(?i)^(unnamed: ?0|index|idx|rows|rownames?|(row|record|line|serial|sample|case|` +
		`obs)[ ._-]?(no|nr|num|number|index)?|no|nr|num|number|#|key|)\.?$`)
)

// isIdentifier reports a column of whole numbers that number the rows. Without
// names it may be so if it stands first.
func (p *part) isIdentifier(t *Table, rows []int, name string, named, first bool) bool {
	if p.to.Kind != Number || p.to.Indicator {
		return false
	}
	if slices.ContainsFunc(rows, func(i int) bool { return p.cell(i) != math.Trunc(p.cell(i)) }) {
		return false
	}
	numbered, known := true, map[float64]bool{}
	start := p.cell(rows[0]) - float64(t.place(rows[0]))
	for _, i := range rows {
		v := p.cell(i)
		if known[v] {
			return false
		}
		known[v] = true
		numbered = numbered && v-float64(t.place(i)) == start
	}
	if !named {
		return first && numbered && (start == 0 || start == 1)
	}
	if name == "column 1" { // how a column without a name is called
		name = ""
	}
	return identifierName.MatchString(name) || numbered && (start == 0 || start == 1) && rowName.MatchString(name)
}
