package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/job"
	"github.com/kerf-ml/kerf/run"
)

func init() {
	register.DoFn3x1[context.Context, string, func(int, string), error](&doUnits{})
	register.DoFn3x1[context.Context, int, func(*string) bool, error](&mergeUnits{})
	register.Emitter2[int, string]()
	register.Iter1[string]()
}

// The names of files in the folder of a work: the work itself, what came of a unit, and
// what is said of that, which is written last: where it is, the unit is done.
const (
	workFile   = "work.json"
	partSuffix = ".part"
	doneSuffix = ".json"
)

// assigned is a unit that is to be done, as an element of a pipeline.
type assigned struct {
	Unit   job.Unit
	Name   string // of its files
	Number int    // of its place among all
	Group  int    // of units whose results are merged
}

// settled is what is kept of a unit that is done.
type settled struct {
	job.Done
	Fault  *fault `json:",omitempty"` // of the rows
	Failed string `json:",omitempty"` // why there is no result, though the rows are not to blame
	Size   int64
	Digest string

	Began, Ended time.Time
}

// fault is a data.InputError that can be kept.
type fault struct {
	File            string
	Line, Column    int
	Problem, Advice string
}

func faultOf(e *data.InputError) *fault { return &fault{e.File, e.Line, e.Column, e.Problem, e.Advice} }

func (f *fault) input() *data.InputError {
	return &data.InputError{File: f.File, Line: f.Line, Column: f.Column, Problem: f.Problem, Advice: f.Advice}
}

// doUnits does the work of a folder on units. What came of one is written to files whose
// names follow from the work and the unit, so that who does it again, after a failure or
// beside another, writes the same; a unit that is done is not done again.
type doUnits struct {
	Folder string
	Memory int64 // that a unit may take
}

// ProcessElement does a unit, and emits its group and its number with its name.
func (d *doUnits) ProcessElement(ctx context.Context, element string, emit func(int, string)) error {
	var a assigned
	if err := json.Unmarshal([]byte(element), &a); err != nil {
		return err
	}
	if _, err := read(ctx, join(d.Folder, a.Name+doneSuffix)); err != nil {
		if err := d.do(ctx, &a); err != nil {
			return err
		}
	}
	beam.NewCounter("kerf", "units").Inc(ctx, 1)
	emit(a.Group, fmt.Sprintf("%09d %s", a.Number, a.Name))
	return nil
}

// do does a unit, unless the work is withdrawn.
func (d *doUnits) do(ctx context.Context, a *assigned) error {
	if withdrawn(ctx, d.Folder) {
		return nil
	}
	ctx, stop := followed(ctx, d.Folder)
	defer stop()
	err := d.settle(ctx, a)
	if withdrawn(context.WithoutCancel(ctx), d.Folder) {
		return nil // who asked has gone
	}
	return err
}

// withdrawn reports whether the work of a folder is there no more. Who is interrupted
// takes it away: engines do not always end a job whose cancelling they report.
func withdrawn(ctx context.Context, folder string) bool {
	if isLocal(folder) {
		_, err := os.Stat(join(folder, workFile))
		return errors.Is(err, fs.ErrNotExist)
	}
	names, err := list(ctx, folder, workFile)
	return err == nil && len(names) == 0
}

// lookEvery is how often a worker looks whether its work is still wanted.
const lookEvery = time.Second

// followed returns a context that ends when the work of a folder is withdrawn, or when it
// is stopped.
func followed(ctx context.Context, folder string) (context.Context, context.CancelFunc) {
	ctx, stop := context.WithCancel(ctx)
	go func() {
		tick := time.NewTicker(lookEvery)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if withdrawn(ctx, folder) {
					stop()
				}
			}
		}
	}()
	return ctx, stop
}

// settle does a unit, and leaves what came of it.
func (d *doUnits) settle(ctx context.Context, a *assigned) error {
	w, err := workerOf(ctx, d.Folder, d.Memory)
	if err != nil {
		return err
	}
	s := settled{Began: time.Now()}
	s.Size, s.Digest, err = write(ctx, join(d.Folder, a.Name+partSuffix), func(f *os.File) error {
		done, err := w.Do(ctx, a.Unit, f)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if done != nil {
			s.Done = *done
		}
		var input *data.InputError
		switch {
		case errors.As(err, &input):
			s.Fault = faultOf(input)
		case err != nil:
			s.Failed = err.Error()
		}
		return nil
	})
	if err != nil {
		return err
	}
	s.Ended = time.Now()
	return writeJSON(ctx, join(d.Folder, a.Name+doneSuffix), &s)
}

func writeJSON(ctx context.Context, name string, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, _, err = write(ctx, name, func(f *os.File) error {
		_, err := f.Write(b)
		return err
	})
	return err
}

// workers are those of the folders that this process worked in last.
var workers struct {
	sync.Mutex
	folder string
	worker *job.Worker
}

// workerOf returns the worker of a folder.
func workerOf(ctx context.Context, folder string, memory int64) (*job.Worker, error) {
	workers.Lock()
	defer workers.Unlock()
	if workers.folder == folder {
		return workers.worker, nil
	}
	b, err := read(ctx, join(folder, workFile))
	if err != nil {
		return nil, err
	}
	work, err := job.ReadWork(b)
	if err != nil {
		return nil, err
	}
	w, err := job.NewWorker(work, open, run.Control{Workers: 1, Memory: memory})
	if err != nil {
		return nil, err
	}
	workers.folder, workers.worker = folder, w
	return w, nil
}

// mergeUnits merges what came of the units of a group, in their order.
type mergeUnits struct {
	Folder string
}

// ProcessElement merges a group, unless it is merged or a unit has no result.
func (m *mergeUnits) ProcessElement(ctx context.Context, group int, next func(*string) bool) error {
	var names []string
	for name := ""; next(&name); {
		names = append(names, name)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	for i, name := range names {
		_, names[i], _ = strings.Cut(name, " ")
	}
	target := groupName(names)
	if _, err := read(ctx, join(m.Folder, target+doneSuffix)); err == nil {
		return nil
	}
	b, err := read(ctx, join(m.Folder, workFile))
	if err != nil {
		if withdrawn(ctx, m.Folder) {
			return nil
		}
		return err
	}
	work, err := job.ReadWork(b)
	if err != nil {
		return err
	}
	s := settled{Began: time.Now()}
	merged, err := work.Merge(func() ([]byte, error) {
		if len(names) == 0 {
			return nil, nil
		}
		name := names[0]
		names = names[1:]
		one, part, err := result(ctx, m.Folder, name, true)
		if err == nil && (one.Fault != nil || one.Failed != "") {
			return nil, errNothing
		}
		if err == nil {
			s.Rows += one.Rows
		}
		return part, err
	})
	if errors.Is(err, errNothing) || err != nil && withdrawn(ctx, m.Folder) {
		return nil // the units say why, or nobody asks
	}
	if err != nil {
		return err
	}
	s.Size, s.Digest, err = write(ctx, join(m.Folder, target+partSuffix), func(f *os.File) error {
		_, err := f.Write(merged)
		return err
	})
	if err != nil {
		return err
	}
	s.Ended = time.Now()
	return writeJSON(ctx, join(m.Folder, target+doneSuffix), &s)
}

// errNothing reports a unit without a result.
var errNothing = errors.New("a unit has no result")

// groupName names what is merged of units.
func groupName(names []string) string { return "group-" + hash(strconv.Itoa(len(names)), names...) }

// result reads what came of a unit, with its content if that is wanted.
func result(ctx context.Context, folder, name string, content bool) (*settled, []byte, error) {
	b, err := read(ctx, join(folder, name+doneSuffix))
	if err != nil {
		return nil, nil, err
	}
	s := &settled{}
	if err := json.Unmarshal(b, s); err != nil || !content || s.Fault != nil || s.Failed != "" {
		return s, nil, err
	}
	part, err := read(ctx, join(folder, name+partSuffix))
	if err == nil && digestOf(part) != s.Digest {
		err = fmt.Errorf("%s is damaged; remove the folder, and begin again", join(folder, name+partSuffix))
	}
	return s, part, err
}
