package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/kerf-ml/kerf/cli"
	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/dataset"
)

// command runs kerf's command line and returns the test error that it prints.
func command(j *job, args ...string) (side, error) {
	var failed float64
	args = append(args, "--json", "--quiet", "--workers", strconv.Itoa(j.Threads))
	once := func() error {
		var out, faults bytes.Buffer
		if status := cli.Exec(ctx, args, strings.NewReader(""), &out, &faults); status != 0 {
			return fmt.Errorf("status %d: %s", status, strings.TrimSpace(faults.String()))
		}
		var answer struct{ Test struct{ Error float64 } }
		if err := json.Unmarshal(out.Bytes(), &answer); err != nil {
			return err
		}
		failed = answer.Test.Error
		return nil
	}
	return side{once, func() (float64, error) { return failed, nil }}, nil
}

// trainText trains on strings with the peer's features: runs of letters at their
// places, or runs within words, weighted by how rare they are.
func trainText(_ *house, j *job) (side, error) {
	args := []string{"--kernel", "normalize(ngrams(from=2,to=5,edges=1))", "--map", "explicit(idf=true)"}
	if j.Aligned > 0 {
		args = []string{"--kernel", fmt.Sprintf("degree(d=%d)", j.Aligned), "--map", "explicit"}
	}
	args = append([]string{"train", filepath.Join(j.Dir, "train.tsv"), "--test", filepath.Join(j.Dir, "test.tsv"), "--as",
		"strings", "--target", "first", "--learner", "svm", "--C", fmt.Sprint(j.C)}, args...)
	return command(j, args...)
}

// trainTable trains with nothing chosen, or nothing but how long it may take.
func trainTable(_ *house, j *job) (side, error) {
	args := []string{"train", filepath.Join(j.Dir, "adult.csv"), "--test", filepath.Join(j.Dir, "adult.t.csv")}
	if j.Work == "auto-quick" {
		args = append(args, "--effort", "quick")
	}
	return command(j, args...)
}

// readTable reads a file into vectors.
func readTable(_ *house, j *job) (side, error) {
	path := filepath.Join(j.Dir, "table."+j.Work)
	var d data.Labeled[data.Vector, string]
	once := func() error {
		o := dataset.Options{Run: j.control()}
		rows, err := dataset.Read(ctx, path, o)
		if err != nil {
			return err
		}
		_, d, err = dataset.FitDecode[data.Vector](rows, nil, scale.None, o)
		return err
	}
	sum := func() (float64, error) {
		total := 0.0
		for i := range d.X.Len() {
			for _, a := range d.X.At(i).Value {
				total += a
			}
			y, err := strconv.ParseFloat(d.Y[i], 64)
			if err != nil {
				return 0, err
			}
			total += y
		}
		return total, nil
	}
	return side{once, sum}, nil
}
