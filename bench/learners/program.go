package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/libsvm"
)

// A program is a peer that trains and predicts from files in LIBSVM's format and
// takes LIBSVM's options. Its seconds leave out the reading of files. Where it is
// clocked they are those of its own log; otherwise they are the time of the whole
// less that of runs that read the same files and do next to nothing else.
type program struct {
	name    string
	trainer string
	tester  string
	options []string // of training, beside those that the work sets
	clocked bool
	dir     string    // of the files below
	labels  []float64 // of the test file
}

const (
	trainFile   = "train"
	testFile    = "test"
	oneFile     = "one"     // the first row of the test file
	modelFile   = "model"   // what the program trained
	emptyFile   = "empty"   // a model without support vectors
	answersFile = "answers" // its predictions, a label a line
)

// byProgram has the works that programs can do. Each returns the seconds one
// took and what it came to.
var byProgram = map[string]func(*program) (seconds, value float64, err error){
	"svm":         (*program).train,
	"svm-predict": (*program).predict,
}

// programs returns the programs whose folders the environment names: LIBSVM that
// of svm-train and svm-predict, THUNDERSVM that of thundersvm-train and
// thundersvm-predict. It writes the sample for each into a folder in dir.
func programs(dir string, s *sample) ([]*program, error) {
	var found []*program
	if at := os.Getenv("LIBSVM"); at != "" {
		found = append(found, &program{name: "LIBSVM", trainer: filepath.Join(at, "svm-train"),
			tester: filepath.Join(at, "svm-predict"), options: []string{"-m", "2000"}})
	}
	if at := os.Getenv("THUNDERSVM"); at != "" {
		found = append(found, &program{name: "ThunderSVM", trainer: filepath.Join(at, "thundersvm-train"),
			tester: filepath.Join(at, "thundersvm-predict"), clocked: true})
	}
	for _, p := range found {
		p.dir, p.labels = filepath.Join(dir, p.name), s.test.Y
		if err := p.prepare(s); err != nil {
			return nil, fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return found, nil
}

// prepare looks for the two commands and writes what they read.
func (p *program) prepare(s *sample) error {
	for _, path := range []*string{&p.trainer, &p.tester} {
		whole, err := filepath.Abs(*path) // they run in another folder
		if err != nil {
			return err
		}
		if _, err := exec.LookPath(whole); err != nil {
			return err
		}
		*path = whole
	}
	if err := os.MkdirAll(p.dir, 0o700); err != nil {
		return err
	}
	first := labeled{X: data.Range[data.Vector]{Of: s.test.X, Hi: 1}, Y: s.test.Y[:1]}
	return errors.Join(p.write(trainFile, s.train), p.write(testFile, s.test), p.write(oneFile, first))
}

func (p *program) write(name string, s labeled) (err error) {
	f, err := os.Create(filepath.Join(p.dir, name))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	labels := make([]string, len(s.Y))
	for i, y := range s.Y {
		labels[i] = strconv.FormatFloat(y, 'g', -1, 64)
	}
	return libsvm.Write(f, fromOne{s.X}, labels)
}

// fromOne numbers the coordinates of dense vectors from 1, as the programs do.
type fromOne struct{ data.Source[data.Vector] }

func (s fromOne) At(i int) data.Vector {
	value := s.Source.At(i).Value
	index := make([]int32, len(value))
	for j := range index {
		index[j] = int32(j + 1)
	}
	return data.Vector{Index: index, Value: value}
}

// train trains once. The objective is the one that the program prints.
func (p *program) train() (seconds, value float64, err error) {
	log, seconds, err := p.fit("0.001", modelFile)
	if err != nil {
		return 0, 0, err
	}
	if value, err = number(log, objective); err != nil {
		return 0, 0, err
	}
	if p.clocked {
		seconds, err = number(log, trained)
		return seconds, value, err
	}
	// With this tolerance the start is an optimum.
	_, read, err := p.fit("1e9", emptyFile)
	return seconds - read, value, err
}

func (p *program) fit(tolerance, model string) (string, float64, error) {
	args := append([]string{"-s", "0", "-t", "2", "-c", "1", "-g", fmt.Sprint(machine.Gamma), "-e", tolerance},
		p.options...)
	return p.run(p.trainer, append(args, trainFile, model)...)
}

// predict predicts the test sample once, with the model that train left.
func (p *program) predict() (seconds, value float64, err error) {
	if _, err := os.Stat(filepath.Join(p.dir, modelFile)); errors.Is(err, fs.ErrNotExist) {
		if _, _, err := p.train(); err != nil {
			return 0, 0, err
		}
	}
	log, seconds, err := p.run(p.tester, testFile, modelFile, answersFile)
	if err != nil {
		return 0, 0, err
	}
	if value, err = p.mistakes(); err != nil {
		return 0, 0, err
	}
	if p.clocked {
		seconds, err = between(log)
		return seconds, value, err
	}
	_, rows, err := p.run(p.tester, testFile, emptyFile, answersFile)
	if err != nil {
		return 0, 0, err
	}
	_, model, err := p.run(p.tester, oneFile, modelFile, answersFile)
	return seconds - rows - model, value, err
}

// mistakes returns the part of the labels that the answers have wrong.
func (p *program) mistakes() (float64, error) {
	text, err := os.ReadFile(filepath.Join(p.dir, answersFile))
	if err != nil {
		return 0, err
	}
	answers := strings.Fields(string(text))
	if len(answers) != len(p.labels) {
		return 0, fmt.Errorf("%d answers for %d rows", len(answers), len(p.labels))
	}
	scores := make([]float64, len(answers))
	for i, answer := range answers {
		if scores[i], err = strconv.ParseFloat(answer, 64); err != nil {
			return 0, err
		}
	}
	return wrong(scores, p.labels), nil
}

// run runs a command among the files and returns what it printed and the seconds
// from its start to its end.
func (p *program) run(path string, args ...string) (string, float64, error) {
	cmd := exec.Command(path, args...)
	cmd.Dir = p.dir
	cmd.Env = append(os.Environ(), fmt.Sprintf("OMP_NUM_THREADS=%d", workers))
	begun := time.Now()
	text, err := cmd.CombinedOutput()
	seconds := time.Since(begun).Seconds()
	if err != nil {
		return "", 0, fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, text)
	}
	return string(text), seconds, nil
}

// how says what the seconds of the program are.
func (p *program) how() string {
	if p.clocked {
		return "its time by its own log"
	}
	return "its time less that of reading the files"
}

// What the programs print, and the times at which ThunderSVM has read the rows to
// predict and has predicted them.
var (
	objective = regexp.MustCompile(`obj = (\S+?),?\s`)
	trained   = regexp.MustCompile(`all training time = (\S+)`)
	loaded    = regexp.MustCompile(`(\S+ \S+) INFO .*#instances = `)
	predicted = regexp.MustCompile(`(\S+ \S+) INFO .*Accuracy = `)
)

// number returns the first number in the log that the pattern finds.
func number(log string, pattern *regexp.Regexp) (float64, error) {
	found := pattern.FindStringSubmatch(log)
	if found == nil {
		return 0, fmt.Errorf("the log has no %q:\n%s", pattern, log)
	}
	return strconv.ParseFloat(found[1], 64)
}

// between returns the seconds from loaded to predicted. The log has thousandths.
func between(log string) (float64, error) {
	var at [2]time.Time
	for i, pattern := range []*regexp.Regexp{loaded, predicted} {
		found := pattern.FindStringSubmatch(log)
		if found == nil {
			return 0, fmt.Errorf("the log has no %q:\n%s", pattern, log)
		}
		var err error
		if at[i], err = time.Parse("2006-01-02 15:04:05,000", found[1]); err != nil {
			return 0, err
		}
	}
	return at[1].Sub(at[0]).Seconds(), nil
}
