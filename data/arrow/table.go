package arrow

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
)

// Column is a column of a table that is written: texts, or numbers where Texts is nil.
type Column struct {
	Name    string
	Numbers []float64
	Texts   []string
}

// WriteTable writes a table as a stream of one batch. It returns an error for columns of
// different lengths, for none or more than 65535 of them, and for texts of 2 GiB or more
// in a column.
func WriteTable(out io.Writer, columns []Column) error {
	if len(columns) == 0 || len(columns) >= maxWritten {
		return fmt.Errorf("arrow: %d columns, and there must be from 1 to %d", len(columns), maxWritten-1)
	}
	rows := len(columns[0].Numbers) + len(columns[0].Texts)
	texts := make([]int, len(columns))
	for j, c := range columns {
		if n := len(c.Numbers) + len(c.Texts); n != rows || c.Numbers != nil && c.Texts != nil {
			return fmt.Errorf("arrow: column %q has %d rows and the first one %d", c.Name, n, rows)
		}
		texts[j] = -1
		if c.Texts != nil {
			texts[j] = 0
			for _, text := range c.Texts {
				texts[j] += len(text)
			}
			if texts[j] > math.MaxInt32 {
				return fmt.Errorf("arrow: column %q has texts of %d bytes", c.Name, texts[j])
			}
		}
	}
	w := &Writer{out: out, stream: true}
	var b builder
	header := b.message(messageSchema, 0)
	b.point(header, b.schema(len(columns), func(j int) (string, bool) { return columns[j].Name, texts[j] >= 0 }))
	w.head(&b)
	b = builder{}
	b.batch(rows, texts)
	w.head(&b)
	for _, c := range columns {
		b.data = b.data[:0]
		if c.Texts != nil {
			b.texts(c.Texts)
		}
		for _, v := range c.Numbers {
			b.data = binary.LittleEndian.AppendUint64(b.data, math.Float64bits(v))
		}
		b.pad(alignment, 0)
		w.put(b.data)
	}
	w.put([]byte{0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0})
	return w.err
}
