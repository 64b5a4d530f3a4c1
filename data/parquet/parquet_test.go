package parquet_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	lib "github.com/parquet-go/parquet-go"
	"pgregory.net/rapid"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/file"
	"github.com/kerf-ml/kerf/data/parquet"
	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/data/table"
)

var _ table.Sink = (*table.Builder)(nil)

func readAll(content []byte, target string) (*table.Table, error) {
	b := table.NewBuilder(table.Options{Name: "f", Target: target})
	r, err := parquet.NewReader(bytes.NewReader(content), int64(len(content)), "f", b)
	if err != nil {
		return nil, err
	}
	if _, err := r.Read(context.Background(), 0); err != nil {
		return nil, err
	}
	return b.Table()
}

// encode writes rows of a struct by the library itself.
func encode[T any](t testing.TB, rows []T, options ...lib.WriterOption) []byte {
	t.Helper()
	var out bytes.Buffer
	w := lib.NewGenericWriter[T](&out, options...)
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

type person struct {
	Age    int32    `parquet:"age"`
	Weight *float64 `parquet:"weight,optional"`
	Long   int64    `parquet:"long"`
	Count  uint64   `parquet:"count"`
	Small  float32  `parquet:"small"`
	Happy  bool     `parquet:"happy"`
	Price  int64    `parquet:"price,decimal(2:18)"`
	Job    *string  `parquet:"job,optional,dict"`
}

func people() []person {
	weight, clerk, cook := 70.5, "clerk", "cook"
	return []person{
		{39, &weight, -5, math.MaxUint64, 0.5, true, 1250, &clerk},
		{-1, nil, 1 << 40, 0, -2, false, -5, nil},
		{0, &weight, 0, 1, 0, true, 0, &cook},
	}
}

// show writes a table down: the header, then the rows, - for missing.
func show(t *table.Table) []string {
	all := []string{strings.Join(t.Header, " ")}
	for i := range t.Len() {
		var row []string
		for j := range t.Cols() {
			cell, ok := t.Cell(i, j)
			if !ok {
				cell = "-"
			}
			row = append(row, cell)
		}
		all = append(all, strings.Join(row, " "))
	}
	return all
}

func TestRead(t *testing.T) {
	want := []string{
		"age weight long count small happy price job",
		"39 70.5 -5 1.8446744073709552e+19 0.5 1 12.5 clerk",
		"-1 - 1.099511627776e+12 0 -2 0 -0.05 -",
		"0 70.5 0 1 0 1 0 cook",
	}
	for name, codec := range map[string]lib.WriterOption{
		"plain": lib.Compression(&lib.Uncompressed), "snappy": lib.Compression(&lib.Snappy),
		"gzip": lib.Compression(&lib.Gzip),
		"zstd": lib.Compression(&lib.Zstd), "brotli": lib.Compression(&lib.Brotli), "lz4": lib.Compression(&lib.Lz4Raw),
		"groups": lib.MaxRowsPerRowGroup(2),
	} {
		tab, err := readAll(encode(t, people(), codec), "none")
		if err != nil || !slices.Equal(show(tab), want) || !slices.Equal(tab.Lines, []int{1, 2, 3}) {
			t.Errorf("%s: %q, %v", name, show(tab), err)
		}
	}
	tab, err := readAll(encode(t, people()), "happy")
	if err != nil || !slices.Equal(tab.Labels(), []string{"true", "false", "true"}) {
		t.Errorf("labels %q, %v", tab.Labels(), err)
	}
}

func TestReadInParts(t *testing.T) {
	type row struct {
		I int64  `parquet:"i"`
		Y string `parquet:"y"`
	}
	var rows []row
	for i := range 1000 {
		rows = append(rows, row{int64(i), fmt.Sprint("c", i%3)})
	}
	content := encode(t, rows, lib.MaxRowsPerRowGroup(300), lib.PageBufferSize(100))
	for _, max := range []int{1, 7, 255, 256, 257, 1000, 1001} {
		b := table.NewBuilder(table.Options{Name: "f"})
		r, err := parquet.NewReader(bytes.NewReader(content), int64(len(content)), "f", b)
		if err != nil || r.Rows() != 1000 {
			t.Fatal(r, err)
		}
		at := 0
		for {
			n, err := r.Read(t.Context(), max)
			if err == io.EOF {
				break
			}
			tab, tableErr := b.Table()
			if err != nil || tableErr != nil || n == 0 || n > max || tab.Len() != n {
				t.Fatalf("%d rows, %v, %v", n, err, tableErr)
			}
			for i, label := range tab.Labels() {
				if cell, _ := tab.Cell(i, 0); cell != fmt.Sprint(at) || label != fmt.Sprint("c", at%3) {
					t.Fatalf("row %d is %q with label %q", at, cell, label)
				}
				at++
			}
		}
		if _, err := r.Read(t.Context(), max); at != 1000 || err != io.EOF {
			t.Errorf("max %d: %d rows, then %v", max, at, err)
		}
	}
}

func TestRefused(t *testing.T) {
	type inner struct {
		A int64 `parquet:"a"`
	}
	for name, content := range map[string][]byte{
		"lists": encode(t, []struct {
			C []int64 `parquet:"c"`
		}{{[]int64{1}}}),
		"groups": encode(t, []struct {
			C inner `parquet:"c"`
		}{{inner{1}}}),
		"maps": encode(t, []struct {
			C map[string]int64 `parquet:"c"`
		}{{map[string]int64{"a": 1}}}),
		"identifiers": encode(t, []struct {
			C [16]byte `parquet:"c,uuid"`
		}{{}}),
	} {
		_, err := readAll(content, "none")
		var input *data.InputError
		if !errors.As(err, &input) || input.File != "f" || !strings.Contains(err.Error(), `column "c" holds`) ||
			input.Advice == "" {
			t.Errorf("%s: error %v", name, err)
		}
	}
	_, err := readAll(encode(t, []struct {
		C []byte `parquet:"c"`
	}{{[]byte("text")}, {[]byte{0xff}}}), "none")
	var input *data.InputError
	if !errors.As(err, &input) || input.Line != 2 || !strings.Contains(err.Error(), "no UTF-8 text") {
		t.Errorf("bytes: error %v", err)
	}
	tab, err := readAll(encode(t, []struct {
		C time.Time `parquet:"c,timestamp(millisecond)"`
	}{{time.UnixMilli(1234)}}), "none")
	if err != nil || show(tab)[1] != "1234" {
		t.Errorf("times: %v, %v", tab, err)
	}
}

// TestDamage changes and cuts a file at many places: nothing but errors that name
// the file, or a table, may come of it.
func TestDamage(t *testing.T) {
	good := encode(t, people(), lib.MaxRowsPerRowGroup(2))
	check := func(content []byte, what string) {
		_, err := readAll(content, "none")
		var input *data.InputError
		if err != nil && err != io.EOF && (!errors.As(err, &input) || input.File != "f") {
			t.Fatalf("%s: error %T %v", what, err, err)
		}
	}
	for n := range good {
		check(good[:n], fmt.Sprintf("cut at %d", n))
	}
	for at := 0; at < len(good); at += 13 { // the fuzz test has more time
		changed := bytes.Clone(good)
		changed[at] ^= 0x55
		check(changed, fmt.Sprintf("changed at %d", at))
	}
	for _, content := range []string{"", "PAR1", "PAR1PAR1", "PAR1\x00\x00\x00\x00PAR1", "PAR1\xff\xff\xff\x7fPAR1"} {
		if _, err := readAll([]byte(content), "none"); err == nil || err == io.EOF {
			t.Errorf("%q: error %v", content, err)
		}
	}
}

func TestCancelled(t *testing.T) {
	content := encode(t, people())
	r, err := parquet.NewReader(bytes.NewReader(content), int64(len(content)), "f", table.NewBuilder(table.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Read(ctx, 0); err != context.Canceled {
		t.Errorf("error %v, want that of the context", err)
	}
}

// TestThroughFile reads a compressed stream by way of data/file.
func TestThroughFile(t *testing.T) {
	f, err := file.Open(t.Context(), "-", bytes.NewReader(encode(t, people())), parquet.Begins)
	if err != nil {
		t.Fatal(err)
	}
	if !parquet.Begins(f.Head()) {
		t.Fatalf("%s is not recognised", f.Name)
	}
	content, err := f.Bytes(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	if tab, err := readAll(content, "job"); err != nil || tab.Len() != 3 {
		t.Errorf("%v, %v", tab, err)
	}
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, cols := rapid.IntRange(1, 300).Draw(t, "rows"), rapid.IntRange(1, 12).Draw(t, "cols")
		x := data.NewMatrix(rows, cols)
		for k := range x.Data {
			x.Data[k] = float64(k) / 7
		}
		x.Data[0] = rapid.Float64().Filter(func(v float64) bool { return v-v == 0 }).Draw(t, "value")
		var labels []string
		if rapid.Bool().Draw(t, "labels") {
			for i := range rows {
				labels = append(labels, fmt.Sprint("c", i%3))
			}
		}
		var out bytes.Buffer
		w, err := parquet.NewWriter(&out, cols, labels != nil)
		if err != nil {
			t.Fatal(err)
		}
		cut := rapid.IntRange(0, rows).Draw(t, "cut")
		part := func(lo, hi int) []string {
			if labels == nil {
				return nil
			}
			return labels[lo:hi]
		}
		err = errors.Join(w.Write(data.Range[data.Vector]{Of: x, Lo: 0, Hi: cut}, part(0, cut)),
			w.Write(data.Range[data.Vector]{Of: x, Lo: cut, Hi: rows}, part(cut, rows)), w.Close())
		if err != nil {
			t.Fatal(err)
		}
		target := "none"
		if labels != nil {
			target = "label"
		}
		tab, err := readAll(out.Bytes(), target)
		if err != nil {
			t.Fatal(err)
		}
		for j := range cols {
			if tab.Header[j] != fmt.Sprintf("f%d", j+1) {
				t.Fatalf("header %q", tab.Header)
			}
		}
		s, err := table.Fit(tab, nil, scale.None)
		if err != nil {
			t.Fatal(err)
		}
		y, back, err := s.Encode(tab)
		if err != nil || !slices.Equal(y.(*data.Matrix).Data, x.Data) || !slices.Equal(labels, back) {
			t.Fatalf("%v, labels %q", err, back)
		}
	})
}

func TestWriteFaults(t *testing.T) {
	for _, cols := range []int{0, 1 << 16} {
		if _, err := parquet.NewWriter(io.Discard, cols, false); err == nil {
			t.Errorf("%d columns", cols)
		}
	}
	x := data.Slice[data.Vector]{data.Dense(1, 2)}
	for name, c := range map[string]struct {
		cols    int
		labeled bool
		x       data.Slice[data.Vector]
		labels  []string
	}{
		"columns":       {1, false, x, nil},
		"labels":        {2, false, x, []string{"a"}},
		"no labels":     {2, true, x, nil},
		"more labels":   {2, true, x, []string{"a", "b"}},
		"not a number":  {1, false, data.Slice[data.Vector]{data.Dense(math.NaN())}, nil},
		"sparse beyond": {3, false, data.Slice[data.Vector]{{Index: []int32{3}, Value: []float64{1}}}, nil},
	} {
		w, err := parquet.NewWriter(io.Discard, c.cols, c.labeled)
		if err != nil {
			t.Fatal(err)
		}
		if w.Write(c.x, c.labels) == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestLZ4 reads columns packed by LZ4, and every damage of one byte of them, by
// which parquet-go alone would take all memory.
func TestLZ4(t *testing.T) {
	rows := slices.Repeat(people(), 40)
	want, err := readAll(encode(t, rows), "none")
	if err != nil {
		t.Fatal(err)
	}
	for version := 1; version <= 2; version++ {
		content := encode(t, rows, lib.Compression(&lib.Lz4Raw), lib.DataPageVersion(version))
		got, err := readAll(content, "none")
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(show(got), show(want)) {
			t.Errorf("version %d: other rows than without packing", version)
		}
		refused := 0
		for i := range content {
			damaged := slices.Clone(content)
			damaged[i] ^= 0x7f
			if _, err := readAll(damaged, "none"); err != nil {
				refused++
			}
		}
		if refused < len(content)/4 {
			t.Errorf("version %d: %d of %d damages seen", version, refused, len(content))
		}
	}
}

func FuzzParquet(f *testing.F) {
	f.Add(encode(f, people()))
	f.Add(encode(f, people(), lib.Compression(&lib.Zstd), lib.MaxRowsPerRowGroup(2)))
	f.Add(encode(f, people(), lib.Compression(&lib.Lz4Raw), lib.DataPageVersion(1)))
	f.Add([]byte("PAR1\x15\x04PAR1"))
	f.Fuzz(func(t *testing.T, content []byte) {
		tab, err := readAll(content, "none")
		if err != nil {
			var input *data.InputError
			if err != io.EOF && !errors.As(err, &input) {
				t.Fatalf("error %T %v", err, err)
			}
			return
		}
		if s, err := table.Fit(tab, nil, scale.None); err == nil {
			if _, _, err := s.Encode(tab); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func ExampleNewWriter() {
	var content bytes.Buffer
	w, err := parquet.NewWriter(&content, 2, true)
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := errors.Join(w.Write(data.Slice[data.Vector]{data.Dense(1, 2)}, []string{"a"}), w.Close()); err != nil {
		fmt.Println(err)
		return
	}
	b := table.NewBuilder(table.Options{Target: "label"})
	r, err := parquet.NewReader(bytes.NewReader(content.Bytes()), int64(content.Len()), "x.parquet", b)
	if err != nil {
		fmt.Println(err)
		return
	}
	n, err := r.Read(context.Background(), 0)
	fmt.Println(n, err)
	// Output: 1 <nil>
}
