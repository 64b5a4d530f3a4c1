package csv_test

import (
	"bytes"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/csv"
	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/data/table"
)

func TestWriteRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, dim := rapid.IntRange(1, 9).Draw(t, "rows"), rapid.IntRange(1, 5).Draw(t, "dim")
		x := data.NewMatrix(rows, dim)
		var labels []string
		for k := range x.Data {
			x.Data[k] = rapid.Float64().Filter(func(v float64) bool { return v-v == 0 }).Draw(t, "value")
		}
		for range rows {
			labels = append(labels, rapid.StringMatching("( |\"|,|a|\n|\\?|NA|;|\t|\\|){1,4}").Draw(t, "label"))
		}
		header := rapid.SliceOfNDistinct(rapid.StringMatching("[a-z ,\"]{1,4}x"), dim+1, dim+1, rapid.ID).Draw(t, "header")
		var out strings.Builder
		if err := csv.Write(&out, header, x, labels); err != nil {
			t.Fatal(err)
		}
		tab, err := read(out.String(), table.Options{Header: table.Present, Comma: ','})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(tab.Header, header) || !slices.Equal(tab.Labels(), labels) {
			t.Fatalf("header %q, labels %q, want %q, %q", tab.Header, tab.Labels(), header, labels)
		}
		s, err := table.Fit(tab, nil, scale.None)
		if err != nil {
			t.Fatal(err)
		}
		back, _, err := s.Encode(tab)
		if err != nil || !slices.Equal(back.(*data.Matrix).Data, x.Data) {
			t.Fatalf("%v, %v, want %v", back, err, x)
		}
	})
}

func TestWriteFaults(t *testing.T) {
	x := data.Slice[data.Vector]{data.Dense(1, 2)}
	if csv.Write(io.Discard, nil, x, []string{"a", "b"}) == nil {
		t.Error("two labels for one instance")
	}
	if csv.Write(io.Discard, []string{"a"}, x, nil) == nil {
		t.Error("one name for two columns")
	}
	if csv.Write(io.Discard, nil, data.Slice[data.Vector]{data.Dense(math.NaN())}, nil) == nil {
		t.Error("NaN was written")
	}
}

func FuzzCSV(f *testing.F) {
	for _, seed := range []string{
		people, "1,2,a\n3,?,b\n", "a\tb\n\"x\ty\"\t\"z\n", "\"a\"\"\nb\",1\nc,2\n", "1;NaN\nx;2\n", "1e308,a\n-1e308,b\n",
		"a,b\n1,2,3\n4,5,6\n", "\xef\xbb\xbf\r\n1|2\r\n", "# so\n#a b\n 1  \"2\" \n3\t4\n",
	} {
		f.Add(seed, byte(0), "last")
	}
	f.Add("a,b\n1,2\n", byte(9), "b")
	f.Fuzz(func(t *testing.T, text string, how byte, target string) {
		isInput := func(err error) bool {
			var input *data.InputError
			if err != nil && !errors.As(err, &input) {
				t.Fatalf("error %T %v", err, err)
			}
			return err != nil
		}
		o := table.Options{Header: table.Header(how % 4), Target: target, Verbatim: how&4 != 0}
		names, sample := csv.Sample([]byte(text), true, o)
		tab, err := read(text, o)
		if isInput(err) {
			return
		}
		if len(text) < 1000 && (len(sample) != tab.Len() || (names == nil) != (tab.Header == nil)) {
			t.Fatalf("the sample has %d rows, names %q; the table %d, names %q", len(sample), names, tab.Len(), tab.Header)
		}
		scale := scale.Kinds()[how/8%7]
		s, err := table.Fit(tab, nil, scale)
		if isInput(err) {
			return
		}
		if err := s.Validate(); err != nil {
			t.Fatal(err)
		}
		x, labels, err := s.Encode(tab)
		if err != nil {
			t.Fatal(err)
		}
		if m, ok := x.(*data.CSR); ok && m.Validate() != nil {
			t.Fatal(m.Validate())
		}
		if n, err := s.Unseen(tab); n != 0 || err != nil {
			t.Fatalf("unseen %d, %v", n, err)
		}
		checkWritten(t, s, x, labels)
	})
}

// checkWritten writes the encoded rows and reads them back.
func checkWritten(t *testing.T, s *table.Schema, x data.Source[data.Vector], labels []string) {
	var out bytes.Buffer
	if err := csv.Write(&out, nil, x, labels); err != nil {
		t.Fatal(err)
	}
	o := table.Options{Header: table.Absent, Comma: ','}
	if labels == nil {
		o.Target = "none"
	}
	tab, err := read(out.String(), o)
	if err != nil {
		t.Fatal(err)
	}
	back := mustFit(t, tab, nil, scale.None)
	y, backLabels, err := back.Encode(tab)
	if err != nil || y.Len() != x.Len() || !slices.Equal(labels, backLabels) || data.Dim(y) != s.Width {
		t.Fatalf("read %d rows of %d with labels %q, %v", y.Len(), data.Dim(y), backLabels, err)
	}
	for i := range x.Len() {
		data.Walk(x.At(i), y.At(i), func(j int, a, b float64) {
			if a != b {
				t.Fatalf("row %d, coordinate %d: wrote %v, read %v", i, j, a, b)
			}
		})
	}
}
