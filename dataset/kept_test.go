package dataset_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/run"
	"github.com/kerf-ml/kerf/sums"
)

// The larger sample is that of the reservoir, a quarter of the rows at most, whatever the
// memory by which the file is read in parts; the smaller one is a part of it.
func TestSurveyMore(t *testing.T) {
	var b strings.Builder
	b.WriteString("x,y\n")
	const rows = 9000
	for i := range rows {
		fmt.Fprintf(&b, "%d,%d\n", i, i%2)
	}
	path := filepath.Join(t.TempDir(), "d.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	column := func(r *dataset.Rows) []string {
		_, cells, err := r.Cells([]string{"x"})
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, c := range cells {
			out = append(out, c[0])
		}
		return out
	}
	for _, memory := range []int64{1 << 24, 1 << 30} {
		for _, more := range []int{400, 1000, 5000} {
			keep := func(row int) bool { return row%9 > 0 }
			sample, err := dataset.Survey(t.Context(), path, dataset.Options{Run: run.Control{Memory: memory}},
				dataset.Sampling{Rows: 100, Seed: 3, Needed: true, Keep: keep, More: more})
			if err != nil {
				t.Fatal(err)
			}
			want := sums.NewReservoir(3, min(more, rows*8/9/4))
			for row := range rows {
				if keep(row) {
					want.Offer(row)
				}
			}
			var numbers []string
			for _, row := range want.Rows() {
				numbers = append(numbers, fmt.Sprint(row))
			}
			got := sample.Surveyed().TakeMore(200)
			if got == nil || !slices.Equal(column(got), numbers) || len(got.Labels) != got.Len() {
				t.Fatalf("memory %d, %d more: %v", memory, more, got)
			}
			for _, x := range column(sample) {
				if !slices.Contains(numbers, x) {
					t.Fatalf("row %s of the sample is none of the larger one", x)
				}
			}
			if sample.Surveyed().TakeMore(0) != nil {
				t.Fatal("the larger sample was taken twice")
			}
		}
	}
	for _, s := range []dataset.Sampling{{Rows: 100}, {Rows: 100, More: 100}, {Rows: 100, More: 199}} {
		sample, err := dataset.Survey(t.Context(), path, dataset.Options{}, s)
		if err != nil || sample.Surveyed().TakeMore(200) != nil {
			t.Errorf("%+v: a larger sample, %v", s, err)
		}
	}
}
