package data

import (
	"fmt"
	"strings"
)

// InputError reports input that kerf cannot use: where it stands, what is
// wrong, and what to do. Every reader of this module returns one for whatever
// is wrong with its input.
type InputError struct {
	File    string // as the user named it; "standard input" for -
	Line    int    // 1-based; 0 where no line is to blame
	Column  int    // 1-based, in bytes; 0 where no column is to blame
	Problem string
	Advice  string // may be empty
	Err     error  // the cause, may be nil
}

// Error gives one line: "file:line:column: problem; advice".
func (e *InputError) Error() string {
	var b strings.Builder
	if e.File != "" {
		b.WriteString(e.File)
		if e.Line > 0 {
			fmt.Fprintf(&b, ":%d", e.Line)
			if e.Column > 0 {
				fmt.Fprintf(&b, ":%d", e.Column)
			}
		}
		b.WriteString(": ")
	}
	b.WriteString(e.Problem)
	if e.Advice != "" {
		b.WriteString("; " + e.Advice)
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *InputError) Unwrap() error { return e.Err }
