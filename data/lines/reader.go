// Package lines reads texts, one instance a line:
//
//	some text
//
// or, where Options say that there are labels, with a tab between the label and
// the text:
//
//	label<TAB>some text
//	some text<TAB>label
//
// A text is kept as it is written, without the end of its line; a label loses
// the blanks around it. Blank lines are no instances. A line with a label alone
// is the empty text.
package lines

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/kerf-ml/kerf/data"
)

// MaxLine is the longest line in bytes that Read takes.
const MaxLine = 16 << 20

const (
	bufferSize  = 64 << 10
	checkEvery  = 1024 // lines between two looks at the context
	maxInterned = 4096 // labels of which one copy is kept
)

// Label says where the label of a line stands.
type Label int

// With None a line is all text. With First the label ends at the first tab of a
// line, with Last it begins after the last one.
const (
	None Label = iota
	First
	Last
)

// Options say how to read a file. The zero value takes lines without labels.
type Options struct {
	Name  string // the file as errors show it
	Label Label
}

// Reader reads instances from a stream of lines. It is not safe for concurrent
// use.
type Reader struct {
	o      Options
	scan   *bufio.Scanner
	line   int   // number of the line read last
	err    error // what ended the reading, given again by every later Read
	labels map[string]string
}

// NewReader returns a reader of r.
func NewReader(r io.Reader, o Options) *Reader {
	s := bufio.NewScanner(r)
	s.Buffer(make([]byte, 0, bufferSize), MaxLine)
	return &Reader{o: o, scan: s, labels: map[string]string{}}
}

// Read returns the next texts, at most max of them, all that are left if
// max ≤ 0, with their labels; the labels are nil where Options say that there are
// none. It returns io.EOF, and nothing else, when no instance is left.
//
// What is wrong with the file comes back as a *data.InputError; a cancelled
// context as its error.
func (r *Reader) Read(ctx context.Context, max int) (x data.Slice[string], labels []string, err error) {
	if r.err != nil {
		return nil, nil, r.err
	}
	for max <= 0 || len(x) < max {
		if r.line%checkEvery == 0 && ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		line, err := r.next()
		if err == io.EOF && len(x) > 0 {
			r.err = io.EOF
			break
		}
		if err == nil && r.o.Label != None {
			var label string
			label, line, err = r.split(line)
			labels = append(labels, label)
		}
		if err != nil {
			r.err = err
			return nil, nil, err
		}
		x = append(x, string(line))
	}
	return x, labels, nil
}

// next returns the next line that is not blank, valid until the next call.
func (r *Reader) next() ([]byte, error) {
	for r.scan.Scan() {
		r.line++
		if line := r.scan.Bytes(); len(bytes.TrimSpace(line)) > 0 {
			return line, nil
		}
	}
	if err := r.scan.Err(); err != nil {
		return nil, r.readError(err)
	}
	return nil, io.EOF
}

// split takes the label off a line.
func (r *Reader) split(line []byte) (label string, text []byte, err error) {
	tab := bytes.IndexByte(line, '\t')
	where := "before"
	if r.o.Label == Last {
		tab = bytes.LastIndexByte(line, '\t')
		where = "after"
	}
	if tab < 0 {
		return "", nil, r.fault(len(line), "the line has no tab, so no label", "write label, tab, text in every line, or say that there are no labels")
	}
	name, text, at := line[:tab], line[tab+1:], 0
	if r.o.Label == Last {
		name, text, at = line[tab+1:], line[:tab], tab+1
	}
	name = bytes.TrimSpace(name)
	if len(name) == 0 {
		return "", nil, r.fault(at, "there is no label "+where+" the tab", "fill it in, or leave the line out")
	}
	return r.intern(name), text, nil
}

// fault reports what is wrong at a byte of the current line, counted from 0.
func (r *Reader) fault(at int, problem, advice string) error {
	return &data.InputError{File: r.o.Name, Line: r.line, Column: at + 1, Problem: problem, Advice: advice}
}

// readError is data.ReadError, which knows nothing of lines that are too long.
func (r *Reader) readError(err error) error {
	if errors.Is(err, bufio.ErrTooLong) {
		return &data.InputError{
			File: r.o.Name, Line: r.line + 1, Problem: fmt.Sprintf("the line is longer than %d MiB", MaxLine>>20),
			Advice: "check that the file has one text a line and ends its lines with newlines", Err: err,
		}
	}
	return data.ReadError(r.o.Name, err)
}

// intern returns the label as a string, the same one for the same bytes while
// labels are few.
func (r *Reader) intern(label []byte) string {
	if s, ok := r.labels[string(label)]; ok {
		return s
	}
	s := string(label)
	if len(r.labels) < maxInterned {
		r.labels[s] = s
	}
	return s
}
