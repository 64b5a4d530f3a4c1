package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/kerf-ml/kerf/bench/peer"
	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/run"
)

// serveArgument makes the program a contender, with the protocol of the others.
const serveArgument = "contender"

// A job is what the contender is told: a work on a set of data.
type job struct {
	Work, Dir, Precision string
	Threads              int
	Check, Ready         bool
	Gamma, C, Penalty    float64
	Out, Cols, Calls     int
	Steps, Rounds        int
	Two                  bool
	Aligned              int
	Least                float64 // seconds that pass at least, in as many runs as that takes
}

func (j *job) control() run.Control {
	c := run.Control{Workers: j.Threads}
	if j.Precision == run.Float32.String() {
		c.Precision = run.Float32
	}
	return c
}

// side is our side of a work: what is timed, and what it came to.
type side struct {
	run   func() error
	value func() (float64, error)
}

// ours makes our side of each work; what it makes is kept for the runs that follow.
var ours = map[string]func(h *house, j *job) (side, error){
	"block": block, "product": product,
	"f2": f2, "fourier": fourier, "sketch": sketch, "gaussian": gaussian, "thin": thin,
	svmTrain: trainMachine, svmPredict: predictMachine, "svm-one": predictOne,
	"linear": trainLinear, "logistic": trainLogistic,
	"ridge": trainRidge, "falkon": trainFalkon, "metric": learnMetric,
	"text": trainText, "auto": trainTable, "auto-quick": trainTable,
	"csv": readTable, "parquet": readTable, "libsvm": readTable,
	"chain": trainChain,
}

// house keeps what works share: arrays, and the machine that was trained last.
type house struct {
	arrays  map[string]*data.Matrix
	sides   map[string]side
	machine func(ctl run.Control, x data.Source[data.Vector]) ([]float64, error) // labels of rows
	one     func(x data.Vector) float64                                          // label of a row
}

// serve answers jobs until input ends.
func serve(in io.Reader, out io.Writer) {
	h := &house{arrays: map[string]*data.Matrix{}, sides: map[string]side{}}
	lines, answers := bufio.NewScanner(in), json.NewEncoder(out)
	for lines.Scan() {
		answer := map[string]any{}
		if seconds, value, err := h.answer(lines.Bytes()); err != nil {
			answer["error"] = err.Error()
		} else {
			answer["seconds"], answer["result"] = seconds, map[string]any{"value": value}
		}
		if err := answers.Encode(answer); err != nil {
			fmt.Fprintln(os.Stderr, "bench/peers:", err)
			return
		}
	}
}

// answer does a job once.
func (h *house) answer(text []byte) (seconds, value float64, err error) {
	j := new(job)
	if err := json.Unmarshal(text, j); err != nil {
		return 0, 0, err
	}
	if j.Work == "hello" {
		return 0, 0, nil
	}
	key := j.Work + j.Dir + j.Precision
	s, ok := h.sides[key]
	if !ok {
		make, known := ours[j.Work]
		if !known {
			return 0, 0, fmt.Errorf("there is no work %q", j.Work)
		}
		if s, err = make(h, j); err != nil {
			return 0, 0, err
		}
		h.sides[key] = s
	}
	if j.Ready {
		return 0, 0, nil
	}
	runtime.GC() // what the run before left is not this one's to clear
	times := 0
	for begun := time.Now(); times == 0 || seconds < j.Least; times++ {
		if err := s.run(); err != nil {
			return 0, 0, err
		}
		seconds = time.Since(begun).Seconds()
	}
	seconds /= float64(times)
	if j.Check {
		value, err = s.value()
	}
	return seconds, value, err
}

// array returns an array of the job's set, read once.
func (h *house) array(j *job, name string) (*data.Matrix, error) {
	path := filepath.Join(j.Dir, name+".npy")
	if m := h.arrays[path]; m != nil {
		return m, nil
	}
	m, err := peer.Array(ctx, path)
	if err == nil {
		h.arrays[path] = m
	}
	return m, err
}

// rows returns an array as instances in the precision of the job, or sparse rows.
func (h *house) rows(j *job, name string) (data.Source[data.Vector], error) {
	if j.Cols > 0 {
		var part [3]*data.Matrix
		for k, of := range []string{"indptr", "indices", "data"} {
			m, err := h.array(j, of+name[1:])
			if err != nil {
				return nil, err
			}
			part[k] = m
		}
		m := peer.Sparse(j.Cols, part[0], part[1], part[2])
		return m, m.Validate()
	}
	m, err := h.array(j, name)
	if err != nil || j.Precision != run.Float32.String() {
		return m, err
	}
	single := data.NewMatrix32(m.Rows, m.Cols)
	for i, a := range m.Data {
		single.Data[i] = float32(a)
	}
	return single, nil
}

// sample returns rows with their numbers, of a set's training part ("") or its test
// part ("t").
func (h *house) sample(j *job, part string) (data.Labeled[data.Vector, float64], error) {
	x, err := h.rows(j, "x"+part)
	if err != nil {
		return data.Labeled[data.Vector, float64]{}, err
	}
	y, err := h.array(j, "y"+part)
	if err != nil {
		return data.Labeled[data.Vector, float64]{}, err
	}
	return data.Labeled[data.Vector, float64]{X: x, Y: y.Data}, nil
}
