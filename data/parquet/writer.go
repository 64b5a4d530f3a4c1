package parquet

import (
	"fmt"
	"io"
	"reflect"
	"strconv"

	"github.com/parquet-go/parquet-go"

	"github.com/kerf-ml/kerf/data"
)

// maxWritten is how many columns a Writer writes at most.
const maxWritten = 1 << 16

// Writer writes vectors as the columns f1, f2, … of type double, and labels, where
// there are any, as the last column, label, of texts. It is not safe for
// concurrent use.
type Writer struct {
	out     *parquet.GenericWriter[any]
	cols    int
	labeled bool
	rows    int
	dense   []float64
	buffer  []parquet.Row
}

// NewWriter returns a writer of vectors of cols coordinates, from 1 to 65535, with
// labels or without. Pages are compressed by Snappy.
func NewWriter(w io.Writer, cols int, labeled bool) (*Writer, error) {
	if cols < 1 || cols >= maxWritten {
		return nil, fmt.Errorf("parquet: %d columns, and there must be from 1 to %d", cols, maxWritten-1)
	}
	// Only the schema of a struct keeps the order of its columns.
	fields := make([]reflect.StructField, cols, cols+1)
	for j := range fields {
		n := strconv.Itoa(j + 1)
		fields[j] = reflect.StructField{
			Name: "F" + n, Type: reflect.TypeFor[float64](), Tag: reflect.StructTag(`parquet:"f` + n + `,snappy"`),
		}
	}
	if labeled {
		fields = append(fields, reflect.StructField{
			Name: "Label", Type: reflect.TypeFor[string](), Tag: `parquet:"label,snappy,dict"`,
		})
	}
	schema := parquet.SchemaOf(reflect.New(reflect.StructOf(fields)).Interface())
	out := parquet.NewGenericWriter[any](w, schema)
	return &Writer{out: out, cols: cols, labeled: labeled, dense: make([]float64, cols)}, nil
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
		v.CopyTo(w.dense)
		row := make(parquet.Row, 0, w.cols+1)
		for j, value := range w.dense {
			row = append(row, parquet.DoubleValue(value).Level(0, 0, j))
		}
		if w.labeled {
			row = append(row, parquet.ByteArrayValue([]byte(labels[i])).Level(0, 0, w.cols))
		}
		w.rows++
		if w.buffer = append(w.buffer, row); len(w.buffer) == bufferRows {
			if err := w.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *Writer) flush() error {
	_, err := w.out.WriteRows(w.buffer)
	w.buffer = w.buffer[:0]
	return err
}

// Close writes what is still in memory and the end of the file, without which it
// cannot be read. It does not close the stream below.
func (w *Writer) Close() error {
	if err := w.flush(); err != nil {
		return err
	}
	return w.out.Close()
}
