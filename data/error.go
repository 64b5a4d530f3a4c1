package data

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/kerf-ml/kerf/run"
)

// InputError reports input that kerf cannot use: where it stands, what is
// wrong, and what to do. Every reader of this module returns one for whatever
// is wrong with its input.
type InputError struct {
	File    string // as the user named it; "standard input" for -
	Line    int    // 1-based; 0 where no line is to blame
	Column  int    // 1-based, in bytes; 0 where no column is to blame
	Problem string
	Advice  string // may be empty
	Err     error  // the cause, may be nil
}

// Error gives one line: "file:line:column: problem; advice".
func (e *InputError) Error() string {
	var b strings.Builder
	if e.File != "" {
		b.WriteString(e.File)
		if e.Line > 0 {
			fmt.Fprintf(&b, ":%d", e.Line)
			if e.Column > 0 {
				fmt.Fprintf(&b, ":%d", e.Column)
			}
		}
		b.WriteString(": ")
	}
	b.WriteString(e.Problem)
	if e.Advice != "" {
		b.WriteString("; " + e.Advice)
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *InputError) Unwrap() error { return e.Err }

// ReadError is the error of a reader whose stream failed: io.EOF, an InputError, a
// *run.MemoryError and the error of a context as they are, anything else as an
// InputError that names the file.
func ReadError(file string, err error) error {
	var input *InputError
	var memory *run.MemoryError
	if err == io.EOF || errors.As(err, &input) || errors.As(err, &memory) ||
		errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &InputError{File: file, Problem: fmt.Sprintf("cannot be read: %v", err), Err: err}
}
