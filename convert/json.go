package convert

import (
	"bufio"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"unicode/utf8"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/spec"
)

// WriteJSON writes all that is in a model file as one JSON object, for programs that
// are to read it and for people. Nothing is opened for it: a kernel that names a
// program starts none. docs/guide/convert.md has the schema.
//
//	format   "kerf model"
//	sha256   of the file, as kerf inspect shows it
//	header   what the file says of the model
//	content  the numbers and instances of the file by name; of a blend a list, one a part
func WriteJSON(w io.Writer, f *model.File) error {
	o := &jsonWriter{w: bufio.NewWriterSize(w, 1<<16)}
	o.text(`{"format":"kerf model","sha256":`)
	o.value(hex.EncodeToString(f.Digest[:]))
	o.text(`,"header":`)
	o.value(f.Header)
	o.text(`,"content":`)
	h := f.Header
	if len(h.Parts) == 0 {
		o.content(f, "", h)
	} else {
		o.text("[")
		for i, part := range h.Parts {
			if i > 0 {
				o.text(",")
			}
			one := h
			one.Kernel, one.Map, one.Votes, one.Pairs, one.Parts = part.Kernel, part.Map, part.Votes, nil, nil
			o.content(f, fmt.Sprintf("part%d/", i+1), one)
		}
		o.text("]")
	}
	o.text("}\n")
	if o.err != nil {
		return o.err
	}
	return o.w.Flush()
}

// jsonWriter writes and keeps the first error.
type jsonWriter struct {
	w   *bufio.Writer
	err error
}

func (o *jsonWriter) text(s string) {
	if o.err == nil {
		_, o.err = o.w.WriteString(s)
	}
}

func (o *jsonWriter) value(v any) {
	b, err := json.Marshal(v)
	if o.err == nil {
		o.err = err
	}
	o.text(string(b))
}

// key begins a member of an object.
func (o *jsonWriter) key(first *bool, name string) {
	if !*first {
		o.text(",")
	}
	*first = false
	o.value(name)
	o.text(":")
}

// list writes n values.
func (o *jsonWriter) list(n int, write func(i int)) {
	o.text("[")
	for i := 0; i < n && o.err == nil; i++ {
		if i > 0 {
			o.text(",")
		}
		write(i)
	}
	o.text("]")
}

// content writes the blobs of a model, or of a part of a blend.
func (o *jsonWriter) content(f *model.File, prefix string, h model.Header) {
	first := true
	o.text("{")
	for _, b := range h.Blobs {
		name, ok := b.Name, true
		if prefix != "" {
			if len(name) < len(prefix) || name[:len(prefix)] != prefix {
				continue
			}
			name = name[len(prefix):]
		}
		blob := f.Blob(b.Name)
		var values []float64
		if name != "landmarks" && name != "tally" && name != "map" {
			if values, ok = floats(blob); !ok {
				o.fail("its part %q is no list of finite numbers", b.Name)
				return
			}
		}
		o.key(&first, name)
		switch name {
		case "landmarks":
			o.instances(blob, h.Instances)
		case "tally", "map":
			o.value(base64.StdEncoding.EncodeToString(blob))
		case "inverse": // a lower triangle, row by row
			o.triangle(values)
		case "rules":
			o.rules(values, h)
		case "bias":
			o.value(values)
		default:
			o.matrix(values, columns(name, h, len(values), len(f.Blob(prefix+"bias"))/8))
		}
	}
	o.text("}")
}

// columns returns how many numbers a row of a matrix has.
func columns(name string, h model.Header, n, separators int) int {
	switch {
	case name == "matrix":
		return h.Map.Landmarks
	case h.Pairs != nil:
		return len(h.Classes) - 1 // a row a support vector
	case separators > 0:
		return n / separators
	}
	return n
}

func (o *jsonWriter) fail(format string, args ...any) {
	if o.err == nil {
		o.err = fmt.Errorf("%w: "+format, append([]any{model.ErrDamaged}, args...)...)
	}
}

func (o *jsonWriter) matrix(values []float64, cols int) {
	if cols < 1 || len(values)%cols != 0 {
		if len(values) > 0 {
			o.fail("%d numbers are no matrix of %d columns", len(values), cols)
			return
		}
		cols = 1
	}
	o.list(len(values)/cols, func(i int) { o.value(values[i*cols : (i+1)*cols]) })
}

func (o *jsonWriter) triangle(values []float64) {
	n := int(math.Sqrt(2 * float64(len(values))))
	if n*(n+1)/2 != len(values) {
		o.fail("%d numbers are no triangle", len(values))
		return
	}
	o.list(n, func(i int) { o.value(values[i*(i+1)/2:][:i+1]) })
}

// rules writes cuts as feature, threshold and sign, and halfspaces as weights and bias.
func (o *jsonWriter) rules(values []float64, h model.Header) {
	size := h.Map.Dim + 1
	if h.Votes == nil {
		o.fail("it has rules and does not say what they are")
		return
	}
	if h.Votes.Cuts {
		size = 3
	}
	o.matrix(values, size)
}

// instances writes landmarks: numbers or, of sparse ones, coordinates and numbers; a
// string; or the items of a set.
func (o *jsonWriter) instances(blob []byte, kind string) {
	switch kind {
	case (spec.Vectors{}).Name():
		each(o, blob, spec.Vectors{}.Decode, func(v data.Vector) {
			if v.IsSparse() {
				o.value(struct {
					Index []int32   `json:"index"`
					Value []float64 `json:"value"`
				}{v.Index, append([]float64{}, v.Value...)})
				return
			}
			o.value(v.Value)
		})
	case (spec.Strings{}).Name():
		each(o, blob, spec.Strings{}.Decode, o.word)
	case (spec.Sets{}).Name():
		each(o, blob, spec.Sets{}.Decode, func(s data.Set) {
			o.list(len(s), func(i int) { o.word(s[i]) })
		})
	default: // of a Go program's own
		o.value(base64.StdEncoding.EncodeToString(blob))
	}
}

// word writes a text, and one that is no UTF-8 as {"base64": …}: JSON would replace
// its bytes.
func (o *jsonWriter) word(s string) {
	if utf8.ValidString(s) {
		o.value(s)
		return
	}
	o.value(map[string]string{"base64": base64.StdEncoding.EncodeToString([]byte(s))})
}

func each[T any](o *jsonWriter, blob []byte, decode func([]byte) (data.Source[T], error), write func(T)) {
	x, err := decode(blob)
	if err != nil {
		o.fail("its landmarks cannot be read: %v", err)
		return
	}
	o.list(x.Len(), func(i int) { write(x.At(i)) })
}

// floats reads finite numbers, little-endian.
func floats(b []byte) ([]float64, bool) {
	if len(b)%8 != 0 {
		return nil, false
	}
	out := make([]float64, len(b)/8)
	for i := range out {
		out[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
		if out[i]-out[i] != 0 {
			return nil, false
		}
	}
	return out, true
}
