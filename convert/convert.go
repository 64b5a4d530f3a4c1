// Package convert makes of kerf's models what other programs read, and of theirs
// models of kerf:
//
//	ToSVM, FromSVM                  model files of LIBSVM
//	ToSeparators, FromSeparators    model files of LIBLINEAR
//	ToONNX                          a graph of standard operators, with the encoding of rows
//	WriteJSON                       all that is in a model file, as text
//
// What another form cannot express is refused with the reason, as a *RefusedError:
// nothing is left out in silence. What is lost that does not bear on predictions is
// said in notes.
package convert

import (
	"bytes"
	"fmt"

	"github.com/kerf-ml/kerf/convert/foreign"
)

// Format is a form of a model.
type Format string

// The formats.
const (
	Kerf      Format = "kerf"
	LIBSVM    Format = "libsvm"
	LIBLINEAR Format = "liblinear"
	ONNX      Format = "onnx"
	JSON      Format = "json"
)

// Title returns what the format is called in messages.
func (f Format) Title() string {
	return map[Format]string{Kerf: "kerf", LIBSVM: "LIBSVM", LIBLINEAR: "LIBLINEAR", ONNX: "ONNX", JSON: "JSON"}[f]
}

// RefusedError reports a model that a format cannot express.
type RefusedError struct {
	To     Format
	Reason string
	Advice string // may be empty
}

func (e *RefusedError) Error() string {
	text := fmt.Sprintf("this model cannot be written for %s: %s", e.To.Title(), e.Reason)
	if e.Advice != "" {
		text += "; " + e.Advice
	}
	return text
}

func refuse(to Format, advice, reason string, args ...any) error {
	return &RefusedError{To: to, Reason: fmt.Sprintf(reason, args...), Advice: advice}
}

// Sniff tells by the beginning of a file which form of a model it is, empty for none.
func Sniff(head []byte) Format {
	switch {
	case bytes.HasPrefix(head, []byte("kerfmodl")):
		return Kerf
	case foreign.IsSVM(head):
		return LIBSVM
	case foreign.IsSeparators(head):
		return LIBLINEAR
	case bytes.Contains(head[:min(len(head), 64)], []byte(`"format":"kerf model"`)):
		return JSON
	case len(head) > 1 && head[0] == 0x08 && head[1] < 0x20 && bytes.Contains(head, []byte("ai.onnx")):
		return ONNX // a message whose first field is the version of the format
	}
	return ""
}
