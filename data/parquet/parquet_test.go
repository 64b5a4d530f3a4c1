package parquet_test

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
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/file"
	"github.com/kerf-ml/kerf/data/parquet"
	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/data/table"
	"github.com/kerf-ml/kerf/kerftest"
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

// stored reads a file of testdata, which make.py wrote.
func stored(t testing.TB, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", name+".parquet"))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func TestRead(t *testing.T) {
	want := []string{
		"age weight long count small happy price job few",
		"39 70.5 -5 1.8446744073709552e+19 0.5 1 12.5 clerk 255",
		"-1 - 1.099511627776e+12 0 -2 0 -0.05 - -",
		"0 70.5 0 1 0 1 0 cook 3",
	}
	for _, name := range []string{"none", "snappy", "gzip", "zstd", "brotli", "lz4", "groups", "checksum", "v2"} {
		tab, err := readAll(stored(t, "people-"+name), "none")
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if !slices.Equal(kerftest.Cells(tab), want) || !slices.Equal(tab.Lines, []int{1, 2, 3}) {
			t.Errorf("%s: %q", name, kerftest.Cells(tab))
		}
	}
	tab, err := readAll(stored(t, "people-none"), "happy")
	if err != nil || !slices.Equal(tab.Labels(), []string{"true", "false", "true"}) {
		t.Errorf("labels %q, %v", tab.Labels(), err)
	}
	tab, err = readAll(stored(t, "people-polars"), "job")
	if err != nil || kerftest.Cells(tab)[1] != "39 70.5 -5 1.8446744073709552e+19 0.5 1 clerk 255" {
		t.Errorf("polars: %q, %v", kerftest.Cells(tab), err)
	}
	for name, want := range map[string][]string{
		"times": {"ms day us", "1234 19000 5"}, "fixed": {"c", "ab", "-", "cd"},
	} {
		if tab, err := readAll(stored(t, name), "none"); err != nil || !slices.Equal(kerftest.Cells(tab), want) {
			t.Errorf("%s: %q, %v", name, kerftest.Cells(tab), err)
		}
	}
	if tab, err := readAll(stored(t, "empty"), "none"); tab != nil || err != io.EOF {
		t.Errorf("empty: %v, %v", tab, err)
	}
}

// many is the table of that name, row by row, as make.py fills it.
func many() []string {
	rows := []string{"n step wild x f b t none y"}
	cell := func(missing bool, v any) string {
		if missing {
			return "-"
		}
		if f, ok := v.(float64); ok {
			return strconv.FormatFloat(f, 'g', -1, 64)
		}
		return fmt.Sprint(v)
	}
	for i := range 1100 {
		truth := 0
		if i%3 == 1 {
			truth = 1
		}
		wild := int64(uint64(i)*0x9E3779B97F4A7C15 - 1<<63)
		rows = append(rows, strings.Join([]string{
			cell(false, float64(i*i%1009-500)), cell(i%7 == 0, float64(3*i)), cell(false, float64(wild)),
			cell(i%5 == 4, float64(i)/8), cell(false, float64(i)/4), cell(i%11 == 0, truth),
			cell(i%13 == 0, fmt.Sprintf("text %d", i/3)), "-", fmt.Sprint("c", i%3),
		}, " "))
	}
	return rows
}

// TestEncodings reads the same table in all encodings, with pages and groups that
// end in the middle of batches.
func TestEncodings(t *testing.T) {
	want := many()
	for _, name := range []string{"dict", "dict-v2", "plain", "delta-v1", "delta-v2", "split", "polars"} {
		tab, err := readAll(stored(t, "many-"+name), "y")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for i, row := range kerftest.Cells(tab) {
			if row != want[i] {
				t.Errorf("%s: row %d is %q, want %q", name, i, row, want[i])
				break
			}
		}
		if tab.Len() != len(want)-1 {
			t.Errorf("%s: %d rows", name, tab.Len())
		}
	}
}

func TestReadInParts(t *testing.T) {
	want := many()[1:]
	content := stored(t, "many-dict")
	for _, max := range []int{1, 7, 255, 256, 257, 1100, 1101} {
		b := table.NewBuilder(table.Options{Name: "f"})
		r, err := parquet.NewReader(bytes.NewReader(content), int64(len(content)), "f", b)
		if err != nil || r.Rows() != len(want) || r.Columns() != 9 {
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
			for _, row := range kerftest.Cells(tab)[1:] {
				if row != want[at] {
					t.Fatalf("row %d is %q, want %q", at, row, want[at])
				}
				at++
			}
		}
		if _, err := r.Read(t.Context(), max); at != len(want) || err != io.EOF {
			t.Errorf("max %d: %d rows, then %v", max, at, err)
		}
	}
}

func TestRefused(t *testing.T) {
	for _, name := range []string{"list", "struct", "map", "uuid", "float16", "int96", "decimal"} {
		_, err := readAll(stored(t, "refused-"+name), "none")
		var input *data.InputError
		if !errors.As(err, &input) || input.File != "f" || !strings.Contains(err.Error(), `column "c" holds`) ||
			input.Advice == "" {
			t.Errorf("%s: error %v", name, err)
		}
	}
	_, err := readAll(stored(t, "refused-twice"), "none")
	var input *data.InputError
	if !errors.As(err, &input) || !strings.Contains(err.Error(), `two columns are called "c"`) {
		t.Errorf("two columns of a name: error %v", err)
	}
	_, err = readAll(stored(t, "bytes"), "none")
	if !errors.As(err, &input) || input.Line != 2 || !strings.Contains(err.Error(), "no UTF-8 text") {
		t.Errorf("bytes: error %v", err)
	}
}

// TestDamage changes and cuts files at many places: nothing but errors that name
// the file, or a table, may come of it.
func TestDamage(t *testing.T) {
	for _, name := range []string{"people-groups", "people-lz4", "people-v2", "many-delta-v2"} {
		good := stored(t, name)
		check := func(content []byte, what string) {
			_, err := readAll(content, "none")
			var input *data.InputError
			if err != nil && err != io.EOF && (!errors.As(err, &input) || input.File != "f") {
				t.Fatalf("%s %s: error %T %v", name, what, err, err)
			}
		}
		for n := range good {
			if n < 3000 {
				check(good[:n], fmt.Sprintf("cut at %d", n))
			}
		}
		step := 1 + len(good)/300
		for at := 0; at < len(good); at += step { // the fuzz test has more time
			changed := bytes.Clone(good)
			changed[at] ^= 0x55
			check(changed, fmt.Sprintf("changed at %d", at))
		}
	}
	for _, content := range []string{"", "PAR1", "PAR1PAR1", "PAR1\x00\x00\x00\x00PAR1", "PAR1\xff\xff\xff\x7fPAR1"} {
		if _, err := readAll([]byte(content), "none"); err == nil || err == io.EOF {
			t.Errorf("%q: error %v", content, err)
		}
	}
}

// TestChecksum changes every byte before the footer of a file that has checksums: no
// damage of values goes unseen, and hardly one of the heads of pages, which have no
// checksum.
func TestChecksum(t *testing.T) {
	good := stored(t, "people-checksum")
	want, err := readAll(good, "none")
	if err != nil {
		t.Fatal(err)
	}
	foot := len(good) - 8 - int(binary.LittleEndian.Uint32(good[len(good)-8:]))
	unseen := 0
	for at := 4; at < foot; at++ {
		changed := bytes.Clone(good)
		changed[at] ^= 0x10
		if got, err := readAll(changed, "none"); err == nil && !slices.Equal(kerftest.Cells(got), kerftest.Cells(want)) {
			unseen++
		}
	}
	if unseen > 2 {
		t.Errorf("%d damages of %d bytes gave other cells and no error", unseen, foot)
	}
}

func TestCancelled(t *testing.T) {
	content := stored(t, "people-none")
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
	f, err := file.Open(t.Context(), "-", bytes.NewReader(stored(t, "people-none")), parquet.Begins)
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

// TestWriteMany writes more labels than a dictionary holds, and more rows than a
// group.
func TestWriteMany(t *testing.T) {
	const rows, cols = 70_000, 70
	var out bytes.Buffer
	w, err := parquet.NewWriter(&out, cols, true)
	if err != nil {
		t.Fatal(err)
	}
	x := data.NewMatrix(1, cols)
	for i := range rows {
		x.Data[i%cols] = float64(i)
		if err := w.Write(x, []string{fmt.Sprint("label ", i%40_000)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	tab, err := readAll(out.Bytes(), "label")
	if err != nil || tab.Len() != rows {
		t.Fatal(tab, err)
	}
	clear(x.Data)
	for i, label := range tab.Labels() {
		x.Data[i%cols] = float64(i)
		cell, _ := tab.Cell(i, (i+3)%cols)
		if label != fmt.Sprint("label ", i%40_000) || cell != strconv.FormatFloat(x.Data[(i+3)%cols], 'g', -1, 64) {
			t.Fatalf("row %d: %q, label %q", i, cell, label)
		}
	}
}

type brokenWriter struct{ left int }

func (w *brokenWriter) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left < 0 {
		return 0, errors.New("disk full")
	}
	return len(p), nil
}

func TestWriteFails(t *testing.T) {
	x := data.Slice[data.Vector]{data.Dense(1, 2)}
	for left := range 250 {
		w, err := parquet.NewWriter(&brokenWriter{left}, 2, true)
		if err != nil {
			t.Fatal(err)
		}
		err = errors.Join(w.Write(x, []string{"a"}), w.Close())
		if err == nil {
			t.Errorf("%d bytes: no error", left)
		}
	}
}

func FuzzParquet(f *testing.F) {
	names, err := filepath.Glob("testdata/*.parquet")
	if err != nil || len(names) == 0 {
		f.Fatal(names, err)
	}
	for _, name := range names {
		content, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		if len(content) < 20_000 {
			f.Add(content)
		}
	}
	f.Add([]byte("PAR1\x15\x04PAR1"))
	f.Fuzz(func(t *testing.T, content []byte) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := cpuTime()
		b := table.NewBuilder(table.Options{Name: "f", Target: "none"})
		r, err := parquet.NewReader(bytes.NewReader(content), int64(len(content)), "f", b)
		if err == nil && float64(r.Rows())*float64(r.Columns()) > 1<<20 {
			return // which readers reserve memory for, and refuse
		}
		if err == nil {
			_, err = r.Read(t.Context(), 0)
		}
		runtime.ReadMemStats(&after)
		if made := after.TotalAlloc - before.TotalAlloc; made > 1<<30 || cpuTime()-start > time.Second {
			t.Fatalf("%d MiB were made in %v", made>>20, cpuTime()-start)
		}
		if err != nil {
			var input *data.InputError
			if err != io.EOF && !errors.As(err, &input) {
				t.Fatalf("error %T %v", err, err)
			}
			return
		}
		tab, err := b.Table()
		if err != nil {
			t.Fatal(err)
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
