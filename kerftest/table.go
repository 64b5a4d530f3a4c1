package kerftest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/data/table"
)

// TableReader adds the rows of a file to a table.Sink, at most most of them, all that are left for
// 0, and returns how many there were.
type TableReader interface {
	Read(ctx context.Context, most int) (rows int, err error)
}

// WholeColumns reads the files that a pattern names, and such with damaged bytes, by whole columns
// and cell by cell: tables, errors and their places are the same, for any part, target and number
// of workers. The readers are of a file that is named f.
func WholeColumns(
	t *testing.T, pattern string, open func(content []byte, to table.Sink, workers int) (TableReader, error),
) {
	names, err := filepath.Glob(pattern)
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	for k, name := range names {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for d := range 6 {
			if d > 0 { // the first is whole
				content = bytes.Clone(content)
				content[(d*7919+k*104729)%len(content)] ^= byte(1 << (d % 8))
			}
			for c, target := range []string{"none", "b", "x", "label"} {
				part := []int{0, 1, 7, 1023, 1024, 1025, 3000}[(k+d+c)%7]
				outcome := func(workers int, whole bool) []string {
					b := table.NewBuilder(table.Options{Name: "f", Target: target})
					var to table.Sink = b
					if !whole {
						to = cellwise{b}
					}
					r, err := open(content, to, workers)
					if err != nil {
						return []string{err.Error()}
					}
					return outcomeOf(t, b, r, part)
				}
				want := outcome(1, false)
				for _, workers := range []int{1, 3} {
					if got := outcome(workers, true); !slices.Equal(got, want) {
						at := 0
						for at < min(len(got), len(want)) && got[at] == want[at] {
							at++
						}
						t.Fatalf("%s, damage %d, parts of %d, target %s: %d lines of %d, from line %d: %.300v and %.300v",
							name, d, part, target, len(got), len(want), at, got[at:], want[at:])
					}
				}
			}
		}
	}
}

// cellwise hides that a builder takes whole columns.
type cellwise struct{ table.Sink }

// outcomeOf is all that can be seen of reading a file in parts of so many rows, 0 for one part.
func outcomeOf(t *testing.T, b *table.Builder, r TableReader, part int) (out []string) {
	for {
		n, err := r.Read(t.Context(), part)
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			return append(out, err.Error())
		}
		tab, err := b.Table()
		if err != nil {
			return append(out, err.Error())
		}
		out = append(out, fmt.Sprint(n, tab.Lines, tab.Labels()))
		out = append(out, Cells(tab)...)
		s, err := table.Fit(tab, nil, scale.Standard)
		if err != nil {
			out = append(out, err.Error())
			continue
		}
		x, _, err := s.Encode(tab)
		out = append(out, s.Summary(), fmt.Sprint(err))
		for i := range x.Len() {
			dense := make([]float64, s.Width)
			x.At(i).CopyTo(dense)
			for _, v := range dense {
				out = append(out, fmt.Sprintf("%x", math.Float64bits(v)))
			}
		}
	}
}

// Cells are the header of a table and its rows, a dash for a cell that is missing; nil without a table.
func Cells(t *table.Table) []string {
	if t == nil {
		return nil
	}
	all := []string{strings.Join(t.Header, " ")}
	for i := range t.Len() {
		var row []string
		for j := range t.Cols() {
			cell, ok := t.Cell(i, j)
			if !ok {
				cell = "-"
			}
			row = append(row, cell)
		}
		all = append(all, strings.Join(row, " "))
	}
	return all
}
