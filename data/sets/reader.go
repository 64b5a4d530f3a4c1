// Package sets reads baskets, one set of items a line:
//
//	citrus fruit,margarine,ready soups
//
// Items are separated by commas and lose the blanks around them; empty items are
// dropped, and an item that comes again counts once. There are no quotes. Where
// Options say so, the first or the last cell of a line is its label. Blank lines
// are no instances; a line of commas, or of a label alone, is the empty set.
package sets

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
	checkEvery  = 1024    // lines between two looks at the context
	maxInterned = 1 << 18 // items and labels of which one copy is kept
)

// Label says where the label of a line stands.
type Label int

// With None all cells of a line are items. With First or Last that cell is the
// label.
const (
	None Label = iota
	First
	Last
)

// ParseLabel returns the place of labels of a name: first, last or none.
func ParseLabel(name string) (Label, error) {
	switch name {
	case "none":
		return None, nil
	case "first":
		return First, nil
	case "last":
		return Last, nil
	}
	return None, fmt.Errorf("place of the label is %q and must be first, last or none", name)
}

// Options say how to read a file. The zero value takes lines without labels.
type Options struct {
	Name  string // the file as errors show it
	Label Label
}

// Reader reads instances from a stream of lines. It is not safe for concurrent
// use.
type Reader struct {
	o     Options
	scan  *bufio.Scanner
	line  int   // number of the line read last
	err   error // what ended the reading, given again by every later Read
	words map[string]string
	items []string // of the line being read
}

// NewReader returns a reader of r.
func NewReader(r io.Reader, o Options) *Reader {
	s := bufio.NewScanner(r)
	s.Buffer(make([]byte, 0, bufferSize), MaxLine)
	return &Reader{o: o, scan: s, words: map[string]string{}}
}

// Read returns the next sets, at most max of them, all that are left if max ≤ 0,
// with their labels; the labels are nil where Options say that there are none. It
// returns io.EOF, and nothing else, when no instance is left.
//
// What is wrong with the file comes back as a *data.InputError; a cancelled
// context as its error.
func (r *Reader) Read(ctx context.Context, max int) (x data.Slice[data.Set], labels []string, err error) {
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
		x = append(x, r.set(line))
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
func (r *Reader) split(line []byte) (label string, items []byte, err error) {
	name, at := line, 0
	if r.o.Label == First {
		if comma := bytes.IndexByte(line, ','); comma >= 0 {
			name, items = line[:comma], line[comma+1:]
		}
	} else if comma := bytes.LastIndexByte(line, ','); comma >= 0 {
		name, items, at = line[comma+1:], line[:comma], comma+1
	}
	name = bytes.TrimSpace(name)
	if len(name) == 0 {
		return "", nil, &data.InputError{File: r.o.Name, Line: r.line, Column: at + 1, Problem: "the label is missing", Advice: "fill it in, leave the line out, or say that there are no labels"}
	}
	return r.intern(name), items, nil
}

// set returns the items between the commas of a line.
func (r *Reader) set(line []byte) data.Set {
	r.items = r.items[:0]
	for cell := range bytes.SplitSeq(line, []byte{','}) {
		if cell = bytes.TrimSpace(cell); len(cell) > 0 {
			r.items = append(r.items, r.intern(cell))
		}
	}
	return data.NewSet(r.items...)
}

// readError is data.ReadError, which knows nothing of lines that are too long.
func (r *Reader) readError(err error) error {
	if errors.Is(err, bufio.ErrTooLong) {
		return &data.InputError{
			File: r.o.Name, Line: r.line + 1, Problem: fmt.Sprintf("the line is longer than %d MiB", MaxLine>>20),
			Advice: "check that the file has one set a line and ends its lines with newlines", Err: err,
		}
	}
	return data.ReadError(r.o.Name, err)
}

// intern returns a word as a string, the same one for the same bytes while words
// are few: baskets hold the same items again and again.
func (r *Reader) intern(word []byte) string {
	if s, ok := r.words[string(word)]; ok {
		return s
	}
	s := string(word)
	if len(r.words) < maxInterned {
		r.words[s] = s
	}
	return s
}
