package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strconv"
)

// inferRequest is a request of the Open Inference Protocol, whatever way it came.
type inferRequest struct {
	id      string
	tensors []*tensor
	wanted  wanted
	named   []namedOutput // outputs in their order; none for the default
	binary  bool          // outputs go out in the binary form unless they say otherwise
	first   *int          // index of the first column of dense rows of a model of LIBSVM data
}

// namedOutput is an output that is asked for.
type namedOutput struct {
	name   string
	binary *bool
}

// parameters are what requests and tensors carry beside the data. Numbers and truth
// values may come as texts, as some clients send them.
type parameters map[string]json.RawMessage

// text returns a parameter without quotes, empty where it is missing.
func (p parameters) text(name string) string {
	raw := p[name]
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// truth returns a parameter that is true or false, nil where it is missing.
func (p parameters) truth(name string) (*bool, error) {
	text := p.text(name)
	if text == "" || text == "null" {
		return nil, nil
	}
	v, err := strconv.ParseBool(text)
	if err != nil {
		return nil, badRequest("parameter %s is %s and must be true or false", name, clip(text))
	}
	return &v, nil
}

// size returns a parameter that is a number of bytes, -1 where it is missing.
func (p parameters) size(name string) (int64, error) {
	text := p.text(name)
	if text == "" || text == "null" {
		return -1, nil
	}
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil || v < 0 {
		return 0, badRequest("parameter %s is %s and must be a number of bytes", name, clip(text))
	}
	return v, nil
}

// jsonInference is the JSON of a request.
type jsonInference struct {
	ID         string       `json:"id"`
	Parameters parameters   `json:"parameters"`
	Inputs     []jsonInput  `json:"inputs"`
	Outputs    []jsonOutput `json:"outputs"`
}

type jsonInput struct {
	Name       string          `json:"name"`
	Shape      []int64         `json:"shape"`
	Datatype   string          `json:"datatype"`
	Parameters parameters      `json:"parameters"`
	Data       json.RawMessage `json:"data"`
}

type jsonOutput struct {
	Name       string     `json:"name"`
	Parameters parameters `json:"parameters"`
}

// parseInference reads a request: JSON, of which header bytes are the JSON if it is not
// negative, and tensors in the binary form follow.
func parseInference(ctx context.Context, body []byte, header int) (*inferRequest, error) {
	tail := []byte(nil)
	if header >= 0 {
		if header > len(body) {
			return nil, badRequest("%s is %d and the body has %d bytes", headerLength, header, len(body))
		}
		body, tail = body[:header], body[header:]
	}
	if rest, lists, ok := newScanner(ctx, body).cutData(); ok {
		in := &jsonInference{}
		if json.Unmarshal(rest, in) == nil {
			return in.request(tail, lists)
		}
	}
	in := &jsonInference{}
	if err := parseWhole(ctx, body, in); err != nil {
		return nil, err
	}
	return in.request(tail, nil)
}

// request returns what JSON says, with the tensors that follow it, and the data of inputs
// that came apart: the data of such an input is its number among them.
func (in *jsonInference) request(rest []byte, lists [][]float64) (*inferRequest, error) {
	out := &inferRequest{id: in.ID}
	if err := out.takeParameters(in.Parameters); err != nil {
		return nil, err
	}
	if len(in.Inputs) > maxTensors {
		return nil, badRequest("there are %d inputs, and at most %d are taken", len(in.Inputs), maxTensors)
	}
	for _, one := range in.Inputs {
		t, count, err := newTensor(one.Name, one.Datatype, one.Shape)
		if err != nil {
			return nil, err
		}
		size, err := one.Parameters.size("binary_data_size")
		switch {
		case err != nil:
			return nil, err
		case size >= 0 && one.Data != nil:
			return nil, badRequest("input %q has both data and binary_data_size", clip(one.Name))
		case size > int64(len(rest)):
			return nil, badRequest("input %q has %d bytes of binary data, and %d are left of the body", clip(one.Name), size,
				len(rest))
		case size >= 0:
			err = t.fromBinary(rest[:size], count)
			rest = rest[size:]
		case one.list(lists) != nil:
			err = t.fromNumbers(*one.list(lists), count)
		default:
			err = t.fromJSON(one.Data, count)
		}
		if err != nil {
			return nil, err
		}
		out.tensors = append(out.tensors, t)
	}
	if len(rest) > 0 {
		return nil, badRequest("the body has %d bytes more than its inputs", len(rest))
	}
	for _, one := range in.Outputs {
		if err := out.ask(one.Name, one.Parameters); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// parseWhole reads one JSON value, which is the whole body.
func parseWhole(ctx context.Context, body []byte, into any) error {
	d, err := decode(ctx, body, into)
	if ended := ctx.Err(); ended != nil {
		return ended
	}
	if err != nil {
		return notJSON(body, err)
	}
	if _, err := d.Token(); err != io.EOF {
		return badRequest("there is more in the body than one JSON value; send several rows as a list")
	}
	return nil
}

// list returns the numbers that came apart, nil where none did.
func (in *jsonInput) list(lists [][]float64) *[]float64 {
	if lists == nil || in.Data == nil {
		return nil
	}
	k, err := strconv.Atoi(string(in.Data))
	if err != nil || k < 0 || k >= len(lists) {
		return nil
	}
	return &lists[k]
}

// takeParameters takes those of a request that mean something to kerf.
func (in *inferRequest) takeParameters(p parameters) error {
	binary, err := p.truth("binary_data_output")
	if err != nil {
		return err
	}
	in.binary = binary != nil && *binary
	if in.wanted.coverage, err = parseCoverage(p.text("coverage")); err != nil {
		return err
	}
	in.first, err = parseFirst(p.text("first"))
	return err
}

// ask adds an output.
func (in *inferRequest) ask(name string, p parameters) error {
	binary, err := p.truth("binary_data")
	if err != nil {
		return err
	}
	if text := p.text("coverage"); text != "" {
		if in.wanted.coverage, err = parseCoverage(text); err != nil {
			return err
		}
	}
	if len(in.named) >= len(outputNames) {
		return badRequest("there are more outputs than kerf has: %d", len(in.named)+1)
	}
	in.named = append(in.named, namedOutput{name, binary})
	in.wanted.outputs = append(in.wanted.outputs, name)
	return nil
}

// parseFirst reads which index of LIBSVM data the first column of dense rows is.
func parseFirst(text string) (*int, error) {
	switch text {
	case "":
		return nil, nil
	case "0", "1":
		v := int(text[0] - '0')
		return &v, nil
	}
	return nil, badRequest("first is %s and must be 0 or 1, the index of the first column", clip(text))
}

// notJSON says where JSON ends to be any.
func notJSON(body []byte, err error) error {
	if len(bytes.TrimSpace(body)) == 0 {
		return badRequest("the body is empty")
	}
	return badRequest("the body is not the JSON that is wanted here: %v", err)
}
