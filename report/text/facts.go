// Package text writes the results of jobs for people at a terminal: lines of a name
// and a fact, and small tables. Each function takes what a job returned.
package text

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/job"
)

// facts writes lines of a name and a fact, aligned.
type facts struct{ w *tabwriter.Writer }

func newFacts(w io.Writer) facts { return facts{tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)} }

// longestFact is how many bytes a fact has at most. Commands of programs are hardly
// longer; what is cut ends in an ellipsis.
const longestFact = 1000

func (f facts) add(name, format string, args ...any) {
	fmt.Fprintf(f.w, "%s\t%s\n", name, data.Clip(Printable(fmt.Sprintf(format, args...)), longestFact))
}

// addWeights says what the weights of rows come to, where there are any.
func (f facts) addWeights(w *job.Weighing) {
	if w != nil {
		f.add("weights", "%s", w)
	}
}

// addModel says where the model is.
func (f facts) addModel(path *string) {
	if path != nil {
		f.add("model", "written to %s", *path)
	} else {
		f.add("model", "not kept; -o FILE writes it")
	}
}

func (f facts) flush() error { return f.w.Flush() }

// percent writes a part of one for people.
func percent(p float64) string {
	return strconv.FormatFloat(100*p, 'f', 2, 64) + "%"
}

// grouped writes a count with commas: 1234567 is 1,234,567.
func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// picked is a remark on what kerf chose itself.
func picked(itself bool, how string) string {
	if !itself {
		return ""
	}
	return " (" + how + ")"
}

// Printable replaces by blanks what a terminal would take for a command, or what
// would hide or reorder the text around it.
func Printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.In(r, unicode.Zl, unicode.Zp) {
			return ' '
		}
		return r
	}, text)
}
