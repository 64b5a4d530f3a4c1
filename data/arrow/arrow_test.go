package arrow_test

import (
	"bytes"
	"context"
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
	"testing/iotest"
	"time"

	"pgregory.net/rapid"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/arrow"
	"github.com/kerf-ml/kerf/data/file"
	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/data/table"
	"github.com/kerf-ml/kerf/kerftest"
	"github.com/kerf-ml/kerf/run"
)

// open returns a reader of a file or stream.
func open(content []byte, to table.Sink) (*arrow.Reader, error) {
	if arrow.IsFile(content) {
		return arrow.NewFileReader(bytes.NewReader(content), int64(len(content)), "f", to)
	}
	return arrow.NewReader(iotest.HalfReader(bytes.NewReader(content)), "f", to)
}

func readAll(content []byte, target string) (*table.Table, error) {
	b := table.NewBuilder(table.Options{Name: "f", Target: target})
	r, err := open(content, b)
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
	content, err := os.ReadFile(filepath.Join("testdata", name))
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
		"0 70.5 0 1 0 1 0 cook, and a good one 3",
	}
	for _, name := range []string{
		"people.arrow", "people.arrows", "people-batches.arrow", "people-lz4.arrow", "people-zstd.arrow",
		"people-v4.arrow", "people-large.arrow", "people-view.arrow", "people-binary.arrow", "people-dict.arrow",
		"people-dict-large.arrow", "people.feather", "people-polars.arrow", "people-polars-zstd.arrow",
	} {
		content := stored(t, name)
		if !arrow.Begins(content) {
			t.Errorf("%s is not recognised", name)
		}
		tab, err := readAll(content, "none")
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if !slices.Equal(kerftest.Cells(tab), want) || !slices.Equal(tab.Lines, []int{1, 2, 3}) {
			t.Errorf("%s: %q", name, kerftest.Cells(tab))
		}
	}
	tab, err := readAll(stored(t, "people.arrow"), "happy")
	if err != nil || !slices.Equal(tab.Labels(), []string{"true", "false", "true"}) {
		t.Errorf("labels %q, %v", kerftest.Cells(tab), err)
	}
	for name, want := range map[string][]string{
		"grows.arrows": {"c", "b", "a", "d", "-", "b", "x"},
		"types.arrow": {
			"i8 u16 u32 half tiny d32 d64 wide day date ms ns s us span fixed empty numbers",
			"-128 65535 4.294967295e+09 -1.5 5.960464477539063e-08 1.25 -1.25 -1.2345678901234568e+29 19000 " +
				"1.5779232e+12 1234 5 7 8 9 ab - 2.5",
		},
	} {
		if tab, err := readAll(stored(t, name), "none"); err != nil || !slices.Equal(kerftest.Cells(tab), want) {
			t.Errorf("%s: %q, %v", name, kerftest.Cells(tab), err)
		}
	}
	if tab, err := readAll(stored(t, "empty.arrow"), "none"); tab != nil || err != io.EOF {
		t.Errorf("empty: %v, %v", tab, err)
	}
}

// many is the table of that name, row by row, as make.py fills it.
func many() (rows []string) {
	cell := func(missing bool, v any) string {
		if missing {
			return "-"
		}
		return fmt.Sprint(v)
	}
	for i := range 700 {
		truth := 0
		if i%3 == 1 {
			truth = 1
		}
		rows = append(rows, strings.Join([]string{
			cell(i%7 == 0, i-300), cell(i%5 == 4, float64(i)/8), cell(i%11 == 0, truth),
			cell(i%13 == 0, fmt.Sprint("a text of number ", i/3)), "-", fmt.Sprint("c", i%3),
		}, " "))
	}
	return rows
}

func TestReadInParts(t *testing.T) {
	want := many()
	for _, name := range []string{"many.arrow", "many.arrows"} {
		for _, max := range []int{1, 7, 255, 256, 257, 700, 701} {
			b := table.NewBuilder(table.Options{Name: "f"})
			r, err := open(stored(t, name), b)
			if err != nil || r.Columns() != 6 {
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
}

func TestRefused(t *testing.T) {
	for name, want := range map[string]string{
		"refused-list.arrow": `column "c" holds lists`, "refused-struct.arrow": `column "c" holds structures`,
		"refused-map.arrow": `column "c" holds maps`, "refused-decimal.arrow": `column "c" holds decimals of 256 bits`,
		"refused-interval.arrow": `column "c" holds intervals`, "refused-ends.arrow": `column "c" holds run ends`,
		"refused-twice.arrow": `two columns are called "c"`, "refused.feather": "is Feather of version 1",
		"bytes.arrow": "no UTF-8 text",
	} {
		content := stored(t, name)
		_, err := readAll(content, "none")
		var input *data.InputError
		if !errors.As(err, &input) || input.File != "f" || !strings.Contains(err.Error(), want) || input.Advice == "" {
			t.Errorf("%s: error %v", name, err)
		}
		if name == "bytes.arrow" && input.Line != 2 {
			t.Errorf("line %d", input.Line)
		}
		if !arrow.Begins(content) {
			t.Errorf("%s is not recognised", name)
		}
	}
}

func TestBegins(t *testing.T) {
	for _, content := range []string{
		"", "ARROW1", "ARROW1,2\n", "FEA1,2\n", "\xff\xff\xff\xff", "\xff\xff\xff\xff\x10\x00\x00\x00aaaaaaaaaaaaaaaa",
		"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
	} {
		if arrow.Begins([]byte(content)) {
			t.Errorf("%q is recognised", content)
		}
	}
}

// TestDamage changes and cuts files at many places: nothing but errors that name
// the file, or a table, may come of it. A file that is cut is never taken for whole.
func TestDamage(t *testing.T) {
	for _, name := range []string{
		"people.arrow", "people.arrows", "people-lz4.arrow", "people-view.arrow", "people-dict-large.arrow", "grows.arrows",
	} {
		good := stored(t, name)
		check := func(content []byte, what string) error {
			_, err := readAll(content, "none")
			var input *data.InputError
			if err != nil && err != io.EOF && (!errors.As(err, &input) || input.File != "f") {
				t.Fatalf("%s %s: error %T %v", name, what, err, err)
			}
			return err
		}
		for n := range good {
			if err := check(good[:n], fmt.Sprintf("cut at %d", n)); err == nil && strings.HasSuffix(name, ".arrow") {
				t.Errorf("%s cut at %d: no error", name, n)
			}
		}
		for at := range good {
			changed := bytes.Clone(good)
			changed[at] ^= 0x55
			_ = check(changed, fmt.Sprintf("changed at %d", at))
		}
	}
}

func TestCancelled(t *testing.T) {
	r, err := open(stored(t, "people.arrow"), table.NewBuilder(table.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Read(ctx, 0); err != context.Canceled {
		t.Errorf("error %v, want that of the context", err)
	}
	broken := io.MultiReader(bytes.NewReader(stored(t, "people.arrows")[:1400]), iotest.ErrReader(context.Canceled))
	r, err = arrow.NewReader(broken, "f", table.NewBuilder(table.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Read(t.Context(), 0); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the stream", err)
	}
}

// TestBudget reads by way of data/file, with a budget and without one.
func TestBudget(t *testing.T) {
	for budget, want := range map[int64]bool{0: true, 1 << 40: true, 1: false} {
		for _, name := range []string{"many.arrow", "many.arrows"} {
			content := stored(t, name)
			f, err := file.Open(t.Context(), "-", bytes.NewReader(content), arrow.Begins)
			if err != nil {
				t.Fatal(err)
			}
			if budget > 0 {
				f.Limit(run.Control{Memory: budget})
			}
			b := table.NewBuilder(table.Options{Name: "f"})
			r, err := open(content, b)
			if err != nil {
				t.Fatal(err)
			}
			r.Reserve = f.Reserve
			n, err := r.Read(t.Context(), 0)
			var memory *run.MemoryError
			if want && (err != nil || n != 700) || !want && !errors.As(err, &memory) {
				t.Errorf("%s, budget %d: %v", name, budget, err)
			}
		}
	}
	if _, err := arrow.NewReader(bytes.NewReader(stored(t, "many.arrow")), "f", nil); err == nil ||
		!strings.Contains(err.Error(), "a file and not a stream") {
		t.Errorf("error %v", err)
	}
}

// newWriter is what makes a file, and a stream.
type newWriter func(w io.Writer, cols int, labeled bool) (*arrow.Writer, error)

var newWriters = map[string]newWriter{"file": arrow.NewWriter, "stream": arrow.NewStreamWriter}

func TestRoundTrip(t *testing.T) {
	for name, open := range newWriters {
		t.Run(name, func(t *testing.T) { rapid.Check(t, func(t *rapid.T) { checkRoundTrip(t, open) }) })
	}
}

func checkRoundTrip(t *rapid.T, open newWriter) {
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
	w, err := open(&out, cols, labels != nil)
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
}

// TestWriteMany writes more rows than a batch.
func TestWriteMany(t *testing.T) {
	const rows, cols = 50_000, 50
	var out bytes.Buffer
	w, err := arrow.NewWriter(&out, cols, true)
	if err != nil {
		t.Fatal(err)
	}
	x := data.NewMatrix(1, cols)
	for i := range rows {
		x.Data[i%cols] = float64(i)
		if err := w.Write(x, []string{fmt.Sprint("label ", i)}); err != nil {
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
		if label != fmt.Sprint("label ", i) || cell != strconv.FormatFloat(x.Data[(i+3)%cols], 'g', -1, 64) {
			t.Fatalf("row %d: %q, label %q", i, cell, label)
		}
	}
}

func TestWriteFaults(t *testing.T) {
	for _, cols := range []int{0, 1 << 16} {
		for name, open := range newWriters {
			if _, err := open(io.Discard, cols, false); err == nil {
				t.Errorf("%s of %d columns", name, cols)
			}
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
		w, err := arrow.NewWriter(io.Discard, c.cols, c.labeled)
		if err != nil {
			t.Fatal(err)
		}
		if w.Write(c.x, c.labels) == nil {
			t.Errorf("%s: no error", name)
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
	for left := range 700 {
		w, err := arrow.NewWriter(&brokenWriter{left}, 2, true)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(w.Write(x, []string{"a"}), w.Close()); err == nil {
			t.Errorf("%d bytes: no error", left)
		}
	}
}

func FuzzArrow(f *testing.F) {
	names, err := filepath.Glob("testdata/*.*[wr]*")
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
	f.Fuzz(func(t *testing.T, content []byte) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := cpuTime()
		b := table.NewBuilder(table.Options{Name: "f", Target: "none"})
		r, err := open(content, b)
		if err == nil && r.Columns() > 1<<12 {
			return // the rows below would be many cells
		}
		if err == nil {
			_, err = r.Read(t.Context(), 1<<10)
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
	w, err := arrow.NewWriter(&content, 2, true)
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := errors.Join(w.Write(data.Slice[data.Vector]{data.Dense(1, 2)}, []string{"a"}), w.Close()); err != nil {
		fmt.Println(err)
		return
	}
	b := table.NewBuilder(table.Options{Target: "label"})
	r, err := arrow.NewFileReader(bytes.NewReader(content.Bytes()), int64(content.Len()), "x.arrow", b)
	if err != nil {
		fmt.Println(err)
		return
	}
	n, err := r.Read(context.Background(), 0)
	fmt.Println(n, err)
	// Output: 1 <nil>
}
