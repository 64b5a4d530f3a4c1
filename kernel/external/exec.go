package external

import (
	"context"
	"math"
	"strings"
	"time"

	"github.com/kerf-ml/kerf/data"
)

// MaxPairs is the largest number of pairs in one request to a program. Answers to
// so few fit the buffer of a pipe, so that a program which answers before it has
// read all of a request does not wait for kerf while kerf waits for it.
const MaxPairs = 1024

// maxRequest is the size in bytes at which a request is closed before it has
// MaxPairs pairs.
const maxRequest = 1 << 20

// DefaultTimeout is how long a program has for a request, or a module for a
// value, unless options say otherwise.
const DefaultTimeout = 30 * time.Second

// ExecOptions say how to run a program. The zero value is the default.
type ExecOptions struct {
	Timeout time.Duration // for one request; DefaultTimeout if 0
}

// Exec is the kernel of a program: K(x, y) is what the program answers for the
// pair (x, y). Package external describes how kerf speaks to it.
//
// Eval sends one pair a request, which costs some 20 µs beside the program's own
// time; EvalBlock sends up to MaxPairs. Requests of several goroutines queue up.
// The program is never started again.
type Exec[T Instance] struct {
	command string
	process *process
}

// NewExec starts a program. The command is split by SplitCommand. The context
// bounds the life of the program: when it ends, the program is killed, and what
// it has started with it. Close ends the program earlier and must be called.
func NewExec[T Instance](ctx context.Context, command string, o ExecOptions) (*Exec[T], error) {
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	command = strings.TrimSpace(command)
	name := "exec:" + command
	words, err := SplitCommand(command)
	if err != nil {
		return nil, &data.InputError{File: name, Problem: err.Error(),
			Advice: "write exec: and a program with its arguments, such as exec:python3 kernel.py"}
	}
	p, err := start(ctx, name, words, o.Timeout)
	if err != nil {
		return nil, err
	}
	return &Exec[T]{command: command, process: p}, nil
}

// String returns exec: and the command.
func (k *Exec[T]) String() string { return "exec:" + k.command }

// Err returns the first fault of the program, nil while there was none.
func (k *Exec[T]) Err() error { return k.process.err() }

// Close ends the program: it closes its input, waits a moment, and kills it if it
// does not end. It returns the first fault, if there was one; so does a program
// that has written more than it was asked for. The kernel gives no more values.
func (k *Exec[T]) Close() error { return k.process.close() }

// Eval returns K(x, y), or NaN after a fault, which Err returns.
func (k *Exec[T]) Eval(x, y T) float64 {
	var value [1]float64
	if err := k.EvalBlock(value[:], []T{x}, []T{y}); err != nil {
		return math.NaN()
	}
	return value[0]
}

// EvalBlock sets dst[i*len(y)+j] to K(x[i], y[j]), for all i and j.
func (k *Exec[T]) EvalBlock(dst []float64, x, y []T) error {
	if len(dst) != len(x)*len(y) {
		panic("external: block of another size than its arguments")
	}
	texts := make([][]byte, len(y))
	for j := range y {
		var err error
		if texts[j], err = k.encode(nil, y[j]); err != nil {
			return err
		}
	}
	b := batch{process: k.process, dst: dst}
	var text []byte
	for i := range x {
		var err error
		if text, err = k.encode(text[:0], x[i]); err != nil {
			return err
		}
		for _, other := range texts {
			if err := b.add(text, other); err != nil {
				return err
			}
		}
	}
	return b.send()
}

// encode appends an instance. What cannot be written is a fault of the instance,
// not of the program, which goes on.
func (k *Exec[T]) encode(dst []byte, x T) ([]byte, error) {
	dst, err := appendJSON(dst, x)
	if err != nil {
		return nil, &data.InputError{File: k.String(), Problem: err.Error(), Advice: "correct the data", Err: err}
	}
	return dst, nil
}

// batch gathers pairs into requests. The values of the pairs so far belong at the
// beginning of dst.
type batch struct {
	process *process
	dst     []float64
	pairs   int
	request []byte
}

func (b *batch) add(x, y []byte) error {
	sep := byte(',')
	if b.pairs == 0 {
		b.request, sep = b.request[:0], '['
	}
	b.request = append(b.request, sep, '[')
	b.request = append(b.request, x...)
	b.request = append(b.request, ',')
	b.request = append(b.request, y...)
	b.request = append(b.request, ']')
	b.pairs++
	if b.pairs == MaxPairs || len(b.request) >= maxRequest {
		return b.send()
	}
	return nil
}

func (b *batch) send() error {
	if b.pairs == 0 {
		return nil
	}
	b.request = append(b.request, "]\n"...)
	if err := b.process.exchange(b.dst[:b.pairs], b.request); err != nil {
		return err
	}
	b.dst, b.pairs = b.dst[b.pairs:], 0
	return nil
}
