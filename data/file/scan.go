package file

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/kerf-ml/kerf/data"
)

// Scanner reads a text line by line and knows which one it is at. A line ends in
// a newline, or a carriage return and a newline; the last one may lack its end. It
// is not safe for concurrent use.
type Scanner struct {
	name string
	r    *bufio.Reader
	long []byte // a line that does not fit the buffer of r
	line int    // number of the line read last
}

// NewScanner returns a scanner of r. The name stands for the file in errors.
func NewScanner(r io.Reader, name string) *Scanner {
	return &Scanner{name: name, r: bufio.NewReaderSize(r, HeadSize)}
}

// At returns a scanner that reads nothing, for faults in a line of a text that is
// in memory.
func At(name string, line int) *Scanner {
	return &Scanner{name: name, line: line, r: bufio.NewReader(strings.NewReader(""))}
}

// Line returns the number of the line read last, from 1.
func (s *Scanner) Line() int { return s.line }

// Next returns the next line without its end, valid until the next call, and
// io.EOF when there is none. A line of more than MaxLine bytes is a
// *data.InputError.
func (s *Scanner) Next() ([]byte, error) {
	line, err := s.r.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		s.long = append(s.long[:0], line...)
		for err == bufio.ErrBufferFull {
			line, err = s.r.ReadSlice('\n')
			s.long = append(s.long, line...)
			if n := len(bytes.TrimSuffix(s.long, []byte{'\n'})); n > MaxLine {
				return nil, tooLong(s.name, s.line+1)
			}
		}
		line = s.long
	}
	if err == io.EOF && len(line) > 0 {
		err = nil
	}
	if err != nil {
		return nil, data.ReadError(s.name, err)
	}
	s.line++
	return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte{'\n'}), []byte{'\r'}), nil
}

// NextFilled returns the next line that is not blank.
func (s *Scanner) NextFilled() ([]byte, error) {
	for {
		line, err := s.Next()
		if err != nil || len(bytes.TrimSpace(line)) > 0 {
			return line, err
		}
	}
}

// Fault reports what is wrong at a byte of the line read last, counted from 0.
func (s *Scanner) Fault(at int, problem, advice string) error {
	return &data.InputError{File: s.name, Line: s.line, Column: at + 1, Problem: problem, Advice: advice}
}

// FaultIn reports what is wrong with a line.
func (s *Scanner) FaultIn(line int, problem, advice string) error {
	return &data.InputError{File: s.name, Line: line, Problem: problem, Advice: advice}
}

func tooLong(name string, line int) error {
	return &data.InputError{
		File: name, Line: line,
		Problem: fmt.Sprintf("the line is longer than %d MiB", MaxLine>>20),
		Advice:  "check that the file has one row a line and ends its lines with newlines",
	}
}

// Words keeps one copy of each word, because the labels or items of a file come
// again and again: of the first Most that differ, or 4096 if that is 0.
type Words struct {
	Most  int
	known map[string]string
}

// Of returns a word as a string, the same one for the same bytes.
func (w *Words) Of(word []byte) string {
	if s, ok := w.known[string(word)]; ok {
		return s
	}
	if w.known == nil {
		w.known = map[string]string{}
	}
	s := string(word)
	if len(w.known) < cmp.Or(w.Most, 4096) {
		w.known[s] = s
	}
	return s
}
