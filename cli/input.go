package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/csvfile"
	"github.com/kerf-ml/kerf/data/file"
	"github.com/kerf-ml/kerf/data/libsvm"
	"github.com/kerf-ml/kerf/model"
)

// inputFlags say how data files are to be read.
type inputFlags struct {
	target string
	header string
	scale  string
	drop   []string
}

func (f *inputFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.target, "target", "last", "column of the label: a name, a number from 1, first, last or none")
	flags.StringVar(&f.header, "header", "auto", "whether the first line of a table is a header: auto, yes, no or skip")
	flags.StringVar(&f.scale, "scale", "auto", "scaling of a table's numbers: none, standard, range, or auto (standard where kerf picks the kernel's width, else none)")
	flags.StringSliceVar(&f.drop, "drop", nil, "columns to ignore, by name or number")
}

func (f *inputFlags) options(name string) (csvfile.Options, error) {
	headers := map[string]csvfile.Header{"auto": csvfile.Auto, "yes": csvfile.Present, "no": csvfile.Absent, "skip": csvfile.Skip}
	h, ok := headers[f.header]
	if !ok {
		return csvfile.Options{}, usage("--header is %q and must be auto, yes, no or skip", f.header)
	}
	return csvfile.Options{Name: name, Header: h, Target: f.target, Drop: f.drop}, nil
}

// input is a data file that has been read whole.
type input struct {
	name   string
	format file.Format
	table  *csvfile.Table // of a table
	rows   *data.CSR      // of LIBSVM data
	labels []string       // nil where the file has none
}

// Len returns the number of rows.
func (in *input) Len() int {
	if in.table != nil {
		return in.table.Len()
	}
	return in.rows.Len()
}

// read reads a whole file.
func (a *app) read(ctx context.Context, path string, flags *inputFlags) (*input, error) {
	f, err := file.Open(ctx, path, a.stdin)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in := &input{name: f.Name}
	if in.format, err = f.Format(); err != nil {
		return nil, err
	}
	if in.format == file.LIBSVM {
		in.rows, in.labels, err = libsvm.NewReader(f, f.Name).Read(ctx, 0)
	} else {
		var o csvfile.Options
		if o, err = flags.options(f.Name); err != nil {
			return nil, err
		}
		var r *csvfile.Reader
		if r, err = csvfile.NewReader(f, o); err != nil {
			return nil, err
		}
		if in.table, err = r.Read(ctx, 0); err == nil {
			in.labels = in.table.Labels()
		}
	}
	if errors.Is(err, io.EOF) {
		return nil, badInput(f.Name, "there are no rows", "give a file with data")
	}
	return in, err
}

// encoding is how rows of a file become vectors. It is stored in the model.
type encoding struct {
	Format string          `json:"format"`
	Table  *csvfile.Schema `json:"table,omitempty"`
}

// fitEncoding decides how rows become vectors, looking at the given rows alone.
func (in *input) fitEncoding(rows []int, scale csvfile.Scale) (*encoding, error) {
	e := &encoding{Format: in.format.String()}
	if in.table == nil {
		if scale != csvfile.None {
			return nil, usage("--scale %s is for tables; LIBSVM data are taken as they stand", scale)
		}
		return e, nil
	}
	var err error
	e.Table, err = csvfile.Fit(in.table, rows, scale)
	return e, err
}

// encode turns the rows of a file into vectors. The labels are nil where the
// file has none.
func (e *encoding) encode(in *input) (data.Source[data.Vector], []string, error) {
	if err := e.check(in.format, in.name); err != nil {
		return nil, nil, err
	}
	if in.table == nil {
		return in.rows, in.labels, nil
	}
	return e.Table.Encode(in.table)
}

func (e *encoding) check(format file.Format, name string) error {
	if e.Format != format.String() {
		return badInput(name, fmt.Sprintf("this is %s data and the model was trained on %s data", format, e.Format), "convert it first")
	}
	return nil
}

// raw returns the encoding as a model stores it.
func (e *encoding) raw() (json.RawMessage, error) { return json.Marshal(e) }

// storedEncoding returns the encoding of a model.
func storedEncoding(raw json.RawMessage) (*encoding, error) {
	e := &encoding{}
	if err := json.Unmarshal(raw, e); err != nil {
		return nil, fmt.Errorf("%w: it does not say how its data were read", model.ErrDamaged)
	}
	if e.Format == file.CSV.String() {
		if e.Table == nil {
			return nil, fmt.Errorf("%w: it does not say how its table was read", model.ErrDamaged)
		}
		if err := e.Table.Validate(); err != nil {
			return nil, fmt.Errorf("%w: %w", model.ErrDamaged, err)
		}
	}
	return e, nil
}

// chunkRows is how many rows of a file are in memory at a time where a file is
// read as a stream.
const chunkRows = 4096

// stream reads a file part by part, encodes it, and hands over each part.
func (a *app) stream(ctx context.Context, path string, e *encoding, flags *inputFlags, use func(x data.Source[data.Vector], labels []string) error) error {
	f, err := file.Open(ctx, path, a.stdin)
	if err != nil {
		return err
	}
	defer f.Close()
	format, err := f.Format()
	if err != nil {
		return err
	}
	if err := e.check(format, f.Name); err != nil {
		return err
	}
	next, err := e.parts(ctx, f, flags)
	if err != nil {
		return err
	}
	for rows := 0; ; {
		x, labels, err := next()
		if errors.Is(err, io.EOF) {
			if rows == 0 {
				return badInput(f.Name, "there are no rows", "give a file with data")
			}
			return nil
		}
		if err != nil {
			return err
		}
		rows += x.Len()
		if err := use(x, labels); err != nil {
			return err
		}
	}
}

// parts returns a function that reads and encodes the next rows of a file.
func (e *encoding) parts(ctx context.Context, f *file.File, flags *inputFlags) (func() (data.Source[data.Vector], []string, error), error) {
	if e.Table == nil {
		r := libsvm.NewReader(f, f.Name)
		return func() (data.Source[data.Vector], []string, error) {
			x, labels, err := r.Read(ctx, chunkRows)
			return x, labels, err
		}, nil
	}
	given, err := flags.options(f.Name)
	if err != nil {
		return nil, err
	}
	o := e.Table.Options(f.Name)
	o.Header = given.Header
	r, err := csvfile.NewReader(f, o)
	if err != nil {
		return nil, err
	}
	return func() (data.Source[data.Vector], []string, error) {
		t, err := r.Read(ctx, chunkRows)
		if err != nil {
			return nil, nil, err
		}
		return e.Table.Encode(t)
	}, nil
}

// describe says in a few words what was read.
func (e *encoding) describe(x data.Source[data.Vector]) string {
	if e.Table != nil {
		return e.Table.Summary()
	}
	return fmt.Sprintf("sparse, largest index %d", max(0, data.Dim(x)-1))
}

// classIndex returns the classes of labels, -1 for those that the model does
// not know, and the first few of these.
func classIndex(classes data.Classes, labels []string) (y []int, unknown []string) {
	y = make([]int, len(labels))
	seen := map[string]bool{}
	for i, l := range labels {
		c, ok := classes.Index(l)
		if !ok {
			c = -1
			if !seen[l] && len(unknown) < 3 {
				unknown = append(unknown, fmt.Sprintf("%q", l))
			}
			seen[l] = true
		}
		y[i] = c
	}
	return y, unknown
}

// checkLabels warns of labels that the model does not know, and refuses data in
// which it knows none.
func (a *app) checkLabels(name string, classes data.Classes, y []int, unknown []string) error {
	if len(unknown) == 0 {
		return nil
	}
	known := 0
	for _, c := range y {
		if c >= 0 {
			known++
		}
	}
	names := strings.Join(unknown, ", ")
	if known == 0 {
		return badInput(name, fmt.Sprintf("none of its labels is known to the model: it has %s, the model has %s", names, quoted(classes.Names)), "check --target")
	}
	a.warn("%s: %d of %d rows have labels that training did not have (%s); they count as errors", name, len(y)-known, len(y), names)
	return nil
}

// quoted lists names, the first few of them.
func quoted(names []string) string {
	var out []string
	for i, n := range names {
		if i == 5 {
			out = append(out, "…")
			break
		}
		out = append(out, fmt.Sprintf("%q", n))
	}
	return strings.Join(out, ", ")
}
