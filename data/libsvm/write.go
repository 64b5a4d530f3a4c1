package libsvm

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/file"
)

// Write writes the instances of x, one a line, so that Read gives them back
// exactly: indices are coordinates, zeros are left out, and each value is the
// shortest decimal that reads as the same float64. Labels may be nil, and then
// none are written.
//
// It returns an error for a label that the format cannot hold (one that is
// empty, begins with # or contains a blank or a colon), for a value that is not
// finite, and for as many labels as do not match the instances. What was
// written before the fault stays written.
func Write(w io.Writer, x data.Source[data.Vector], labels []string) error {
	if labels != nil && len(labels) != x.Len() {
		return fmt.Errorf("libsvm: %d labels for %d instances", len(labels), x.Len())
	}
	out := bufio.NewWriterSize(w, file.HeadSize)
	var line []byte
	for i := range x.Len() {
		line = line[:0]
		if labels != nil {
			if err := checkWritable(labels[i]); err != nil {
				return fmt.Errorf("libsvm: row %d: %w", i+1, err)
			}
			line = append(line, labels[i]...)
		}
		v := x.At(i)
		if !v.Finite() {
			return fmt.Errorf("libsvm: row %d: a value is not finite", i+1)
		}
		line = appendVector(line, v)
		if len(line) == 0 {
			line = append(line, "0:0"...) // a blank line would be no instance
		}
		if _, err := out.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return out.Flush()
}

// appendVector appends index:value for every value that is not zero, with a
// blank before each but at the beginning of the line.
func appendVector(line []byte, v data.Vector) []byte {
	for k, value := range v.Value {
		if value == 0 {
			continue
		}
		index := int64(k)
		if v.IsSparse() {
			index = int64(v.Index[k])
		}
		if len(line) > 0 {
			line = append(line, ' ')
		}
		line = strconv.AppendInt(line, index, 10)
		line = append(line, ':')
		line = strconv.AppendFloat(line, value, 'g', -1, 64)
	}
	return line
}

func checkWritable(label string) error {
	if label == "" || label[0] == '#' || strings.ContainsAny(label, ": \t\r\n\v\f") {
		return fmt.Errorf("the format cannot hold the label %q", label)
	}
	return nil
}
