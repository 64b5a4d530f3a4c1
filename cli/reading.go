package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/pflag"

	"github.com/kerf-ml/kerf/data"
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
	"github.com/kerf-ml/kerf/spec"
)

// inputFlags say how data files are to be read.
type inputFlags struct {
	target string
	header string
	scale  string
	as     string
	text   string
	labels string
	drop   []string

	weight      string // column of the rows' weights; none for none
	weightSpare bool   // whether the file may lack it
	rowWeights  string // file of the rows' weights
}

func (f *inputFlags) add(flags *pflag.FlagSet) {
	f.addKnown(flags)
	flags.StringVar(&f.scale, "scale", "auto", "scaling of numbers: none, standard, range, or auto (standard for a table where kerf picks the kernel's width, else none)")
	flags.StringVar(&f.as, "as", "", "what an instance is: vectors, strings or sets (default: what the kernel or the format says)")
	flags.StringVar(&f.text, "text", "", "column of a table that holds the strings, or sets of items with commas, semicolons, bars or blanks between them: a name or a number (default: the last one beside the label; all columns for sets)")
	flags.StringSliceVar(&f.drop, "drop", nil, "columns to ignore, by name or number")
}

// addKnown adds what reading needs when a model says the rest.
func (f *inputFlags) addKnown(flags *pflag.FlagSet) {
	flags.StringVar(&f.target, "target", "", "column of the label: a name, a number from 1, first, last or none (default: last of a table, first of lines and sets)")
	flags.StringVar(&f.labels, "labels", "", "file with the labels of IDX or NPY data: IDX, or one a line")
	flags.StringVar(&f.header, "header", "auto", "whether the first line of a table is a header: auto, yes, no or skip")
}

// kind returns the kind of instances that the flags and the kernel ask for,
// empty where the format is to decide.
func (f *inputFlags) kind(k spec.Kernel) (string, error) {
	kinds := []string{spec.KindVectors, spec.KindStrings, spec.KindSets}
	if f.as != "" && !slices.Contains(kinds, f.as) {
		return "", usage("--as is %q and must be vectors, strings or sets", f.as)
	}
	byKernel := k.Kind()
	if f.as != "" && byKernel != "" && f.as != byKernel {
		return "", usage("the kernel %s is for %s, not for %s", k, byKernel, f.as)
	}
	if f.as != "" {
		return f.as, nil
	}
	return byKernel, nil
}

// options returns how to read a table.
func (f *inputFlags) options(name string) (table.Options, error) {
	headers := map[string]table.Header{"auto": table.Auto, "yes": table.Present, "no": table.Absent, "skip": table.Skip}
	h, ok := headers[f.header]
	if !ok {
		return table.Options{}, usage("--header is %q and must be auto, yes, no or skip", f.header)
	}
	return table.Options{Name: name, Header: h, Target: f.target, Weight: f.weight, WeightSpare: f.weightSpare, Drop: f.drop}, nil
}

// chunk is some rows of a file, in the form in which its format has them.
type chunk struct {
	table   *table.Table
	rows    data.Source[data.Vector]
	texts   data.Slice[string]
	sets    data.Slice[data.Set]
	labels  []string  // nil where the file has none
	weights []float64 // nil where there are none, or they are in a column that has not been looked at
}

// Len returns the number of rows.
func (c *chunk) Len() int {
	switch {
	case c.table != nil:
		return c.table.Len()
	case c.rows != nil:
		return c.rows.Len()
	case c.texts != nil:
		return len(c.texts)
	}
	return len(c.sets)
}

// reader gives the rows of a file, at most max at a time, all of them for 0, and
// io.EOF when none is left.
type reader func(max int) (*chunk, error)

// opened is a data file that is being read.
type opened struct {
	*file.File
	format file.Format
	next   reader
}

// open opens a file to be read as instances of a kind, or of the kind of its
// format where kind is empty. labeled says whether sets have labels where the
// flags do not.
func (a *app) open(ctx context.Context, path, kind string, labeled bool, flags *inputFlags) (*opened, error) {
	f, err := file.Open(ctx, path, a.stdin)
	if err != nil {
		return nil, err
	}
	o := &opened{File: f}
	if o.format, err = f.Format(); err == nil {
		if o.format != file.CSV || !flags.weighted() { // only a table has columns
			o.format = asked(o.format, kind, f.Head())
		}
		o.next, err = o.reader(ctx, kind, labeled, flags)
	}
	if err == nil {
		err = a.withFiles(ctx, o, flags)
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return o, nil
}

// asked changes the format that content shows into the one that the kind of
// instances asks for: lines with commas are a table, or sets where they are
// ragged and sets are wanted; lines of a label, a tab and a text are a table, or
// just that where strings are wanted.
func asked(format file.Format, kind string, head []byte) file.Format {
	switch {
	case format == file.CSV && kind == spec.KindSets && ragged(head):
		return file.Sets
	case format == file.CSV && kind == spec.KindStrings && lines.Detect(head) != file.Unlabeled:
		return file.Lines
	}
	return format
}

// reader returns the reader of the format.
func (o *opened) reader(ctx context.Context, kind string, labeled bool, flags *inputFlags) (reader, error) {
	switch o.format {
	case file.CSV:
		options, err := flags.options(o.Name)
		if err != nil {
			return nil, err
		}
		options.Verbatim = kind != spec.KindVectors && kind != ""
		return tableReader(ctx, o, options)
	case file.LIBSVM:
		r := libsvm.NewReader(o, o.Name)
		return func(max int) (*chunk, error) {
			x, labels, err := r.Read(ctx, max)
			return &chunk{rows: x, labels: labels}, err
		}, nil
	case file.FASTA:
		r := fasta.NewReader(o, o.Name)
		return func(max int) (*chunk, error) {
			x, labels, err := r.Read(ctx, max)
			return &chunk{texts: x, labels: labels}, err
		}, nil
	case file.Lines:
		place := file.Unlabeled
		if labeled && everyLineHasTab(o.Head()) || lines.Detect(o.Head()) == file.First {
			place = file.First
		} else if lines.Detect(o.Head()) == file.Last {
			place = file.Last
		}
		if flags.target != "" {
			var err error
			if place, err = file.ParseLabel(flags.target); err != nil {
				return nil, usage("--target: %w", err)
			}
		}
		r := lines.NewReader(o, lines.Options{Name: o.Name, Label: place})
		return func(max int) (*chunk, error) {
			x, labels, err := r.Read(ctx, max)
			return &chunk{texts: x, labels: labels}, err
		}, nil
	case file.Sets:
		return o.setReader(ctx, labeled, flags)
	case file.JSONL, file.Parquet:
		options, err := flags.options(o.Name)
		if err != nil {
			return nil, err
		}
		return o.built(ctx, options)
	}
	return o.arrayReader(ctx)
}

// built reads JSON Lines or Parquet as a table. The whole file is read at the
// first call.
func (o *opened) built(ctx context.Context, options table.Options) (reader, error) {
	b := table.NewBuilder(options)
	read := func() error {
		_, err := jsonl.NewReader(o, o.Name, b).Read(ctx, 0)
		return err
	}
	if o.format == file.Parquet {
		read = func() error {
			whole, err := o.Bytes(maxParquet)
			if err != nil {
				return err
			}
			r, err := parquet.NewReader(bytes.NewReader(whole), int64(len(whole)), o.Name, b)
			if err != nil {
				return err
			}
			_, err = r.Read(ctx, 0)
			return err
		}
	}
	return once(func() (*chunk, error) {
		if err := read(); err != nil {
			return nil, err
		}
		t, err := b.Table()
		if err != nil {
			return nil, err
		}
		return &chunk{table: t, labels: t.Labels()}, nil
	}), nil
}

// maxParquet is the largest Parquet file that is read, because it is held in
// memory whole.
const maxParquet = 4 << 30

// once makes a reader of what can be read in one go alone.
func once(all func() (*chunk, error)) reader {
	done := false
	return func(int) (*chunk, error) {
		if done {
			return nil, io.EOF
		}
		done = true
		return all()
	}
}

// arrayReader reads the rows of an NPY or IDX file, without labels.
func (o *opened) arrayReader(ctx context.Context) (reader, error) {
	var read func(ctx context.Context, max int) (*data.Matrix, error)
	if o.format == file.NPY {
		r, err := npy.NewReader(o, o.Name)
		if err != nil {
			return nil, err
		}
		read = r.Read
	} else {
		r, err := idx.NewReader(o, o.Name)
		if err != nil {
			return nil, err
		}
		read = r.Read
	}
	return func(max int) (*chunk, error) {
		m, err := read(ctx, max)
		if err != nil {
			return nil, err
		}
		return &chunk{rows: m}, nil
	}, nil
}

// withFiles adds what the flags have in files of its own to the rows of a reader.
func (a *app) withFiles(ctx context.Context, o *opened, flags *inputFlags) error {
	if flags.labels != "" {
		if err := a.withLabels(ctx, o, flags.labels); err != nil {
			return err
		}
	}
	if flags.rowWeights != "" {
		return a.withWeights(ctx, o, flags.rowWeights)
	}
	return nil
}

// withLabels adds labels from a file of their own to the rows of a reader.
func (a *app) withLabels(ctx context.Context, o *opened, path string) error {
	labels, err := a.readLabels(ctx, path)
	if err != nil {
		return err
	}
	o.beside(path, "labels", len(labels), func(c *chunk, lo, hi int) { c.labels = labels[lo:hi] })
	return nil
}

// beside adds to the rows of a reader n things of another file, one each: those
// from lo to hi-1 to each chunk.
func (o *opened) beside(path, what string, n int, add func(c *chunk, lo, hi int)) {
	next, used := o.next, 0
	o.next = func(max int) (*chunk, error) {
		c, err := next(max)
		if errors.Is(err, io.EOF) && used < n {
			return nil, badInput(path, fmt.Sprintf("there are %d %s for %d rows", n, what, used), "give the "+what+" of this data")
		}
		if err != nil {
			return nil, err
		}
		whole := max <= 0
		if used+c.Len() > n || whole && c.Len() < n {
			rows := "more rows"
			if whole {
				rows = fmt.Sprintf("%d rows", c.Len())
			}
			return nil, badInput(path, fmt.Sprintf("there are %d %s and %s", n, what, rows), "give the "+what+" of this data")
		}
		add(c, used, used+c.Len())
		used += c.Len()
		return c, nil
	}
}

// readLabels reads a file of labels: IDX, or one a line.
func (a *app) readLabels(ctx context.Context, path string) ([]string, error) {
	f, err := file.Open(ctx, path, a.stdin)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if format, err := f.Format(); err == nil && format == file.IDX {
		return idx.ReadLabels(ctx, f, f.Name)
	}
	texts, _, err := lines.NewReader(f, lines.Options{Name: f.Name}).Read(ctx, 0)
	return texts, err
}

func tableReader(ctx context.Context, o *opened, options table.Options) (reader, error) {
	r, err := csv.NewReader(o, options)
	if err != nil {
		return nil, err
	}
	return func(max int) (*chunk, error) {
		t, err := r.Read(ctx, max)
		if err != nil {
			return nil, err
		}
		return &chunk{table: t, labels: t.Labels()}, nil
	}, nil
}

// setReader reads baskets. Their label comes first, as kerf writes it, unless
// the flags say otherwise or there are none.
func (o *opened) setReader(ctx context.Context, labeled bool, flags *inputFlags) (reader, error) {
	place := file.Unlabeled
	if labeled {
		place = file.First
	}
	if flags.target != "" {
		var err error
		if place, err = file.ParseLabel(flags.target); err != nil {
			return nil, usage("--target: %w", err)
		}
	}
	r := sets.NewReader(o, sets.Options{Name: o.Name, Label: place})
	return func(max int) (*chunk, error) {
		x, labels, err := r.Read(ctx, max)
		return &chunk{sets: x, labels: labels}, err
	}, nil
}

// all reads the whole file.
func (o *opened) all() (*chunk, error) {
	c, err := o.next(0)
	if errors.Is(err, io.EOF) {
		return nil, badInput(o.Name, "there are no rows", "give a file with data")
	}
	return c, err
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
