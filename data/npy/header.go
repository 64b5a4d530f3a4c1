package npy

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

const (
	magic     = "\x93NUMPY"
	maxHeader = 1 << 20 // bytes; a header of numbers is far shorter
	maxSize   = 1 << 40 // of a dimension
)

// header is what stands before the values of an array.
type header struct {
	kind       kind
	order      binary.ByteOrder
	fortran    bool
	rows, cols int
}

// readHeader reads the magic bytes, the version, and the dictionary.
func (r *Reader) readHeader() error {
	var begin [8]byte
	if err := r.r.Full(begin[:]); err != nil {
		return err
	}
	if string(begin[:6]) != magic {
		return r.r.Fault(0, "is no NPY data: it does not begin with the mark of NumPy", "write it with numpy.save")
	}
	size := 2
	switch begin[6] {
	case 1:
	case 2, 3:
		size = 4
	default:
		return r.r.Fault(6, fmt.Sprintf("has version %d of the NPY format, which kerf does not know", begin[6]),
			"write it with numpy.save")
	}
	length := make([]byte, 4)
	if err := r.r.Full(length[:size]); err != nil {
		return err
	}
	n := binary.LittleEndian.Uint32(length)
	if n > maxHeader {
		return r.r.Fault(8, fmt.Sprintf("has a header of %d bytes", n), "check that the file is whole")
	}
	at := r.r.Offset()
	text := make([]byte, n)
	if err := r.r.Full(text); err != nil {
		return err
	}
	h, err := parseHeader(string(text))
	if err != nil {
		return r.r.Fault(at, err.Error(), "give an array of numbers with one or two dimensions, written with numpy.save")
	}
	r.header = h
	return nil
}

// parseHeader reads the dictionary, a literal of Python with the keys descr,
// fortran_order and shape.
func parseHeader(text string) (header, error) {
	var h header
	values, err := parseDict(text)
	if err != nil {
		return h, err
	}
	if h.kind, h.order, err = parseType(values["descr"]); err != nil {
		return h, err
	}
	switch values["fortran_order"] {
	case "True":
		h.fortran = true
	case "False":
	default:
		return h, fmt.Errorf("has no fortran_order in its header")
	}
	h.rows, h.cols, err = parseShape(values["shape"])
	return h, err
}

// parseDict splits a dictionary of strings, words and tuples into its values, as
// they are written, by key.
func parseDict(text string) (map[string]string, error) {
	bad := errors.New("has a header that is no dictionary")
	text = strings.TrimSpace(text)
	if len(text) < 2 || text[0] != '{' || text[len(text)-1] != '}' {
		return nil, bad
	}
	text = strings.TrimSpace(text[1 : len(text)-1])
	values := map[string]string{}
	for text != "" {
		key, rest, ok := quoted(text)
		if !ok {
			return nil, bad
		}
		rest, ok = strings.CutPrefix(strings.TrimSpace(rest), ":")
		if !ok {
			return nil, bad
		}
		rest = strings.TrimSpace(rest)
		end := valueEnd(rest)
		if end <= 0 {
			return nil, bad
		}
		values[key] = strings.TrimSpace(rest[:end])
		rest = strings.TrimSpace(rest[end:])
		if rest != "" {
			if rest, ok = strings.CutPrefix(rest, ","); !ok {
				return nil, bad
			}
		}
		text = strings.TrimSpace(rest)
	}
	return values, nil
}

// quoted takes a string in single or double quotes off the beginning of a text.
func quoted(text string) (value, rest string, ok bool) {
	if text == "" || text[0] != '\'' && text[0] != '"' {
		return "", "", false
	}
	end := strings.IndexByte(text[1:], text[0])
	if end < 0 {
		return "", "", false
	}
	return text[1 : 1+end], text[end+2:], true
}

// valueEnd returns where the value at the beginning of a text ends: a string, a
// tuple or list, or a word. It returns 0 where there is none.
func valueEnd(text string) int {
	if text == "" {
		return 0
	}
	switch text[0] {
	case '\'', '"':
		_, rest, ok := quoted(text)
		if !ok {
			return 0
		}
		return len(text) - len(rest)
	case '(', '[':
		depth := 0
		for i, c := range text {
			switch c {
			case '(', '[':
				depth++
			case ')', ']':
				if depth--; depth == 0 {
					return i + 1
				}
			}
		}
		return 0
	}
	if end := strings.IndexByte(text, ','); end >= 0 {
		return end
	}
	return len(text)
}

// parseShape reads a tuple of one or two sizes. One dimension is a column.
func parseShape(text string) (rows, cols int, err error) {
	if len(text) < 2 || text[0] != '(' || text[len(text)-1] != ')' {
		return 0, 0, fmt.Errorf("has no shape in its header")
	}
	var sizes []int
	for part := range strings.SplitSeq(text[1:len(text)-1], ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSuffix(part, "L"), 10, 64)
		if err != nil || n < 0 || n > maxSize {
			return 0, 0, fmt.Errorf("has the shape %.60q in its header", text)
		}
		sizes = append(sizes, int(n))
	}
	switch {
	case len(sizes) == 1:
		return sizes[0], 1, nil
	case len(sizes) == 2 && (sizes[1] == 0 || sizes[0] <= maxSize/sizes[1]):
		return sizes[0], sizes[1], nil
	case len(sizes) == 2:
		return 0, 0, fmt.Errorf("has the shape %.60q, which fits no memory", text)
	}
	return 0, 0, fmt.Errorf("is an array of %d dimensions, and kerf reads one or two", len(sizes))
}
