package report_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/kerf-ml/kerf/data/gen"
	"github.com/kerf-ml/kerf/job"
	"github.com/kerf-ml/kerf/report"
)

// ringsFile writes points of two rings as a table, and returns its path and a
// function that removes it.
func ringsFile() (path string, remove func()) {
	dir, err := os.MkdirTemp("", "rings")
	if err != nil {
		log.Fatal(err)
	}
	path = filepath.Join(dir, "rings.csv")
	text := "x,y,ring\n"
	points, labels := gen.Rings(gen.Options{N: 300, Seed: 1})
	for i, l := range labels {
		text += fmt.Sprintf("%.4f,%.4f,%s\n", points.Row(i)[0], points.Row(i)[1], l)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		log.Fatal(err)
	}
	return path, func() { os.RemoveAll(dir) }
}

// The page of kerf train --report: a training with its details, as HTML.
func ExampleTraining() {
	path, remove := ringsFile()
	defer remove()
	o := quickly()
	o.Holdout, o.Details = 0.3, true
	t, err := job.Train(context.Background(), path, o)
	if err != nil {
		log.Fatal(err)
	}
	var page strings.Builder // a file, or an http.ResponseWriter
	if err := report.Train(&page, report.Training(t)); err != nil {
		log.Fatal(err)
	}
	for _, part := range []string{"<!DOCTYPE html>", "rings.csv", "Test error", "Confusion matrix"} {
		fmt.Println(part, strings.Contains(page.String(), part))
	}
	// Output:
	// <!DOCTYPE html> true
	// rings.csv true
	// Test error true
	// Confusion matrix true
}

// quickly returns the options of a training that tests can wait for.
func quickly() job.TrainOptions {
	o := job.NewTrainOptions()
	o.Effort = job.Least
	return o
}
