package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"github.com/kerf-ml/kerf/bench/peer"
	"github.com/kerf-ml/kerf/data"
)

// A set names data that the peer makes and writes as arrays.
type set struct {
	name string
	rows int

	// Where eps is positive, LIBLINEAR is the peer, with this solver and
	// tolerance, on rows of cols coordinates. The solver is the faster one for
	// the set, and the tolerance that which brings it as near the optimum as
	// ours comes.
	cols, solver int
	eps          float64
}

// LIBLINEAR's numbers of its solvers, of the squared hinge loss and of the hinge
// loss.
const (
	dual      = 1
	primal    = 2
	dualHinge = 3
)

type labeled = data.Labeled[data.Vector, float64]

// A sample is a set in memory. Not every set has a test sample and landmarks.
type sample struct {
	train, test labeled
	landmarks   *data.Matrix
}

// read reads the arrays of a set.
func read(dir string, s set) (*sample, error) {
	of := new(sample)
	var faults []error
	get := func(name string) *data.Matrix {
		m, err := peer.Array(ctx, filepath.Join(dir, name+".npy"))
		if err != nil {
			faults = append(faults, err)
			return new(data.Matrix)
		}
		return m
	}
	has := func(name string) bool {
		_, err := os.Stat(filepath.Join(dir, name+".npy"))
		return !errors.Is(err, fs.ErrNotExist)
	}
	of.train.Y = get("y").Data
	if has("indptr") {
		m := peer.Sparse(s.cols, get("indptr"), get("indices"), get("data"))
		faults = append(faults, m.Validate())
		of.train.X = m
	} else {
		of.train.X = get("x")
	}
	if has("xt") {
		of.test = labeled{X: get("xt"), Y: get("yt").Data}
	}
	if has("z") {
		of.landmarks = get("z")
	}
	return of, errors.Join(faults...)
}

// startLiblinear compiles LIBLINEAR's driver into dir and runs it on the arrays
// there. It has them in memory when it answers.
func startLiblinear(dir string, s set) (*peer.Peer, error) {
	program := filepath.Join(dir, "liblinear")
	text, err := exec.Command("cc", "-O3", "-o", program, "bench/learners/liblinear.c", "-llinear", "-lm").CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("cc and Debian's liblinear-dev are needed: %w\n%s", err, text)
	}
	arrays := []string{"y", "x"}
	if s.name == "sparse" {
		arrays = []string{"y", "data", "indices", "indptr"}
	}
	args := []string{s.name, strconv.Itoa(s.rows), strconv.Itoa(s.cols), strconv.Itoa(s.solver), fmt.Sprint(s.eps)}
	for _, name := range arrays {
		args = append(args, filepath.Join(dir, name+".npy"))
	}
	return peer.StartProgram(program, args...)
}
