package npy_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/npy"
)

// array builds a file by hand.
func array(version byte, dict string, values ...byte) []byte {
	out := append([]byte("\x93NUMPY"), version, 0)
	if version == 1 {
		out = binary.LittleEndian.AppendUint16(out, uint16(len(dict)))
	} else {
		out = binary.LittleEndian.AppendUint32(out, uint32(len(dict)))
	}
	return append(append(out, dict...), values...)
}

func dict(descr, fortran, shape string) string {
	return fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }", descr, fortran, shape)
}

func readAll(file []byte) (*data.Matrix, error) {
	r, err := npy.NewReader(bytes.NewReader(file), "f")
	if err != nil {
		return nil, err
	}
	return r.Read(context.Background(), 0)
}

func TestReadTypes(t *testing.T) {
	le, be := binary.LittleEndian, binary.BigEndian
	floats := func(order binary.AppendByteOrder, values ...float64) (f4, f8 []byte) {
		for _, v := range values {
			f4 = order.AppendUint32(f4, math.Float32bits(float32(v)))
			f8 = order.AppendUint64(f8, math.Float64bits(v))
		}
		return f4, f8
	}
	f4, f8 := floats(le, 1.5, -2)
	f4b, f8b := floats(be, 1.5, -2)
	tests := []struct {
		descr string
		bytes []byte
		want  []float64
	}{
		{"<f8", f8, []float64{1.5, -2}}, {">f8", f8b, []float64{1.5, -2}}, {"=f8", f8, []float64{1.5, -2}},
		{"<f4", f4, []float64{1.5, -2}}, {">f4", f4b, []float64{1.5, -2}},
		{"|i1", []byte{0x7f, 0x80}, []float64{127, -128}}, {"|u1", []byte{0x7f, 0x80}, []float64{127, 128}}, {"u1",
			[]byte{1, 2}, []float64{1, 2}},
		{"|b1", []byte{0, 1}, []float64{0, 1}}, {"?", []byte{2, 0}, []float64{1, 0}},
		{"<i2", []byte{1, 0, 0xff, 0xff}, []float64{1, -1}}, {">i2", []byte{0, 1, 0xff, 0xfe}, []float64{1, -2}},
		{"<u2", []byte{1, 0, 0xff, 0xff}, []float64{1, 65535}}, {">u2", []byte{1, 0, 0, 2}, []float64{256, 2}},
		{"<i4", []byte{1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff}, []float64{1, -1}}, {">u4",
			[]byte{0, 0, 0, 3, 0xff, 0xff, 0xff, 0xff}, []float64{3, 4294967295}},
		{"<i8", le.AppendUint64(le.AppendUint64(nil, 5), math.MaxUint64), []float64{5, -1}},
		{">u8", be.AppendUint64(be.AppendUint64(nil, 5), math.MaxUint64), []float64{5, 18446744073709551615}},
	}
	for _, test := range tests {
		for version := byte(1); version <= 3; version++ {
			for _, fortran := range []string{"True", "False"} {
				for shape, cols := range map[string]int{"(2,)": 1, "(2, 1)": 1, "(1,2)": 2, "(2L,)": 1} {
					m, err := readAll(array(version, dict(test.descr, fortran, shape), test.bytes...))
					if err != nil || m.Cols != cols || m.Rows != 2/cols || !slices.Equal(m.Data, test.want) {
						t.Errorf("%s %s version %d: %v, %v, want %v", test.descr, shape, version, m, err, test.want)
					}
				}
			}
		}
	}
}

func TestReadOrder(t *testing.T) {
	for _, c := range []struct {
		fortran string
		values  []byte
	}{{"False", []byte{1, 2, 3, 4, 5, 6}}, {"True", []byte{1, 4, 2, 5, 3, 6}}} {
		for _, max := range []int{0, 1, 2, 3} {
			r, err := npy.NewReader(iotest.OneByteReader(bytes.NewReader(array(1, dict("u1", c.fortran, "(2, 3)"),
				c.values...))), "f")
			if err != nil || r.Rows() != 2 || r.Cols() != 3 || r.Streams() != (c.fortran == "False") {
				t.Fatalf("%v, %v", r, err)
			}
			var all []float64
			for {
				m, err := r.Read(t.Context(), max)
				if err == io.EOF {
					break
				}
				if err != nil || max > 0 && m.Rows > max || m.Cols != 3 || len(m.Data) != 3*m.Rows {
					t.Fatalf("%v, %v", m, err)
				}
				all = append(all, m.Data...)
			}
			if !slices.Equal(all, []float64{1, 2, 3, 4, 5, 6}) {
				t.Errorf("Fortran %s, max %d: %v", c.fortran, max, all)
			}
			if _, err := r.Read(t.Context(), max); err != io.EOF {
				t.Errorf("then %v", err)
			}
		}
	}
}

func TestReadEmpty(t *testing.T) {
	for _, shape := range []string{"(0,)", "(0, 3)", "(3, 0)", "(0, 0)"} {
		if m, err := readAll(array(1, dict("<f8", "False", shape))); err != io.EOF {
			t.Errorf("%s: %v, %v", shape, m, err)
		}
	}
}

func TestReadFaults(t *testing.T) {
	good := array(1, dict("<f8", "False", "(2,)"), make([]byte, 16)...)
	nan := binary.LittleEndian.AppendUint64(make([]byte, 16), math.Float64bits(math.NaN()))
	tests := []struct {
		name    string
		file    []byte
		problem string
	}{
		{"empty", nil, "byte 0: ends in the middle"},
		{"mark", []byte("\x93NUMPX\x01\x00\x00\x00"), "byte 0: is no NPY data"},
		{"version", array(4, dict("<f8", "False", "(2,)")), "version 4"},
		{"cut in the header", good[:20], "byte 20: ends in the middle"},
		{"cut in the values", good[:len(good)-1], "ends in the middle"},
		{"more than the array", append(bytes.Clone(good), 0), "something after the array"},
		{"long header", append([]byte("\x93NUMPY\x02\x00"), 0xff, 0xff, 0xff, 0xff), "header of 4294967295 bytes"},
		{"objects", array(1, dict("|O", "False", "(2,)")), `values of the type "'|O'"`},
		{"strings", array(1, dict("<U5", "False", "(2,)")), "which are no numbers"},
		{"half", array(1, dict("<f2", "False", "(2,)")), "which are no numbers"},
		{"fields", array(1, "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (2,), }"), "which are no numbers"},
		{"no type", array(1, "{'fortran_order': False, 'shape': (2,), }"), "no descr"},
		{"no order", array(1, "{'descr': '<f8', 'shape': (2,), }"), "no fortran_order"},
		{"no shape", array(1, "{'descr': '<f8', 'fortran_order': False}"), "no shape"},
		{"no dictionary", array(1, "descr"), "no dictionary"},
		{"three dimensions", array(1, dict("<f8", "False", "(2, 3, 4)")), "3 dimensions"},
		{"no dimension", array(1, dict("<f8", "False", "()")), "0 dimensions"},
		{"negative size", array(1, dict("<f8", "False", "(-1,)")), `shape "(-1,)"`},
		{"huge", array(1, dict("<f8", "False", "(1000000000, 1000000000)")), "fits no memory"},
		{"promises", array(1, dict("<f8", "False", "(1000000000, 1000)"), make([]byte, 100)...), "truncated"},
		{"promises, Fortran", array(1, dict("<f8", "True", "(1000000000, 1000)"), make([]byte, 100)...), "truncated"},
		{"NaN", array(1, dict("<f8", "False", "(3, 1)"), nan...), "row 3, column 1: NaN"},
		{"NaN, Fortran", array(1, dict("<f8", "True", "(1, 3)"), nan...), "row 1, column 3: NaN"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := readAll(test.file)
			var input *data.InputError
			if !errors.As(err, &input) || input.File != "f" || input.Advice == "" ||
				!strings.Contains(input.Problem, test.problem) {
				t.Errorf("error %v, want %q", err, test.problem)
			}
		})
	}
}

func TestErrorsOfTheStream(t *testing.T) {
	begin := array(1, dict("<f8", "False", "(9,)"), 1, 2, 3)
	r, err := npy.NewReader(io.MultiReader(bytes.NewReader(begin), iotest.ErrReader(errors.New("disk on fire"))), "f")
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
	if r, err = npy.NewReader(bytes.NewReader(begin), "f"); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Read(ctx, 0); err != context.Canceled {
		t.Errorf("error %v, want that of the context", err)
	}
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, cols := rapid.IntRange(0, 9).Draw(t, "rows"), rapid.IntRange(1, 5).Draw(t, "cols")
		float := npy.Float64
		value := rapid.Float64().Filter(func(v float64) bool { return v-v == 0 })
		if rapid.Bool().Draw(t, "short") {
			float = npy.Float32
			value = rapid.Map(rapid.Float32().Filter(func(v float32) bool { return v-v == 0 }),
				func(v float32) float64 { return float64(v) })
		}
		x := data.NewMatrix(rows, cols)
		for k := range x.Data {
			x.Data[k] = value.Draw(t, "value")
		}
		var out bytes.Buffer
		w, err := npy.NewWriter(&out, rows, cols, float)
		if err != nil {
			t.Fatal(err)
		}
		cut := rapid.IntRange(0, rows).Draw(t, "cut")
		for _, part := range []data.Source[data.Vector]{data.Range[data.Vector]{Of: x, Lo: 0, Hi: cut},
			data.Range[data.Vector]{Of: x, Lo: cut, Hi: rows}} {
			if err := w.Write(part); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if begin := out.Len() - rows*cols*map[npy.Float]int{npy.Float64: 8, npy.Float32: 4}[float]; begin%64 != 0 {
			t.Fatalf("values begin at byte %d", begin)
		}
		y, err := readAll(out.Bytes())
		if rows == 0 {
			if err != io.EOF {
				t.Fatal(err)
			}
			return
		}
		if err != nil || !slices.Equal(x.Data, y.Data) || y.Rows != rows || y.Cols != cols {
			t.Fatalf("wrote %v, read %v, %v", x, y, err)
		}
	})
}

func TestWriteFaults(t *testing.T) {
	for name, c := range map[string]struct {
		rows, cols int
		float      npy.Float
		x          data.Slice[data.Vector]
		close      bool // whether the fault comes from Close
	}{
		"more rows":  {1, 1, npy.Float64, data.Slice[data.Vector]{data.Dense(1), data.Dense(2)}, false},
		"fewer rows": {3, 1, npy.Float64, data.Slice[data.Vector]{data.Dense(1), data.Dense(2)}, true},
		"columns":    {1, 1, npy.Float64, data.Slice[data.Vector]{data.Dense(1, 2)}, false},
		"NaN":        {1, 1, npy.Float64, data.Slice[data.Vector]{data.Dense(math.NaN())}, false},
		"too large":  {1, 1, npy.Float32, data.Slice[data.Vector]{data.Dense(1e300)}, false},
	} {
		w, err := npy.NewWriter(io.Discard, c.rows, c.cols, c.float)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(c.x); (err == nil) != c.close {
			t.Errorf("%s: Write returns %v", name, err)
		}
		if err := w.Close(); c.close && err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := npy.NewWriter(io.Discard, -1, 1, npy.Float64); err == nil {
		t.Error("an array of -1 rows")
	}
}

func FuzzNPY(f *testing.F) {
	f.Add(array(1, dict("<f8", "False", "(2,)"), make([]byte, 16)...), 0)
	f.Add(array(2, dict(">i2", "True", "(2, 2)"), 1, 2, 3, 4, 5, 6, 7, 8), 1)
	f.Add(array(3, dict("|b1", "False", "(3, 1)"), 1, 0, 1), 2)
	f.Add(array(1, dict("<f4", "False", "(1000000, 1000000)"), 1, 0, 1), 2)
	f.Add(array(1, "{\"descr\": [('a', '<f8')], 'shape': ((1, 2)"), 1)
	f.Fuzz(func(t *testing.T, file []byte, max int) {
		isInput := func(err error) bool {
			var input *data.InputError
			if err != nil && err != io.EOF && (!errors.As(err, &input) || input.Problem == "") {
				t.Fatalf("error %T %v", err, err)
			}
			return err != nil
		}
		r, err := npy.NewReader(bytes.NewReader(file), "f")
		if isInput(err) {
			return
		}
		if r.Rows() > 1<<20 {
			max = 0 // few rows at a time would take long to come to the end
		}
		var all []float64
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
			all = append(all, m.Data...)
		}
		if len(all) != r.Rows()*r.Cols() {
			t.Fatalf("%d values of %d × %d", len(all), r.Rows(), r.Cols())
		}
		if rows == 0 {
			return
		}
		var out bytes.Buffer
		w, err := npy.NewWriter(&out, rows, r.Cols(), npy.Float64)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(w.Write(&data.Matrix{Rows: rows, Cols: r.Cols(), Data: all}), w.Close()); err != nil {
			t.Fatal(err)
		}
		if back, err := readAll(out.Bytes()); err != nil || !slices.Equal(back.Data, all) {
			t.Fatalf("wrote %v, read %v, %v", all, back, err)
		}
	})
}

func ExampleNewReader() {
	var file bytes.Buffer
	w, err := npy.NewWriter(&file, 2, 2, npy.Float64)
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := errors.Join(w.Write(data.Slice[data.Vector]{data.Dense(1, 2), data.Dense(3, 4)}), w.Close()); err != nil {
		fmt.Println(err)
		return
	}
	r, err := npy.NewReader(&file, "x.npy")
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := r.Read(context.Background(), 0)
	fmt.Println(r.Rows(), r.Cols(), m.Data, err)
	// Output: 2 2 [1 2 3 4] <nil>
}
