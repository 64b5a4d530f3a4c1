package csv_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data/csv"
	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/data/table"
	"github.com/kerf-ml/kerf/run"
)

// telling says how much is left of it: the truth at first, then much too much, and less and less.
type telling struct {
	*strings.Reader
	times int64
}

func (r *telling) Left() (int64, bool) {
	r.times++
	return []int64{int64(r.Len()), 5000, 100, 0}[r.times%4], r.times%5 > 0
}

// readAll reads a text in parts of at most max rows, taken apart in regions and pieces of
// so many bytes, row by row for 0, and returns what is known of each.
func readAll(t testing.TB, text string, o table.Options, max, region, piece int) (seen []string) {
	t.Helper()
	note := func(format string, args ...any) { seen = append(seen, fmt.Sprintf(format, args...)) }
	r, err := csv.NewReader(&telling{Reader: strings.NewReader(text)}, o)
	if err != nil {
		note("%v", err)
		return seen
	}
	r.Plain(region, piece)
	for {
		tab, err := r.Read(t.Context(), max)
		if err != nil {
			note("%v", err)
			if _, again := r.Read(t.Context(), max); again != err {
				t.Fatalf("%v, and then %v", err, again)
			}
			return seen
		}
		note("%v %v %d %q", tab.Lines, tab.Header, tab.Target, tab.Labels())
		for i := range tab.Len() {
			for j := range tab.Cols() {
				cell, ok := tab.Cell(i, j)
				note("%q %v", cell, ok)
			}
		}
		// The schema shows where the first text, odd number and decimal point stand.
		s, err := table.Fit(tab, nil, scale.Standard)
		text, _ := json.Marshal(s)
		note("%s %v", text, err)
	}
}

// same reports texts that are read otherwise in pieces than row by row.
func same(t testing.TB, text string, o table.Options, sizes ...[2]int) {
	t.Helper()
	for _, max := range []int{0, 1, 3, 1000}[:2*len(sizes)] {
		want := readAll(t, text, o, max, 0, 0)
		for _, size := range sizes {
			if got := readAll(t, text, o, max, size[0], size[1]); !reflect.DeepEqual(got, want) {
				t.Fatalf("%q in parts of %d, regions %v:\n%q\nrow by row:\n%q", text, max, size, got, want)
			}
		}
	}
}

var plainTexts = []string{
	"a,b,c\n1,2,x\n3,4,y\n", "1,2\n3,4", "1,2\r\n\r\n 3 ,\t4 \r\n", "1,2\n\n \n3,?\nNA,n/a\nnull,5\n", "1,2\n3\n4,5\n",
	"1,2\n3,4,5\n", "1,2\n3,x\n4,y\n", "1,2\n3,inf\n4,NaN\n", "1,2\n3,\"x\"\n4,y\n", "1,2\n3,\"x\ny\"\n4,5\n",
	"1,2\n3,\"x\n",
	"1;2,5;a\n2;3.5;b\n", "1\t2\n3\t \"4\n", "1 2\n3  4\n", "x\n1\n2\n", "1.5,a\n2,b\n-0,c\n+.5e3,d\n1e-400,e\n1e400,f\n",
	"0x10,1\n2,3\n", "1_0,1\n2,3\n", "1,2\n.,3\n", "1,2\n-,3\n", "1,2\n1e,3\n", "1,2\n,\n", "1,2\n3,4\n5", "1,\n2,\n",
	"12345678901234567890,1\n0.1234567890123456789,2\n9007199254740993,3\n", "1,2\n1e22,1e23\n1e-22,1e-23\n",
	"2024-01-01,1\n2024-01-02,2\n", "a,b\n1,2\nx,3\n4,5\n6,7\n",
}

func TestPlainIsRowByRow(t *testing.T) {
	for _, text := range plainTexts {
		for _, o := range []table.Options{{Name: "f"}, {Name: "f", Header: table.Absent, Target: "none"},
			{Name: "f", Header: table.Absent, Verbatim: true}} {
			same(t, text, o, [2]int{1, 1}, [2]int{64, 17})
			same(t, text, o, [2]int{7, 3}, [2]int{1 << 20, 50})
		}
	}
}

// Random texts of cells of all kinds.
func TestPlainOfRandomTexts(t *testing.T) {
	cells := []string{"1", "-2.5", "3e5", " 4 ", "", "?", "NA", "x", "1e999", "nan", "\"q\"", "12345678901234567891",
		"0.1"}
	rng := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		var b strings.Builder
		kinds := 1 + rng.IntN(len(cells))
		width := 1 + rng.IntN(4)
		for range rng.IntN(30) {
			n := width
			if rng.IntN(40) == 0 {
				n += rng.IntN(3) - 1
			}
			for j := range n {
				if j > 0 {
					b.WriteByte(',')
				}
				b.WriteString(cells[rng.IntN(kinds)])
			}
			b.WriteString([]string{"\n", "\r\n", "\n\n"}[rng.IntN(3)])
		}
		same(t, b.String(), table.Options{Name: "f", Header: table.Absent, Comma: ','}, [2]int{7, 3}, [2]int{1 << 20, 50})
	}
}

// A column that held texts is read as before where the next tables have numbers in it, or
// both, and one whose first text comes late in a region.
func TestPlainOfLaterTexts(t *testing.T) {
	cells := []string{"yes", "1", "2.5", "", "?", "1e999", "no"}
	rng := rand.New(rand.NewPCG(4, 4))
	for range 100 {
		var b strings.Builder
		for i := range 60 {
			for j := range 3 {
				if cell := cells[1]; i%20 < 5*j || rng.IntN(9) > 0 {
					b.WriteString(cell)
				} else {
					b.WriteString(cells[rng.IntN(len(cells))])
				}
				b.WriteByte(",\n"[j/2])
			}
		}
		same(t, b.String(), table.Options{Name: "f", Header: table.Absent, Comma: ',', Target: "none"}, [2]int{7, 3},
			[2]int{64, 17})
	}
}

func FuzzPlain(f *testing.F) {
	for _, text := range plainTexts {
		f.Add(text, byte(0))
	}
	f.Fuzz(func(t *testing.T, text string, how byte) {
		if len(text) > 2000 {
			return
		}
		o := table.Options{Name: "f", Header: table.Header(how % 4), Verbatim: how&4 != 0}
		if how&8 != 0 {
			o.Comma = ','
		}
		same(t, text, o, [2]int{64, 17})
	})
}

// broken fails after its text.
type broken struct {
	text string
	err  error
}

func (b *broken) Read(p []byte) (int, error) {
	if b.text == "" {
		return 0, b.err
	}
	n := copy(p, b.text)
	b.text = b.text[n:]
	return n, nil
}

// Faults of the disk and the end of the context come back as they do row by row.
func TestPlainFaults(t *testing.T) {
	fault := errors.New("the disk is broken")
	text := strings.Repeat("1,2,a\n", 100_000)
	read := func(region int) (rows int, err error) {
		r, err := csv.NewReader(&broken{text + "3,4", fault}, table.Options{Name: "f"})
		if err != nil {
			t.Fatal(err)
		}
		r.Plain(region, 100_000)
		for {
			tab, err := r.Read(t.Context(), 1000)
			if err != nil {
				return rows, err
			}
			rows += tab.Len()
		}
	}
	rows, err := read(0)
	again, plain := read(1 << 20)
	if err == nil || rows != again || fmt.Sprint(err) != fmt.Sprint(plain) {
		t.Errorf("%d rows and %v, row by row %d and %v", again, plain, rows, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	r, err := csv.NewReader(strings.NewReader(text), table.Options{Name: "f"})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := r.Read(ctx, 0); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if tab, err := r.Read(t.Context(), 0); err != nil && err != io.EOF || tab != nil && tab.Len() == 0 {
		t.Error(tab, err)
	}
}

// BenchmarkRead reads a table of 50 columns of numbers, in MB/s.
func BenchmarkRead(b *testing.B) {
	rng := rand.New(rand.NewPCG(3, 3))
	var text strings.Builder
	for range 20_000 {
		for range 50 {
			fmt.Fprintf(&text, "%.5g,", rng.NormFloat64())
		}
		text.WriteString("a\n")
	}
	for _, way := range []struct {
		name   string
		region int
	}{{"rows", 0}, {"pieces", 2 << 20}} {
		b.Run(way.name, func(b *testing.B) {
			b.SetBytes(int64(text.Len()))
			for b.Loop() {
				r, err := csv.NewReader(strings.NewReader(text.String()), table.Options{Name: "f", Run: run.Control{}})
				if err != nil {
					b.Fatal(err)
				}
				r.Plain(way.region, 128<<10)
				for {
					if _, err := r.Read(b.Context(), 4096); err != nil {
						break
					}
				}
			}
		})
	}
}
