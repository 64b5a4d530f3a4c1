package arrow

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/kerf-ml/kerf/data"
)

const (
	maxWritten = 1 << 16 // columns of a file that is written
	batchCells = 1 << 20 // of numbers in a batch
	batchTexts = 1 << 28 // bytes of its labels
	alignment  = 64      // of buffers
	version    = 4       // of the format
)

// Writer writes vectors as the columns f1, f2, … of float64, and labels, where there
// are any, as the last column, label, of texts. It is not safe for concurrent use.
type Writer struct {
	out     io.Writer
	at      int64 // bytes written
	cols    int
	labeled bool
	stream  bool
	begun   bool
	rows    int // in all
	values  []float64
	labels  []string // of the rows whose values are held
	texts   int      // bytes of these
	batches []int64  // places, lengths of heads and of bodies
	err     error
}

// NewWriter returns a writer of a file of vectors of cols coordinates, from 1 to
// 65535, with labels or without.
func NewWriter(w io.Writer, cols int, labeled bool) (*Writer, error) {
	if cols < 1 || cols >= maxWritten {
		return nil, fmt.Errorf("arrow: %d columns, and there must be from 1 to %d", cols, maxWritten-1)
	}
	return &Writer{out: w, cols: cols, labeled: labeled}, nil
}

// NewStreamWriter returns a writer of the same as a stream.
func NewStreamWriter(w io.Writer, cols int, labeled bool) (*Writer, error) {
	s, err := NewWriter(w, cols, labeled)
	if s != nil {
		s.stream = true
	}
	return s, err
}

// Write writes the instances of x as the next rows, with their labels, which must
// be nil if the writer writes none. It returns an error for a vector of more
// coordinates than there are columns and for a value that is not finite. What was
// written before the fault stays written.
func (w *Writer) Write(x data.Source[data.Vector], labels []string) error {
	if w.labeled && len(labels) != x.Len() || !w.labeled && labels != nil {
		return fmt.Errorf("arrow: %d labels for %d instances", len(labels), x.Len())
	}
	for i := range x.Len() {
		v := x.At(i)
		if v.Dim() > w.cols || !v.Finite() {
			return fmt.Errorf("arrow: row %d has %d coordinates for %d columns, or a value that is not finite",
				w.rows+1, v.Dim(), w.cols)
		}
		at := len(w.values)
		w.values = append(w.values, make([]float64, w.cols)...)
		v.CopyTo(w.values[at:])
		if w.labeled {
			w.labels = append(w.labels, labels[i])
			w.texts += len(labels[i])
		}
		w.rows++
		if len(w.values) >= batchCells || w.texts >= batchTexts {
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

// begin writes what stands before the first batch.
func (w *Writer) begin() {
	if w.begun {
		return
	}
	w.begun = true
	if !w.stream {
		w.put([]byte(magic + "\x00\x00"))
	}
	var b builder
	header := b.message(messageSchema, 0)
	b.point(header, w.schema(&b))
	w.head(&b)
}

// message writes the root of a message, and returns the field of its header.
func (b *builder) message(kind, body int64) (header int) {
	b.data = append(b.data, 0, 0, 0, 0)
	at, fields := b.table(slot{2, version}, slot{1, kind}, reference, slot{8, body})
	b.point(0, at)
	return fields[2]
}

// schema writes the schema, and returns where it stands.
func (w *Writer) schema(b *builder) int {
	cols := w.cols
	if w.labeled {
		cols++
	}
	return b.schema(cols, func(j int) (string, bool) {
		if j == w.cols {
			return "label", true
		}
		return "f" + strconv.Itoa(j+1), false
	})
}

// schema writes a schema of columns, each of float64 or of texts, and returns where it
// stands.
func (b *builder) schema(cols int, column func(j int) (name string, text bool)) int {
	at, fields := b.table(slot{}, reference)
	vector, first := b.references(cols)
	b.point(fields[1], vector)
	for j := range cols {
		name, text := column(j)
		typ, about := slot{1, typeFloatingPoint}, []slot{{2, 2}} // of 64 bits
		if text {
			typ, about = slot{1, typeUtf8}, nil
		}
		f, parts := b.table(reference, slot{}, typ, reference, slot{}, reference)
		b.point(first+4*j, f)
		b.point(parts[0], b.text(name))
		kind, _ := b.table(about...)
		b.point(parts[3], kind)
		children, _ := b.references(0)
		b.point(parts[5], children)
	}
	return at
}

// head writes the head of a message, and returns its length with what stands before
// it.
func (w *Writer) head(b *builder) int64 {
	b.pad(8, 0)
	start := binary.LittleEndian.AppendUint32(nil, continuation)
	w.put(binary.LittleEndian.AppendUint32(start, uint32(len(b.data))))
	w.put(b.data)
	return int64(8 + len(b.data))
}

// flush writes the rows that are held as a batch.
func (w *Writer) flush() {
	w.begin()
	rows := len(w.values) / w.cols
	if rows == 0 {
		return
	}
	texts := slices.Repeat([]int{-1}, w.cols)
	if w.labeled {
		texts = append(texts, w.texts)
	}
	var b builder
	body := b.batch(rows, texts)
	place := w.at
	w.batches = append(w.batches, place, w.head(&b), body)
	w.body(rows)
	w.values, w.labels, w.texts = w.values[:0], w.labels[:0], 0
}

// batch writes the message of a batch, and returns the length of its body. Of each column
// it is told how many bytes its texts have, -1 for numbers.
func (b *builder) batch(rows int, texts []int) (body int64) {
	var nodes, buffers []int64
	buffer := func(n int) {
		buffers = append(buffers, body, int64(n))
		body += int64(n+alignment-1) / alignment * alignment
	}
	for _, bytes := range texts {
		nodes = append(nodes, int64(rows), 0)
		buffer(0)
		if bytes < 0 {
			buffer(8 * rows)
			continue
		}
		buffer(4 * (rows + 1))
		buffer(bytes)
	}
	header := b.message(messageBatch, body)
	at, fields := b.table(slot{8, int64(rows)}, reference, reference)
	b.point(header, at)
	b.point(fields[1], b.numbers(len(nodes)/2, nodes...))
	b.point(fields[2], b.numbers(len(buffers)/2, buffers...))
	return body
}

// texts writes the buffers of a column of texts, each from an aligned place.
func (b *builder) texts(all []string) {
	b.data = binary.LittleEndian.AppendUint32(b.data, 0)
	end := 0
	for _, text := range all {
		end += len(text)
		b.data = binary.LittleEndian.AppendUint32(b.data, uint32(end))
	}
	b.pad(alignment, 0)
	for _, text := range all {
		b.data = append(b.data, text...)
	}
	b.pad(alignment, 0)
}

// body writes the buffers of a batch.
func (w *Writer) body(rows int) {
	var b builder
	for j := range w.cols {
		b.data = b.data[:0]
		for i := range rows {
			b.data = binary.LittleEndian.AppendUint64(b.data, math.Float64bits(w.values[i*w.cols+j]))
		}
		b.pad(alignment, 0)
		w.put(b.data)
	}
	if !w.labeled {
		return
	}
	b.data = b.data[:0]
	b.texts(w.labels)
	w.put(b.data)
}

// Close writes what is still in memory and the end of the file, without which it
// cannot be read. It does not close the stream below.
func (w *Writer) Close() error {
	w.flush()
	w.put([]byte{0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0})
	if w.stream {
		return w.err
	}
	b := builder{data: make([]byte, 4)}
	at, fields := b.table(slot{2, version}, reference, reference, reference)
	b.point(0, at)
	b.point(fields[1], w.schema(&b))
	b.point(fields[2], b.numbers(0))
	b.point(fields[3], b.numbers(len(w.batches)/3, w.batches...))
	w.put(b.data)
	w.put(binary.LittleEndian.AppendUint32(nil, uint32(len(b.data))))
	w.put([]byte(magic))
	return w.err
}
