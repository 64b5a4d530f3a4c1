package csv

import (
	"bufio"
	"bytes"
	"fmt"
	"io"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/table"
)

const (
	bufferSize = 64 << 10
	maxCell    = 8 << 20 // bytes of a quoted cell; more means that a quote was never closed
	maxColumns = 1 << 20

	closeIt = "close it, or double it if it is part of the text"
)

// splitter splits a stream into records of cells.
type splitter struct {
	name  string
	r     *bufio.Reader
	comma byte
	line  int    // number of the line read last
	begin int    // line in which the record begins
	text  []byte // the cells of the record, and what stands between them
	cells []cell
	open  bool // whether a quote of the record was found that closes nowhere in its line
}

// cell is a cell of a record: its bytes are text[lo:hi].
type cell struct {
	lo, hi int
	quoted bool
	place  table.Place
}

func newSplitter(r io.Reader, name string, comma byte) *splitter {
	return &splitter{name: name, r: bufio.NewReaderSize(r, bufferSize), comma: comma}
}

// bytes returns the content of cell j, valid until the next record.
func (s *splitter) bytes(j int) []byte { return s.text[s.cells[j].lo:s.cells[j].hi] }

// next reads the next record that is not a blank line. It returns io.EOF when
// there is none.
func (s *splitter) next() error {
	s.text, s.cells, s.open = s.text[:0], s.cells[:0], false
	at := 0
	for {
		if err := s.readLine(); err != nil {
			return err
		}
		if at = s.skipBlanks(0); at < len(s.text) {
			break
		}
		s.text = s.text[:0]
	}
	s.begin = s.line
	start := 0 // where in text the current line begins
	for {
		if at = s.skipBlanks(at); s.comma == ' ' && at == len(s.text) {
			return nil // blanks at the end of a line separate nothing
		}
		var err error
		if at < len(s.text) && s.text[at] == '"' && (s.comma != '\t' || s.closes(at)) {
			at, start, err = s.quoted(at, start)
		} else {
			at = s.plain(at, start)
		}
		if err != nil {
			return err
		}
		if len(s.cells) > maxColumns {
			return s.fault(table.Place{Line: s.begin}, fmt.Sprintf("the row has more than %d columns", maxColumns),
				"check what separates the cells")
		}
		if at == len(s.text) {
			return nil
		}
		at++ // past the separator
	}
}

// plain takes the cell without quotes that begins at at, and returns where its
// separator stands, or the end.
func (s *splitter) plain(at, start int) int {
	end := len(s.text)
	n := bytes.IndexByte(s.text[at:], s.comma)
	if s.comma == ' ' {
		n = bytes.IndexAny(s.text[at:], blanks)
	}
	if n >= 0 {
		end = at + n
	}
	hi := end
	for hi > at && s.isBlank(s.text[hi-1]) {
		hi--
	}
	s.cells = append(s.cells, cell{lo: at, hi: hi, place: table.Place{Line: s.line, Column: at - start + 1}})
	return end
}

// quoted takes the cell whose quote opens at at. It undoes doubled quotes in
// place: bytes before hi are done, bytes from at on are still to be looked at,
// and hi ≤ at. It reads on where the cell goes over several lines, and returns
// where the separator stands and where the line begins.
func (s *splitter) quoted(at, start int) (end, lineStart int, err error) {
	c := cell{lo: at + 1, quoted: true, place: table.Place{Line: s.line, Column: at - start + 1}}
	hi := c.lo
	at++
	for {
		n := bytes.IndexByte(s.text[at:], '"')
		if n < 0 {
			rest := len(s.text) - at
			copy(s.text[hi:], s.text[at:])
			hi += rest
			s.text = append(s.text[:hi], '\n')
			hi++
			at, start = hi, hi
			if hi-c.lo > maxCell {
				return 0, 0, s.fault(c.place, "the quote that opens here is not closed within 8 MiB", closeIt)
			}
			if err := s.readLine(); err == io.EOF {
				return 0, 0, s.fault(c.place, "the quote that opens here is never closed", closeIt)
			} else if err != nil {
				return 0, 0, err
			}
			continue
		}
		copy(s.text[hi:], s.text[at:at+n])
		hi += n
		at += n + 1
		if at == len(s.text) || s.text[at] != '"' {
			break
		}
		s.text[hi] = '"'
		hi++
		at++
	}
	c.hi = hi
	after := s.skipBlanks(at)
	if s.comma == ' ' && after > at {
		after = at // one of the blanks is the separator
	} else if after < len(s.text) && s.text[after] != s.comma {
		at := table.Place{Line: s.line, Column: after - start + 1}
		return 0, 0, s.fault(at, "there is text after the closing quote of a cell",
			"put a separator between them, or double quotes that are part of the text")
	}
	s.cells = append(s.cells, c)
	return after, start, nil
}

// closes reports whether the quote that opens at at closes at the end of its
// cell in the same line. Once a search has come to the end of the line in vain
// there is no other in that line, so that the cost stays linear.
func (s *splitter) closes(at int) bool {
	if s.open {
		return false
	}
	for at++; ; at += 2 {
		n := bytes.IndexByte(s.text[at:], '"')
		if n < 0 {
			s.open = true
			return false
		}
		at += n
		if at+1 == len(s.text) || s.text[at+1] != '"' {
			break
		}
	}
	at = s.skipBlanks(at + 1)
	return at == len(s.text) || s.text[at] == s.comma
}

func (s *splitter) skipBlanks(at int) int {
	for at < len(s.text) && s.isBlank(s.text[at]) {
		at++
	}
	return at
}

// blanks stand around cells, and between them where the comma is a blank: then any
// number of them separates two cells.
const blanks = " \t\r"

func (s *splitter) isBlank(c byte) bool {
	return (c == ' ' || c == '\t' || c == '\r') && (c != s.comma || c == ' ')
}

// readLine appends the next line, without its newline, to text. A carriage return
// before the newline stays and counts as a blank.
func (s *splitter) readLine() error {
	read := 0
	for {
		part, err := s.r.ReadSlice('\n')
		s.text = append(s.text, part...)
		read += len(part)
		if err == bufio.ErrBufferFull {
			continue
		}
		if err == io.EOF && read > 0 {
			err = nil // the last line may lack its end
		}
		if err != nil {
			return data.ReadError(s.name, err)
		}
		break
	}
	s.line++
	s.text = bytes.TrimSuffix(s.text, []byte{'\n'})
	return nil
}

func (s *splitter) fault(at table.Place, problem, advice string) error {
	return &data.InputError{File: s.name, Line: at.Line, Column: at.Column, Problem: problem, Advice: advice}
}
