package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/decimal"
	"github.com/kerf-ml/kerf/dataset"
)

// scanner reads the JSON that most requests are, in one pass and without a value of any
// type for each element. It gives up where it meets anything else, right or wrong: what
// it reports false for is read by encoding/json, which says what is wrong. It gives up,
// too, when ctx ends.
type scanner struct {
	ctx   context.Context
	b     []byte
	at    int
	check int // the place at which ctx is looked at next
}

// checkBytes is how much of a body is read between looks at its context.
const checkBytes = 64 << 10

// newScanner returns a scanner of a body.
func newScanner(ctx context.Context, body []byte) *scanner { return &scanner{ctx: ctx, b: body} }

// next skips blanks and returns the byte behind them, 0 at the end.
func (s *scanner) next() byte {
	for ; s.at < len(s.b); s.at++ {
		switch c := s.b[s.at]; c {
		case ' ', '\t', '\n', '\r':
		default:
			return c
		}
	}
	return 0
}

// take skips blanks and one byte, if that is c.
func (s *scanner) take(c byte) bool {
	if s.next() != c {
		return false
	}
	s.at++
	return true
}

// ended reports that nothing is left.
func (s *scanner) ended() bool { return s.next() == 0 && s.at == len(s.b) }

// live reports whether the request may go on.
func (s *scanner) live() bool {
	if s.at < s.check {
		return true
	}
	s.check = s.at + checkBytes
	return s.ctx.Err() == nil
}

// list calls element for each element of a list.
func (s *scanner) list(element func() bool) bool {
	if !s.take('[') {
		return false
	}
	if s.take(']') {
		return true
	}
	for {
		if !element() {
			return false
		}
		if s.take(',') {
			continue
		}
		return s.take(']')
	}
}

// object calls value for each name of an object.
func (s *scanner) object(value func(name []byte) bool) bool {
	if !s.take('{') {
		return false
	}
	if s.take('}') {
		return true
	}
	for {
		name, ok := s.text()
		if !ok || !s.take(':') || !value(name) {
			return false
		}
		if s.take(',') {
			continue
		}
		return s.take('}')
	}
}

// text reads a string without escapes and returns what is between the quotes.
func (s *scanner) text() ([]byte, bool) {
	if !s.take('"') {
		return nil, false
	}
	ascii := true
	for i := s.at; i < len(s.b); i++ {
		switch c := s.b[i]; {
		case c == '"':
			text := s.b[s.at:i]
			s.at = i + 1
			return text, ascii || utf8.Valid(text)
		case c == '\\' || c < ' ':
			return nil, false
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	return nil, false
}

// word takes a word such as null.
func (s *scanner) word(w string) bool {
	if len(s.b)-s.at < len(w) || string(s.b[s.at:s.at+len(w)]) != w {
		return false
	}
	s.at += len(w)
	return true
}

// number reads a number that is spelled as JSON has them, and is finite.
func (s *scanner) number() (float64, bool) {
	s.next()
	n, ok := decimal.Read(s.b, s.at)
	if ok && s.spelled(n) {
		s.at = n.End
		return n.Value, true
	}
	return s.longNumber()
}

// spelled reports whether a number is one of JSON: it begins with a digit, after a minus or
// none, with 0 only where that is all before the point, and has a digit behind that.
func (s *scanner) spelled(n decimal.Number) bool {
	i := s.at
	if s.b[i] == '-' {
		i++
	}
	digit := func(i int) bool { return i < n.End && s.b[i]-'0' < 10 }
	return digit(i) && (s.b[i] != '0' || !digit(i+1)) && (n.Point < 0 || digit(n.Point+1))
}

// digits skips digits from a place on and returns where they end.
func (s *scanner) digits(i int) int {
	for i < len(s.b) && s.b[i]-'0' < 10 {
		i++
	}
	return i
}

// longNumber reads a number of many digits, or one that is spelled otherwise than JSON has
// them, and that it refuses.
func (s *scanner) longNumber() (float64, bool) {
	i := s.at
	if i < len(s.b) && s.b[i] == '-' {
		i++
	}
	whole := i
	i = s.digits(i)
	if i == whole || s.b[whole] == '0' && i > whole+1 {
		return 0, false
	}
	point := i
	if i < len(s.b) && s.b[i] == '.' {
		if i = s.digits(i + 1); i == point+1 {
			return 0, false
		}
	}
	if i < len(s.b) && s.b[i]|0x20 == 'e' {
		if i++; i < len(s.b) && (s.b[i] == '+' || s.b[i] == '-') {
			i++
		}
		from := i
		if i = s.digits(i); i == from {
			return 0, false
		}
	}
	v, err := strconv.ParseFloat(string(s.b[s.at:i]), 64)
	s.at = i
	return v, err == nil
}

// numberOrNull reads a number, NaN for null.
func (s *scanner) numberOrNull() (float64, bool) {
	if s.next() == 'n' {
		return math.NaN(), s.word("null")
	}
	return s.number()
}

// matrix reads a list of numbers, or of lists of as many numbers each, with NaN for null.
func (s *scanner) matrix() (*data.Matrix, bool) {
	m := &data.Matrix{}
	flat := false
	ok := s.list(func() bool {
		if s.next() != '[' {
			v, ok := s.numberOrNull()
			ok = ok && (flat || m.Rows == 0)
			flat, m.Rows, m.Cols, m.Data = true, 1, m.Cols+1, append(m.Data, v)
			return ok && s.live()
		}
		if flat {
			return false
		}
		before := len(m.Data)
		if m.Rows == 1 { // by now it is known what the others need
			m.Data = slices.Grow(m.Data, min(len(s.b)/max(s.at, 1)+1, len(s.b)/(2*m.Cols))*m.Cols)
		}
		ok := s.list(func() bool {
			v, ok := s.numberOrNull()
			m.Data = append(m.Data, v)
			return ok
		})
		m.Rows++
		if m.Rows == 1 {
			m.Cols = len(m.Data)
		}
		return ok && m.Cols > 0 && len(m.Data)-before == m.Cols && m.Rows*m.Cols == len(m.Data) && s.live()
	})
	return m, ok && m.Rows > 0 && s.ended()
}

// rows calls row for an object, or each of a list of them, that are the whole body.
func (s *scanner) rows(row func() bool) bool {
	if s.next() == '{' {
		return row() && s.ended()
	}
	return s.list(func() bool { return row() && s.live() }) && s.ended()
}

// manyNames is how many names rows may have beside those that the model looks at.
const manyNames = 100

// batch reads rows whose values have names.
func (s *scanner) batch(takes int) (*dataset.Batch, bool) {
	b := dataset.NewBatch()
	var (
		index  = map[string]int{}
		names  []string
		filled []int // the row, from 1, that has named a column last
		hollow int   // cells that rows without them cost
	)
	ok := s.rows(func() bool {
		b.Row(0)
		row, guess := b.Len(), 0
		return s.object(func(name []byte) bool {
			col := guess // most rows have their names in the same order
			if col >= len(names) || names[col] != string(name) {
				var known bool
				if col, known = index[string(name)]; !known {
					text := string(name)
					col = b.Column(text)
					index[text], names, filled = col, append(names, text), append(filled, 0)
				}
			}
			guess = col + 1
			hollow += row - 1 - filled[col]
			if filled[col] == row || len(names) > 2*takes+manyNames || hollow > len(s.b) {
				return false
			}
			filled[col] = row
			return s.cell(b, col)
		})
	})
	return b, ok && b.Len() > 0
}

// cell reads a value and adds it to the row.
func (s *scanner) cell(b *dataset.Batch, col int) bool {
	switch s.next() {
	case '"':
		text, ok := s.text()
		b.Text(col, string(text))
		return ok
	case 't':
		b.Bool(col, true)
		return s.word("true")
	case 'f':
		b.Bool(col, false)
		return s.word("false")
	case 'n':
		return s.word("null")
	}
	v, ok := s.number()
	b.Number(col, v)
	return ok
}

// sparse reads rows of numbers by index, in its order.
func (s *scanner) sparse() ([]any, bool) {
	var records []any
	ok := s.rows(func() bool {
		v := data.Vector{Index: []int32{}}
		last := int64(-1)
		ok := s.object(func(name []byte) bool {
			j, err := strconv.ParseUint(string(name), 10, 31)
			x, ok := s.number()
			if err != nil || !ok || int64(j) <= last || len(name) > 1 && name[0] == '0' {
				return false
			}
			last = int64(j)
			v.Index, v.Value = append(v.Index, int32(j)), append(v.Value, x)
			return true
		})
		records = append(records, v)
		return ok
	})
	return records, ok && len(records) > 0
}

// cutData returns a request of the protocol with a number in the place of each list of
// numbers that is the data of an input, and the lists.
func (s *scanner) cutData() (rest []byte, lists [][]float64, ok bool) {
	from := 0
	inputs := 0
	ok = s.object(func(name []byte) bool {
		if string(name) != "inputs" {
			return !strings.EqualFold(string(name), "inputs") && s.skip()
		}
		inputs++
		return s.list(func() bool {
			return s.object(func(name []byte) bool {
				if string(name) != "data" {
					return !strings.EqualFold(string(name), "data") && s.skip()
				}
				s.next()
				rest = append(rest, s.b[from:s.at]...)
				var list []float64
				if !s.nested(&list, 0) {
					return false
				}
				from = s.at
				rest = strconv.AppendInt(rest, int64(len(lists)), 10)
				lists = append(lists, list)
				return true
			})
		})
	}) && s.ended()
	return append(rest, s.b[from:]...), lists, ok && inputs == 1
}

// deepest is how deep lists of a tensor's elements may be.
const deepest = 2

// nested reads a list of numbers, flat or nested, with NaN for null.
func (s *scanner) nested(into *[]float64, depth int) bool {
	return s.list(func() bool {
		if s.next() == '[' {
			return depth < deepest && s.live() && s.nested(into, depth+1)
		}
		v, ok := s.numberOrNull()
		*into = append(*into, v)
		return ok && s.live()
	})
}

// skip skips a value, which must be valid JSON to be skipped right.
func (s *scanner) skip() bool {
	s.next()
	depth := 0
	for s.at < len(s.b) {
		switch c := s.b[s.at]; c {
		case '"':
			for s.at++; s.at < len(s.b) && s.b[s.at] != '"'; s.at++ {
				if s.b[s.at] == '\\' {
					s.at++
				}
			}
		case '[', '{':
			depth++
		case ']', '}', ',':
			if depth == 0 {
				return true
			}
			if c != ',' {
				depth--
			}
		}
		s.at++
		if !s.live() {
			return false
		}
	}
	return false
}

// decode reads one JSON value of any form with encoding/json, for as long as ctx lasts.
func decode(ctx context.Context, body []byte, into any) (*json.Decoder, error) {
	d := json.NewDecoder(&lasting{ctx, bytes.NewReader(body)})
	return d, d.Decode(into)
}

// lasting is a reader that ends with a context.
type lasting struct {
	ctx context.Context
	*bytes.Reader
}

func (l *lasting) Read(p []byte) (int, error) {
	if err := l.ctx.Err(); err != nil {
		return 0, err
	}
	return l.Reader.Read(p[:min(len(p), checkBytes)])
}
