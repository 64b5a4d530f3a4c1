package model

import (
	"fmt"
	"unicode/utf8"

	"github.com/kerf-ml/kerf/data"
)

// textColumns are the columns of strings: the positions of their characters, where all
// have as many.
type textColumns struct{}

func (textColumns) columns(x data.Source[string]) ([]Column, error) {
	if x.Len() == 0 {
		return nil, nil
	}
	length := utf8.RuneCountInString(x.At(0))
	for i := range x.Len() {
		if n := utf8.RuneCountInString(x.At(i)); n != length {
			return nil, fmt.Errorf("%w (there are %d and %d characters)", ErrColumns, length, n)
		}
	}
	out := make([]Column, length)
	for j := range out {
		out[j] = Column{Name: fmt.Sprintf("position %d", j+1), Rows: -1, lo: j, hi: j + 1, position: true}
	}
	return out, nil
}

// swap changes nothing where one of the strings has no such position.
func (textColumns) swap(a, b string, c Column) (string, bool) {
	from, to := character(a, c.lo), character(b, c.lo)
	if from < 0 || to < 0 {
		return a, false
	}
	_, old := utf8.DecodeRuneInString(a[from:])
	_, size := utf8.DecodeRuneInString(b[to:])
	if a[from:from+old] == b[to:to+size] {
		return a, false
	}
	return a[:from] + b[to:to+size] + a[from+old:], true
}

func (textColumns) value(x string, c Column) string {
	at := character(x, c.lo)
	if at < 0 {
		return ""
	}
	_, size := utf8.DecodeRuneInString(x[at:])
	return x[at : at+size]
}

func (textColumns) empty() (string, bool) { return "", false }

func (textColumns) text(x string) string { return x }

func (textColumns) equal(a, b string) bool { return a == b }

// character returns where character j of a text begins, -1 where it has none.
func character(text string, j int) int {
	at := 0
	for ; j > 0 && at < len(text); j-- {
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	if at >= len(text) {
		return -1
	}
	return at
}
