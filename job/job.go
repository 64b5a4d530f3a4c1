// Package job holds what a person wants done with data in files: train a model,
// cross-validate, search, evaluate, predict, map, and judge a kernel. Each is a
// function of a path and options whose result is a struct; what a command prints
// with --json is that struct.
//
//	t, err := job.Train(ctx, "data.csv", job.NewTrainOptions())
//	fmt.Println(t.Test, t.Model.Save("model.kerf"))
//
// Nothing here prints. Remarks that are no errors go to Options.Warn, and what was
// found of data of which nobody said it to Options.Note.
package job

import (
	"context"
	"fmt"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/eval"
	"github.com/kerf-ml/kerf/learn/calibrate"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/run"
	"github.com/kerf-ml/kerf/spec"
)

// Options are those of every job on data.
type Options struct {
	Read    dataset.Options
	Scale   string // of numbers: a scale.Kind, or auto, which empty means too
	Choices Choices

	Clustered      // where the work is done, of a stream, of predictions and of features
	AllowExec bool // models may start their programs on other machines

	Seed uint64
	Run  run.Control
	Warn func(text string) // is told of what is no error; nil for nobody
	Note func(text string) // is told what was found of the data where nobody said it; nil for nobody
}

// NewOptions returns the options that leave all choices open.
func NewOptions() Options { return Options{Seed: 1, Choices: NewChoices()} }

// warn tells of what is no error.
func (o *Options) warn(format string, args ...any) {
	if o.Warn != nil {
		o.Warn(fmt.Sprintf(format, args...))
	}
}

// note tells what was found.
func (o *Options) note(format string, args ...any) {
	if o.Note != nil {
		o.Note(fmt.Sprintf(format, args...))
	}
}

// Choices are what may be chosen of a model. What is left open kerf chooses.
type Choices struct {
	Kernel  string     // as package spec reads it; empty to choose
	Map     spec.Call  // such as f2(dim=100); without a name it is chosen, without dim that
	Learner spec.Call  // such as svm(C=10); without a name svm, or ridge for numbers; without C or lambda these are chosen
	Task    model.Task // empty for what the learner does, or, where that is left open too, what the targets look like

	Metric      eval.Criterion     // what is chosen goes by; empty for the error, or AUC where one of two classes is rare
	ClassWeight map[string]float64 // factors of the rows' weights by label
	Balanced    bool               // weigh classes so that all count alike
	Calibrate   calibrate.Method   // how scores become probabilities; empty for not at all
	Conformal   float64            // part of the rows to keep for prediction sets; 0 for none
	Claim       *Claim             // what the map is grown to certify instead of taking its dim; nil for nothing
}

// Claim is what a map is to certify on fresh rows.
type Claim struct {
	Error      float64 // that the map may add
	Confidence float64
	Margin     float64 // of the targets that it speaks of; 0 to choose one on rows set apart
	Most       int     // landmarks, at most; 0 for 5,000: a few minutes of work
	Atoms      bool    // rows that are the same are independent draws, and no copies
}

// NewChoices leaves all open, with probabilities by temperature.
func NewChoices() Choices { return Choices{Calibrate: calibrate.Softmax} }

// has reports whether a call sets a hyperparameter.
func has(c spec.Call, name string) bool {
	_, ok := c.Args[name]
	return ok
}

// worker does jobs on instances of one type.
type worker interface {
	train(ctx context.Context, rows *dataset.Rows, o *TrainOptions) (*Trained, error)
	crossValidate(ctx context.Context, rows *dataset.Rows, o *CVOptions) (*CrossValidated, error)
	tune(ctx context.Context, rows *dataset.Rows, o *TuneOptions) (*Tuned, error)
	margin(ctx context.Context, rows *dataset.Rows, o *MarginOptions) (*Margin, error)
	check(ctx context.Context, rows *dataset.Rows, o *CheckOptions) (*Checked, error)
	fitMap(ctx context.Context, rows *dataset.Rows, o *Options) (*FittedMap, error)
}

// typed is the worker of instances of type T.
type typed[T any] struct{ kind spec.Kind[T] }

func workerOf[T any](kind spec.Kind[T]) worker { return typed[T]{kind} }

// workerFor returns who trains on rows of a kind.
func workerFor(kind dataset.Kind) (worker, error) {
	return spec.ForKind(kind, workerOf[data.Vector], workerOf[string], workerOf[data.Set])
}

// reading returns how a file is read for the kernel that was chosen.
func (o *Options) reading() (dataset.Options, error) {
	read := o.Read
	var k spec.Kernel
	if o.Choices.Kernel != "" {
		var err error
		if k, err = spec.Parse(o.Choices.Kernel); err != nil {
			return read, err
		}
	}
	byKernel := k.Kind()
	if read.Kind != "" && byKernel != "" && read.Kind != byKernel {
		return read, dataset.BadOption("the kernel %s is for %s, not for %s", k, byKernel, read.Kind)
	}
	if read.Kind == "" {
		read.Kind = byKernel
	}
	read.Run = o.Run
	return read, nil
}

// read reads a file for a job, and returns who does it.
func (o *Options) read(ctx context.Context, path string) (*dataset.Rows, worker, error) {
	read, err := o.reading()
	if err != nil {
		return nil, nil, err
	}
	o.Run.Progress.Begin("read "+path, 0)
	learner, _ := model.TraitsOf(o.Choices.Learner.Name)
	rows, err := dataset.Recognise(ctx, path, read, !read.Unlabeled && !learner.Unsupervised)
	o.Run.Progress.End()
	if err != nil {
		return nil, nil, err
	}
	for _, text := range rows.Notes {
		o.note("%s: %s", rows.Name, text)
	}
	w, err := spec.ForKind(rows.Kind, workerOf[data.Vector], workerOf[string], workerOf[data.Set])
	return rows, w, err
}

// given settles what instances the rows are that a program has, and returns who does the
// job.
func (o *Options) given(rows *dataset.Rows) (worker, error) {
	read, err := o.reading()
	if err != nil {
		return nil, err
	}
	if err := rows.Settle(read); err != nil {
		return nil, err
	}
	o.Read.Target = "none"
	for _, text := range rows.Notes {
		o.note("%s: %s", rows.Name, text)
	}
	return spec.ForKind(rows.Kind, workerOf[data.Vector], workerOf[string], workerOf[data.Set])
}

// badInput reports input that is wrong though no reader could tell.
func badInput(file, problem, advice string) error {
	return &data.InputError{File: file, Problem: problem, Advice: advice}
}

// inFile adds the file's name to a fault of its rows.
func inFile(name string, err error) error {
	if _, ok := err.(*data.InputError); ok {
		return err
	}
	return fmt.Errorf("%s: %w", name, err)
}
