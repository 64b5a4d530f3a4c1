package report_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/explain"
	"github.com/kerf-ml/kerf/job"
	"github.com/kerf-ml/kerf/report"
)

// TestPlane: a page draws rows in the directions of a metric, by class, by the most frequent
// of many, or by thirds of numbers; rows of unknown labels are left out.
func TestPlane(t *testing.T) {
	const n = 60
	places := data.NewMatrix(n, 2)
	classes, values, names := make([]int, n), make([]float64, n), make([]string, 9)
	for i := range n {
		places.Row(i)[0], places.Row(i)[1] = math.Sin(float64(i)), math.Cos(float64(2*i))
		classes[i], values[i] = i*i%9, float64(i)
	}
	classes[7] = -1
	for c := range names {
		names[c] = fmt.Sprintf("<kind %d>", c)
	}
	along := []explain.Direction{{Share: 0.75, Coordinates: []explain.Coordinate{{Name: "a<b", Weight: 0.8},
		{Name: "c", Weight: -0.6}}}, {Share: 0.25}}
	two := make([]int, n)
	for i := range two {
		two[i] = i % 2
	}
	for _, c := range []struct {
		name  string
		plane explain.Plane
		want  []string
		not   []string
	}{
		{"two classes", explain.Plane{Truth: explain.Truth{Classes: two}, Classes: []string{"no", "yes"}},
			[]string{"no", "yes", "75.00%", "+0.80 a&lt;b", "-0.60 c"}, []string{"others", "of the blend"}},
		{"many", explain.Plane{Part: 2, Truth: explain.Truth{Classes: classes}, Classes: names},
			[]string{"others", "&lt;kind 0&gt;", "part 2 of the blend"}, nil},
		{"numbers", explain.Plane{Truth: explain.Truth{Values: values}}, []string{"below 20", "from 40"}, nil},
	} {
		c.plane.Directions, c.plane.Places = along, places
		var b strings.Builder
		if err := report.Explanation(&b, "m", &job.Explained{Plane: &c.plane}); err != nil {
			t.Fatal(err)
		}
		has(t, b.String(), append(c.want, "What the learnt metric looks at", "direction 2"), append(c.not, "NaN", "<kind"))
	}
}
