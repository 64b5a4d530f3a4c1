package cli

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/csv"
	"github.com/kerf-ml/kerf/data/libsvm"
	"github.com/kerf-ml/kerf/data/npy"
	"github.com/kerf-ml/kerf/data/parquet"
)

// tableWriter writes vectors and labels part by part. Nothing is whole before
// close.
type tableWriter interface {
	write(x data.Source[data.Vector], labels []string) error
	close() error
}

// tableForm makes a tableWriter whose columns have names that begin with prefix.
type tableForm func(w io.Writer, prefix string) tableWriter

// formFor returns the form of a file by its ending, CSV for standard output.
func formFor(path string) (tableForm, error) {
	if err := writable(path); err != nil {
		return nil, err
	}
	switch ending := strings.ToLower(filepath.Ext(path)); ending {
	case ".libsvm", ".svm":
		return func(w io.Writer, _ string) tableWriter { return libsvmTable{w} }, nil
	case ".npy":
		return func(w io.Writer, _ string) tableWriter { return &npyTable{w: w} }, nil
	case ".parquet":
		return func(w io.Writer, _ string) tableWriter { return &parquetTable{w: w} }, nil
	case ".csv", ".txt", "":
		return func(w io.Writer, prefix string) tableWriter { return &csvTable{w: w, prefix: prefix} }, nil
	default:
		return nil, usage("cannot write %s: the ending %s is unknown; there are .csv, .libsvm, .npy and .parquet", path, ending)
	}
}

// csvTable writes CSV, with a header, and a column "label" where there are
// labels.
type csvTable struct {
	w      io.Writer
	prefix string
	begun  bool
}

func (t *csvTable) write(x data.Source[data.Vector], labels []string) error {
	var names []string
	if !t.begun {
		t.begun = true
		for j := range data.Dim(x) {
			names = append(names, fmt.Sprintf("%s%d", t.prefix, j+1))
		}
		if labels != nil {
			names = append(names, "label")
		}
	}
	return csv.Write(t.w, names, x, labels)
}

func (t *csvTable) close() error { return nil }

// libsvmTable writes LIBSVM data, whose readers count coordinates from 1.
type libsvmTable struct{ w io.Writer }

func (t libsvmTable) write(x data.Source[data.Vector], labels []string) error {
	var m data.CSR
	for i := range x.Len() {
		v := x.At(i)
		index := make([]int32, len(v.Value))
		for k := range index {
			index[k] = int32(k) + 1
			if v.IsSparse() {
				index[k] = v.Index[k] + 1
			}
		}
		m.Append(index, v.Value)
	}
	return libsvm.Write(t.w, &m, labels)
}

func (t libsvmTable) close() error { return nil }

// npyTable gathers all rows, because the file begins with their number. It has
// no room for labels.
type npyTable struct {
	w   io.Writer
	all data.Matrix
}

func (t *npyTable) write(x data.Source[data.Vector], _ []string) error {
	row := make([]float64, data.Dim(x))
	t.all.Cols = len(row)
	for i := range x.Len() {
		x.At(i).CopyTo(row)
		t.all.Data = append(t.all.Data, row...)
	}
	t.all.Rows += x.Len()
	return nil
}

func (t *npyTable) close() error {
	w, err := npy.NewWriter(t.w, t.all.Rows, t.all.Cols, npy.Float64)
	if err != nil {
		return err
	}
	if err := w.Write(&t.all); err != nil {
		return err
	}
	return w.Close()
}

// parquetTable writes columns of doubles, and the labels as one of texts.
type parquetTable struct {
	w     io.Writer
	inner *parquet.Writer
}

func (t *parquetTable) write(x data.Source[data.Vector], labels []string) error {
	if t.inner == nil {
		var err error
		if t.inner, err = parquet.NewWriter(t.w, data.Dim(x), labels != nil); err != nil {
			return err
		}
	}
	return t.inner.Write(x, labels)
}

func (t *parquetTable) close() error {
	if t.inner == nil {
		return nil
	}
	return t.inner.Close()
}
