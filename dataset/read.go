package dataset

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/file"
	"github.com/kerf-ml/kerf/data/table"
	"github.com/kerf-ml/kerf/run"
)

const (
	// PartRows is the most rows that are worked on at a time.
	PartRows = 4096

	// firstRows is how many rows Stream reads to see how long they are.
	firstRows = 64

	// perByte is about how many bytes a byte of a file is in memory, as a row and as
	// an instance.
	perByte = 16
)

// PartOf returns how many rows are worked on at a time, of so many bytes each: at
// most PartRows, and no more than take a 32nd of the budget.
func PartOf(ctl run.Control, bytes float64) int {
	ctl.Process = false // the size of parts does not depend on what is left
	return int(max(1, min(PartRows, float64(ctl.Budget())/32/max(bytes, 1))))
}

// settled returns the controls with the budget of now: to look how much memory is free takes as long as to read some
// hundred rows.
func settled(ctl run.Control) run.Control {
	ctl.Process = false
	ctl.Memory = ctl.Budget()
	return ctl
}

// Read reads a whole file, standard input if path is "-", or all files of a folder or a
// pattern (see Files) as one. The format is found by content and ending.
func Read(ctx context.Context, path string, o Options) (*Rows, error) {
	return read(ctx, path, &recogniser{Options: o})
}

func read(ctx context.Context, path string, o *recogniser) (*Rows, error) {
	if err := o.settleTarget(); err != nil {
		return nil, err
	}
	var parts []*Rows
	err := eachFile(ctx, path, &o.Options, func(f *file.File) error {
		found, rest, err := o.begin(ctx, f, path)
		if err != nil {
			return err
		}
		r, err := rest(0)
		if errors.Is(err, io.EOF) {
			return noRows(f.Name)
		}
		if err != nil {
			return err
		}
		r.Name, r.Format, r.Kind = f.Name, found.name, o.Kind
		if r.Kind == "" {
			r.Kind = r.native()
		}
		parts = append(parts, r)
		return cmp.Or(r.checkKind(), r.alike(parts[0]))
	})
	if err != nil {
		return nil, err
	}
	r := parts[0]
	if len(parts) > 1 {
		r = joined(parts)
		r.Name = o.Named(path)
		if r.table != nil {
			r.table.Name = r.Name
		}
	}
	r.Notes = append(r.Notes, o.notes...)
	if err := cmp.Or(r.recognise(o), r.checkOptions(&o.Options)); err != nil {
		return nil, err
	}
	return r, r.weigh(&o.Options)
}

// CheckFile reports a file that Read could not open.
func CheckFile(ctx context.Context, path string) error {
	return eachFile(ctx, path, &Options{}, func(*file.File) error { return nil })
}

func openFile(ctx context.Context, path string, o *Options) (*file.File, error) {
	f, err := openContent(ctx, path, o)
	if err == nil {
		f.Limit(o.Run)
	}
	return f, err
}

// Stream reads a file part by part, the way the training data were read, and
// hands over each part: at most PartRows rows, fewer where they are long for the
// memory of the run, unless the format can be read whole alone. Of the options,
// Target, in the place of the training data's, Header, Weight, Labels, Weights
// and Verbatim count, and so do Stdin and Run.
func (e *Encoding) Stream(ctx context.Context, path string, o Options, use func(*Rows) error) error {
	if err := o.settleTarget(); err != nil {
		return err
	}
	rows := o.Piece.before()
	return eachFile(ctx, path, &o, func(f *file.File) error {
		n, err := e.streamFile(ctx, f, o, rows, use)
		rows += n
		return err
	})
}

// streamFile is Stream of one file, after so many rows of others. It returns how many
// rows there were.
func (e *Encoding) streamFile(
	ctx context.Context, f *file.File, o Options, before int, use func(*Rows) error,
) (rows int, err error) {
	_, rest, err := e.open(ctx, f, &o)
	if err == nil {
		rest, err = withFiles(ctx, rest, &o)
	}
	if err != nil {
		return 0, err
	}
	ctl := settled(o.Run)
	for size := firstRows; ; size = PartOf(ctl, perByte*float64(f.Count())/float64(rows)) {
		r, err := rest(size)
		if errors.Is(err, io.EOF) {
			if rows == 0 {
				return 0, noRows(f.Name)
			}
			return rows, nil
		}
		if err != nil {
			return 0, err
		}
		r.Name, r.Format, r.Kind, r.first = f.Name, e.Format, e.Kind, before+rows
		rows += r.Len()
		if err = r.checkOptions(&o); err == nil && o.Target == "" {
			err = e.FindLabels(r)
		}
		if err == nil {
			err = use(r)
		}
		if err != nil {
			return 0, err
		}
	}
}

// FindLabels finds the labels of a table where the training data had them.
func (e *Encoding) FindLabels(r *Rows) (err error) {
	switch {
	case r.table == nil:
	case e.Table != nil:
		r.Labels, err = e.Table.Labels(r.table)
	case e.Columns != nil:
		err = e.findTarget(r)
	}
	return err
}

// findTarget finds the labels of a table of strings or sets where training had them:
// by name, or by position where there are no names, which a table without the target
// has only if that was the last one.
func (e *Encoding) findTarget(r *Rows) error {
	if e.Target == "" {
		return nil
	}
	t, at := r.table, slices.Index(e.Columns, e.Target)
	t.Target = slices.Index(t.Header, e.Target)
	if t.Target < 0 && t.Header == nil && at >= 0 {
		switch {
		case t.Cols() == len(e.Columns):
			t.Target = at
		case t.Cols() != len(e.Columns)-1 || at != t.Cols():
			return otherColumns(t, fmt.Sprintf("%d, the target among them", len(e.Columns)))
		}
	}
	r.Labels = t.Labels()
	return nil
}

// Unknown returns the names of a table's columns that training data did not have, of
// which one may be the target; none where columns have no names.
func (e *Encoding) Unknown(r *Rows) (names []string) {
	if r.table == nil || e.Table != nil && !e.Table.Header || e.Table == nil && !e.named() {
		return nil
	}
	for _, name := range r.table.Header {
		known := slices.Contains(e.Columns, name)
		if e.Table != nil {
			known = slices.ContainsFunc(e.Table.Columns, func(c table.Column) bool { return c.Name == name })
		}
		if !known {
			names = append(names, name)
		}
	}
	return names
}

// named reports whether the columns of a table of strings or sets had names.
func (e *Encoding) named() bool {
	for j, name := range e.Columns {
		if name != strconv.Itoa(j+1) {
			return true
		}
	}
	return false
}

// otherColumns reports a table that has not the columns of the training data.
func otherColumns(t *table.Table, had string) error {
	return &data.InputError{
		File: t.Name, Problem: fmt.Sprintf("the table has %d columns and training had %s", t.Cols(), had),
		Advice: "give the same columns in the same order",
	}
}

// open opens the rows of a file in the format of the training data.
func (e *Encoding) open(ctx context.Context, f *file.File, o *Options) (*format, next, error) {
	found, err := detect(f)
	trained := byName(e.Format)
	if trained != nil && !trained.plain {
		trained = nil
	}
	if err != nil && trained == nil {
		return nil, nil, err
	}
	if found != nil && found.name != e.Format {
		found = asked(found, e.Kind, f.Head())
	}
	if trained != nil && (found == nil || !found.binary) {
		found = trained // a few lines of text look like anything
	}
	if found.name != e.Format {
		return nil, nil, e.otherFormat(f.Name, found.name)
	}
	how := &reading{Options: e.spareWeight(*o)}
	how.Kind, how.Unlabeled = e.Kind, false
	switch {
	case o.Target != "":
	case e.Columns != nil:
		how.Target = noTarget // see findTarget
	default:
		how.Target = e.Target
	}
	how.table = how.Options.table(f.Name)
	if e.named() {
		how.table.Names = e.Columns
	}
	if e.Table != nil {
		how.table = e.Table.Options(f.Name)
		how.table.Header, how.table.Weight, how.table.Run, how.table.Verbatim = o.Header, o.Weight, o.Run, o.Verbatim
		if o.Target != "" {
			how.table.Target = o.Target
		}
	}
	rest, err := found.open(ctx, f, how)
	return found, o.Piece.next(f.Name, rest), err
}

func noRows(name string) error {
	return &data.InputError{File: name, Problem: "there are no rows", Advice: "give a file with data"}
}
