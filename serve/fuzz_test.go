package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/arrow"
	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/run"
	"github.com/kerf-ml/kerf/spec"
)

// fuzzed returns the service of a small table, and of sparse rows.
func fuzzed(f testing.TB) *Server {
	f.Helper()
	check := func(err error) {
		if err != nil {
			f.Helper()
			f.Fatal(err)
		}
	}
	var sources []Source
	for name, text := range map[string]string{
		"table":  "age,colour,class\n1,red,a\n2,green,b\n3,red,b\n?,red,a\n5,,b\n6,green,a\n",
		"sparse": "+1 1:1 3:2\n-1 2:1\n+1 1:2\n-1 2:2 3:-1\n+1 1:1\n-1 3:-2\n",
	} {
		dir := f.TempDir()
		path := dir + "/data." + map[string]string{"table": "csv", "sparse": "libsvm"}[name]
		check(os.WriteFile(path, []byte(text), 0o600))
		rows, err := dataset.Read(f.Context(), path, dataset.Options{})
		check(err)
		e, err := dataset.Fit(rows, nil, scale.None, dataset.Options{})
		check(err)
		d, err := dataset.Decode[data.Vector](e, rows)
		check(err)
		p, _, err := model.NewRecipe[data.Vector](kernel.Gaussian{Gamma: 0.5}, 3).FitSample(f.Context(), model.Labels(d))
		check(err)
		check(model.NewModel(p, e, model.Kind[data.Vector](spec.Vectors{})).Save(dir + "/model.kerf"))
		sources = append(sources, Source{Name: name, Path: dir + "/model.kerf"})
	}
	o := NewOptions()
	o.MaxBody, o.Run.Memory = 1<<20, 1<<30
	s, err := New(sources, o)
	check(err)
	return s
}

// answers posts a body and holds that the answer is JSON, or CSV where that is asked
// for, and of a status that a client can understand.
func answers(t *testing.T, s *Server, at string, body []byte, header ...string) {
	t.Helper()
	r := httptest.NewRequest("POST", at, bytes.NewReader(body))
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, r)
	switch w.Code {
	case 200, 400, 413, 415, 422:
	default:
		t.Fatalf("status %d: %s", w.Code, w.Body)
	}
	got := w.Body.Bytes()
	if n, err := strconv.Atoi(w.Header().Get(headerLength)); err == nil {
		got = got[:n]
	}
	if !json.Valid(got) {
		t.Fatalf("the answer is no JSON: %s", got)
	}
	if s.inFlight.Load() != 0 || s.held.Load() != 0 {
		t.Fatalf("%d requests and %d bytes are left behind", s.inFlight.Load(), s.held.Load())
	}
}

func FuzzInfer(f *testing.F) {
	s := fuzzed(f)
	f.Add([]byte(`{"inputs":[{"name":"age","shape":[2],"datatype":"FP64","data":[1,null]},`+
		`{"name":"colour","shape":[2,1],"datatype":"BYTES","data":[["red"],["\u00e9\"x"]]}],`+
		`"outputs":[{"name":"scores"}]}`), -1)
	f.Add(
		[]byte(`{"inputs":[{"name":"x","shape":[1,3],"datatype":"FP32","data":[[1,2,3]]}],"parameters":{"first":1}}`),
		-1,
	)
	head := `{"inputs":[{"name":"x","shape":[1,1],"datatype":"INT16","parameters":{"binary_data_size":2}}],` +
		`"parameters":{"first":"0","binary_data_output":true}}`
	f.Add([]byte(head+"\x01\x02"), len(head))
	head = `{"inputs":[{"name":"x","shape":[1],"datatype":"BYTES","parameters":{"binary_data_size":7}}]}`
	f.Add([]byte(head+"\x03\x00\x00\x001:2"), len(head))
	f.Fuzz(func(t *testing.T, body []byte, header int) {
		var with []string
		if header >= 0 {
			with = []string{headerLength, strconv.Itoa(header)}
		}
		answers(t, s, "/v2/models/table/infer", body, with...)
		answers(t, s, "/v2/models/sparse/infer", body, with...)
		if in, err := parseInference(t.Context(), body, header); err == nil {
			for _, tensor := range in.tensors {
				n, each := tensor.rows()
				if len(tensor.numbers)+len(tensor.texts) != n*each {
					t.Fatalf("a tensor of shape %v has %d elements", tensor.shape, len(tensor.numbers)+len(tensor.texts))
				}
			}
		}
		cutAsJSON(t, body)
	})
}

// cutAsJSON holds the quick way of reading a request to encoding/json.
func cutAsJSON(t *testing.T, body []byte) {
	rest, lists, ok := newScanner(t.Context(), body).cutData()
	quick, slow := &jsonInference{}, &jsonInference{}
	if !ok || json.Unmarshal(rest, quick) != nil {
		return
	}
	if err := json.Unmarshal(body, slow); err != nil {
		t.Fatalf("%s is taken: %v", body, err)
	}
	got, gotErr := quick.request(nil, lists)
	want, wantErr := slow.request(nil, nil)
	if (gotErr == nil) != (wantErr == nil) {
		t.Fatalf("%s: %v, want %v", body, gotErr, wantErr)
	}
	if gotErr != nil {
		return
	}
	for i, one := range got.tensors {
		other := want.tensors[i]
		if !slices.Equal(one.texts, other.texts) || !slices.EqualFunc(one.numbers, other.numbers, sameBits) {
			t.Fatalf("%s: tensor %d is %v, want %v", body, i, one, other)
		}
	}
}

func sameBits(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }

func FuzzPredictJSON(f *testing.F) {
	s := fuzzed(f)
	for _, text := range []string{
		`{"age":1,"colour":"red"}`, `[{"age":null,"colour":"x"},{"age":2,"colour":null}]`,
		`[1,"red"]`, `[[1,"red"],[2,null]]`,
		`{"1":1,"3":0.5}`, `[1,2,3]`, `[[1,2],[3,4]]`, `"1:1"`, `[]`, `[[]]`, `null`, `[1e400]`, `[-0,1E-9]`,
		`[1,2,[3,4]]`, `[[1,2],3]`, `{"age":1,"age":2}`, `[{"age":true,"colour":"é\u00e9"},{"colour":"x","age":-1.5e3}]`,
		`[{"3":1,"1":2}]`, `[{"01":1}]`, `[{}, {"1": 123456789012345.25}]`, `[null, 0.1234567890123456]`, `[{"age":[1]}]`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		answers(t, s, "/predict/table?outputs=label,scores", body)
		answers(t, s, "/predict/sparse?outputs=features&first=1", body)
		scanAsJSON(t, s.models["table"].now.Load(), body)
		scanAsJSON(t, s.models["sparse"].now.Load(), body)
	})
}

// scanAsJSON holds the quick way of reading rows to encoding/json: both refuse them, or
// they are the same instances.
func scanAsJSON(t *testing.T, e *edition, body []byte) {
	first := 1
	quick, quickErr := e.fromScan(t.Context(), body, &first)
	if quick == nil && quickErr == nil {
		return
	}
	slow, slowErr := e.fromAny(t.Context(), body, &first)
	if (quickErr == nil) != (slowErr == nil) {
		t.Fatalf("%s: %v, want %v", body, quickErr, slowErr)
	}
	if quickErr != nil {
		return
	}
	got, gotErr := e.FeaturesEncoded(t.Context(), run.Control{}, quick...)
	want, wantErr := e.FeaturesEncoded(t.Context(), run.Control{}, slow...)
	if (gotErr == nil) != (wantErr == nil) {
		t.Fatalf("%s: %v, want %v", body, gotErr, wantErr)
	}
	if gotErr == nil && (got.Rows != want.Rows || !slices.EqualFunc(got.Data, want.Data, sameBits)) {
		t.Fatalf("%s: features %v, want %v", body, got, want)
	}
}

func FuzzPredictCSV(f *testing.F) {
	s := fuzzed(f)
	f.Add([]byte("age,colour\n1,red\n"), true)
	f.Add([]byte("colour,age,class\n\"a\"\"b\",,x\n"), true)
	f.Add([]byte("1:1 2:2\n"), false)
	f.Add([]byte("+1 1:1\n-1 2:nan\n"), false)
	f.Fuzz(func(t *testing.T, body []byte, table bool) {
		if table {
			answers(t, s, "/predict/table", body, "Content-Type", "text/csv")
		} else {
			answers(t, s, "/predict/sparse", body, "Content-Type", "text/plain")
		}
		e := s.models["table"].now.Load()
		if parts, err := e.fromCSV(t.Context(), body); err == nil && len(parts) != 1 {
			t.Fatalf("%d parts", len(parts))
		}
	})
}

func FuzzPredictArrow(f *testing.F) {
	s := fuzzed(f)
	for _, columns := range [][]arrow.Column{
		{{Name: "age", Numbers: []float64{1, 2}}, {Name: "colour", Texts: []string{"red", ""}}},
		{{Name: "a", Numbers: []float64{1}}, {Name: "b", Numbers: []float64{0}}, {Name: "c", Numbers: []float64{-1}}},
		{{Name: "colour", Texts: []string{}}},
	} {
		var b bytes.Buffer
		if err := arrow.WriteTable(&b, columns); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		answers(t, s, "/predict/table", body, "Content-Type", mediaArrow)
		answers(t, s, "/predict/sparse?first=0", body, "Content-Type", mediaArrow)
	})
}

// TestParsingEnds holds that bodies are read no longer than their requests last.
func TestParsingEnds(t *testing.T) {
	s := fuzzed(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	table, sparse := s.models["table"].now.Load(), s.models["sparse"].now.Load()
	var stream bytes.Buffer
	if err := arrow.WriteTable(&stream, []arrow.Column{{Name: "age", Numbers: []float64{1}}}); err != nil {
		t.Fatal(err)
	}
	first := 1
	for name, read := range map[string]func() error{
		"objects": func() error { _, err := table.fromJSON(ctx, []byte(`[{"age":1,"colour":"red"}]`), nil); return err },
		"lists":   func() error { _, err := sparse.fromJSON(ctx, []byte(`[[1,2],[3,4]]`), &first); return err },
		"indices": func() error { _, err := sparse.fromJSON(ctx, []byte(`[{"1":2}]`), nil); return err },
		"any":     func() error { _, err := table.fromJSON(ctx, []byte(`[[1,"red"]]`), nil); return err },
		"CSV":     func() error { _, err := table.fromCSV(ctx, []byte("age,colour\n1,red\n")); return err },
		"text":    func() error { _, err := table.fromText(ctx, s.read, []byte("age,colour\n1,red\n")); return err },
		"Arrow":   func() error { _, err := table.fromArrow(ctx, s.read, stream.Bytes(), nil); return err },
		"v2": func() error {
			_, err := parseInference(ctx, []byte(`{"inputs":[{"name":"x","shape":[1],"datatype":"FP64","data":[1]}]}`), -1)
			return err
		},
	} {
		if err := read(); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzMessage(f *testing.F) {
	s := fuzzed(f)
	f.Add([]byte("\x00\x00\x00\x00\x07\x0a\x05table"))
	f.Add([]byte("\x00\x00\x00\x00\x1c\x0a\x05table\x2a\x13\x0a\x03age\x12\x04FP64\x1a\x01\x01\x2a\x03\x3a\x01\x01"))
	f.Fuzz(func(t *testing.T, body []byte) {
		r := httptest.NewRequest("POST", grpcService+"ModelInfer", bytes.NewReader(body))
		r.Header.Set("Content-Type", grpcContent)
		w := httptest.NewRecorder()
		s.GRPC().ServeHTTP(w, r)
		status := w.Header().Get(grpcStatus)
		if w.Code != 200 || !strings.Contains(" 0 3 5 8 12 ", " "+status+" ") {
			t.Fatalf("HTTP %d, status %s: %s", w.Code, status, w.Header().Get(grpcWords))
		}
		if words := w.Header().Get(grpcWords); !utf8.ValidString(words) || strings.ContainsAny(words, "\r\n") {
			t.Fatalf("the message %q is no header", words)
		}
	})
}

// TestHalf holds numbers of half precision to the formula (-1)^s·2^(e-15)·(1+f/1024).
func TestHalf(t *testing.T) {
	for bits := range 1 << 16 {
		sign, e, f := math.Pow(-1, float64(bits>>15)), float64(bits>>10&31), float64(bits&1023)
		want := sign * math.Pow(2, e-15) * (1 + f/1024)
		switch {
		case e == 0:
			want = sign * math.Pow(2, -14) * f / 1024
		case e == 31 && f == 0:
			want = math.Inf(int(sign))
		case e == 31:
			want = math.NaN()
		}
		got := half(uint16(bits))
		if got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Fatalf("%04x is %v, want %v", bits, got, want)
		}
	}
	for _, v := range []int64{0, 1, -1, 1 << 53, -(1 << 53), 1<<53 + 1, math.MaxInt64, math.MinInt64} {
		if got := whole(v); !math.IsInf(got, 1) && int64(got) != v {
			t.Errorf("%d is %v", v, got)
		}
	}
}
