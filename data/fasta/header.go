package fasta

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/file"
)

// mark is what a label follows in a header.
const mark = "label="

const likeFirst = "give every header a label or none"

// isBreak reports whether a byte ends a field of a header.
func isBreak(c byte) bool { return isBlank(c) || c == ',' || c == ';' || c == '|' }

// label returns the label of a header, given without its >. The first header
// decides whether labels are marked, and all others are held to it.
func (r *Reader) label(header []byte) (string, error) {
	value, at, marked := marked(header)
	if r.first == 0 {
		r.first, r.marked = r.scan.Line(), marked
	}
	switch {
	case marked != r.marked && marked:
		return "", r.scan.Fault(at, fmt.Sprintf("the header has %s and that in line %d has none", mark, r.first), likeFirst)
	case marked != r.marked:
		return "", r.scan.Fault(0, fmt.Sprintf("the header has no %s and that in line %d has one", mark, r.first), likeFirst)
	case !marked:
		value = bytes.TrimSpace(header)
	}
	if len(value) == 0 {
		return "", r.scan.Fault(at, "the label is missing in the header",
			"write label= and the label, or nothing but the label, after the >")
	}
	return r.labels.Of(value), nil
}

// marked returns what follows label= in a header, where that begins in the line,
// and whether there is one.
func marked(header []byte) (value []byte, at int, found bool) {
	for from := 0; ; {
		n := bytes.Index(header[from:], []byte(mark))
		if n < 0 {
			return nil, 0, false
		}
		lo := from + n
		from = lo + len(mark)
		if lo > 0 && !isBreak(header[lo-1]) {
			continue // the end of a longer word
		}
		hi := from
		for hi < len(header) && !isBreak(header[hi]) {
			hi++
		}
		return header[from:hi], lo + 1, true
	}
}

// Write writes the sequences of x as records with headers "> label=…", each
// sequence in one line, so that Read gives them back exactly.
//
// It returns an error for what the format cannot hold: a sequence that is empty
// or longer than file.MaxLine or has a character in it that is no letter, *, - or dot;
// a label that is empty or has a blank, comma, semicolon or bar in it; and for as
// many labels as do not match the sequences. What was written before the fault
// stays written.
func Write(w io.Writer, x data.Source[string], labels []string) error {
	if len(labels) != x.Len() {
		return fmt.Errorf("fasta: %d labels for %d instances", len(labels), x.Len())
	}
	out := bufio.NewWriterSize(w, file.HeadSize)
	check := &Reader{scan: &file.Scanner{}}
	for i := range x.Len() {
		sequence := x.At(i)
		check.sequence = check.sequence[:0]
		if check.extend([]byte(sequence)) != nil || len(sequence) == 0 ||
			len(sequence) > file.MaxLine || len(check.sequence) != len(sequence) {
			return fmt.Errorf("fasta: row %d: the format cannot hold the sequence", i+1)
		}
		if labels[i] == "" || strings.ContainsAny(labels[i], " \t\r\n\v\f,;|") {
			return fmt.Errorf("fasta: row %d: the format cannot hold the label %q", i+1, labels[i])
		}
		if _, err := fmt.Fprintf(out, "> %s%s\n%s\n", mark, labels[i], sequence); err != nil {
			return err
		}
	}
	return out.Flush()
}
