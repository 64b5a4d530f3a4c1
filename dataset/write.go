package dataset

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/arrow"
	"github.com/kerf-ml/kerf/data/csv"
	"github.com/kerf-ml/kerf/data/libsvm"
	"github.com/kerf-ml/kerf/data/npy"
	"github.com/kerf-ml/kerf/data/parquet"
	"github.com/kerf-ml/kerf/run"
)

// Writer writes vectors and labels part by part. Nothing is whole before Close,
// which does not close the stream below.
type Writer interface {
	Write(x data.Source[data.Vector], labels []string) error
	Close() error
}

// NewWriter makes a Writer whose columns, where they have names, have names that
// begin with prefix. The control says how many cores may work on it.
type NewWriter func(w io.Writer, prefix string, ctl run.Control) Writer

// written lists what can be written, a line each, by the endings of files.
var written = []struct {
	endings []string
	open    NewWriter
}{
	{[]string{".csv", ".txt", ""}, newCSVWriter},
	{[]string{".libsvm", ".svm"}, func(w io.Writer, _ string, _ run.Control) Writer { return libsvmWriter{w} }},
	{[]string{".npy"}, func(w io.Writer, _ string, _ run.Control) Writer { return &npyWriter{w: w} }},
	{[]string{".parquet"}, columnar(parquet.NewWriter)},
	{[]string{".arrow", ".feather"}, columnar(arrow.NewWriter)},
	{[]string{".arrows"}, columnar(arrow.NewStreamWriter)},
}

// HoldsLabels reports whether the format that the ending of a path stands for has
// room for labels.
func HoldsLabels(path string) bool { return strings.ToLower(filepath.Ext(path)) != ".npy" }

// WriterFor returns the writer of the format that the ending of a path stands for,
// CSV where there is none. The error is an *OptionError.
func WriterFor(path string) (NewWriter, error) {
	ending := strings.ToLower(filepath.Ext(path))
	for _, form := range written {
		if slices.Contains(form.endings, ending) {
			return form.open, nil
		}
	}
	return nil, BadOption("cannot write %s: the ending %s is unknown; there are .csv, .libsvm, .npy, .parquet, .arrow, "+
		".arrows and .feather", path, ending)
}

// csvWriter writes CSV, with a header, and a column "label" where there are
// labels.
type csvWriter struct {
	w      io.Writer
	prefix string
	run    run.Control
	begun  bool
}

func newCSVWriter(w io.Writer, prefix string, ctl run.Control) Writer {
	return &csvWriter{w: w, prefix: prefix, run: ctl}
}

func (t *csvWriter) Write(x data.Source[data.Vector], labels []string) error {
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
	return csv.WriteOn(t.run, t.w, names, x, labels)
}

func (t *csvWriter) Close() error { return nil }

// libsvmWriter writes LIBSVM data, whose readers count coordinates from 1.
type libsvmWriter struct{ w io.Writer }

func (t libsvmWriter) Write(x data.Source[data.Vector], labels []string) error {
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

func (t libsvmWriter) Close() error { return nil }

// npyWriter writes an array, which has no room for labels. The file begins with
// the number of rows: it is filled in at the end, or, where the stream cannot go
// back, all rows are gathered before.
type npyWriter struct {
	w     io.Writer
	inner *npy.Writer // where the stream can go back
	all   data.Matrix
}

func (t *npyWriter) Write(x data.Source[data.Vector], _ []string) error {
	if _, ok := t.w.(io.WriterAt); ok {
		if t.inner == nil {
			var err error
			if t.inner, err = npy.NewWriter(t.w, npy.Unknown, data.Dim(x), npy.Float64); err != nil {
				return err
			}
		}
		return t.inner.Write(x)
	}
	row := make([]float64, data.Dim(x))
	t.all.Cols = len(row)
	for i := range x.Len() {
		x.At(i).CopyTo(row)
		t.all.Data = append(t.all.Data, row...)
	}
	t.all.Rows += x.Len()
	return nil
}

func (t *npyWriter) Close() error {
	if t.inner != nil {
		if err := t.inner.Close(); err != nil {
			return err
		}
		return t.inner.Patch(t.w.(io.WriterAt))
	}
	w, err := npy.NewWriter(t.w, t.all.Rows, t.all.Cols, npy.Float64)
	if err != nil {
		return err
	}
	if err := w.Write(&t.all); err != nil {
		return err
	}
	return w.Close()
}

// columnWriter writes columns of doubles, and the labels as one of texts, by a writer
// that must know their number.
type columnWriter[W Writer] struct {
	w     io.Writer
	open  func(w io.Writer, cols int, labeled bool) (W, error)
	inner W
	begun bool
}

func columnar[W Writer](open func(w io.Writer, cols int, labeled bool) (W, error)) NewWriter {
	return func(w io.Writer, _ string, _ run.Control) Writer { return &columnWriter[W]{w: w, open: open} }
}

func (t *columnWriter[W]) Write(x data.Source[data.Vector], labels []string) error {
	if !t.begun {
		var err error
		if t.inner, err = t.open(t.w, data.Dim(x), labels != nil); err != nil {
			return err
		}
		t.begun = true
	}
	return t.inner.Write(x, labels)
}

func (t *columnWriter[W]) Close() error {
	if !t.begun {
		return nil
	}
	return t.inner.Close()
}
