package table

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/kerf-ml/kerf/data"
)

// bind finds the columns of the schema in a table: the parts that give
// coordinates, in the order of the coordinates, and the target, -1 if the table
// has none.
func (s *Schema) bind(t *Table) (parts []*part, target int, err error) {
	place, err := s.places(t)
	if err != nil {
		return nil, 0, err
	}
	for _, j := range s.inOrder() {
		c := &s.Columns[j]
		if c.Size == 0 {
			continue
		}
		from := t.column[place[j]]
		var err error
		switch {
		case c.Kind == Number && c.Format == nil:
			err = checkNumbers(t, c, from)
		case c.Kind == Number:
			err = checkFormat(t, c, from)
		case c.Kind == Date:
			err = checkDates(t, c, from)
		}
		if err != nil {
			return nil, 0, err
		}
		p := newPart(c, from)
		p.column = j
		parts = append(parts, p)
	}
	if s.Target < 0 {
		return parts, -1, nil
	}
	return parts, place[s.Target], nil
}

// places returns for each column of the schema that of the table, -1 where it is
// not there and not needed.
func (s *Schema) places(t *Table) ([]int, error) {
	if !s.Header || t.Header == nil || !s.distinct() || !distinct(t.Header) {
		return s.byPosition(t)
	}
	index := make(map[string]int, len(t.Header))
	for j, name := range t.Header {
		index[name] = j
	}
	place := make([]int, len(s.Columns))
	var lacking []string
	for j, c := range s.Columns {
		at, ok := index[c.Name]
		if !ok {
			at = -1
			if c.Size > 0 {
				lacking = append(lacking, c.Name)
			}
		}
		place[j] = at
	}
	if len(lacking) > 0 {
		return nil, &data.InputError{
			File: t.Name,
			Problem: fmt.Sprintf("the table lacks %s that training had: %s",
				plural(len(lacking), "column", "columns"), list(lacking)),
			Advice: "its columns are " + list(t.Header),
		}
	}
	return place, nil
}

// PlaceOf returns the column of a table that is the one of a name in the schema, -1
// where the table lacks it.
func (s *Schema) PlaceOf(t *Table, name string) (int, error) {
	place, err := s.places(t)
	if err != nil {
		return -1, err
	}
	for j, c := range s.Columns {
		if c.Name == name {
			return place[j], nil
		}
	}
	return -1, nil
}

// byPosition finds columns by their order. A table may lack the target, and the
// weight if it lacks that or there is none: one that lacks a single column is
// taken to be without the target.
func (s *Schema) byPosition(t *Table) ([]int, error) {
	n, wanted := len(s.Columns), plural(len(s.Columns), "column", "columns")
	lacking, may := map[int]bool{}, 0
	var without []string
	for _, j := range []int{s.Target, s.weight()} {
		if j < 0 {
			continue
		}
		if may++; t.Cols() <= n-may {
			lacking[j] = true
		}
		without = append(without, map[bool]string{true: "the target", false: "the weight"}[j == s.Target])
		wanted += fmt.Sprintf(", or %d without %s", n-may, strings.Join(without, " and "))
	}
	if t.Cols() > n || t.Cols() < n-may {
		return nil, &data.InputError{
			File:    t.Name,
			Problem: fmt.Sprintf("the table has %s and training had %s", plural(t.Cols(), "column", "columns"), wanted),
			Advice:  "give the same columns in the same order",
		}
	}
	place, at := make([]int, n), 0
	for j := range place {
		if place[j] = at; lacking[j] {
			place[j] = -1
		} else {
			at++
		}
	}
	return place, nil
}

// checkNumbers reports the first cell of a column of numbers that is none.
func checkNumbers(t *Table, c *Column, from *column) error {
	if from.isNumeric() {
		return from.checkFinite(t.Name)
	}
	bad := from.firstText
	return &data.InputError{
		File: t.Name, Line: bad.Line, Column: bad.Column,
		Problem: fmt.Sprintf("%q is not a number, and %s held only numbers in training", clip(bad.text), quoteName(c.Name)),
		Advice:  "correct the cell, or leave it empty if the value is missing",
	}
}

// checkFormat reports the first cell that is no number in the format of a column.
func checkFormat(t *Table, c *Column, from *column) error {
	if err := from.checkFinite(t.Name); err != nil {
		return err
	}
	if point := from.firstPoint; point.Line > 0 && c.Format.Decimal == "," {
		return &data.InputError{
			File: t.Name, Line: point.Line, Column: point.Column,
			Problem: fmt.Sprintf("%q may be thousands, and %s held decimal commas in training", clip(point.text),
				quoteName(c.Name)),
			Advice: "write it with a comma, or without a point",
		}
	}
	number := from.numbers(c.Format)
	for i := range t.Len() {
		cell, ok := from.text(i)
		v := number(i)
		if ok && math.IsNaN(v) && !slices.Contains(c.Absent, cell) {
			return c.odd(t, i, cell)
		}
	}
	return nil
}

// checkDates reports the first cell that is no date in the layout of a column.
func checkDates(t *Table, c *Column, from *column) error {
	all := moments(from, c.Layout)
	for i := range t.Len() {
		if cell, ok := from.text(i); ok && (from.code == nil || math.IsNaN(all[from.code[i]].days)) &&
			!slices.Contains(c.Absent, cell) {
			return c.odd(t, i, cell)
		}
	}
	return nil
}

// badCell reports a cell of a row.
func badCell(t *Table, row int, problem, advice string) error {
	return &data.InputError{File: t.Name, Line: t.Lines[row], Problem: problem, Advice: advice}
}

func (s *Schema) distinct() bool {
	names := make([]string, len(s.Columns))
	for j, c := range s.Columns {
		names[j] = c.Name
	}
	return distinct(names)
}

func distinct(names []string) bool {
	known := make(map[string]bool, len(names))
	for _, name := range names {
		known[strings.TrimSpace(name)] = true
	}
	return len(known) == len(names)
}
