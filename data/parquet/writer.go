package parquet

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	mathbits "math/bits"
	"slices"
	"strconv"

	"github.com/klauspost/compress/snappy"

	"github.com/kerf-ml/kerf/data"
)

const (
	maxWritten = 1 << 16 // columns of a file that is written
	groupCells = 1 << 22 // of numbers in a group of rows
	pageRows   = 1 << 17 // of a column: a MiB of numbers
	maxLabels  = 1 << 15 // in a dictionary
)

// Writer writes vectors as the columns f1, f2, … of type double, and labels, where
// there are any, as the last column, label, of texts. It is not safe for
// concurrent use.
type Writer struct {
	out     io.Writer
	at      int64 // bytes written
	cols    int
	labeled bool
	rows    int // in all
	values  []float64
	labels  []string // of the rows whose values are held
	groups  []written
	err     error
	columns []float64 // some columns of the rows that are held
	plain   []byte
	packed  []byte
}

// written is a group in the file.
type written struct {
	rows   int
	chunks []writtenChunk
}

type writtenChunk struct {
	dict, data   int64 // offsets; dict is 0 without a dictionary
	size, packed int64
	codec        int
}

// NewWriter returns a writer of vectors of cols coordinates, from 1 to 65535, with
// labels or without. Pages are compressed by Snappy, but for columns of numbers that do
// not get smaller by it.
func NewWriter(w io.Writer, cols int, labeled bool) (*Writer, error) {
	if cols < 1 || cols >= maxWritten {
		return nil, fmt.Errorf("parquet: %d columns, and there must be from 1 to %d", cols, maxWritten-1)
	}
	return &Writer{out: w, cols: cols, labeled: labeled}, nil
}

// Write writes the instances of x as the next rows, with their labels, which must
// be nil if the writer writes none. It returns an error for a vector of more
// coordinates than there are columns and for a value that is not finite. What was
// written before the fault stays written.
func (w *Writer) Write(x data.Source[data.Vector], labels []string) error {
	if w.labeled && len(labels) != x.Len() || !w.labeled && labels != nil {
		return fmt.Errorf("parquet: %d labels for %d instances", len(labels), x.Len())
	}
	for i := range x.Len() {
		v := x.At(i)
		if v.Dim() > w.cols || !v.Finite() {
			return fmt.Errorf("parquet: row %d has %d coordinates for %d columns, or a value that is not finite",
				w.rows+1, v.Dim(), w.cols)
		}
		at := len(w.values)
		w.values = append(w.values, make([]float64, w.cols)...)
		v.CopyTo(w.values[at:])
		if w.labeled {
			w.labels = append(w.labels, labels[i])
		}
		w.rows++
		if len(w.values) >= groupCells {
			w.flush()
		}
	}
	return w.err
}

// put writes bytes, until the first error.
func (w *Writer) put(b []byte) {
	if w.err != nil {
		return
	}
	var n int
	n, w.err = w.out.Write(b)
	w.at += int64(n)
}

// flush writes the rows that are held as a group.
func (w *Writer) flush() {
	if w.at == 0 {
		w.put([]byte("PAR1"))
	}
	rows := len(w.values) / w.cols
	if rows == 0 {
		return
	}
	g := written{rows: rows}
	across := min(acrossMost, max(1, pageRows/rows))
	for j := 0; j < w.cols; j += across {
		w.gather(j, min(j+across, w.cols), rows)
		for k := j; k < min(j+across, w.cols); k++ {
			g.chunks = append(g.chunks, w.numbers(w.columns[(k-j)*rows:(k-j+1)*rows]))
		}
	}
	if w.labeled {
		g.chunks = append(g.chunks, w.texts())
	}
	w.groups = append(w.groups, g)
	w.values, w.labels = w.values[:0], w.labels[:0]
}

// acrossMost is how many columns are gathered at a time: a cache line of each row.
const acrossMost = 8

// gather puts columns from j to end of the rows that are held one after the other.
func (w *Writer) gather(j, end, rows int) {
	w.columns = slices.Grow(w.columns[:0], (end-j)*rows)[:(end-j)*rows]
	for i := range rows {
		for k, v := range w.values[i*w.cols+j : i*w.cols+end] {
			w.columns[k*rows+i] = v
		}
	}
}

// numbers writes a column.
func (w *Writer) numbers(column []float64) writtenChunk {
	c := writtenChunk{data: w.at, codec: codecSnappy}
	if w.bytesOf(column[:min(len(column), triedRows)]); !w.shrinks() {
		c.codec = codecNone
	}
	for page := range slices.Chunk(column, pageRows) {
		w.bytesOf(page)
		w.page(&c, pageData, len(page), encodingPlain)
	}
	return c
}

// bytesOf puts numbers to the plain bytes.
func (w *Writer) bytesOf(values []float64) {
	w.plain = slices.Grow(w.plain[:0], 8*len(values))[:8*len(values)]
	for i, v := range values {
		binary.LittleEndian.PutUint64(w.plain[8*i:], math.Float64bits(v))
	}
}

// triedRows is how many numbers of a column show whether it gets smaller by compression.
const triedRows = 1 << 10

// shrinks reports whether the plain bytes get smaller by a sixteenth or more.
func (w *Writer) shrinks() bool { return len(w.pack()) <= len(w.plain)-len(w.plain)/16 }

// pack compresses the plain bytes.
func (w *Writer) pack() []byte {
	if most := snappy.MaxEncodedLen(len(w.plain)); len(w.packed) < most {
		w.packed = make([]byte, most)
	}
	return snappy.Encode(w.packed, w.plain)
}

// texts writes the labels, by a dictionary where there are few different ones.
func (w *Writer) texts() writtenChunk {
	index, all := map[string]int{}, []string{}
	for _, label := range w.labels {
		if _, known := index[label]; !known {
			index[label] = len(all)
			if all = append(all, label); len(all) > maxLabels {
				break
			}
		}
	}
	c := writtenChunk{data: w.at, codec: codecSnappy}
	byDict := len(all) <= maxLabels
	if byDict {
		c.dict = w.at
		w.plain = appendTexts(w.plain[:0], all)
		w.page(&c, pageDict, len(all), encodingPlain)
		c.data = w.at
	}
	for lo := 0; lo < len(w.labels); lo += pageRows {
		part := w.labels[lo:min(lo+pageRows, len(w.labels))]
		if byDict {
			w.plain = appendIndices(w.plain[:0], part, index)
			w.page(&c, pageData, len(part), encodingDict)
		} else {
			w.plain = appendTexts(w.plain[:0], part)
			w.page(&c, pageData, len(part), encodingPlain)
		}
	}
	return c
}

func appendTexts(to []byte, texts []string) []byte {
	for _, text := range texts {
		to = binary.LittleEndian.AppendUint32(to, uint32(len(text)))
		to = append(to, text...)
	}
	return to
}

// appendIndices writes the width of indices, and the indices as one run of packed
// ones.
func appendIndices(to []byte, labels []string, index map[string]int) []byte {
	width := mathbits.Len(uint(len(index) - 1))
	groups := (len(labels) + 7) / 8
	to = append(to, byte(width))
	to = binary.AppendUvarint(to, uint64(groups)<<1|1)
	word, held := uint64(0), 0
	for i := range 8 * groups {
		if i < len(labels) {
			word |= uint64(index[labels[i]]) << held
		}
		for held += width; held >= 8; held -= 8 {
			to = append(to, byte(word))
			word >>= 8
		}
	}
	return to
}

// page writes the plain bytes as a page.
func (w *Writer) page(c *writtenChunk, kind, values, encoding int) {
	packed := w.plain
	if c.codec != codecNone {
		packed = w.pack()
	}
	head := pageHead(kind, len(w.plain), len(packed), values, encoding)
	c.size += int64(len(head) + len(w.plain))
	c.packed += int64(len(head) + len(packed))
	w.put(head)
	w.put(packed)
}

// Close writes what is still in memory and the end of the file, without which it
// cannot be read. It does not close the stream below.
func (w *Writer) Close() error {
	w.flush()
	end := w.footer()
	w.put(binary.LittleEndian.AppendUint32(end, uint32(len(end))))
	w.put([]byte("PAR1"))
	return w.err
}

// name returns the name of column j.
func (w *Writer) name(j int) string {
	if j == w.cols {
		return "label"
	}
	return "f" + strconv.Itoa(j+1)
}
