package parquet_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/kerf-ml/kerf/data/parquet"
	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/data/table"
	"github.com/kerf-ml/kerf/run"
)

// cellwise hides that a builder takes whole columns.
type cellwise struct{ table.Sink }

// outcome is all that can be seen of reading a file in parts of so many rows, 0 for one part.
func outcome(t *testing.T, content []byte, o table.Options, part, workers int, whole bool) []string {
	b := table.NewBuilder(o)
	var to table.Sink = b
	if !whole {
		to = cellwise{b}
	}
	r, err := parquet.NewReader(bytes.NewReader(content), int64(len(content)), "f", to)
	if err != nil {
		return []string{err.Error()}
	}
	r.Run = run.Control{Workers: workers}
	var out []string
	for {
		n, err := r.Read(t.Context(), part)
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			return append(out, err.Error())
		}
		tab, err := b.Table()
		if err != nil {
			return append(out, err.Error())
		}
		out = append(out, fmt.Sprint(n, tab.Lines, tab.Labels()))
		out = append(out, show(tab)...)
		s, err := table.Fit(tab, nil, scale.Standard)
		if err != nil {
			out = append(out, err.Error())
			continue
		}
		x, _, err := s.Encode(tab)
		out = append(out, s.Summary(), fmt.Sprint(err))
		for i := range x.Len() {
			dense := make([]float64, s.Width)
			x.At(i).CopyTo(dense)
			for _, v := range dense {
				out = append(out, fmt.Sprintf("%x", math.Float64bits(v)))
			}
		}
	}
}

// TestWholeColumns reads all files, and such with damaged bytes, by whole columns and cell by cell: tables, errors and
// their places are the same, for any part, target and number of workers.
func TestWholeColumns(t *testing.T) {
	names, err := filepath.Glob("testdata/*.parquet")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	for k, name := range names {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for d := range 6 {
			if d > 0 { // the first is whole
				content = bytes.Clone(content)
				content[(d*7919+k*104729)%len(content)] ^= byte(1 << (d % 8))
			}
			for c, target := range []string{"none", "b", "x", "label"} {
				o := table.Options{Name: "f", Target: target}
				part := []int{0, 1, 7, 1023, 1024, 1025, 3000}[(k+d+c)%7]
				want := outcome(t, content, o, part, 1, false)
				for _, workers := range []int{1, 3} {
					if got := outcome(t, content, o, part, workers, true); !slices.Equal(got, want) {
						at := 0
						for at < min(len(got), len(want)) && got[at] == want[at] {
							at++
						}
						t.Fatalf("%s, damage %d, parts of %d, target %s: %d lines of %d, from line %d: %.300v and %.300v",
							name, d, part, target, len(got), len(want), at, got[at:], want[at:])
					}
				}
			}
		}
	}
}
