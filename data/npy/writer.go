package npy

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/file"
)

// Float is a type of values that a Writer writes.
type Float int

// Float64 keeps every value; Float32 rounds to the nearest number of 4 bytes.
const (
	Float64 Float = iota
	Float32
)

// Writer writes an array of two dimensions row by row, in the order of C, with
// values in little-endian order, as version 1 of the format. It is not safe for
// concurrent use.
type Writer struct {
	out        *bufio.Writer
	float      Float
	rows, cols int // Unknown rows are counted
	row        int // rows written so far
	buffer     []byte
	dense      []float64
}

// Unknown is a number of rows that is not known before all are written. The header
// must then be written again, by Patch.
const Unknown = math.MaxInt

// NewWriter writes the header of an array of the given size.
func NewWriter(w io.Writer, rows, cols int, float Float) (*Writer, error) {
	if rows < 0 || cols < 0 || float != Float64 && float != Float32 {
		return nil, fmt.Errorf("npy: an array of %d × %d values of type %d", rows, cols, float)
	}
	out := bufio.NewWriterSize(w, file.HeadSize)
	if _, err := out.Write(headerOf(rows, cols, float)); err != nil {
		return nil, err
	}
	return &Writer{out: out, float: float, rows: rows, cols: cols, dense: make([]float64, cols)}, nil
}

// Patch writes the header of the array again, at the beginning of the file, with
// the number of rows that were written. Close comes before it.
func (w *Writer) Patch(to io.WriterAt) error {
	_, err := to.WriteAt(headerOf(w.row, w.cols, w.float), 0)
	return err
}

// Size returns how many bytes the array of a Writer takes.
func Size(rows, cols int, float Float) int64 {
	size := int64(8)
	if float == Float32 {
		size = 4
	}
	return int64(len(headerOf(rows, cols, float))) + size*int64(rows)*int64(cols)
}

// headerOf returns the header of an array: 128 bytes, whatever its size is.
func headerOf(rows, cols int, float Float) []byte {
	descr := "<f8"
	if float == Float32 {
		descr = "<f4"
	}
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%d, %d), }", descr, rows, cols)
	// Values begin at a multiple of 64 bytes; the dictionary ends in a newline.
	const before = len(magic) + 4
	text += strings.Repeat(" ", 63-(before+len(text))%64) + "\n"
	begin := append([]byte(magic), 1, 0)
	begin = binary.LittleEndian.AppendUint16(begin, uint16(len(text)))
	return append(begin, text...)
}

// Write writes the instances of x as the next rows. It returns an error for more
// rows than the header promises, for a vector of more coordinates than there are
// columns, and for a value that is not finite, or is too large for 4 bytes. What
// was written before the fault stays written.
func (w *Writer) Write(x data.Source[data.Vector]) error {
	if m, ok := x.(*data.Matrix); ok && w.float == Float64 && m.Cols == w.cols && m.Cols > 0 {
		return w.matrix(m)
	}
	for i := range x.Len() {
		v := x.At(i)
		switch {
		case w.row == w.rows:
			return fmt.Errorf("npy: more rows than the %d of the header", w.rows)
		case v.Dim() > w.cols:
			return fmt.Errorf("npy: row %d has %d coordinates and the array %d columns", w.row+1, v.Dim(), w.cols)
		}
		v.CopyTo(w.dense)
		w.buffer = w.buffer[:0]
		for _, value := range w.dense {
			if w.float == Float32 {
				short := float32(value)
				value = float64(short)
				w.buffer = binary.LittleEndian.AppendUint32(w.buffer, math.Float32bits(short))
			} else {
				w.buffer = binary.LittleEndian.AppendUint64(w.buffer, math.Float64bits(value))
			}
			if value-value != 0 {
				return fmt.Errorf("npy: row %d: a value is not finite, or too large", w.row+1)
			}
		}
		if _, err := w.out.Write(w.buffer); err != nil {
			return err
		}
		w.row++
	}
	return nil
}

// chunk is how many values of a matrix are turned into bytes before these are written.
const chunk = 1 << 15

// matrix is Write of rows that lie as those of the array do.
func (w *Writer) matrix(m *data.Matrix) error {
	const huge = 0x7ff << 52 // the exponent of what is not finite
	step := max(1, chunk/m.Cols)
	for lo := 0; lo < m.Rows; lo += step {
		hi := min(lo+step, m.Rows, lo+w.rows-w.row)
		if hi <= lo {
			return fmt.Errorf("npy: more rows than the %d of the header", w.rows)
		}
		w.buffer = slices.Grow(w.buffer[:0], 8*(hi-lo)*m.Cols)[:8*(hi-lo)*m.Cols]
		for k, v := range m.Data[lo*m.Cols : hi*m.Cols] {
			bits := math.Float64bits(v)
			if bits&huge == huge {
				return fmt.Errorf("npy: row %d: a value is not finite, or too large", w.row+k/m.Cols+1)
			}
			binary.LittleEndian.PutUint64(w.buffer[8*k:], bits)
		}
		if _, err := w.out.Write(w.buffer); err != nil {
			return err
		}
		if w.row += hi - lo; hi < min(lo+step, m.Rows) {
			return fmt.Errorf("npy: more rows than the %d of the header", w.rows)
		}
	}
	return nil
}

// Close writes what is still in memory. It returns an error if there were fewer
// rows than the header promises. It does not close the stream below.
func (w *Writer) Close() error {
	if err := w.out.Flush(); err != nil {
		return err
	}
	if w.row != w.rows && w.rows != Unknown {
		return fmt.Errorf("npy: %d rows were written and the header promises %d", w.row, w.rows)
	}
	return nil
}
