package job

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/kerf-ml/kerf/convert"
	"github.com/kerf-ml/kerf/convert/foreign"
	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/file"
	"github.com/kerf-ml/kerf/data/libsvm"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/model"
)

// ConvertOptions say what a model is and what it is to become.
type ConvertOptions struct {
	Options
	From    convert.Format // empty for what the file begins as
	To      convert.Format // empty for kerf's own
	Encoded bool           // rows will be encoded before a file of LIBSVM or LIBLINEAR sees them: see EncodeRows
}

// Converted is a model on its way into another form.
type Converted struct {
	From   convert.Format `json:"from"`
	To     convert.Format `json:"to"`
	Output string         `json:"output,omitempty"`
	Bytes  int64          `json:"bytes,omitempty"`
	Notes  []string       `json:"notes"`            // what is lost, and what a reader must know
	Labels map[string]int `json:"labels,omitempty"` // numbers that stand for labels, where they are no numbers
	Inputs []Input        `json:"inputs,omitempty"` // of a graph of ONNX

	model *model.Model
	write func(w io.Writer) error
}

// Input is an input of a graph.
type Input = convert.Input

// Convert reads a model of one form and makes one of another of it, which Write
// writes. A model that the other form cannot express is a *data.InputError.
func Convert(ctx context.Context, path string, o ConvertOptions) (*Converted, error) {
	if o.To == "" {
		o.To = convert.Kerf
	}
	text, err := readModelFile(ctx, path, o.Options)
	if err != nil {
		return nil, err
	}
	from := convert.Sniff(text[:min(len(text), 4096)])
	if err := o.checkFrom(path, from, text); err != nil {
		return nil, err
	}
	c := &Converted{From: from, To: o.To, Notes: []string{}}
	switch {
	case from == o.To:
		return nil, badInput(path, fmt.Sprintf("this is a model of %s already", from.Title()), "choose another --to")
	case from == convert.Kerf:
		err = c.fromKerf(ctx, text, o)
	default:
		err = c.fromForeign(ctx, path, text, o)
	}
	if err != nil {
		return nil, inModel(path, err)
	}
	return c, nil
}

// Write writes the model in its other form.
func (c *Converted) Write(w io.Writer) error {
	count := &counting{w: w}
	err := c.write(count)
	c.Bytes = count.n
	return err
}

type counting struct {
	w io.Writer
	n int64
}

func (c *counting) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// readModelFile reads a file whole, within the budget of memory.
func readModelFile(ctx context.Context, path string, o Options) ([]byte, error) {
	f, err := file.Open(ctx, path, o.Read.Stdin, func([]byte) bool { return true })
	if err != nil {
		return nil, err
	}
	defer f.Close()
	f.Limit(o.Run)
	return io.ReadAll(f)
}

// checkFrom reports a file that is no model, or another than was said.
func (o *ConvertOptions) checkFrom(path string, from convert.Format, text []byte) error {
	switch {
	case from == "" && strings.HasPrefix(string(text[:min(len(text), 64)]), "version https://git-lfs"):
		return badInput(path, "this is a pointer of Git LFS and not the file", "fetch it with git lfs pull")
	case from == "":
		return badInput(path, "this is no model: neither of kerf, nor of LIBSVM or LIBLINEAR", "kerf convert is for "+
			"models; data are written in another format by kerf map")
	case o.From != "" && o.From != from:
		return badInput(path, fmt.Sprintf("this is a model of %s, not of %s", from.Title(), o.From.Title()),
			"leave --from out")
	case from == convert.ONNX || from == convert.JSON:
		return badInput(path, fmt.Sprintf("models of %s are written by kerf and not read", from.Title()),
			"convert the model file that it was made of")
	}
	return nil
}

// inModel adds the name of the file to what is wrong with its model.
func inModel(path string, err error) error {
	var refused *convert.RefusedError
	var foreign *convert.ForeignError
	var input *data.InputError
	switch {
	case errors.As(err, &input):
		return err
	case errors.As(err, &refused):
		r := *refused
		r.Advice = ""
		return &data.InputError{File: path, Problem: r.Error(), Advice: refused.Advice, Err: err}
	case errors.As(err, &foreign):
		return &data.InputError{File: path, Problem: foreign.Error(), Err: err}
	}
	return fmt.Errorf("%s: %w", path, err)
}

func (c *Converted) fromKerf(ctx context.Context, text []byte, o ConvertOptions) error {
	f, err := model.Decode(text)
	if err != nil {
		return err
	}
	if o.To == convert.JSON {
		c.write = func(w io.Writer) error { return convert.WriteJSON(w, f) }
		return nil
	}
	if programs := f.Header.Programs(); len(programs) > 0 {
		return &convert.RefusedError{To: o.To, Reason: "its kernel is the program " + data.Clip(strings.Join(programs,
			"; "),
			80), Advice: "kerf convert --to json holds any model"}
	}
	if c.model, err = f.Model(); err != nil {
		return err
	}
	return c.to(ctx, o)
}

func (c *Converted) fromForeign(ctx context.Context, path string, text []byte, o ConvertOptions) error {
	if err := o.Run.Reserve("the model", 8*float64(len(text)), "use a larger --max-memory"); err != nil {
		return err
	}
	var err error
	var notes []string
	if c.From == convert.LIBSVM {
		var m *foreign.SVM
		if m, err = foreign.ParseSVM(path, text); err == nil {
			c.model, notes, err = convert.FromSVM(m)
		}
	} else {
		var m *foreign.Separators
		if m, err = foreign.ParseSeparators(path, text); err == nil {
			c.model, notes, err = convert.FromSeparators(m)
		}
	}
	if err != nil {
		return err
	}
	c.Notes = append(c.Notes, notes...)
	switch o.To {
	case convert.Kerf:
		c.write = c.model.Write
		return nil
	case convert.JSON:
		c.write = func(w io.Writer) error { return writeJSON(w, c.model) }
		return nil
	}
	return c.to(ctx, o)
}

// writeJSON writes a model that has no file yet.
func writeJSON(w io.Writer, m *model.Model) error {
	var b strings.Builder
	if err := m.Write(&b); err != nil {
		return err
	}
	f, err := model.Decode([]byte(b.String()))
	if err != nil {
		return err
	}
	return convert.WriteJSON(w, f)
}

// to makes a foreign model of one of kerf.
func (c *Converted) to(ctx context.Context, o ConvertOptions) error {
	var notes []string
	switch o.To {
	case convert.LIBSVM:
		m, more, err := convert.ToSVM(c.model, o.Encoded)
		if err != nil {
			return err
		}
		notes, c.write = more, m.Write
		c.label(m.Labels)
	case convert.LIBLINEAR:
		m, more, err := convert.ToSeparators(c.model, o.Encoded)
		if err != nil {
			return err
		}
		notes, c.write = more, m.Write
		c.label(m.Labels)
	case convert.ONNX:
		g, err := convert.ToONNX(ctx, o.Run, c.model)
		if err != nil {
			return err
		}
		notes, c.write, c.Inputs = g.Notes, g.Write, g.Inputs
	default:
		return dataset.BadOption("%s is %q and must be kerf, libsvm, liblinear, onnx or json", dataset.Option("to"), o.To)
	}
	c.Notes = append(c.Notes, notes...)
	return nil
}

// label notes the numbers of labels that are none.
func (c *Converted) label(numbers []int) {
	if _, same := convert.Labels(c.model.Classes); same || numbers == nil {
		return
	}
	c.Labels = map[string]int{}
	for i, name := range c.model.Classes.Names {
		c.Labels[name] = numbers[i]
	}
}

// EncodeRows writes the rows of a file as the model sees them, in the format of LIBSVM
// and with the labels of the converted file, for its programs. It returns how many
// there are.
func (c *Converted) EncodeRows(ctx context.Context, path string, o Options, w io.Writer) (int, error) {
	p, ok := c.model.Vectors()
	if !ok {
		return 0, badInput(path, "the model's instances are no vectors", "")
	}
	first, rows := int32(convert.FirstIndex(c.model.Encoding)), 0
	err := o.stream(ctx, c.model, path, func(r *dataset.Rows) error {
		d, err := dataset.Decode[data.Vector](c.model.Encoding, r)
		if err != nil {
			return err
		}
		x := make(data.Slice[data.Vector], d.X.Len())
		labels := make([]string, len(x))
		for i := range x {
			x[i] = moved(d.X.At(i), first)
			labels[i] = "0" // svm-predict wants one
			if d.Y != nil {
				labels[i] = c.labelOf(p, d.Y[i])
			}
		}
		rows += len(x)
		return libsvm.Write(w, x, labels)
	})
	return rows, err
}

// labelOf returns a label as the programs read it: a number. One that the model does
// not know is a number that is none of its.
func (c *Converted) labelOf(p *model.Pipeline[data.Vector], label string) string {
	if p.Regresses() {
		if _, err := strconv.ParseFloat(label, 64); err != nil {
			return "0"
		}
		return label
	}
	if i, ok := p.Classes.Index(label); ok {
		numbers, _ := convert.Labels(p.Classes)
		return strconv.Itoa(numbers[i])
	}
	if v, err := strconv.ParseFloat(label, 64); err == nil && v-v == 0 && c.Labels == nil {
		return label
	}
	return strconv.Itoa(p.Classes.Len())
}

// moved returns a vector, sparse, with other indices.
func moved(v data.Vector, by int32) data.Vector {
	out := data.Vector{Index: make([]int32, 0, len(v.Value)), Value: make([]float64, 0, len(v.Value))}
	for k, a := range v.Value {
		j := int32(k)
		if v.IsSparse() {
			j = v.Index[k]
		}
		if a != 0 {
			out.Index, out.Value = append(out.Index, j+by), append(out.Value, a)
		}
	}
	return out
}
