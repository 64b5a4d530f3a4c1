package job_test

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/job"
	"github.com/kerf-ml/kerf/run"
)

// Scales that sort numbers are those of memory where the sample has all rows, weights or
// not, and near them where it has not; the same bits for any number of workers.
func TestStreamScalesByRanks(t *testing.T) {
	path := mixed(t, 6000)
	for _, kind := range []string{"robust", "quantile", "log", "mixed"} {
		for _, weighted := range []bool{false, true} {
			var first []byte
			for _, memory := range []int64{0, 48 << 20, 48 << 20} {
				o := job.TrainOptions{Options: chosen(t, "rbf(gamma=0.3)", "f2(dim=900)", "ridge(lambda=0.1)")}
				o.Scale, o.Read.Target, o.Read.Drop = kind, "class", []string{"value", "w"}
				if weighted {
					o.Read.Weight, o.Read.Drop = "w", []string{"value"}
				}
				want := train(t, path, o)
				o.Stream, o.Run = true, run.Control{Memory: memory, Workers: 1}
				if first != nil {
					o.Run.Workers = 2
				}
				got := train(t, path, o)
				if sampled := got.Streamed.Sample < got.Streamed.Rows; sampled != (memory > 0) {
					t.Fatalf("a sample of %d of %d rows", got.Streamed.Sample, got.Streamed.Rows)
				}
				for j, c := range want.Model.Encoding.Table.Columns {
					g := got.Model.Encoding.Table.Columns[j]
					if memory == 0 {
						if fmt.Sprintf("%+v %+v", g, g.Curve) != fmt.Sprintf("%+v %+v", c, c.Curve) &&
							g.Curve == nil && c.Curve == nil {
							t.Errorf("%s: %+v, want %+v", kind, g, c)
						}
						continue
					}
					// Normal numbers of deviation 1: a rank that is off by 0.5% is off by less than 0.05.
					if math.Abs(g.Mean-c.Mean) > 0.05 || math.Abs(g.Center-c.Center) > 0.05 ||
						math.Abs(g.Spread-c.Spread) > 0.05 || g.Indicator != c.Indicator {
						t.Errorf("%s: %+v, want %+v", kind, g, c)
					}
				}
				if memory > 0 {
					b := bytesOf(t, got.Model)
					if first != nil && !bytes.Equal(b, first) {
						t.Errorf("%s: another model with two workers", kind)
					}
					first = b
				}
			}
		}
	}
}

// A stream of JSON Lines is that of the same rows of CSV, and the training in memory.
func TestStreamOfJSONLines(t *testing.T) {
	table := mixed(t, 3000)
	text, err := os.ReadFile(table)
	if err != nil {
		t.Fatal(err)
	}
	rows := strings.Split(strings.TrimSpace(string(text)), "\n")
	var b strings.Builder
	for _, row := range rows[1:] {
		c := strings.Split(row, ",")
		if c[0] == "" {
			c[0] = "null"
		}
		fmt.Fprintf(&b, `{"a":%s,"b":%s,"colour":"%s","w":%s,"class":"%s","value":%s}`+"\n", c[0], c[1], c[2], c[3], c[4],
			c[5])
	}
	path := put(t, "mixed.jsonl", b.String())
	for _, learner := range []string{"ridge(lambda=0.1)", "svm(C=2,tolerance=1e-11)"} {
		o := job.TrainOptions{Options: chosen(t, "rbf(gamma=0.3)", "f2(dim=40)", learner), Stream: true}
		o.Read.Target, o.Read.Drop, o.Read.Weight = "class", []string{"value"}, "w"
		got, want := train(t, path, o), train(t, table, o)
		o.Stream = false
		memory := train(t, path, o)
		a, c, m := scoresOf(t, got.Model, path), scoresOf(t, want.Model, table), scoresOf(t, memory.Model, path)
		largest := 0.0
		for _, v := range m {
			largest = max(largest, math.Abs(v))
		}
		for i, v := range c {
			if a[i] != v || math.Abs(a[i]-m[i]) > 1e-4*largest {
				t.Fatalf("%s: score %d is %v, of CSV %v, in memory %v", learner, i, a[i], v, m[i])
			}
		}
	}
}
