package job_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"github.com/kerf-ml/kerf/data/gen"
	"github.com/kerf-ml/kerf/job"
	"github.com/kerf-ml/kerf/model"
)

// ringsFile writes points of two rings as a table x, y, ring, and returns its path
// and a function that removes it.
func ringsFile() (path string, remove func()) {
	dir, err := os.MkdirTemp("", "rings")
	if err != nil {
		log.Fatal(err)
	}
	path = filepath.Join(dir, "rings.csv")
	text := "x,y,ring\n"
	points, labels := gen.Rings(gen.Options{N: 400, Seed: 1})
	for i, l := range labels {
		ring := map[string]string{"1": "inner", "-1": "outer"}[l]
		text += fmt.Sprintf("%.4f,%.4f,%s\n", points.Row(i)[0], points.Row(i)[1], ring)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		log.Fatal(err)
	}
	return path, func() { os.RemoveAll(dir) }
}

// A model of a file with nothing chosen: the kernel's width, the map, its dimension
// and C are picked on held-out rows.
func ExampleTrain() {
	path, remove := ringsFile()
	defer remove()
	o := job.NewTrainOptions()
	o.Holdout, o.Output = 0.3, path+".kerf"
	t, err := job.Train(context.Background(), path, o)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s on %d rows, %d test rows, error %.2f\n", t.Learner, t.N, t.Test.Rows(), t.Test.Loss())
	m, err := model.Load(o.Output)
	if err != nil {
		log.Fatal(err)
	}
	p, err := m.Predict(map[string]any{"x": 0, "y": 1.1})
	fmt.Println(p.Label, err)
	// Output:
	// kernel-ridge on 280 rows, 120 test rows, error 0.00
	// inner <nil>
}

// The error of a kernel ridge regression of classes, each fifth of the rows predicted
// by a model of the others.
func ExampleCrossValidate() {
	path, remove := ringsFile()
	defer remove()
	o := job.NewCVOptions()
	o.Choices.Kernel = "rbf(gamma=1)"
	o.Choices.Learner.Name = model.LearnerKernelRidge
	cv, err := job.CrossValidate(context.Background(), path, o)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d folds, error %.2f ± %.2f\n", len(cv.Folds), cv.Mean["error"], cv.Std["error"])
	// Output: 5 folds, error 0.00 ± 0.00
}

// A search among twelve candidates, which ends with the best so far after a minute.
func ExampleTune() {
	path, remove := ringsFile()
	defer remove()
	o := job.NewTuneOptions()
	o.Search, o.Trials, o.Time, o.Holdout = job.Random, 12, time.Minute, 0.25
	t, err := job.Tune(context.Background(), path, o)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d trials, the best has error %.2f\n", len(t.Trials), *t.Best.Loss)
	fmt.Printf("error %.2f on %d rows that had no part\n", t.Test.Loss(), t.Test.Rows())
	// Output:
	// 12 trials, the best has error 0.00
	// error 0.00 on 100 rows that had no part
}

// All measures of a model on a file.
func ExampleEvaluate() {
	path, remove := ringsFile()
	defer remove()
	t, err := job.Train(context.Background(), path, job.NewTrainOptions())
	if err != nil {
		log.Fatal(err)
	}
	e, err := job.Evaluate(context.Background(), t.Model, path, job.NewOptions())
	if err != nil {
		log.Fatal(err)
	}
	c := e.Classes
	fmt.Printf("error %.2f on %d rows\n", c.Error, c.N)
	fmt.Println(c.Names, c.Confusion)
	// Output:
	// error 0.00 on 400 rows
	// [inner outer] [[229 0] [0 171]]
}
