package pipe

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"sync"
	"time"

	"github.com/kerf-ml/kerf/job"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/run"
)

// Request is the head of a message to kerf.
type Request struct {
	Do       string    `json:"do"`                 // train, map, open, predict, features, explain or cancel
	Args     []string  `json:"args,omitempty"`     // flags, as those of kerf train and kerf map --fit
	Rows     *RowsHead `json:"rows,omitempty"`     // where there are any
	Labels   []string  `json:"labels,omitempty"`   // names of classes, of which the frame y has numbers
	Model    string    `json:"model,omitempty"`    // name under which a model is kept; its file is the frame model, once
	Forget   []string  `json:"forget,omitempty"`   // models that are not needed any more
	Proba    bool      `json:"proba,omitempty"`    // predict: probabilities too
	Exec     bool      `json:"exec,omitempty"`     // a model may start the program of its kernel
	Progress bool      `json:"progress,omitempty"` // tell how far it is
	Frames   []Frame   `json:"frames,omitempty"`

	Coverage float64 `json:"coverage,omitempty"` // predict: the prediction sets of this coverage too

	// Of explain: rows to compare with, whose frames have names that begin with others,
	// and their labels; landmarks and rows that are listed; passes and metric of the
	// importance of columns.
	Others      *RowsHead `json:"others,omitempty"`
	OtherLabels []string  `json:"other_labels,omitempty"`
	Nearest     *int      `json:"nearest,omitempty"`
	Repeats     int       `json:"repeats,omitempty"`
	Metric      string    `json:"metric,omitempty"`
}

// Told is what a job may tell before it is done.
type Told struct {
	Progress   run.Progress
	Warn, Note func(text string)
}

// Door is what the program that answers knows and this package does not: its flags, its
// limits, and how it words errors.
type Door struct {
	// Begin settles the flags of a request that trains or maps, or the run of any other.
	// What it returns holds until end is called.
	Begin func(ctx context.Context, do string, args []string, told Told) (
		limited context.Context, o job.TrainOptions, end func(), err error)

	// Fault returns the kind of an error, for programs, and its line, for people. ctx is
	// that of the request and limited the one that Begin returned.
	Fault func(ctx, limited context.Context, err error) (kind, line string)
}

const (
	tellEvery = 200 * time.Millisecond
	patience  = 2 * time.Second // for a request to end once its client has gone
	large     = 16 << 20        // bytes of frames after which memory is given back at once
)

// asked is a request with its frames, or what was wrong with them.
type asked struct {
	*Request
	frames frames
	err    error
	size   int64
	number int // of the request among all
}

// server answers the requests of one client, one after the other.
type server struct {
	door   Door
	models map[string]*model.Model

	mu  sync.Mutex // of out
	out *bufio.Writer
}

// Serve answers requests until in ends, which is no error, or ctx does.
func Serve(ctx context.Context, in io.Reader, out io.Writer, door Door) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	s := &server{door: door, models: map[string]*model.Model{}, out: bufio.NewWriterSize(out, 1<<16)}
	requests, cancels, ended := make(chan asked), make(chan int, 1), make(chan error, 1)
	go func() {
		ended <- listen(ctx, bufio.NewReaderSize(in, 1<<16), requests, cancels)
		stop()
	}()
	done := make(chan struct{})
	var failed error
	go func() {
		defer close(done)
		failed = s.answerAll(ctx, requests, cancels)
		stop()
	}()
	<-ctx.Done()
	select { // a kernel of the client's that does not answer cannot be interrupted
	case <-done:
	case <-time.After(patience):
		return nil
	}
	select {
	case err := <-ended:
		return errors.Join(failed, err)
	default:
		return failed
	}
}

// listen reads requests and hands them over, and tells at once of one to cancel: the last
// that was handed over.
func listen(ctx context.Context, in io.Reader, requests chan<- asked, cancels chan<- int) error {
	for number := 0; ; {
		a, err := read(ctx, in)
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		case a.Do == "cancel":
			select {
			case cancels <- number:
			case <-ctx.Done():
				return nil
			}
			continue
		}
		number++
		a.number = number
		select {
		case requests <- a:
		case <-ctx.Done():
			return nil
		}
	}
}

// read reads a request and its frames.
func read(ctx context.Context, in io.Reader) (asked, error) {
	a := asked{Request: &Request{}, frames: frames{}}
	if err := readHead(in, a.Request); err != nil {
		return a, err
	}
	if err := checkFrames(a.Frames); err != nil {
		return a, err
	}
	for _, f := range a.Frames {
		p, err := readFrame(ctx, in, f, run.Control{})
		if errors.Is(err, errBroken) {
			return a, err
		}
		if a.size += f.Size; a.err == nil {
			a.err = err
		}
		if a.err == nil {
			a.frames[f.Name] = p
		} else {
			a.frames = frames{} // the rest is read for the sake of what follows
		}
	}
	return a, nil
}

// answerAll answers requests one after the other.
func (s *server) answerAll(ctx context.Context, requests <-chan asked, cancels <-chan int) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-cancels: // of a request that was answered already
		case a := <-requests:
			size := a.size
			if err := s.answer(ctx, a, cancels); err != nil {
				return err
			}
			if size > large {
				debug.FreeOSMemory()
			}
		}
	}
}

// answer answers a request. It returns an error where nobody hears the answer.
func (s *server) answer(ctx context.Context, a asked, cancels <-chan int) error {
	one, cancel := context.WithCancel(ctx)
	defer cancel()
	over := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() {
		for {
			select {
			case number := <-cancels:
				if number == a.number {
					cancel()
				}
			case <-over:
				return
			}
		}
	})
	meter := run.NewMeter(time.Now)
	told := Told{
		Warn: func(text string) { _ = s.send(map[string]any{"warn": text}) },
		Note: func(text string) { _ = s.send(map[string]any{"note": text}) },
	}
	if a.Progress {
		told.Progress = meter.Progress()
		watch.Go(func() { s.tell(meter, over) })
	}
	limited, head, parts, err := s.do(one, &a, told)
	close(over)
	watch.Wait()
	if err != nil {
		kind, line := s.door.Fault(one, limited, err)
		return s.send(map[string]any{"error": map[string]string{"kind": kind, "line": line}})
	}
	return s.send(map[string]any{"done": head}, parts...)
}

// tell says how far a job is until it is over.
func (s *server) tell(meter *run.Meter, over <-chan struct{}) {
	tick := time.NewTicker(tellEvery)
	defer tick.Stop()
	for {
		select {
		case <-over:
			return
		case <-tick.C:
		}
		look := meter.Look()
		if look.Task == "" {
			continue
		}
		sight := map[string]any{"task": look.Task, "within": look.Within, "part": look.Part,
			"elapsed": look.Elapsed.Seconds()}
		if look.Left >= 0 {
			sight["left"], sight["least"], sight["most"] = look.Left.Seconds(), look.Least.Seconds(), look.Most.Seconds()
		}
		_ = s.send(map[string]any{"progress": sight}) // the answer fails too
	}
}

// send writes a message.
func (s *server) send(head map[string]any, parts ...part) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := writeMessage(s.out, head, parts...); err != nil {
		return err
	}
	return s.out.Flush()
}

// do does what is asked for. A panic, which is a bug of kerf's, comes back as an error.
func (s *server) do(ctx context.Context, a *asked, told Told) (
	limited context.Context, head map[string]any, parts []part, err error,
) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("internal error: %v; please report it", p)
		}
	}()
	limited = ctx
	for _, name := range a.Forget {
		delete(s.models, name)
	}
	if a.err != nil {
		return limited, nil, nil, a.err
	}
	what := jobs[a.Do]
	if what == nil {
		return limited, nil, nil, fault("there is no job %q", a.Do)
	}
	limited, o, end, err := s.door.Begin(ctx, a.Do, a.Args, told)
	if err != nil {
		return ctx, nil, nil, err
	}
	defer end()
	head, parts, err = what(s, limited, a, o)
	return limited, head, parts, err
}
