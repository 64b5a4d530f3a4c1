package dataset

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/arrow"
	"github.com/kerf-ml/kerf/data/csv"
	"github.com/kerf-ml/kerf/data/fasta"
	"github.com/kerf-ml/kerf/data/file"
	"github.com/kerf-ml/kerf/data/idx"
	"github.com/kerf-ml/kerf/data/jsonl"
	"github.com/kerf-ml/kerf/data/libsvm"
	"github.com/kerf-ml/kerf/data/lines"
	"github.com/kerf-ml/kerf/data/npy"
	"github.com/kerf-ml/kerf/data/parquet"
	"github.com/kerf-ml/kerf/data/sets"
	"github.com/kerf-ml/kerf/data/table"
)

// The formats that kinds of instances or records ask for by name.
const (
	formatCSV    = "CSV"
	formatLIBSVM = "LIBSVM"
	formatFASTA  = "FASTA"
	formatLines  = "lines of text"
	formatSets   = "sets"
)

// formats lists what can be read, a line each. Where two recognise a file, the
// first one has it.
var formats = []*format{
	{name: formatNPY, binary: true, begins: npy.Begins, open: openNPY},
	{name: formatIDX, binary: true, begins: idx.Begins, open: openIDX},
	{name: "Parquet", binary: true, begins: parquet.Begins, table: true, keyed: true, open: openParquet},
	{name: "Arrow", binary: true, begins: arrow.Begins, table: true, keyed: true, open: openArrow},
	{name: "JSON Lines", begins: jsonl.Begins, table: true, keyed: true, late: true, open: openJSONL},
	{name: formatFASTA, begins: fasta.Begins, open: openFASTA},
	{name: formatSets, endings: []string{".baskets", ".sets"}, named: true, plain: true, open: openSets},
	{name: formatLIBSVM, endings: []string{".libsvm", ".svm", ".svmlight"}, line: libsvm.IsLine, open: openLIBSVM},
	{name: formatCSV, endings: []string{".csv", ".tsv"}, table: true, line: csv.IsLine, doubtful: oneColumn,
		open: openCSV},
	{name: formatLines, endings: []string{".txt"}, plain: true, open: openLines},
}

// oneColumn reports a text without separators: a table of one column, or lines of
// another format.
func oneColumn(head []byte) bool { return !csv.HasSeparator(head) && !csv.Spaced(head) }

// reading is how a file is to be read.
type reading struct {
	Options
	table table.Options
}

func openCSV(ctx context.Context, f *file.File, o *reading) (next, error) {
	r, err := csv.NewReader(f, o.table)
	if err != nil {
		return nil, err
	}
	return func(max int) (*Rows, error) {
		t, err := r.Read(ctx, max)
		rows := tableRows(t)
		if n := r.OddHeader(); n > 0 && rows != nil {
			rows.Notes = []string{fmt.Sprintf("the header names %d columns of %d and is left aside; columns are numbered",
				n, t.Cols())}
		}
		return rows, err
	}, nil
}

func tableRows(t *table.Table) *Rows {
	if t == nil {
		return nil
	}
	return &Rows{table: t, Labels: t.Labels()}
}

// openJSONL reads some lines after the others. Tables have the columns that are known by then;
// where cells are to be handed on as they are, the first table has all rows.
func openJSONL(ctx context.Context, f *file.File, o *reading) (next, error) {
	b := table.NewBuilder(o.table)
	r := jsonl.NewReader(f, f.Name, b)
	return func(max int) (*Rows, error) {
		if o.Verbatim {
			max = 0
		}
		n, err := r.Read(ctx, max)
		if errors.Is(err, io.EOF) {
			return nil, cmp.Or(b.Lacking(), io.EOF)
		}
		if err != nil {
			return nil, err
		}
		if n == max {
			b.Expect()
		}
		t, err := b.Table()
		return tableRows(t), err
	}, nil
}

// maxWhole is the largest Parquet or Arrow file that is read where it must be held in
// memory whole: from a pipe, or compressed as a whole.
const maxWhole = 4 << 30

// randomly returns the content to be read at any place, as it lies on disk where it can be.
func randomly(f *file.File) (r io.ReaderAt, size int64, err error) {
	if r, size, ok := f.Random(); ok {
		return r, size, nil
	}
	whole, err := f.Bytes(maxWhole)
	return bytes.NewReader(whole), int64(len(whole)), err
}

// openParquet reads a group of rows after the other, of which a page of each column is held.
func openParquet(ctx context.Context, f *file.File, o *reading) (next, error) {
	content, size, err := randomly(f)
	if err != nil {
		return nil, err
	}
	b := table.NewBuilder(o.table)
	r, err := parquet.NewReader(content, size, f.Name, b)
	if err != nil {
		return nil, err
	}
	r.Run = o.table.Run
	left, reserved := r.Rows(), 0
	return func(max int) (*Rows, error) {
		n := left
		if max > 0 {
			n = min(n, max)
		}
		if n > reserved {
			if _, err := f.Reserve(fmt.Sprintf("a table of %d rows and %d columns", n, r.Columns()),
				8*float64(n)*float64(r.Columns()+1)); err != nil {
				return nil, err
			}
			reserved = n
		}
		read, err := r.Read(ctx, max)
		if err != nil {
			return nil, err
		}
		left -= read
		f.Reached(int64(float64(size) * float64(r.Rows()-left) / float64(r.Rows()+1)))
		t, err := b.Table()
		return tableRows(t), err
	}, nil
}

// openArrow reads a file or a stream of Arrow, batch by batch.
func openArrow(ctx context.Context, f *file.File, o *reading) (next, error) {
	b := table.NewBuilder(o.table)
	r, err := newArrow(f, b)
	if err != nil {
		return nil, err
	}
	r.Reserve, r.Run = f.Reserve, o.table.Run
	return func(max int) (*Rows, error) {
		if _, err := r.Read(ctx, max); err != nil {
			return nil, err
		}
		t, err := b.Table()
		return tableRows(t), err
	}, nil
}

func newArrow(f *file.File, b *table.Builder) (*arrow.Reader, error) {
	if !arrow.IsFile(f.Head()) {
		return arrow.NewReader(f, f.Name, b)
	}
	content, size, err := randomly(f)
	if err != nil {
		return nil, err
	}
	return arrow.NewFileReader(&reaching{f, content}, size, f.Name, b)
}

// reaching tells a file how far it was read at random.
type reaching struct {
	f *file.File
	r io.ReaderAt
}

func (r *reaching) ReadAt(p []byte, at int64) (int, error) {
	n, err := r.r.ReadAt(p, at)
	if at < r.f.Count()+int64(n) { // the footer is no row
		r.f.Reached(at + int64(n))
	}
	return n, err
}

func openLIBSVM(ctx context.Context, f *file.File, _ *reading) (next, error) {
	return labeled(ctx, libsvm.NewReader(f, f.Name).Read, func(r *Rows, x *data.CSR) { r.vectors = x }), nil
}

func openFASTA(ctx context.Context, f *file.File, _ *reading) (next, error) {
	return labeled(ctx, fasta.NewReader(f, f.Name).Read, putTexts), nil
}

func openLines(ctx context.Context, f *file.File, o *reading) (next, error) {
	place := lines.Detect(f.Head())
	if !o.Unlabeled && everyLineHasTab(f.Head()) {
		place = file.First
	}
	place, err := o.place(place)
	return labeled(ctx, lines.NewReader(f, lines.Options{Name: f.Name, Label: place}).Read, putTexts), err
}

// openSets reads baskets. Their label comes first, as kerf writes it, unless the
// options say otherwise or there are none.
func openSets(ctx context.Context, f *file.File, o *reading) (next, error) {
	place := file.First
	if o.Unlabeled {
		place = file.Unlabeled
	}
	place, err := o.place(place)
	read := sets.NewReader(f, sets.Options{Name: f.Name, Label: place}).Read
	return labeled(ctx, read, func(r *Rows, x data.Slice[data.Set]) { r.sets = x }), err
}

// place returns where the label of a line stands: found, where Target is empty.
func (o *reading) place(found file.Label) (file.Label, error) {
	if o.Target == "" {
		return found, nil
	}
	place, err := file.ParseLabel(o.Target)
	if err != nil {
		return found, BadOption("%s: %v", Option("target"), err)
	}
	return place, nil
}

func openNPY(ctx context.Context, f *file.File, _ *reading) (next, error) {
	r, err := npy.NewReader(f, f.Name)
	if err != nil {
		return nil, err
	}
	return array(ctx, r.Read), nil
}

func openIDX(ctx context.Context, f *file.File, _ *reading) (next, error) {
	r, err := idx.NewReader(f, f.Name)
	if err != nil {
		return nil, err
	}
	return array(ctx, r.Read), nil
}

// array gives rows that have no labels.
func array(ctx context.Context, read func(context.Context, int) (*data.Matrix, error)) next {
	return func(max int) (*Rows, error) {
		m, err := read(ctx, max)
		return &Rows{vectors: m}, err
	}
}

// labeled gives rows that have labels, or none of them.
func labeled[X any](
	ctx context.Context, read func(context.Context, int) (X, []string, error), put func(r *Rows, x X),
) next {
	return func(max int) (*Rows, error) {
		x, labels, err := read(ctx, max)
		r := &Rows{Labels: labels}
		put(r, x)
		return r, err
	}
}

func putTexts(r *Rows, x data.Slice[string]) { r.texts = x }

// asked changes the format that content shows into the one that the kind of
// instances asks for: lines with commas are a table, or sets where they are
// ragged and sets are wanted; lines of a label, a tab and a text are a table, or
// just that where strings are wanted.
func asked(found *format, kind Kind, head []byte) *format {
	switch {
	case found.name == formatCSV && kind == Sets && ragged(head):
		return byName(formatSets)
	case found.name == formatCSV && kind == Strings && lines.Detect(head) != file.Unlabeled:
		return byName(formatLines)
	}
	return found
}

// everyLineHasTab reports whether a text looks like labels and texts with a tab
// between them.
func everyLineHasTab(head []byte) bool {
	tab, any := false, false
	for _, c := range head {
		switch c {
		case '\t':
			tab = true
		case '\n':
			if !tab {
				return false
			}
			tab, any = false, true
		}
	}
	return any || tab
}

// ragged reports whether the lines of a text have different numbers of commas.
func ragged(head []byte) bool {
	commas, count := -1, 0
	for _, c := range head {
		switch c {
		case ',':
			count++
		case '\n':
			if commas >= 0 && count != commas {
				return true
			}
			commas, count = count, 0
		}
	}
	return false
}
