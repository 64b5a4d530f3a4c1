package serve

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"unicode"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/job"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/run"
)

// fault is an answer that is none: an HTTP status, and one line that says why.
type fault struct {
	status int
	text   string
}

func (f *fault) Error() string { return f.text }

// refuse returns a fault.
func refuse(status int, format string, args ...any) error {
	return &fault{status, fmt.Sprintf(format, args...)}
}

// badRequest returns the fault of a request that cannot be understood.
func badRequest(format string, args ...any) error {
	return refuse(http.StatusBadRequest, format, args...)
}

// unfit returns the fault of a request that is understood and does not go with the model.
func unfit(format string, args ...any) error {
	return refuse(http.StatusUnprocessableEntity, format, args...)
}

// errInternal reports a bug of kerf's.
var errInternal = errors.New("internal error")

// statusOf returns the HTTP status that stands for an error, and its line.
func statusOf(err error) (int, string) {
	var (
		known  *fault
		input  *data.InputError
		option *dataset.OptionError
		lacks  *job.LackError
		value  *gram.ValueError
		wide   *feature.RowError
		row    *learn.DataError
		memory *run.MemoryError
	)
	switch {
	case errors.As(err, &known):
		return known.status, oneLine(known.text)
	case errors.Is(err, context.DeadlineExceeded):
		return http.StatusServiceUnavailable, "the answer took longer than the service allows; send fewer rows"
	case errors.Is(err, context.Canceled):
		return statusGone, "the client has gone"
	case errors.As(err, &memory):
		return http.StatusRequestEntityTooLarge, oneLine(memory.What + " would need more memory than a request may take; " +
			"send fewer rows")
	case errors.As(err, &option):
		return http.StatusUnprocessableEntity, oneLine(option.Text(outputName))
	case errors.As(err, &input),
		errors.As(err, &lacks),
		errors.As(err, &value),
		errors.As(err, &wide),
		errors.As(err, &row):
		return http.StatusUnprocessableEntity, oneLine(err.Error())
	}
	return http.StatusInternalServerError, oneLine(err.Error())
}

// statusGone is written to logs where nobody is left to read an answer.
const statusGone = 499

// outputName returns the output that an option of kerf predict stands for.
func outputName(option string) string {
	switch option {
	case "proba":
		return outProbabilities
	}
	return option
}

// longest is how many bytes a message has at most, some dots aside.
const longest = 480

// oneLine returns a text without what would break a line or reorder it.
func oneLine(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.In(r, unicode.Zl, unicode.Zp) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "�"))
	return data.ClipMiddle(text, longest)
}
