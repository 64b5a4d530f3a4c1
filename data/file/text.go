package file

import (
	"bytes"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/kerf-ml/kerf/data"
)

const byteOrderMark = "\xef\xbb\xbf" // of UTF-8

// checkText refuses content that is empty or not text.
func checkText(name string, head []byte) error {
	e := &data.InputError{File: name}
	switch {
	case len(bytes.TrimSpace(head)) == 0 && len(head) < HeadSize:
		e.Problem, e.Advice = "is empty", "give a file with at least one row of data"
	case bytes.HasPrefix(head, []byte{0xff, 0xfe}) || bytes.HasPrefix(head, []byte{0xfe, 0xff}):
		e.Problem, e.Advice = "is UTF-16 text", "convert it to UTF-8, for instance with iconv -f UTF-16 -t UTF-8"
	case LooksBinary(head):
		e.Problem, e.Advice = "looks binary, not text", "give a text file, plain or compressed by gzip, bzip2 or zstd"
	default:
		return nil
	}
	return e
}

// LooksBinary reports that content is no text: a NUL byte or more than a tenth of control characters that
// no text has.
func LooksBinary(head []byte) bool {
	control := 0
	for _, c := range head {
		switch {
		case c == 0:
			return true
		case c < ' ' && (c < '\t' || c > '\r'), c == 0x7f:
			control++
		}
	}
	return control*10 > len(head)
}

var newline = []byte{'\n'}

// lineLimit passes text on and ends with an error in a line of more than
// MaxLine bytes, before a parser gathers it in memory, and in one that is not
// UTF-8, which no model file could hold.
type lineLimit struct {
	r      io.Reader
	name   string
	line   int    // number of the line being read, from 1
	length int    // bytes of it so far
	cut    []byte // the beginning of a character that the last Read cut off
	err    error
}

func (l *lineLimit) Read(p []byte) (int, error) {
	if l.err != nil {
		return 0, l.err
	}
	n, err := l.r.Read(p)
	if fault := l.checkUTF8(p[:n], err != nil); fault != nil {
		err = fault
	}
	if l.length+n <= MaxLine { // no line is too long, however many there are
		if last := bytes.LastIndexByte(p[:n], '\n'); last >= 0 {
			l.line, l.length = l.line+bytes.Count(p[:last+1], newline), n-last-1
		} else {
			l.length += n
		}
		l.err = err
		return n, err
	}
	for rest := p[:n]; len(rest) > 0; {
		end := bytes.IndexByte(rest, '\n')
		if end < 0 {
			l.length += len(rest)
			rest = nil
		} else {
			l.length += end
			rest = rest[end+1:]
		}
		if l.length > MaxLine {
			l.err = tooLong(l.name, l.line)
			return 0, l.err
		}
		if end >= 0 {
			l.line, l.length = l.line+1, 0
		}
	}
	l.err = err
	return n, err
}

// checkUTF8 reports the first byte that is part of no character. What a Read
// cuts off in the middle of a character is kept until the next.
func (l *lineLimit) checkUTF8(text []byte, last bool) error {
	if len(l.cut) == 0 && utf8.Valid(text) {
		return nil
	}
	line, column := l.line, l.length+1-len(l.cut)
	if len(l.cut) > 0 {
		text = append(l.cut, text...)
	}
	l.cut = nil
	for len(text) > 0 {
		if text[0] < utf8.RuneSelf {
			column++
			if text[0] == '\n' {
				line, column = line+1, 1
			}
			text = text[1:]
			continue
		}
		if !last && !utf8.FullRune(text) {
			l.cut = append([]byte(nil), text...)
			return nil
		}
		r, size := utf8.DecodeRune(text)
		if r == utf8.RuneError && size == 1 {
			return &data.InputError{
				File: l.name, Line: line, Column: column,
				Problem: fmt.Sprintf("byte %#x is not UTF-8", text[0]),
				Advice:  "convert the file, for instance with iconv -f LATIN1 -t UTF-8",
			}
		}
		text, column = text[size:], column+size
	}
	return nil
}
