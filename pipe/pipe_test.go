package pipe_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/npy"
	"github.com/kerf-ml/kerf/job"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/pipe"
	"github.com/kerf-ml/kerf/run"
)

// door takes no flags but the kernel, which stands alone.
var door = pipe.Door{
	Begin: func(ctx context.Context, _ string, args []string, told pipe.Told) (
		context.Context, job.TrainOptions, func(), error,
	) {
		o := job.NewTrainOptions()
		o.Effort, o.Warn, o.Note, o.Run.Progress = job.Least, told.Warn, told.Note, told.Progress
		if len(args) > 0 {
			o.Choices.Kernel = args[0]
		}
		return ctx, o, func() {}, nil
	},
	Fault: func(ctx, _ context.Context, err error) (string, string) {
		if ctx.Err() != nil {
			return "interrupted", "interrupted"
		}
		return "failed", err.Error()
	},
}

// answer is a message from the child.
type answer struct {
	Done  map[string]json.RawMessage `json:"done"`
	Error *struct{ Kind, Line string }
	Warn  string

	Frames []pipe.Frame
	parts  map[string]pipe.Payload
}

// client speaks to a server that runs in this process.
type client struct {
	t    *testing.T
	in   *io.PipeWriter
	out  *io.PipeReader
	done chan error
}

func newClient(t *testing.T) *client {
	t.Helper()
	requests, in := io.Pipe()
	out, answers := io.Pipe()
	c := &client{t: t, in: in, out: out, done: make(chan error, 1)}
	go func() {
		c.done <- pipe.Serve(context.Background(), requests, answers, door)
		_ = answers.Close()
	}()
	return c
}

// ask sends a request and returns the last message of its answer.
func (c *client) ask(head map[string]any, parts ...pipe.Part) answer {
	c.t.Helper()
	c.send(head, parts...)
	return c.hear()
}

func (c *client) send(head map[string]any, parts ...pipe.Part) {
	c.t.Helper()
	if err := pipe.Message(c.in, head, parts...); err != nil {
		c.t.Fatal(err)
	}
}

func (c *client) hear() answer {
	c.t.Helper()
	for {
		a := answer{parts: map[string]pipe.Payload{}}
		if err := pipe.ReadHead(c.out, &a); err != nil {
			c.t.Fatal(err)
		}
		for _, f := range a.Frames {
			p, err := pipe.ReadFrame(context.Background(), c.out, f, run.Control{})
			if err != nil {
				c.t.Fatal(err)
			}
			a.parts[f.Name] = p
		}
		if a.Done != nil || a.Error != nil {
			return a
		}
	}
}

// end closes the stream and waits for the server.
func (c *client) end() {
	c.t.Helper()
	_ = c.in.Close()
	select {
	case err := <-c.done:
		if err != nil {
			c.t.Error(err)
		}
	case <-time.After(10 * time.Second):
		c.t.Error("the server does not end with its input")
	}
}

// circle are rows of two numbers, and whether they lie in a circle.
func circle(n int) (*data.Matrix, *data.Matrix) {
	x, y := data.NewMatrix(n, 2), data.NewMatrix(n, 1)
	for i := range n {
		a, b := math.Mod(float64(i)*0.618034, 2)-1, math.Mod(float64(i)*0.414214, 2)-1
		x.Row(i)[0], x.Row(i)[1] = a, b
		if a*a+b*b < 0.5 {
			y.Data[i] = 1
		}
	}
	return x, y
}

// TestWholeWeights trains on weights, on the rows repeated, and on weights that are refused.
func TestWholeWeights(t *testing.T) {
	c := newClient(t)
	defer c.end()
	x, y := circle(60)
	weight := data.NewMatrix(60, 1)
	var index []int
	for i := range weight.Rows {
		weight.Data[i] = float64(i % 3)
		for range i % 3 {
			index = append(index, i)
		}
	}
	slices.Reverse(index)
	x2, y2 := data.NewMatrix(len(index), 2), data.NewMatrix(len(index), 1)
	for k, i := range index {
		copy(x2.Row(k), x.Row(i))
		y2.Data[k] = y.Data[i]
	}
	head := map[string]any{"do": "train", "rows": map[string]any{"form": "matrix"}, "labels": []string{"out", "in"}}
	ask := func(x, y, w *data.Matrix) answer {
		parts := []pipe.Part{pipe.ArrayPart("x", x), pipe.ArrayPart("y", y)}
		if w != nil {
			parts = append(parts, pipe.ArrayPart("weight", w))
		}
		return c.ask(maps.Clone(head), parts...)
	}
	a, b := ask(x, y, weight), ask(x2, y2, nil)
	if a.Error != nil || b.Error != nil || !bytes.Equal(a.parts["model"].Bytes(), b.parts["model"].Bytes()) {
		t.Errorf("weights and repeated rows give two models: %v, %v", a.Error, b.Error)
	}
	copy(weight.Data, y.Data)
	if a := ask(x, y, weight); a.Error == nil || !strings.Contains(a.Error.Line, "weight 0") {
		t.Errorf("a class without weight: %v", a.Error)
	}
}

func TestTrainAndPredict(t *testing.T) {
	before := runtime.NumGoroutine()
	c := newClient(t)
	x, y := circle(200)
	rows := map[string]any{"form": "matrix"}
	a := c.ask(map[string]any{"do": "train", "rows": rows, "labels": []string{"out", "in"}, "progress": true},
		pipe.ArrayPart("x", x), pipe.ArrayPart("y", y))
	if a.Error != nil {
		t.Fatal(a.Error)
	}
	file := a.parts["model"].Bytes()
	f, err := model.Decode(file)
	if err != nil {
		t.Fatal(err)
	}
	m, err := f.Model()
	if err != nil {
		t.Fatal(err)
	}
	a = c.ask(map[string]any{"do": "predict", "rows": rows, "model": "m", "proba": true},
		pipe.BytesPart("model", file), pipe.ArrayPart("x", x))
	if a.Error != nil {
		t.Fatal(a.Error)
	}
	wrong := 0
	for i := range x.Rows {
		p, err := m.Predict(x.Row(i))
		if err != nil {
			t.Fatal(err)
		}
		code := int(a.parts["codes"].Array().Data[i])
		if m.Classes.Names[code] != p.Label || !slices.Equal(a.parts["scores"].Array().Row(i), p.Scores) ||
			!slices.Equal(a.parts["probabilities"].Array().Row(i), p.Probabilities) {
			t.Fatalf("row %d: %v and %v", i, code, p)
		}
		if (p.Label == "in") != (y.Data[i] == 1) {
			wrong++
		}
	}
	if wrong > 10 {
		t.Errorf("%d of 200 rows are wrong", wrong)
	}
	a = c.ask(map[string]any{"do": "features", "rows": rows, "model": "m"}, pipe.ArrayPart("x", x))
	if a.Error != nil || a.parts["features"].Array().Cols != m.Dim() {
		t.Errorf("%v: %v", a.Error, a.Frames)
	}
	a = c.ask(map[string]any{"do": "open", "model": "m", "forget": []string{"m"}})
	if a.Error == nil {
		t.Error("a model that was forgotten is there")
	}
	c.end()
	for end := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > before && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	if n := runtime.NumGoroutine(); n > before {
		t.Errorf("%d goroutines are left of %d", n, before)
	}
}

// textPart is a frame of texts.
func textPart(name string, texts ...string) (pipe.Frame, []byte) {
	var b []byte
	for _, text := range texts {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(text)))
	}
	b = append(b, strings.Join(texts, "")...)
	return pipe.Frame{Name: name, Form: "text", Size: int64(len(b)), Count: len(texts)}, b
}

func TestFaultsKeepTheStream(t *testing.T) {
	c := newClient(t)
	x, y := circle(40)
	bad := data.NewMatrix(3, 1)
	copy(bad.Data, []float64{0, 7, 1})
	rows := map[string]any{"form": "matrix"}
	for _, one := range []struct {
		head  map[string]any
		parts []pipe.Part
		text  string
	}{
		{map[string]any{"do": "dance"}, nil, `no job "dance"`},
		{map[string]any{"do": "train"}, nil, "no rows"},
		{map[string]any{"do": "train", "rows": rows}, nil, "no matrix"},
		{map[string]any{"do": "train", "rows": map[string]any{"form": "cube"}}, nil, "cube"},
		{map[string]any{"do": "train", "rows": rows}, []pipe.Part{pipe.BytesPart("x", []byte("hello"))}, "no matrix"},
		{map[string]any{"do": "train", "rows": rows, "labels": []string{"a", "b"}},
			[]pipe.Part{pipe.ArrayPart("x", x), pipe.ArrayPart("y", bad)}, "no whole number from 0 to 1"},
		{map[string]any{"do": "train", "rows": rows},
			[]pipe.Part{pipe.ArrayPart("x", x), pipe.ArrayPart("y", bad)}, "3 labels and 40 rows"},
		{map[string]any{"do": "train", "rows": rows, "args": []string{"nonsense("}},
			[]pipe.Part{pipe.ArrayPart("x", x), pipe.ArrayPart("y", y)}, "nonsense"},
		{map[string]any{"do": "predict", "model": "m", "rows": rows}, []pipe.Part{pipe.BytesPart("model", []byte("no"))},
			"not a kerf model"},
		{map[string]any{"do": "train", "rows": map[string]any{"form": "sparse", "cols": 3}},
			[]pipe.Part{pipe.ArrayPart("ptr", bad), pipe.ArrayPart("index", bad), pipe.ArrayPart("value", bad)},
			"whole number from 0 to 3"},
		{map[string]any{"do": "train", "rows": map[string]any{"form": "table", "names": []string{"a", "a"}}},
			[]pipe.Part{pipe.ArrayPart("c0", bad), pipe.ArrayPart("c1", bad)}, "twice"},
		{map[string]any{"do": "train", "rows": map[string]any{"form": "sets"}},
			[]pipe.Part{pipe.ArrayPart("ptr", bad)}, "whole number"},
	} {
		a := c.ask(one.head, one.parts...)
		if a.Error == nil || !strings.Contains(a.Error.Line, one.text) {
			t.Errorf("%v: %v, want %q", one.head, a.Error, one.text)
		}
	}
	c.end()
}

func TestCancel(t *testing.T) {
	c := newClient(t)
	x, y := circle(20000)
	c.send(map[string]any{"do": "train", "rows": map[string]any{"form": "matrix"}, "labels": []string{"a", "b"}},
		pipe.ArrayPart("x", x), pipe.ArrayPart("y", y))
	c.send(map[string]any{"do": "cancel"})
	begun := time.Now()
	if a := c.hear(); a.Error == nil || a.Error.Kind != "interrupted" {
		t.Errorf("%v %v", a.Error, a.Done)
	}
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("cancelled after %v", took)
	}
	x, y = circle(50)
	a := c.ask(map[string]any{"do": "train", "rows": map[string]any{"form": "matrix"}, "labels": []string{"a", "b"}},
		pipe.ArrayPart("x", x), pipe.ArrayPart("y", y))
	if a.Error != nil {
		t.Error(a.Error)
	}
	c.end()
}

// TestTexts sends texts, of which the client of the tests has no frame.
func TestTexts(t *testing.T) {
	f, b := textPart("x", "aab", "", "é")
	p, err := pipe.ReadFrame(context.Background(), bytes.NewReader(b), f, run.Control{})
	if err != nil || !slices.Equal(p.Texts(), []string{"aab", "", "é"}) {
		t.Errorf("%v %v", p.Texts(), err)
	}
	for _, wrong := range []pipe.Frame{
		{Form: "text", Size: f.Size, Count: 2}, {Form: "text", Size: f.Size, Count: 99}, {Form: "song", Size: f.Size},
		{Form: "npy", Size: f.Size},
	} {
		r := bytes.NewReader(b)
		if _, err := pipe.ReadFrame(context.Background(), r, wrong, run.Control{}); err == nil || r.Len() > 0 {
			t.Errorf("%v: %v, %d bytes left", wrong, err, r.Len())
		}
	}
}

// request returns a message as bytes.
func request(head map[string]any, parts ...pipe.Part) []byte {
	var b bytes.Buffer
	_ = pipe.Message(&b, head, parts...)
	return b.Bytes()
}

// streams are what a client may send, whole and broken.
func streams() [][]byte {
	x, y := circle(12)
	rows := map[string]any{"form": "matrix"}
	frame, b := textPart("x", "ab", "cd", "ef")
	head, _ := json.Marshal(map[string]any{"do": "map", "rows": map[string]any{"form": "texts"}, "frames": []any{frame}})
	three := data.NewMatrix(3, 1)
	copy(three.Data, []float64{0, 1, 2})
	return [][]byte{
		request(map[string]any{"do": "train", "rows": rows, "labels": []string{"a", "b"}},
			pipe.ArrayPart("x", x), pipe.ArrayPart("y", y)),
		request(map[string]any{"do": "map", "rows": rows}, pipe.ArrayPart("x", x)),
		append(request(map[string]any{"do": "predict", "model": "m", "rows": rows},
			pipe.BytesPart("model", []byte("KERF")), pipe.ArrayPart("x", x)), "KRF1"...),
		request(map[string]any{"do": "train", "rows": map[string]any{"form": "table", "names": []string{"a", "b"}}},
			pipe.ArrayPart("c0", y), pipe.ArrayPart("m0", y), pipe.ArrayPart("c1", y), pipe.ArrayPart("y", y)),
		request(map[string]any{"do": "map", "rows": map[string]any{"form": "sparse", "cols": 4}},
			pipe.ArrayPart("ptr", three), pipe.ArrayPart("index", y), pipe.ArrayPart("value", y)),
		append(append(append([]byte("KRF1"), byte(len(head)), 0, 0, 0), head...), b...),
		[]byte("KRF1\xff\xff\xff\xff{}"), []byte("GET / HTTP/1.1\r\n"), {},
	}
}

// TestStreams feeds the server whole and broken streams: it answers in whole messages, or
// says that the stream is none, and ends.
func TestStreams(t *testing.T) {
	for _, stream := range streams() {
		for _, n := range []int{len(stream), len(stream) - 1, len(stream) / 2} {
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
			var out bytes.Buffer
			// The stream stays open for a while, as that of a client does that waits for its answer.
			in := io.MultiReader(bytes.NewReader(stream[:max(n, 0)]), &waiting{ctx: ctx, until: 200 * time.Millisecond})
			_ = pipe.Serve(ctx, in, &out, door)
			for out.Len() > 0 {
				a := answer{}
				if err := pipe.ReadHead(&out, &a); err != nil {
					t.Fatalf("half an answer: %v", err)
				}
				for _, f := range a.Frames {
					if _, err := pipe.ReadFrame(ctx, &out, f, run.Control{}); err != nil {
						t.Fatalf("frame %v: %v", f, err)
					}
				}
			}
			cancel()
		}
	}
}

// waiting is a stream that ends after a time.
type waiting struct {
	ctx   context.Context
	until time.Duration
}

func (w *waiting) Read([]byte) (int, error) {
	select {
	case <-w.ctx.Done():
	case <-time.After(w.until):
	}
	return 0, io.EOF
}

// FuzzRequest reads requests from any stream, and makes rows of their frames: they are rows
// that fit together, or an error.
func FuzzRequest(f *testing.F) {
	for _, stream := range streams() {
		f.Add(stream)
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		r := bytes.NewReader(stream)
		for {
			rows, err := pipe.ReadRows(context.Background(), r)
			switch {
			case errors.Is(err, pipe.ErrStream):
				return
			case err != nil:
				continue
			}
			if n := rows.Len(); n == 0 || rows.Labels != nil && len(rows.Labels) != n || rows.Weights != nil &&
				len(rows.Weights) != n {
				t.Fatalf("%d rows, %d labels, %d weights", n, len(rows.Labels), len(rows.Weights))
			}
		}
	})
}

func TestSizeOfArrays(t *testing.T) {
	for _, shape := range [][2]int{{0, 0}, {0, 3}, {1, 1}, {7, 9}, {1000, 33}} {
		for _, float := range []npy.Float{npy.Float64, npy.Float32} {
			var b bytes.Buffer
			w, err := npy.NewWriter(&b, shape[0], shape[1], float)
			if err == nil {
				err = errors.Join(w.Write(data.NewMatrix(shape[0], shape[1])), w.Close())
			}
			if want := npy.Size(shape[0], shape[1], float); err != nil || int64(b.Len()) != want {
				t.Error(fmt.Sprint(shape), b.Len(), want, err)
			}
		}
	}
}
