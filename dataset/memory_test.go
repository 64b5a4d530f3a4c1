package dataset_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/arrow"
	"github.com/kerf-ml/kerf/data/parquet"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/run"
)

// TestReadBeyondMemory: every format stops where its rows exceed the budget.
func TestReadBeyondMemory(t *testing.T) {
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	for range 500 {
		fmt.Fprint(z, strings.Repeat("1,2\n", 1000))
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	var keys strings.Builder // of which each comes in one row alone
	for i := range 2000 {
		fmt.Fprintf(&keys, "{\"k%d\": 1}\n", i)
	}
	var columns bytes.Buffer
	w, err := parquet.NewWriter(&columns, 4, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(data.NewMatrix(200_000, 4), nil); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var stream bytes.Buffer
	a, err := arrow.NewStreamWriter(&stream, 4, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(a.Write(data.NewMatrix(200_000, 4), nil), a.Close()); err != nil {
		t.Fatal(err)
	}
	const many = 200_000
	for name, c := range map[string]struct {
		content string
		kind    dataset.Kind
		says    []string
	}{
		"a.csv": {strings.Repeat("1,2\n", many), "", []string{"a.csv: line ", "after ", "budget is 4 MiB",
			"--max-memory"}},
		"a.csv.gz":  {zipped.String(), "", []string{"a.csv.gz: line ", "unpacked from ", "of gzip data", "times as much"}},
		"a.libsvm":  {strings.Repeat("1 1:2 3:4\n", many), "", []string{"a.libsvm: line "}},
		"a.txt":     {strings.Repeat("a b c\n", many), dataset.Strings, []string{"a.txt: line "}},
		"a.fasta":   {strings.Repeat("> label=1\nACGT\n", many), "", []string{"a.fasta: line "}},
		"a.baskets": {strings.Repeat("a,b,c\n", many), "", []string{"a.baskets: line "}},
		"a.jsonl":   {keys.String(), "", []string{"a.jsonl: "}},
		"a.parquet": {columns.String(), "", []string{"a.parquet: "}},
		"a.arrows":  {stream.String(), "", []string{"a.arrows: "}},
		"a.idx":     {"\x00\x00\x0e\x02\x00\x01\x00\x00\x00\x00\x01\x00", "", []string{"a.idx: an array of 16777216 values"}},
		"a.npy": {"\x93NUMPY\x01\x00\x3d\x00{'descr': '<f8', 'fortran_order': True, 'shape': (900, 900)}\n", "",
			[]string{"a.npy: an array of 810000 values would need 12.4 MiB"}},
	} {
		path := write(t, name, c.content)
		_, err := dataset.Read(t.Context(), path, dataset.Options{Kind: c.kind, Run: run.Control{Memory: 4 << 20}})
		var memory *run.MemoryError
		if !errors.As(err, &memory) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, part := range c.says {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s does not say %q: %v", name, part, err)
			}
		}
	}
}
