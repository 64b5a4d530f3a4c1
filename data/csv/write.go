package csv

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/table"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/run"
)

// Write writes a table of commas: the header if it is not nil, then a row for
// each instance, with all coordinates in the shortest decimal that reads as the
// same float64, and with its label as the last cell if labels is not nil. Cells
// are quoted where a Reader would take them for something else.
//
// It returns an error if the header or the labels do not fit the instances, or
// if a value is not finite. What was written before the fault stays written.
func Write(w io.Writer, header []string, x data.Source[data.Vector], labels []string) error {
	return WriteOn(run.Control{Workers: 1}, w, header, x, labels)
}

// WriteOn is Write on as many cores as the control allows: to spell a number takes longer
// than anything else that is done with it. The source must be safe for concurrent use.
func WriteOn(ctl run.Control, w io.Writer, header []string, x data.Source[data.Vector], labels []string) error {
	if labels != nil && len(labels) != x.Len() {
		return fmt.Errorf("csv: %d labels for %d instances", len(labels), x.Len())
	}
	dim := data.Dim(x)
	width := dim
	if labels != nil {
		width++
	}
	if header != nil && len(header) != width {
		return fmt.Errorf("csv: a header of %d names for %d columns", len(header), width)
	}
	if header != nil {
		var line []byte
		for j, name := range header {
			line = appendText(line, name, j)
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	ctl = run.Control{Workers: ctl.Cores()}
	s := spelling{x: x, labels: labels, dim: dim, rows: max(1, blockCells/max(1, dim))}
	s.block = make([]block, min(2*ctl.Workers, par.Blocks(x.Len(), s.rows)))
	for ; s.first < x.Len(); s.first += len(s.block) * s.rows {
		if err := s.some(ctl, w); err != nil {
			return err
		}
	}
	return nil
}

// blockCells is how many numbers are spelled at a time, about: 300 kB of text.
const blockCells = 1 << 14

// spelling is a table that is written, several blocks of rows at a time.
type spelling struct {
	x      data.Source[data.Vector]
	labels []string
	dim    int
	rows   int // of a block
	first  int // row of the blocks
	block  []block
}

// block is the text of some rows.
type block struct {
	text  []byte
	dense []float64
	err   error // that ended it
}

// some writes the next rows, as many as the blocks hold.
func (s *spelling) some(ctl run.Control, w io.Writer) error {
	n := min(len(s.block), par.Blocks(s.x.Len()-s.first, s.rows))
	err := par.For(context.Background(), ctl, "", n, func(k int) error {
		s.spell(&s.block[k], s.first+k*s.rows)
		return nil
	})
	for k := 0; k < n && err == nil; k++ {
		if _, err = w.Write(s.block[k].text); err == nil {
			err = s.block[k].err
		}
	}
	return err
}

// spell writes the rows of a block, from lo on, to its text.
func (s *spelling) spell(b *block, lo int) {
	b.text, b.err = b.text[:0], nil
	b.dense = sized(b.dense, s.dim)
	for i := lo; i < min(lo+s.rows, s.x.Len()); i++ {
		v := s.x.At(i)
		if !v.Finite() {
			b.err = fmt.Errorf("csv: row %d: a value is not finite", i+1)
			return
		}
		v.CopyTo(b.dense)
		for j, value := range b.dense {
			if j > 0 {
				b.text = append(b.text, ',')
			}
			b.text = strconv.AppendFloat(b.text, value, 'g', -1, 64)
		}
		if s.labels != nil {
			b.text = appendText(b.text, s.labels[i], s.dim)
		}
		b.text = append(b.text, '\n')
	}
}

// appendText appends the cell of column j.
func appendText(line []byte, cell string, j int) []byte {
	if j > 0 {
		line = append(line, ',')
	}
	if !needsQuotes(cell) {
		return append(line, cell...)
	}
	line = append(line, '"')
	line = append(line, strings.ReplaceAll(cell, `"`, `""`)...)
	return append(line, '"')
}

// needsQuotes reports whether a cell holds a separator of any kind of table, a
// quote or a line end, begins or ends with a blank, or would read as missing.
func needsQuotes(cell string) bool {
	return strings.ContainsAny(cell, ",;|\t\"\r\n") || strings.TrimSpace(cell) != cell || table.IsMissing(cell)
}
