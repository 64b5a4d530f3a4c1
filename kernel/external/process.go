package external

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kerf-ml/kerf/data"
)

const (
	grace      = 2 * time.Second // a program has it to end by itself
	answerRoom = 64              // bytes of an answer for each number
	tailSize   = 4 << 10         // bytes of standard error that are kept
)

var errClosed = errors.New("the kernel was closed")

// process is a running program. Requests go through exchange, one at a time.
type process struct {
	name    string // exec: and the command, for messages
	timeout time.Duration
	cmd     *exec.Cmd
	in, out *os.File
	words   *tail // the end of standard error

	mu     sync.Mutex // held while a request is under way
	answer *bufio.Reader
	long   []byte // the answer being read

	failed  atomic.Pointer[error] // the first fault; once set, the program has ended
	stopped atomic.Pointer[error] // why the program was killed, nil if it was not
	reaped  atomic.Bool           // whether the program has ended and been waited for
}

// start starts a program whose pipes are ours. The context kills it.
func start(ctx context.Context, name string, words []string, timeout time.Duration) (*process, error) {
	p := &process{name: name, timeout: timeout, words: &tail{}}
	theirIn, in, err := os.Pipe()
	if err != nil {
		return nil, p.fault("cannot be started: "+err.Error(), "", err)
	}
	defer theirIn.Close()
	out, theirOut, err := os.Pipe()
	if err != nil {
		_ = in.Close()
		return nil, p.fault("cannot be started: "+err.Error(), "", err)
	}
	defer theirOut.Close()
	p.in, p.out, p.answer = in, out, bufio.NewReaderSize(out, 64<<10)
	p.cmd = exec.CommandContext(ctx, words[0], words[1:]...)
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = theirIn, theirOut, p.words
	p.cmd.WaitDelay = grace
	p.cmd.Cancel = func() error { p.stop(ctx.Err()); return nil }
	ownGroup(p.cmd)
	if err := p.cmd.Start(); err != nil {
		_, _ = in.Close(), out.Close()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, p.fault("cannot be started: "+cause(err), "name a program in the path, or a file, such as ./"+words[0],
			err)
	}
	return p, nil
}

// stop kills the program and ends whatever waits for its pipes. The first reason
// counts.
func (p *process) stop(why error) {
	p.stopped.CompareAndSwap(nil, &why)
	p.kill()
	_, _ = p.in.Close(), p.out.Close()
}

func (p *process) kill() {
	if !p.reaped.Load() {
		kill(p.cmd)
	}
}

// wait waits for the end of the program. Only the holder of mu may call it.
func (p *process) wait() {
	if !p.reaped.Load() {
		_ = p.cmd.Wait()
		p.reaped.Store(true)
	}
}

// err returns the first fault, nil if there was none.
func (p *process) err() error {
	if why := p.failed.Load(); why != nil {
		return *why
	}
	if why := p.stopped.Load(); why != nil {
		return *why
	}
	return nil
}

// exchange sends a request and reads len(dst) numbers.
func (p *process) exchange(dst []float64, request []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.err(); err != nil {
		return p.fail(err)
	}
	if p.answer.Buffered() > 0 {
		return p.fail(p.tooMuch())
	}
	timer := time.AfterFunc(p.timeout, func() {
		p.stop(p.fault(fmt.Sprintf("gave no answer to %d pairs within %v", len(dst), p.timeout),
			"make the program faster, allow it more time, or check that it answers each line at once, without a buffer", nil))
	})
	defer timer.Stop()
	// A program that has ended breaks the pipe; reading then tells why.
	_, writeErr := p.in.Write(request)
	line, err := p.readLine(answerRoom*len(dst) + 1024)
	if err != nil {
		return p.fail(p.broken(errors.Join(writeErr, err)))
	}
	if err := parseAnswer(dst, line); err != nil {
		return p.fail(p.fault(err.Error(),
			"answer each line with one JSON array, a finite number for each pair, and write nothing else to standard "+
				"output", nil))
	}
	return nil
}

var errLong = errors.New("the answer is too long")

// readLine reads a line of at most most bytes.
func (p *process) readLine(most int) ([]byte, error) {
	p.long = p.long[:0]
	for {
		part, err := p.answer.ReadSlice('\n')
		p.long = append(p.long, part...)
		switch {
		case len(p.long) > most:
			return nil, errLong
		case err == nil:
			return p.long, nil
		case err != bufio.ErrBufferFull:
			return nil, err
		}
	}
}

// fail records the first fault and ends the program.
func (p *process) fail(err error) error {
	if p.failed.CompareAndSwap(nil, &err) {
		p.stop(err)
		p.wait()
	}
	return *p.failed.Load()
}

// broken says why a program gave no answer.
func (p *process) broken(err error) error {
	if errors.Is(err, errLong) {
		return p.fault("answered a line that is much longer than the numbers asked for",
			"write one JSON array of numbers a line", nil)
	}
	if why := p.stopped.Load(); why != nil {
		return *why
	}
	// The output has ended, so the program has, or soon will.
	timer := time.AfterFunc(grace, p.kill)
	p.wait()
	problem := "closed its output without an answer"
	if timer.Stop() {
		problem = "ended without an answer: " + p.cmd.ProcessState.String()
	}
	if why := p.stopped.Load(); why != nil {
		return *why
	}
	advice := ""
	if last := p.words.last(); last != "" {
		problem += ", having said: " + last
	} else {
		advice = "run the program by hand and give it a line of pairs"
	}
	return p.fault(problem, advice, err)
}

func (p *process) tooMuch() error {
	return p.fault("wrote more than one line for a request, so its values cannot be trusted",
		"write one line for each line read, and everything else to standard error", nil)
}

// close ends the input of the program and waits for it, a while. It reports
// output that nobody asked for.
func (p *process) close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.err(); err != nil {
		if p.fail(err); err == errClosed {
			return nil
		}
		return err
	}
	timer := time.AfterFunc(grace, func() { p.stop(errClosed) })
	defer timer.Stop()
	_ = p.in.Close()
	left, _ := io.Copy(io.Discard, p.answer)
	p.wait()
	_ = p.out.Close()
	err := errClosed
	if why := p.stopped.Load(); why != nil && *why != errClosed {
		err = *why
	} else if left > 0 {
		err = p.tooMuch()
	}
	p.failed.Store(&err)
	if err == errClosed {
		return nil
	}
	return err
}

func (p *process) fault(problem, advice string, err error) error {
	return &data.InputError{File: p.name, Problem: problem, Advice: advice, Err: err}
}

// cause is the text of an error without the path, which the message has already.
func cause(err error) string {
	var e *exec.Error
	if errors.As(err, &e) {
		err = e.Err
	}
	var path *os.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return err.Error()
}

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if extra := len(t.text) - tailSize; extra > 0 {
		t.text = append(t.text[:0], t.text[extra:]...)
	}
	return len(p), nil
}

// last returns the last line that is not blank, of reasonable length.
func (t *tail) last() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := bytes.TrimSpace(t.text)
	text = text[bytes.LastIndexByte(text, '\n')+1:]
	const most = 200
	if len(text) > most {
		text = text[:most]
	}
	return strings.ToValidUTF8(string(text), "?")
}
