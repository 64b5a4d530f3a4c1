package csv_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/csv"
	"github.com/kerf-ml/kerf/run"
)

// The text is the same for any number of workers, and so is what comes before a fault.
func TestWriteOn(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	const block = 1 << 14 // cells
	for _, size := range [][2]int{{0, 3}, {1, 1}, {block - 1, 1}, {block, 1}, {block + 1, 1}, {1000, 50}, {3, block + 1}} {
		x, labels := data.NewMatrix(size[0], size[1]), make([]string, size[0])
		var want strings.Builder
		for i := range size[0] {
			for j := range size[1] {
				x.Row(i)[j] = rng.NormFloat64()
				want.WriteString(strconv.FormatFloat(x.Row(i)[j], 'g', -1, 64) + ",")
			}
			labels[i] = fmt.Sprint("l", i%3)
			want.WriteString(labels[i] + "\n")
		}
		for _, workers := range []int{1, 2, 3, 8, math.MaxInt} { // there are no more blocks than rows fill
			var got bytes.Buffer
			err := csv.WriteOn(run.Control{Workers: workers}, &got, nil, x, labels)
			if err != nil || got.String() != want.String() {
				t.Fatalf("%v, %d workers: %v, %d bytes, want %d", size, workers, err, got.Len(), want.Len())
			}
			if size[0] < 1000 {
				continue
			}
			odd := *x
			odd.Data = append([]float64(nil), x.Data...)
			odd.Row(700)[0], odd.Row(900)[0] = math.NaN(), math.Inf(1)
			got.Reset()
			err = csv.WriteOn(run.Control{Workers: workers}, &got, nil, &odd, labels)
			if err == nil || !strings.Contains(err.Error(), "row 701:") || strings.Count(got.String(), "\n") != 700 {
				t.Fatalf("%v, %d workers: %v after %d rows", size, workers, err, strings.Count(got.String(), "\n"))
			}
		}
	}
}
