package job_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/job"
	"github.com/kerf-ml/kerf/model"
)

// cycle returns n labels that go through values of the given step again and again.
func cycle(n, from, to int, format string) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf(format, from+i%(to-from+1))
	}
	return out
}

func TestTaskOf(t *testing.T) {
	spread := make([]string, 500) // prices
	rings := make([]string, 0, 500)
	for i := range spread {
		spread[i] = fmt.Sprint(100_000 + 977*i%300_000)
	}
	for v := 1; v <= 28; v++ { // frequent in the middle, alone at the ends
		for range 1 + max(0, 30-4*max(v-10, 10-v)) {
			rings = append(rings, fmt.Sprint(v))
		}
	}
	classes, numbers := model.Classify, model.Regress
	for _, test := range []struct {
		name   string
		labels []string
		want   model.Task
	}{
		{"texts", cycle(400, 1, 200, "name %d"), classes},
		{"two fractions", strings.Fields("0.5 1.5 0.5"), classes},
		{"signs", strings.Fields("+1 -1 -1 1.0"), classes},
		{"three codes in three rows", strings.Fields("1 2 3"), classes},
		{"codes with gaps", cycle(300, 3, 9, "%d0"), classes},
		{"scores", cycle(300, 3, 9, "%d"), classes},
		{"letters", cycle(15_000, 1, 26, "%d"), classes},
		{"many codes, equally frequent", cycle(1000, 0, 99, "%d"), classes},
		{"one class", cycle(9, 4, 4, "%d"), classes},
		{"missing beside classes", append(cycle(30, 1, 3, "%d"), "", ""), classes},
		{"slips among few", append(cycle(30, 1, 3, "%d"), "x"), classes},
		{"as many texts as numbers", append(cycle(30, 1, 30, "%d"), cycle(30, 1, 30, "x%d")...), classes},
		{"none", nil, classes},
		{"fractions", cycle(50, 1, 9, "0.%d"), numbers},
		{"prices", spread, numbers},
		{"ages", cycle(600, 18, 45, "%d"), numbers},
		{"rings", rings, numbers},
		{"years in few rows", cycle(8, 1991, 1998, "%d"), numbers},
		{"a slip among numbers", append(cycle(99, 1, 99, "%d.5"), "n.a."), numbers},
	} {
		if got := job.TaskOf(test.labels); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}
