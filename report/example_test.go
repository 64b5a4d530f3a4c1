package report_test

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/eval"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/report"
)

// A page on a model of two classes that was tested on four rows.
func ExampleTrain() {
	said := eval.Said{
		Classes: 2, Truth: []int{0, 0, 1, 1}, Predicted: []int{0, 1, 1, 1},
		Scores: &data.Matrix{Rows: 4, Cols: 2, Data: []float64{1, -1, -0.5, 0.5, -2, 2, -1, 1}},
	}
	measured, err := eval.NewMeasure().Classification(context.Background(), said)
	if err != nil {
		fmt.Println(err)
		return
	}
	var page strings.Builder // a file, or an http.ResponseWriter
	err = report.Train(&page, report.TrainPage{
		Data: "flowers.csv", Learner: "svm", Trained: 100, On: "fresh.csv", Test: true,
		Training: model.Training{Report: learn.Report{Status: learn.Converged, Elapsed: 20 * time.Millisecond}},
		Classes:  []string{"iris", "rose"}, Said: said, Classification: measured,
	})
	fmt.Println(err, strings.Contains(page.String(), "<strong>25.00%</strong>"), strings.Count(page.String(), "<figure>"))
	// Output: <nil> true 1
}

// Measured errors with intervals beside a bound, on logarithmic axes.
func ExampleWrite() {
	measured := report.Series{Name: "measured", Kind: report.Points}
	bound := report.Series{Name: "at most, by theory", Dashed: true}
	for _, n := range []float64{10, 100, 1000} {
		measured.Points = append(measured.Points, report.Point{X: n, Y: 0.5 / n, Low: 0.4 / n, High: 0.7 / n})
		bound.Points = append(bound.Points, report.Point{X: n, Y: 5 / n})
	}
	var page strings.Builder
	err := report.Write(&page, report.Document{
		Title: "Error by the number of landmarks",
		Sections: []report.Section{{Title: "Measured and promised", Figures: []report.Figure{{Chart: report.Chart{
			Title:  "Error",
			X:      report.Axis{Label: "landmarks", Log: true},
			Y:      report.Axis{Label: "error", Log: true, Percent: true},
			Series: []report.Series{measured, bound},
			Rules:  []report.Rule{{At: 0.01, Level: true, Text: "asked for"}},
		}}}}},
	})
	fmt.Println(err, strings.Contains(page.String(), `aria-label="Error: error by landmarks"`))
	// Output: <nil> true
}
