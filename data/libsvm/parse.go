package libsvm

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/decimal"
)

// parse appends the instance of a line to x and its label to labels. A line
// without tokens adds nothing.
func (r *Reader) parse(line []byte, x *data.CSR, labels []string) ([]string, error) {
	r.index, r.value = r.index[:0], r.value[:0]
	last := int64(-1)
	var label []byte
	tokens := 0
	for at := 0; ; {
		lo, hi := nextToken(line, at)
		if lo == hi || line[lo] == '#' {
			break
		}
		at = hi
		token := line[lo:hi]
		tokens++
		colon := bytes.IndexByte(token, ':')
		switch {
		case colon < 0 && tokens == 1:
			label = token
			continue
		case colon < 0:
			return nil, r.scan.Fault(lo, "expected index:value and found "+quote(token),
				"write each value as index:value, the label first, blanks between them")
		case string(token[:colon]) == "qid":
			continue
		}
		index, err := r.parseIndex(token[:colon], lo, last)
		if err != nil {
			return nil, err
		}
		last = index
		value, err := r.parseValue(token[colon+1:], lo)
		if err != nil {
			return nil, err
		}
		if value != 0 {
			r.index = append(r.index, int32(index))
			r.value = append(r.value, value)
		}
	}
	if tokens == 0 {
		return labels, nil
	}
	if err := r.checkLabel(label != nil); err != nil {
		return nil, err
	}
	x.Append(r.index, r.value)
	if r.named {
		labels = append(labels, r.labels.Of(label))
	}
	return labels, nil
}

// checkLabel lets the first instance decide whether lines have labels, and
// holds all others to it.
func (r *Reader) checkLabel(named bool) error {
	if r.first == 0 {
		r.first, r.named = r.scan.Line(), named
		return nil
	}
	if named == r.named {
		return nil
	}
	problem := fmt.Sprintf("the line has a label and line %d has none", r.first)
	if !named {
		problem = fmt.Sprintf("the line has no label and line %d has one", r.first)
	}
	return r.scan.Fault(0, problem, "give every line a label or none")
}

func (r *Reader) parseIndex(digits []byte, at int, last int64) (int64, error) {
	index, ok := parseDigits(digits)
	switch {
	case !ok:
		return 0, r.scan.Fault(at, quote(digits)+" is not an index",
			fmt.Sprintf("an index is a whole number from 0 to %d", MaxIndex))
	case index > MaxIndex:
		return 0, r.scan.Fault(at, "index "+clip(digits)+" is too large",
			fmt.Sprintf("the largest index allowed is %d", MaxIndex))
	case index == last:
		return 0, r.scan.Fault(at, fmt.Sprintf("index %d stands twice in the line", index), "keep one of the two values")
	case index < last:
		return 0, r.scan.Fault(at, fmt.Sprintf("index %d comes after index %d", index, last),
			"write the indices of a line in increasing order")
	}
	return index, nil
}

// parseDigits reads a whole number without a sign. Numbers past MaxIndex come
// back as MaxIndex + 1.
func parseDigits(digits []byte) (n int64, ok bool) {
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = min(10*n+int64(c-'0'), MaxIndex+1)
	}
	return n, len(digits) > 0
}

func (r *Reader) parseValue(text []byte, at int) (float64, error) {
	value, err := decimal.Parse(text)
	switch {
	case err != nil && value-value != 0:
		return 0, r.scan.Fault(at, quote(text)+" is too large for a number", "scale the values to a smaller range")
	case err != nil || bytes.ContainsAny(text, "xX"):
		return 0, r.scan.Fault(at, quote(text)+" is not a number", "write the value as a decimal number, such as 0.5 or 1e-3")
	case value-value != 0:
		return 0, r.scan.Fault(at, quote(text)+" is not a number that kerf can use",
			"leave the index out, or write a finite number")
	}
	return value, nil
}

// nextToken returns where the next token at or after position at begins and
// ends; lo equals hi when there is none.
func nextToken(line []byte, at int) (lo, hi int) {
	for at < len(line) && isBlank(line[at]) {
		at++
	}
	lo = at
	for at < len(line) && !isBlank(line[at]) {
		at++
	}
	return lo, at
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f' }

// quote shows a token of the file in an error message.
func quote(token []byte) string { return strconv.Quote(clip(token)) }

// clip shortens a token to what fits a message.
func clip(token []byte) string { return data.Clip(string(token[:min(len(token), 60)]), 40) }
