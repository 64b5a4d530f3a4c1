package serve_test

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data/arrow"
	"github.com/kerf-ml/kerf/data/table"
	"github.com/kerf-ml/kerf/serve"
)

// post sends a body and returns the answer, which must have the status.
func post(
	t testing.TB,
	h http.Handler,
	target string,
	status int,
	body []byte,
	header ...string,
) (*http.Response, []byte) {
	t.Helper()
	r := httptest.NewRequest("POST", target, bytes.NewReader(body))
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Code != status {
		t.Fatalf("POST %s %.300s: status %d, want %d: %s", target, body, w.Code, status, w.Body)
	}
	return w.Result(), w.Body.Bytes()
}

func encode(t testing.TB, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// cell is a cell of a table as JSON has it.
func cell(text string) any {
	if text == "" || text == "?" {
		return nil
	}
	if v, err := strconv.ParseFloat(text, 64); err == nil {
		return v
	}
	return text
}

// rows returns the rows of a fixture as a person would write them in JSON.
func (f *fixture) rows() []any {
	var out []any
	for _, line := range f.lines {
		switch f.form {
		case cells:
			row := map[string]any{}
			for j, text := range strings.Split(line, ",") {
				row[f.names[j]] = cell(text)
			}
			out = append(out, row)
		case sparse:
			row := map[string]any{}
			for _, pair := range strings.Fields(line)[1:] {
				index, value, _ := strings.Cut(pair, ":")
				row[index] = cell(value)
			}
			out = append(out, row)
		case texts:
			if line[0] != '>' {
				out = append(out, line)
			}
		case items:
			out = append(out, strings.Split(line, ",")[1:])
		}
	}
	return out
}

// input is a tensor of a request.
type input struct {
	Name       string         `json:"name"`
	Shape      []int          `json:"shape"`
	Datatype   string         `json:"datatype"`
	Data       any            `json:"data,omitempty"`
	Parameters map[string]any `json:"parameters,omitempty"`
}

// inputs returns the rows of a fixture as tensors by column.
func (f *fixture) inputs() []input {
	rows := f.rows()
	n := len(rows)
	one := func(name string, text func(i int) string) input {
		all := make([]string, n)
		for i := range all {
			all[i] = text(i)
		}
		return input{Name: name, Shape: []int{n}, Datatype: "BYTES", Data: all}
	}
	switch f.form {
	case sparse:
		return []input{one("rows", func(i int) string { return f.lines[i] })}
	case texts:
		return []input{one("text", func(i int) string { return rows[i].(string) })}
	case items:
		return []input{one("items", func(i int) string { return strings.Join(rows[i].([]string), ",") })}
	}
	var out []input
	for _, name := range f.names[:len(f.names)-1] {
		numbers, isText := []any{}, false
		for _, row := range rows {
			v := row.(map[string]any)[name]
			_, text := v.(string)
			isText = isText || text
			numbers = append(numbers, v)
		}
		if isText {
			out = append(out, one(name, func(i int) string { s, _ := rows[i].(map[string]any)[name].(string); return s }))
		} else {
			out = append(out, input{Name: name, Shape: []int{n, 1}, Datatype: "FP64", Data: numbers})
		}
	}
	return out
}

// packed moves the data of tensors behind the JSON, in the binary form.
func packed(inputs []input) (out []input, tail []byte) {
	for _, in := range inputs {
		before := len(tail)
		switch all := in.Data.(type) {
		case []string:
			for _, s := range all {
				tail = append(binary.LittleEndian.AppendUint32(tail, uint32(len(s))), s...)
			}
		case []any:
			for _, v := range all {
				x, ok := v.(float64)
				if !ok {
					x = math.NaN()
				}
				tail = binary.LittleEndian.AppendUint64(tail, math.Float64bits(x))
			}
		}
		in.Data, in.Parameters = nil, map[string]any{"binary_data_size": len(tail) - before}
		out = append(out, in)
	}
	return out, tail
}

// said is what is compared: labels and all numbers, as kerf predict prints them.
type said [][]string

func predicted(t *testing.T, f *fixture, args ...string) said {
	t.Helper()
	var out said
	text := kerf(t, append([]string{"predict", f.model, f.file, "-q", "--workers", "1"}, args...)...)
	for line := range strings.Lines(text) {
		out = append(out, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
	}
	return out
}

// plainly makes the same of a plain JSON answer.
func plainly(t *testing.T, body []byte, key string) said {
	t.Helper()
	var a struct {
		Predictions   []any
		Scores        [][]float64
		Probabilities [][]float64
	}
	if err := json.Unmarshal(body, &a); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	var out said
	for i, p := range a.Predictions {
		var line []string
		switch p := p.(type) {
		case string:
			line = append(line, p)
		case float64:
			line = append(line, spell(p))
		}
		if key == "scores" {
			line = append(line, spells(a.Scores[i])...)
		}
		if key == "probabilities" {
			line = append(line, spells(a.Probabilities[i])...)
		}
		out = append(out, line)
	}
	return out
}

func spell(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

func spells(all []float64) []string {
	var out []string
	for _, v := range all {
		out = append(out, spell(v))
	}
	return out
}

// outputs of the protocol, whatever way they came.
type tensorOut struct {
	Name, Datatype string
	Shape          []int
	Texts          []string
	Numbers        []float64
}

// joined makes lines of tensors of as many rows.
func joined(t *testing.T, outs []tensorOut) said {
	t.Helper()
	all := make(said, outs[0].Shape[0])
	for _, o := range outs {
		if o.Shape[0] != len(all) {
			t.Fatalf("output %s has the shape %v", o.Name, o.Shape)
		}
		each := 1
		if len(o.Shape) == 2 {
			each = o.Shape[1]
		}
		for i := range all {
			if o.Datatype == "BYTES" {
				all[i] = append(all[i], o.Texts[i*each:(i+1)*each]...)
			} else {
				all[i] = append(all[i], spells(o.Numbers[i*each:(i+1)*each])...)
			}
		}
	}
	return all
}

// inferred reads an answer of the protocol, JSON or binary.
func inferred(t *testing.T, resp *http.Response, body []byte) []tensorOut {
	t.Helper()
	tail := []byte(nil)
	if n := resp.Header.Get("Inference-Header-Content-Length"); n != "" {
		head, err := strconv.Atoi(n)
		if err != nil {
			t.Fatal(err)
		}
		body, tail = body[:head], body[head:]
	}
	var a struct {
		Outputs []struct {
			Name, Datatype string
			Shape          []int
			Parameters     map[string]int
			Data           json.RawMessage
		}
	}
	if err := json.Unmarshal(body, &a); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	var out []tensorOut
	for _, o := range a.Outputs {
		one := tensorOut{Name: o.Name, Datatype: o.Datatype, Shape: o.Shape}
		size, isBinary := o.Parameters["binary_data_size"]
		var err error
		switch {
		case isBinary && o.Datatype == "BYTES":
			for b := tail[:size]; len(b) > 0; {
				n := binary.LittleEndian.Uint32(b)
				one.Texts, b = append(one.Texts, string(b[4:4+n])), b[4+n:]
			}
		case isBinary:
			for i := 0; i < size; i += 8 {
				one.Numbers = append(one.Numbers, math.Float64frombits(binary.LittleEndian.Uint64(tail[i:])))
			}
		case o.Datatype == "BYTES":
			err = json.Unmarshal(o.Data, &one.Texts)
		default:
			err = json.Unmarshal(o.Data, &one.Numbers)
		}
		if err != nil {
			t.Fatal(err)
		}
		tail = tail[min(size, len(tail)):]
		out = append(out, one)
	}
	return out
}

const arrowStream = "application/vnd.apache.arrow.stream"

// columns returns the rows of a fixture as columns, nil for those that have none.
func (f *fixture) columns() []arrow.Column {
	if f.form == sparse {
		return nil
	}
	var out []arrow.Column
	for _, in := range f.inputs() {
		c := arrow.Column{Name: in.Name}
		switch all := in.Data.(type) {
		case []string:
			c.Texts = all
		case []any:
			gone := slices.Contains(all, nil)
			for _, v := range all {
				switch {
				case v == nil:
					c.Texts = append(c.Texts, "")
				case gone:
					c.Texts = append(c.Texts, spell(v.(float64)))
				default:
					c.Numbers = append(c.Numbers, v.(float64))
				}
			}
		}
		out = append(out, c)
	}
	return out
}

// readArrow reads an answer in Arrow.
func readArrow(t *testing.T, body []byte) said {
	t.Helper()
	b := table.NewBuilder(table.Options{Name: "answer", Target: "none", Verbatim: true})
	r, err := arrow.NewReader(bytes.NewReader(body), "answer", b)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Read(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	tab, err := b.Table()
	if err != nil {
		t.Fatal(err)
	}
	var out said
	for i := range tab.Len() {
		var row []string
		for j := range tab.Cols() {
			text, _ := tab.Cell(i, j)
			row = append(row, text)
		}
		out = append(out, row)
	}
	return out
}

// TestArrowRefused holds that bodies of Arrow that do not go with a model are refused with
// the reason, and that one may unpack to no more than a request may hold.
func TestArrowRefused(t *testing.T) {
	h := serverOf(t, serve.NewOptions(), some(t, "table", "sparse", "strings")...).Handler()
	write := func(columns ...arrow.Column) []byte {
		var b bytes.Buffer
		if err := arrow.WriteTable(&b, columns); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	numbers := arrow.Column{Name: "a", Numbers: []float64{1, 2}}
	for _, c := range []struct {
		model, want string
		status      int
		body        []byte
	}{
		{"table", "Arrow", 422, []byte("age,colour\n1,red\n")},
		{"table", "lacks", 422, write(numbers)},
		{"table", "ends", 422, write(numbers)[:200]},
		{"table", "no rows", 422, write(arrow.Column{Name: "age", Numbers: []float64{}})},
		{"sparse", "first=1", 422, write(numbers)},
		{"sparse", "takes vectors of numbers", 422, write(arrow.Column{Name: "a", Texts: []string{"1"}})},
		{"strings", "one column of texts", 422, write(numbers)},
	} {
		_, body := post(t, h, "/predict/"+c.model, c.status, c.body, "Content-Type", arrowStream)
		if !strings.Contains(string(body), c.want) {
			t.Errorf("%s: %s, want %q", c.model, body, c.want)
		}
	}
	dense := make([]arrow.Column, 31)
	for j := range dense {
		dense[j] = arrow.Column{Name: strconv.Itoa(j), Numbers: []float64{0, float64(j % 2)}}
	}
	_, body := post(t, h, "/predict/sparse?first=1", 200, write(dense...), "Content-Type", arrowStream)
	if len(plainly(t, body, "")) != 2 {
		t.Errorf("%s", body)
	}
}

// TestAsPredict holds that every door says what kerf predict prints, bit for bit, of
// models of every kind.
func TestAsPredict(t *testing.T) {
	all := fixtures(t)
	s := serverOf(t, serve.NewOptions(), all...)
	h := s.Handler()
	for _, f := range all {
		t.Run(f.name, func(t *testing.T) {
			ask, args := "label,scores", []string{"--scores"}
			label, key := "label", "scores"
			if f.name == "numbers" {
				ask, args, label, key = "value", nil, "value", ""
			}
			want := predicted(t, f, args...)
			check := func(way string, got said) {
				t.Helper()
				if !reflect.DeepEqual(got, want) {
					t.Errorf("%s: got %v, want %v", way, got[:min(3, len(got))], want[:min(3, len(want))])
				}
			}
			at := "/predict/" + f.name + "?outputs=" + ask

			_, body := post(t, h, at, 200, encode(t, f.rows()), "Content-Type", "application/json")
			check("rows", plainly(t, body, key))
			var single said
			for _, row := range f.rows() {
				_, body := post(t, h, at, 200, encode(t, row))
				single = append(single, plainly(t, body, key)...)
			}
			check("row by row", single)

			kind, text := "text/plain", strings.Join(f.lines, "\n")
			if f.form == cells {
				kind, text = "text/csv", strings.Join(f.names, ",")+"\n"+text
			}
			_, body = post(t, h, at, 200, []byte(text), "Content-Type", kind)
			check("text", plainly(t, body, key))
			_, body = post(t, h, at, 200, []byte(text), "Content-Type", kind, "Accept", "text/csv")
			table, err := csv.NewReader(bytes.NewReader(body)).ReadAll()
			if err != nil {
				t.Fatal(err)
			}
			check("text to CSV", said(table[1:]))

			if columns := f.columns(); columns != nil {
				var in bytes.Buffer
				if err := arrow.WriteTable(&in, columns); err != nil {
					t.Fatal(err)
				}
				_, body = post(t, h, at, 200, in.Bytes(), "Content-Type", arrowStream)
				check("Arrow", plainly(t, body, key))
				resp, body := post(t, h, at, 200, in.Bytes(), "Content-Type", arrowStream, "Accept", arrowStream)
				if kind := resp.Header.Get("Content-Type"); kind != arrowStream {
					t.Errorf("the answer is %s", kind)
				}
				check("Arrow to Arrow", readArrow(t, body))
			}

			outputs := []map[string]any{{"name": label}}
			if key != "" {
				outputs = append(outputs, map[string]any{"name": key})
			}
			infer := "/v2/models/" + f.name + "/infer"
			resp, body := post(t, h, infer, 200, encode(t, map[string]any{"inputs": f.inputs(), "outputs": outputs}))
			check("tensors", joined(t, inferred(t, resp, body)))

			small, tail := packed(f.inputs())
			head := encode(
				t,
				map[string]any{"inputs": small, "outputs": outputs, "parameters": map[string]any{"binary_data_output": true}},
			)
			resp, body = post(
				t,
				h,
				infer,
				200,
				append(head, tail...),
				"Inference-Header-Content-Length",
				strconv.Itoa(len(head)),
			)
			check("binary tensors", joined(t, inferred(t, resp, body)))

			contents, raw := inferCall(t, s, f, label, key, false), inferCall(t, s, f, label, key, true)
			check("gRPC", joined(t, contents))
			check("gRPC, raw", joined(t, raw))
		})
	}
}

// TestMoreOutputs holds probabilities, sets, intervals and features to kerf predict and
// kerf map.
func TestMoreOutputs(t *testing.T) {
	all := fixtures(t)
	h := serverOf(t, serve.NewOptions(), all...).Handler()
	for _, f := range all {
		_, body := post(t, h, "/predict/"+f.name+"?outputs=features", 200, encode(t, f.rows()))
		var a struct{ Features [][]float64 }
		if err := json.Unmarshal(body, &a); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(kerf(t, "map", f.model, f.file, "-q")), "\n")[1:]
		if len(lines) != len(a.Features) {
			t.Fatalf("%s: %d rows of features, want %d", f.name, len(a.Features), len(lines))
		}
		for i, line := range lines {
			if got := strings.Join(spells(a.Features[i]), ","); !strings.HasPrefix(line+",", got+",") {
				t.Fatalf("%s: features of row %d are %s, want %s", f.name, i, got, line)
			}
		}
		switch f.name {
		case "numbers":
			want := predicted(t, f, "--set", "0.8")
			_, body := post(
				t,
				h,
				"/predict/"+f.name+"?outputs=value,set&coverage=0.8",
				200,
				encode(t, f.rows()),
				"Accept",
				"text/csv",
			)
			table, err := csv.NewReader(bytes.NewReader(body)).ReadAll()
			if err != nil || !reflect.DeepEqual(said(table[1:]), want) {
				t.Errorf("intervals: %v, want %v (%v)", table, want, err)
			}
		case "table":
			want := predicted(t, f, "--proba", "--set", "0.95")
			at := "/predict/" + f.name + "?outputs=probabilities,set&coverage=0.95"
			_, body := post(t, h, at, 200, encode(t, f.rows()), "Accept", "text/csv")
			table, err := csv.NewReader(bytes.NewReader(body)).ReadAll()
			if err != nil || !reflect.DeepEqual(said(table[1:]), want) {
				t.Errorf("sets: %v, want %v (%v)", table[1:3], want[:2], err)
			}
			resp, body := post(t, h, "/v2/models/table/infer", 200, encode(t, map[string]any{"inputs": f.inputs(), "id": "7",
				"outputs": []any{map[string]any{"name": "probabilities", "parameters": map[string]any{"binary_data": true}},
					map[string]any{"name": "label"}}}))
			got := joined(t, inferred(t, resp, body))
			for i := range got {
				if !reflect.DeepEqual(got[i][:2], want[i][1:3]) || got[i][2] != want[i][0] {
					t.Fatalf("row %d is %v, want %v", i, got[i], want[i])
				}
			}
		}
	}
}

// TestDense takes dense rows of LIBSVM data from where the request says that they begin.
func TestDense(t *testing.T) {
	var f *fixture
	for _, one := range fixtures(t) {
		if one.name == "sparse" {
			f = one
		}
	}
	h := serverOf(t, serve.NewOptions(), f).Handler()
	want := predicted(t, f, "--scores")
	for first := range 2 {
		var rows [][]float64
		var flat []float64
		for _, row := range f.rows() {
			dense := make([]float64, 32-first)
			for index, v := range row.(map[string]any) {
				j, _ := strconv.Atoi(index)
				dense[j-first] = v.(float64)
			}
			rows, flat = append(rows, dense), append(flat, dense...)
		}
		_, body := post(t, h, fmt.Sprintf("/predict?outputs=scores&first=%d", first), 200, encode(t, rows))
		if got := plainly(t, body, "scores"); !reflect.DeepEqual(got, want) {
			t.Errorf("first=%d: %v, want %v", first, got[:2], want[:2])
		}
		in := input{Name: "anything", Shape: []int{len(rows), 32 - first}, Datatype: "FP64", Data: flat}
		resp, body := post(t, h, "/v2/models/sparse/infer", 200, encode(t, map[string]any{"inputs": []input{in},
			"parameters": map[string]any{
				"first": first,
			}, "outputs": []any{map[string]any{"name": "label"}, map[string]any{"name": "scores"}}}))
		if got := joined(t, inferred(t, resp, body)); !reflect.DeepEqual(got, want) {
			t.Errorf("first=%d: tensors give %v, want %v", first, got[:2], want[:2])
		}
	}
	_, body := post(t, h, "/predict", 422, []byte(`[0,1,2]`))
	if !strings.Contains(string(body), "first=1") {
		t.Errorf("a dense row without its first index: %s", body)
	}
}
