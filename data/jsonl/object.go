package jsonl

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/kerf-ml/kerf/data"
)

// object gives the values of a line to the sink.
func (r *Reader) object(line []byte) error {
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	first, err := d.Token()
	if err != nil {
		return r.syntax(d, err)
	}
	if first != json.Delim('{') {
		return r.fault(0, "the line is no JSON object", `write one object a line, such as {"x": 1, "label": "a"}`)
	}
	r.to.Row(r.scan.Line())
	for {
		key, err := d.Token()
		if err != nil {
			return r.syntax(d, err)
		}
		if key == json.Delim('}') {
			break
		}
		if err := r.value(d, key.(string)); err != nil {
			return err
		}
	}
	if _, err := d.Token(); err != io.EOF {
		return r.fault(d.InputOffset()-1, "there is something after the object", "write one object a line")
	}
	return nil
}

// value gives the value of a key to the sink.
func (r *Reader) value(d *json.Decoder, key string) error {
	v, err := d.Token()
	if err != nil {
		return r.syntax(d, err)
	}
	switch v {
	case json.Delim('{'):
		return r.fault(d.InputOffset()-1, fmt.Sprintf("the value of %s is an object, and kerf reads flat ones", quote(key)),
			"write its values under keys of their own")
	case json.Delim('['):
		return r.array(d, key)
	}
	return r.cell(d, key, v)
}

// array gives the elements of an array to the sink, each in a column of its own.
func (r *Reader) array(d *json.Decoder, key string) error {
	for i := 1; ; i++ {
		v, err := d.Token()
		if err != nil {
			return r.syntax(d, err)
		}
		switch v.(type) {
		case json.Delim:
			if v == json.Delim(']') {
				return nil
			}
			return r.notNumbers(d, key)
		case json.Number, nil:
		default:
			return r.notNumbers(d, key)
		}
		if err := r.cell(d, fmt.Sprintf("%s[%d]", key, i), v); err != nil {
			return err
		}
	}
}

func (r *Reader) notNumbers(d *json.Decoder, key string) error {
	return r.fault(d.InputOffset()-1, fmt.Sprintf("the array %s holds something else than numbers", quote(key)),
		"write arrays of numbers, and other values under keys of their own")
}

// cell gives a value to the sink.
func (r *Reader) cell(d *json.Decoder, name string, v json.Token) error {
	col, known := r.column[name]
	if !known {
		col = r.to.Column(name)
		r.column[strings.Clone(name)] = col
		for len(r.filled) <= col {
			r.filled = append(r.filled, 0)
		}
		if len(r.column) > maxColumns {
			return r.fault(d.InputOffset()-1, fmt.Sprintf("the table has more than %d columns", maxColumns),
				"give the same keys to all objects")
		}
	}
	if r.filled[col] == r.scan.Line() {
		return r.fault(d.InputOffset()-1, fmt.Sprintf("the object has two values for %s", quote(name)), "keep one of them")
	}
	r.filled[col] = r.scan.Line()
	switch v := v.(type) {
	case json.Number:
		f, err := v.Float64()
		if err != nil || f-f != 0 {
			return r.fault(d.InputOffset()-1, fmt.Sprintf("%s is too large for a number", quote(v.String())),
				"scale the values to a smaller range")
		}
		r.to.Number(col, f)
	case string:
		r.to.Text(col, v)
	case bool:
		r.to.Bool(col, v)
	}
	return nil
}

// syntax reports what the decoder stumbled over.
func (r *Reader) syntax(d *json.Decoder, err error) error {
	at := d.InputOffset()
	var e *json.SyntaxError
	switch {
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return r.fault(at, "the line ends in the middle of the object", "write each object in one line")
	case errors.As(err, &e):
		if e.Offset > at {
			at = e.Offset - 1
		}
		return r.fault(at, "the line is no JSON: "+e.Error(), "check the quotes and commas near there")
	}
	return r.fault(at, "the line is no JSON: "+err.Error(), "check the quotes and commas near there")
}

// quote shows a name in a message.
func quote(s string) string { return strconv.Quote(data.Clip(s, 40)) }
