package idx_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/file"
	"github.com/kerf-ml/kerf/data/idx"
)

// array builds a file by hand.
func array(kind byte, shape []uint32, values ...byte) []byte {
	out := []byte{0, 0, kind, byte(len(shape))}
	for _, n := range shape {
		out = binary.BigEndian.AppendUint32(out, n)
	}
	return append(out, values...)
}

func readAll(content []byte) (*data.Matrix, error) {
	r, err := idx.NewReader(bytes.NewReader(content), "f")
	if err != nil {
		return nil, err
	}
	return r.Read(context.Background(), 0)
}

func TestReadTypes(t *testing.T) {
	be := binary.BigEndian
	for _, c := range []struct {
		kind  byte
		bytes []byte
		want  []float64
	}{
		{0x08, []byte{0x7f, 0x80}, []float64{127, 128}},
		{0x09, []byte{0x7f, 0x80}, []float64{127, -128}},
		{0x0b, []byte{1, 0, 0xff, 0xfe}, []float64{256, -2}},
		{0x0c, []byte{0, 0, 1, 0, 0xff, 0xff, 0xff, 0xfe}, []float64{256, -2}},
		{0x0d, be.AppendUint32(be.AppendUint32(nil, math.Float32bits(1.5)), math.Float32bits(-2)), []float64{1.5, -2}},
		{0x0e, be.AppendUint64(be.AppendUint64(nil, math.Float64bits(0.1)), math.Float64bits(-2)), []float64{0.1, -2}},
	} {
		for _, shape := range [][]uint32{{2}, {2, 1}, {1, 2}, {1, 1, 2}, {2, 1, 1, 1}} {
			m, err := readAll(array(c.kind, shape, c.bytes...))
			if err != nil || m.Rows != int(shape[0]) || m.Cols != 2/int(shape[0]) || !slices.Equal(m.Data, c.want) {
				t.Errorf("type %#x, shape %v: %v, %v", c.kind, shape, m, err)
			}
		}
	}
}

func TestReadInParts(t *testing.T) {
	var values []byte
	for i := range 100 * 6 {
		values = append(values, byte(i))
	}
	content := array(8, []uint32{100, 2, 3}, values...)
	for _, max := range []int{0, 1, 7, 99, 100, 101} {
		r, err := idx.NewReader(iotest.OneByteReader(bytes.NewReader(content)), "f")
		if err != nil || r.Rows() != 100 || r.Cols() != 6 || !slices.Equal(r.Shape(), []int{100, 2, 3}) {
			t.Fatalf("%v, %v", r, err)
		}
		at := 0
		for {
			m, err := r.Read(t.Context(), max)
			if err == io.EOF {
				break
			}
			if err != nil || m.Rows == 0 || max > 0 && m.Rows > max || len(m.Data) != 6*m.Rows {
				t.Fatalf("%v, %v", m, err)
			}
			for _, v := range m.Data {
				if v != float64(byte(at)) {
					t.Fatalf("value %d is %v", at, v)
				}
				at++
			}
		}
		if _, err := r.Read(t.Context(), max); at != 600 || err != io.EOF {
			t.Errorf("max %d: %d values, then %v", max, at, err)
		}
	}
}

func TestReadFaults(t *testing.T) {
	nan := binary.BigEndian.AppendUint32(make([]byte, 4), math.Float32bits(float32(math.NaN())))
	for _, c := range []struct {
		name    string
		content []byte
		problem string
	}{
		{"empty", nil, "byte 0: ends in the middle"},
		{"mark", []byte{0, 1, 8, 1, 0, 0, 0, 1, 1}, "is no IDX data"},
		{"type", []byte{0, 0, 7, 1, 0, 0, 0, 1, 1}, "is no IDX data"},
		{"no dimension", []byte{0, 0, 8, 0}, "is no IDX data"},
		{"cut in the header", []byte{0, 0, 8, 2, 0, 0, 0, 1}, "byte 8: ends in the middle"},
		{"cut in the values", array(8, []uint32{2, 2}, 1, 2, 3), "byte 15: ends in the middle"},
		{"more than the array", array(8, []uint32{1}, 1, 2), "byte 9: there is something after the array"},
		{"huge", array(8, []uint32{math.MaxUint32, math.MaxUint32}), "byte 8: has the shape"},
		{"huge, with a zero", array(8, []uint32{math.MaxUint32, 0, math.MaxUint32}), "has the shape"},
		{"promises", array(8, []uint32{math.MaxUint32, 100}, 1, 2, 3), "truncated"},
		{"NaN", array(13, []uint32{1, 2}, nan...), "row 1, column 2: NaN"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := readAll(c.content)
			var input *data.InputError
			if !errors.As(err, &input) || input.File != "f" || input.Advice == "" ||
				!strings.Contains(input.Problem, c.problem) {
				t.Errorf("error %v, want %q", err, c.problem)
			}
		})
	}
	for _, shape := range [][]uint32{{0}, {0, 3}, {3, 0}} {
		if _, err := readAll(array(8, shape)); err != io.EOF {
			t.Errorf("shape %v: error %v, want EOF", shape, err)
		}
	}
}

func TestErrorsOfTheStream(t *testing.T) {
	begin := array(8, []uint32{9}, 1, 2, 3)
	r, err := idx.NewReader(io.MultiReader(bytes.NewReader(begin), iotest.ErrReader(errors.New("disk on fire"))), "f")
	if err != nil {
		t.Fatal(err)
	}
	_, err = r.Read(t.Context(), 0)
	var input *data.InputError
	if !errors.As(err, &input) || !strings.Contains(err.Error(), "disk on fire") {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r, err = idx.NewReader(bytes.NewReader(begin), "f"); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Read(ctx, 0); err != context.Canceled {
		t.Errorf("error %v, want that of the context", err)
	}
}

func TestReadLabels(t *testing.T) {
	labels, err := idx.ReadLabels(t.Context(), bytes.NewReader(array(9, []uint32{3}, 5, 0xff, 5)), "f")
	if err != nil || !slices.Equal(labels, []string{"5", "-1", "5"}) {
		t.Errorf("%q, %v", labels, err)
	}
	_, err = idx.ReadLabels(t.Context(), bytes.NewReader(array(8, []uint32{1, 2}, 1, 2)), "f")
	var input *data.InputError
	if !errors.As(err, &input) || !strings.Contains(err.Error(), "shape [1 2]") {
		t.Errorf("error %v", err)
	}
	if _, err = idx.ReadLabels(t.Context(), strings.NewReader("1\n2\n"), "f"); !errors.As(err, &input) {
		t.Errorf("error %v", err)
	}
}

func TestRealFiles(t *testing.T) {
	folder := os.Getenv("KERF_DATA")
	if folder == "" {
		folder = filepath.Join("..", "..", "..", "shared", "data")
	}
	open := func(name string) *file.File {
		path := filepath.Join(folder, name)
		if _, err := os.Stat(path); err != nil {
			t.Skipf("data set %s is not here; KERF_DATA names the folder of the data sets", name)
		}
		f, err := file.Open(t.Context(), path, nil, idx.Begins)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Close() })
		if !idx.Begins(f.Head()) {
			t.Fatalf("%s is not recognised", f.Name)
		}
		return f
	}
	f := open("mnist-test-images.idx.gz")
	r, err := idx.NewReader(f, f.Name)
	if err != nil {
		t.Fatal(err)
	}
	x, err := r.Read(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	f = open("mnist-test-labels.idx.gz")
	labels, err := idx.ReadLabels(t.Context(), f, f.Name)
	if err != nil {
		t.Fatal(err)
	}
	classes, _ := data.Encode(labels)
	if x.Rows != 10_000 || x.Cols != 784 || len(labels) != 10_000 || classes.Len() != 10 || labels[0] != "7" ||
		slices.Max(x.Data) != 255 {
		t.Errorf("%d × %d, %d labels, classes %q", x.Rows, x.Cols, len(labels), classes.Names)
	}
}

func FuzzIDX(f *testing.F) {
	f.Add(array(8, []uint32{2, 2}, 1, 2, 3, 4), 0)
	f.Add(array(0x0d, []uint32{1, 1, 2}, 0x7f, 0xc0, 0, 0, 1, 2, 3, 4), 1)
	f.Add(array(0x0e, []uint32{math.MaxUint32}), 2)
	f.Add(array(9, []uint32{3, 0}), 2)
	f.Fuzz(func(t *testing.T, content []byte, max int) {
		isInput := func(err error) bool {
			var input *data.InputError
			if err != nil && err != io.EOF && !errors.As(err, &input) {
				t.Fatalf("error %T %v", err, err)
			}
			return err != nil
		}
		labels, err := idx.ReadLabels(t.Context(), bytes.NewReader(content), "f")
		isInput(err)
		r, err := idx.NewReader(bytes.NewReader(content), "f")
		if isInput(err) {
			return
		}
		rows := 0
		for {
			m, err := r.Read(t.Context(), max)
			if isInput(err) {
				if err != io.EOF {
					return
				}
				break
			}
			if m.Rows == 0 || max > 0 && m.Rows > max || len(m.Data) != m.Rows*m.Cols || m.Cols != r.Cols() {
				t.Fatalf("%d × %d, %d values", m.Rows, m.Cols, len(m.Data))
			}
			rows += m.Rows
		}
		if r.Cols() > 0 && rows != r.Rows() || r.Cols() == 1 && len(labels) != rows {
			t.Fatalf("%d rows of %d, %d labels", rows, r.Rows(), len(labels))
		}
	})
}

func ExampleReader() {
	r, err := idx.NewReader(bytes.NewReader([]byte{0, 0, 8, 2, 0, 0, 0, 1, 0, 0, 0, 2, 7, 9}), "x.idx")
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := r.Read(context.Background(), 0)
	fmt.Println(m.Rows, m.Cols, m.Data, err)
	// Output: 1 2 [7 9] <nil>
}
