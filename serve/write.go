package serve

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"math"
	"strconv"

	"github.com/kerf-ml/kerf/explain"
)

// answerJSON is the answer at /predict: keys as those of kerf predict --json.
type answerJSON struct {
	Model         string      `json:"model"`
	Version       string      `json:"version"`
	Predictions   []any       `json:"predictions"`
	Classes       []string    `json:"classes,omitempty"`
	Scores        [][]float64 `json:"scores,omitempty"`
	Probabilities [][]float64 `json:"probabilities,omitempty"`
	Sets          [][]string  `json:"sets,omitempty"`
	Intervals     [][]float64 `json:"intervals,omitempty"`
	Coverage      float64     `json:"coverage,omitempty"`
	Features      [][]float64 `json:"features,omitempty"`

	Why []*explain.Row `json:"why,omitempty"` // as the rows of kerf explain --json
}

// json writes the answer as plain JSON.
func (a *answer) json() ([]byte, error) {
	p := a.said
	out := answerJSON{
		Model: a.of.name, Version: a.of.version, Predictions: p.Predictions, Scores: p.Scores,
		Probabilities: p.Probabilities, Sets: p.Sets, Intervals: p.Intervals, Coverage: p.Coverage, Why: a.why,
	}
	if a.wanted.has(outScores) || a.wanted.has(outProbabilities) || a.wanted.has(outClasses) {
		out.Classes = p.Classes
	}
	if a.features != nil {
		for i := range a.features.Rows {
			out.Features = append(out.Features, a.features.Row(i))
		}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(out)
	return b.Bytes(), err
}

// featureTitle is the name of a column of features.
func featureTitle(j int) string { return "f" + strconv.Itoa(j+1) }

// csv writes the answer as a table with a header.
func (a *answer) csv() ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	titles := a.said.Titles()
	if a.features != nil {
		for j := range a.features.Cols {
			titles = append(titles, featureTitle(j))
		}
	}
	reasons := a.whyTexts()
	if a.why != nil {
		titles = append(titles, outWhy)
	}
	_ = w.Write(titles)
	for i := range a.rows {
		fields := a.said.Fields(i)
		if a.features != nil {
			for _, v := range a.features.Row(i) {
				fields = append(fields, strconv.FormatFloat(v, 'g', -1, 64))
			}
		}
		if a.why != nil {
			fields = append(fields, reasons[i])
		}
		_ = w.Write(fields)
	}
	w.Flush()
	return b.Bytes(), w.Error()
}

// inferenceJSON is the JSON of an answer of the protocol.
type inferenceJSON struct {
	ModelName    string       `json:"model_name"`
	ModelVersion string       `json:"model_version"`
	ID           string       `json:"id,omitempty"`
	Outputs      []tensorJSON `json:"outputs"`
}

type tensorJSON struct {
	Name       string         `json:"name"`
	Datatype   string         `json:"datatype"`
	Shape      []int64        `json:"shape"`
	Parameters map[string]any `json:"parameters,omitempty"`
	Data       any            `json:"data,omitempty"`
}

// named returns the outputs in the order in which they were asked for.
func (a *answer) named(in *inferRequest) []namedOutput {
	if in.named != nil {
		return in.named
	}
	return []namedOutput{{name: a.wanted.outputs[0]}}
}

// inference writes the answer as the protocol wants it, and returns the length of its
// JSON if tensors in the binary form follow, -1 otherwise.
func (a *answer) inference(in *inferRequest) ([]byte, int, error) {
	out := inferenceJSON{ModelName: a.of.name, ModelVersion: a.of.version, ID: in.id}
	var tail []byte
	some := false
	for _, want := range a.named(in) {
		t := a.tensor(want.name)
		one := tensorJSON{Name: t.name, Datatype: t.datatype, Shape: t.shape}
		if want.binary != nil && *want.binary || want.binary == nil && in.binary {
			before := len(tail)
			tail = t.appendBinary(tail)
			one.Parameters = map[string]any{"binary_data_size": len(tail) - before}
			some = true
		} else {
			one.Data = t.list()
		}
		out.Outputs = append(out.Outputs, one)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(out); err != nil {
		return nil, 0, err
	}
	if !some {
		return b.Bytes(), -1, nil
	}
	head := b.Len()
	return append(b.Bytes(), tail...), head, nil
}

// list returns the elements as JSON has them.
func (t *tensor) list() any {
	switch {
	case t.isText():
		return t.texts
	case t.datatype == typeBool:
		out := make([]bool, len(t.numbers))
		for i, v := range t.numbers {
			out[i] = v != 0
		}
		return out
	}
	return t.numbers
}

// appendBinary appends the elements in the binary form; numbers are FP64 or BOOL.
func (t *tensor) appendBinary(b []byte) []byte {
	for _, text := range t.texts {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(text)))
		b = append(b, text...)
	}
	for _, v := range t.numbers {
		if t.datatype == typeBool {
			b = append(b, byte(v))
			continue
		}
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return b
}
