package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/file"
	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/data/table"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/run"
	"github.com/kerf-ml/kerf/spec"
)

// instanceKind is what the commands need to know about a kind of instances.
type instanceKind[T any] interface {
	model.Kind[T]
	Make(k spec.Kernel, x data.Source[T], seed uint64) (kernel.Kernel[T], error)
}

// encoding is how rows of a file become instances. It is stored in the model.
type encoding struct {
	Format  string         `json:"format"`
	Kind    string         `json:"kind"`
	Table   *table.Schema  `json:"table,omitempty"`   // of a table of vectors
	Column  int            `json:"column,omitempty"`  // from 1, of a table of strings, or of one whose cells are sets
	Weight  string         `json:"weight,omitempty"`  // column of a table with the rows' weights, by name or number
	Scaling *scale.Vectors `json:"scaling,omitempty"` // of vectors that come from no table
}

// input is a data file that has been read whole.
type input struct {
	*chunk
	name   string
	format file.Format
	kind   string
	ctl    run.Control
}

// read reads a whole file as instances of a kind, or of that of its format.
func (a *app) read(ctx context.Context, path, kind string, labeled bool, flags *inputFlags) (*input, error) {
	o, err := a.open(ctx, path, kind, labeled, flags)
	if err != nil {
		return nil, err
	}
	defer o.Close()
	c, err := o.all()
	if err != nil {
		return nil, err
	}
	in := &input{chunk: c, name: o.Name, format: o.format, kind: kind, ctl: a.control()}
	if kind == "" {
		in.kind = c.kind()
	}
	if err := in.checkKind(); err != nil {
		return nil, err
	}
	return in, in.weigh(flags)
}

// kind returns the kind of instances that the rows are by themselves.
func (c *chunk) kind() string {
	switch {
	case c.texts != nil:
		return spec.KindStrings
	case c.sets != nil:
		return spec.KindSets
	}
	return spec.KindVectors
}

// checkKind reports rows that cannot be instances of the kind that is wanted. A
// table can be anything.
func (in *input) checkKind() error {
	if is := in.chunk.kind(); in.table == nil && is != in.kind {
		return badInput(in.name, fmt.Sprintf("%s holds %s, not %s", in.format, is, in.kind), "choose another --kernel or --as")
	}
	return nil
}

// fitEncoding decides how rows become instances, looking at the given rows
// alone.
func (in *input) fitEncoding(rows []int, scaled scale.Kind, flags *inputFlags) (*encoding, error) {
	if in.kind != spec.KindVectors && scaled != scale.None {
		return nil, usage("--scale %s is for numbers; %s are taken as they stand", scaled, in.kind)
	}
	e := &encoding{Format: in.format.String(), Kind: in.kind}
	if in.table != nil && in.table.Weight >= 0 {
		e.Weight = columnTitle(in.table, in.table.Weight)
	}
	var err error
	switch {
	case in.table != nil && in.kind == spec.KindSets && flags.text != "":
		e.Column, err = textColumn(in.table, flags.text)
	case in.rows != nil:
		e.Scaling, err = in.fitScaling(rows, scaled)
	case in.table == nil || in.kind == spec.KindSets:
	case in.kind == spec.KindStrings:
		e.Column, err = textColumn(in.table, flags.text)
	default:
		e.Table, err = table.Fit(in.table, rows, scaled)
	}
	if err == nil && in.table != nil {
		err = checkTextWeight(in.table, in.kind, e.Column)
	}
	return e, err
}

// textColumn returns the number, from 1, of the column that holds the strings.
func textColumn(t *table.Table, name string) (int, error) {
	if name == "" {
		for j := t.Cols(); j > 0; j-- {
			if j-1 != t.Target && j-1 != t.Weight {
				return j, nil
			}
		}
		return 0, badInput(t.Name, "the table has no column beside the label", "check --target")
	}
	for j, h := range t.Header {
		if h == name {
			return j + 1, nil
		}
	}
	if j, err := strconv.Atoi(name); err == nil && j >= 1 && j <= t.Cols() {
		return j, nil
	}
	return 0, usage("--text: there is no column %q", name)
}

// decode turns rows into instances of type T. The labels are nil where the file
// has none.
func decode[T any](e *encoding, c *chunk) (data.Source[T], []string, error) {
	var x any
	labels := c.labels
	switch {
	case c.texts != nil:
		x = c.texts
	case c.sets != nil:
		x = c.sets
	case c.rows != nil && e.Scaling != nil:
		x = e.Scaling.Apply(c.rows)
	case c.rows != nil:
		x = c.rows
	case e.Kind == spec.KindStrings:
		x = columnTexts(c.table, e.Column-1)
	case e.Kind == spec.KindSets && e.Column > 0:
		x = cellSets(columnTexts(c.table, e.Column-1))
	case e.Kind == spec.KindSets:
		x = rowSets(c.table)
	default:
		vectors, l, err := e.Table.Encode(c.table)
		if err != nil {
			return nil, nil, err
		}
		x, labels = vectors, l
	}
	src, ok := x.(data.Source[T])
	if !ok {
		return nil, nil, fmt.Errorf("rows of %s are not instances of %s", e.Format, e.Kind)
	}
	return src, labels, nil
}

// columnTexts returns the cells of a column, empty where one is missing.
func columnTexts(t *table.Table, col int) data.Slice[string] {
	out := make(data.Slice[string], t.Len())
	for i := range out {
		out[i], _ = t.Cell(i, col)
	}
	return out
}

// cellSets returns texts as sets of items, which commas, semicolons or bars
// separate, or blanks where there is none of these.
func cellSets(texts data.Slice[string]) data.Slice[data.Set] {
	out := make(data.Slice[data.Set], len(texts))
	for i, text := range texts {
		items := strings.Fields(text)
		if strings.ContainsAny(text, ",;|") {
			items = strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ';' || r == '|' })
		}
		kept := items[:0]
		for _, item := range items {
			if item = strings.TrimSpace(item); item != "" {
				kept = append(kept, item)
			}
		}
		out[i] = data.NewSet(kept...)
	}
	return out
}

// rowSets returns rows as sets of items column=value, without what is missing.
func rowSets(t *table.Table) data.Slice[data.Set] {
	out := make(data.Slice[data.Set], t.Len())
	for i := range out {
		var items []string
		for j := range t.Cols() {
			if v, ok := t.Cell(i, j); ok && j != t.Target && j != t.Weight {
				name := strconv.Itoa(j + 1)
				if t.Header != nil {
					name = t.Header[j]
				}
				items = append(items, name+"="+v)
			}
		}
		out[i] = data.NewSet(items...)
	}
	return out
}

// raw returns the encoding as a model stores it.
func (e *encoding) raw() (json.RawMessage, error) { return json.Marshal(e) }

// storedEncoding returns the encoding of a model.
func storedEncoding(raw json.RawMessage) (*encoding, error) {
	e := &encoding{}
	if err := json.Unmarshal(raw, e); err != nil {
		return nil, fmt.Errorf("%w: it does not say how its data were read", model.ErrDamaged)
	}
	if e.Format == file.CSV.String() && e.Kind == spec.KindVectors && e.Table == nil {
		return nil, fmt.Errorf("%w: it does not say how its table was read", model.ErrDamaged)
	}
	if e.Table != nil {
		if err := e.Table.Validate(); err != nil {
			return nil, fmt.Errorf("%w: %w", model.ErrDamaged, err)
		}
	}
	if e.Scaling != nil {
		if err := e.Scaling.Validate(); err != nil {
			return nil, fmt.Errorf("%w: %w", model.ErrDamaged, err)
		}
	}
	return e, nil
}

// chunkRows is how many rows of a file are in memory at a time where a file is
// read as a stream.
const chunkRows = 4096

// stream reads a file part by part, decodes it, and hands over each part, as it
// was read and decoded.
func stream[T any](ctx context.Context, a *app, path string, e *encoding, flags *inputFlags, use func(c *chunk, x data.Source[T], labels []string) error) error {
	f, err := file.Open(ctx, path, a.stdin)
	if err != nil {
		return err
	}
	o := &opened{File: f}
	defer o.Close()
	err = o.match(ctx, e, flags)
	if err == nil {
		err = a.withFiles(ctx, o, flags)
	}
	if err != nil {
		return err
	}
	for rows := 0; ; {
		c, err := o.next(chunkRows)
		if errors.Is(err, io.EOF) {
			if rows == 0 {
				return badInput(f.Name, "there are no rows", "give a file with data")
			}
			return nil
		}
		if err != nil {
			return err
		}
		x, labels, err := decode[T](e, c)
		if err != nil {
			return err
		}
		rows += x.Len()
		if err := use(c, x, labels); err != nil {
			return err
		}
	}
}

// match opens the rows of a file the way the model's training data were read.
func (o *opened) match(ctx context.Context, e *encoding, flags *inputFlags) error {
	format, err := o.Format()
	trained := e.plainText()
	if err != nil && trained == 0 {
		return err
	}
	if o.format = format; e.Format != format.String() {
		o.format = asked(format, e.Kind, o.Head())
	}
	if trained != 0 && !o.format.IsBinary() {
		o.format = trained // a few lines of text look like anything
	}
	if e.Format != o.format.String() {
		return badInput(o.Name, fmt.Sprintf("this is %s data and the model was trained on %s data", o.format, e.Format), "convert it first")
	}
	if e.Table == nil {
		o.next, err = o.reader(ctx, e.Kind, true, e.spareWeight(flags))
		return err
	}
	given, err := flags.options(o.Name)
	if err != nil {
		return err
	}
	options := e.Table.Options(o.Name)
	options.Header, options.Weight = given.Header, given.Weight
	if o.format == file.CSV {
		o.next, err = tableReader(ctx, o, options)
	} else {
		o.next, err = o.built(ctx, options)
	}
	return err
}

// plainText returns the format of lines that have no structure of their own, 0
// for any other.
func (e *encoding) plainText() file.Format {
	for _, f := range []file.Format{file.Lines, file.Sets} {
		if e.Format == f.String() {
			return f
		}
	}
	return 0
}

// describe says in a few words what was read.
func (e *encoding) describe(n int, x any) string {
	switch v := x.(type) {
	case data.Source[data.Vector]:
		if e.Table != nil {
			return e.Table.Summary()
		}
		return fmt.Sprintf("%d vectors, largest index %d", n, max(0, data.Dim(v)-1))
	}
	return fmt.Sprintf("%d %s", n, e.Kind)
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
