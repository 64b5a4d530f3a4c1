package table

import (
	"errors"
	"math"

	"github.com/kerf-ml/kerf/internal/wire"
	"github.com/kerf-ml/kerf/sums"
)

// ErrDamaged reports bytes that are no table, or no survey of one.
var ErrDamaged = errors.New("these bytes are no part of a table, or damaged")

// wireTable is a Table as it is sent.
type wireTable struct {
	Name           string
	Headed         bool
	Header         []string
	Lines, Places  []int
	Placed         bool
	Target, Weight int
	Columns        []wireColumn
	Drop           []bool
	Comma          rune
}

// wireColumn is a column as it is sent.
type wireColumn struct {
	Texts           bool
	Value           []float64
	OddRow          []int
	OddText         []string
	Code            []int32
	Text            []string
	Content         []byte
	Number          []float64
	Of, Odd, Points wirePlaced
}

// wirePlaced is a cell with its place.
type wirePlaced struct {
	Line, Column int
	Text         string
}

func (p placed) wire() wirePlaced { return wirePlaced{p.Line, p.Column, p.text} }

func (w wirePlaced) placed() placed { return placed{Place{w.Line, w.Column}, w.Text} }

// MarshalBinary returns the table in a form in which it can be sent.
func (t *Table) MarshalBinary() ([]byte, error) {
	w := wireTable{Name: t.Name, Headed: t.Header != nil, Header: t.Header, Lines: t.Lines, Places: t.Places,
		Placed: t.Places != nil, Target: t.Target, Weight: t.Weight, Drop: t.drop, Comma: t.comma}
	for _, c := range t.column {
		w.Columns = append(w.Columns, c.wire())
	}
	return wire.Append(nil, w), nil
}

func (c *column) wire() wireColumn {
	w := wireColumn{Texts: c.code != nil, Value: c.value, Code: c.code, Of: c.firstText.wire(), Odd: c.firstOdd.wire(),
		Points: c.firstPoint.wire()}
	for _, o := range c.odd {
		w.OddRow, w.OddText = append(w.OddRow, o.row), append(w.OddText, o.text)
	}
	for _, e := range c.entry {
		w.Text, w.Content, w.Number = append(w.Text, e.text), append(w.Content, byte(e.content)), append(w.Number, e.value)
	}
	return w
}

// UnmarshalBinary reads what MarshalBinary returned.
func (t *Table) UnmarshalBinary(b []byte) error {
	var w wireTable
	if wire.Read(b, &w) != nil {
		return ErrDamaged
	}
	rows, cols := len(w.Lines), len(w.Columns)
	if w.Placed && len(w.Places) != rows || w.Headed && len(w.Header) != cols || len(w.Drop) > cols ||
		w.Target < -1 || w.Target >= cols || w.Weight < -1 || w.Weight >= cols {
		return ErrDamaged
	}
	one := Table{Name: w.Name, Header: w.Header, Lines: w.Lines, Places: w.Places, Target: w.Target, Weight: w.Weight,
		drop: w.Drop, comma: w.Comma}
	if w.Headed && one.Header == nil {
		one.Header = []string{}
	}
	for len(one.drop) < cols {
		one.drop = append(one.drop, false)
	}
	for j := range w.Columns {
		c, err := w.Columns[j].column(rows)
		if err != nil {
			return err
		}
		one.column = append(one.column, c)
	}
	*t = one
	return nil
}

// column makes the column of so many rows.
func (w *wireColumn) column(rows int) (*column, error) {
	c := &column{firstText: w.Of.placed(), firstOdd: w.Odd.placed(), firstPoint: w.Points.placed()}
	if len(w.OddRow) != len(w.OddText) || len(w.Text) != len(w.Content) || len(w.Text) != len(w.Number) {
		return nil, ErrDamaged
	}
	if !w.Texts {
		if c.value = w.Value; len(c.value) != rows || len(w.Text) > 0 {
			return nil, ErrDamaged
		}
		for i, row := range w.OddRow {
			if row < 0 || row >= rows || i > 0 && row <= w.OddRow[i-1] || !math.IsNaN(c.value[row]) {
				return nil, ErrDamaged
			}
			c.odd = append(c.odd, oddCell{row, w.OddText[i]})
		}
		return c, nil
	}
	c.toTexts()
	for k, text := range w.Text {
		c.intern(entry{text, content(w.Content[k]), w.Number[k]})
	}
	if len(c.entry) != len(w.Text) || len(w.Code) != rows {
		return nil, ErrDamaged
	}
	for _, code := range w.Code {
		if code < -1 || int(code) >= len(c.entry) {
			return nil, ErrDamaged
		}
		c.code = append(c.code, code)
	}
	return c, nil
}

// Shift says that the rows stand so many lines further down in the file.
func (t *Table) Shift(lines int) {
	for i := range t.Lines {
		t.Lines[i] += lines
	}
	for _, c := range t.column {
		for _, p := range []*placed{&c.firstText, &c.firstOdd, &c.firstPoint} {
			if p.Line > 0 {
				p.Line += lines
			}
		}
	}
}

// wireSurvey is a Survey as it is sent.
type wireSurvey struct {
	Rows, Size int
	Columns    []wireSurveyed
}

type wireSurveyed struct {
	Numbers, Counts []byte
	Quantiles       []byte // none for no quantiles
	Missing         int
	Text, Odd       wirePlaced
	TextIn, OddIn   string
}

// MarshalBinary returns the survey in a form in which it can be sent. The blocks that
// moments are added by end here.
func (s *Survey) MarshalBinary() ([]byte, error) {
	w := wireSurvey{Rows: s.rows, Size: s.size}
	for j := range s.columns {
		c := &s.columns[j]
		c.settle()
		one := wireSurveyed{Missing: c.missing, Text: c.firstText.wire(), Odd: c.firstOdd.wire(), TextIn: c.textIn,
			OddIn: c.oddIn}
		one.Numbers, _ = c.numbers.AppendBinary(nil)
		one.Counts, _ = c.counts.AppendBinary(nil)
		if c.quantiles != nil {
			one.Quantiles, _ = c.quantiles.AppendBinary(nil)
		}
		w.Columns = append(w.Columns, one)
	}
	return wire.Append(nil, w), nil
}

// UnmarshalBinary reads what MarshalBinary returned.
func (s *Survey) UnmarshalBinary(b []byte) error {
	var w wireSurvey
	if wire.Read(b, &w) != nil {
		return ErrDamaged
	}
	one := Survey{rows: w.Rows, size: w.Size}
	if w.Rows < 0 || w.Size < 0 {
		return ErrDamaged
	}
	for _, c := range w.Columns {
		v := surveyed{counts: &sums.Counts{}, missing: c.Missing, firstText: c.Text.placed(), firstOdd: c.Odd.placed(),
			textIn: c.TextIn, oddIn: c.OddIn}
		if v.numbers.UnmarshalBinary(c.Numbers) != nil || v.counts.UnmarshalBinary(c.Counts) != nil || c.Missing < 0 {
			return ErrDamaged
		}
		if len(c.Quantiles) > 0 {
			v.quantiles, one.Quantiles = &sums.Quantiles{}, true
			if v.quantiles.UnmarshalBinary(c.Quantiles) != nil {
				return ErrDamaged
			}
		}
		one.columns = append(one.columns, v)
	}
	*s = one
	return nil
}

// Merge adds the survey of rows that come after these. A column that one of them lacks
// is missing in its rows.
func (s *Survey) Merge(other *Survey) {
	for j := len(s.columns); j < len(other.columns); j++ {
		s.columns = append(s.columns, s.column())
	}
	for j := range s.columns {
		v := &s.columns[j]
		v.settle()
		if j >= len(other.columns) {
			v.missing += other.rows
			continue
		}
		o := &other.columns[j]
		o.settle()
		v.numbers.Merge(&o.numbers)
		v.counts.Merge(o.counts)
		if v.quantiles != nil && o.quantiles != nil {
			v.quantiles.Merge(o.quantiles)
		}
		v.missing += o.missing
		if v.firstText.Line == 0 {
			v.firstText, v.textIn = o.firstText, o.textIn
		}
		if v.firstOdd.Line == 0 {
			v.firstOdd, v.oddIn = o.firstOdd, o.oddIn
		}
	}
	s.rows += other.rows
}
