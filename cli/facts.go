package cli

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"text/tabwriter"

	"github.com/kerf-ml/kerf/data"
)

// facts writes lines of a name and a fact, aligned.
type facts struct{ w *tabwriter.Writer }

func newFacts(w io.Writer) facts { return facts{tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)} }

func (f facts) add(name, format string, args ...any) {
	fmt.Fprintf(f.w, name+"\t"+format+"\n", args...)
}

// addWeights says what the weights of rows come to, where there are any.
func (f facts) addWeights(w *weighing) {
	if w != nil {
		f.add("weights", "%s", w)
	}
}

func (f facts) flush() error { return f.w.Flush() }

// percent writes a part of one for people.
func percent(p float64) string {
	return strconv.FormatFloat(100*p, 'f', 2, 64) + "%"
}

// grouped writes a count with commas: 1234567 is 1,234,567.
func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// picked is a remark on what kerf chose itself.
func picked(itself bool, how string) string {
	if !itself {
		return ""
	}
	return " (" + how + ")"
}

// spreads returns the smallest and the largest standard deviation among those
// of the given coordinates of x that vary, looking at a thousand rows.
func spreads(x data.Source[data.Vector], coordinates []int) (low, high float64) {
	n := min(x.Len(), 1000)
	low = math.Inf(1)
	for _, j := range coordinates {
		sum, square := 0.0, 0.0
		for i := range n {
			v := at(x.At(i), j)
			sum += v
			square += v * v
		}
		mean := sum / float64(n)
		v := square/float64(n) - mean*mean
		if v > 1e-12*mean*mean && v > 0 {
			low, high = min(low, math.Sqrt(v)), max(high, math.Sqrt(v))
		}
	}
	return low, high
}

// at returns coordinate j of v.
func at(v data.Vector, j int) float64 {
	if v.IsSparse() {
		k, found := slices.BinarySearch(v.Index, int32(j))
		if !found {
			return 0
		}
		j = k
	}
	if j >= len(v.Value) {
		return 0
	}
	return v.Value[j]
}
