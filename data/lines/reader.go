// Package lines reads texts, one instance a line:
//
//	some text
//
// or, where Options say that there are labels, with a tab between the label and
// the text:
//
//	label<TAB>some text
//	some text<TAB>label
//
// A text is kept as it is written, without the end of its line; a label loses
// the blanks around it. Blank lines are no instances. A line with a label alone
// is the empty text.
package lines

import (
	"bytes"
	"context"
	"io"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/file"
)

// Options say how to read a file. The zero value takes lines without labels.
type Options struct {
	Name  string // the file as errors show it
	Label file.Label
}

// Reader reads instances from a stream of lines. It is not safe for concurrent
// use.
type Reader struct {
	o      Options
	scan   *file.Scanner
	rows   file.Batches
	labels file.Words
}

// NewReader returns a reader of r.
func NewReader(r io.Reader, o Options) *Reader {
	return &Reader{o: o, scan: file.NewScanner(r, o.Name)}
}

// Read returns the next texts, at most max of them, all that are left if
// max ≤ 0, with their labels; the labels are nil where Options say that there are
// none. It returns io.EOF, and nothing else, when no instance is left.
//
// What is wrong with the file comes back as a *data.InputError; a cancelled
// context as its error.
func (r *Reader) Read(ctx context.Context, max int) (x data.Slice[string], labels []string, err error) {
	_, err = r.rows.Read(ctx, max, func() error {
		line, err := r.scan.NextFilled()
		if err != nil {
			return err
		}
		if r.o.Label != file.Unlabeled {
			var label string
			if label, line, err = r.split(line); err != nil {
				return err
			}
			labels = append(labels, label)
		}
		x = append(x, string(line))
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	return x, labels, nil
}

// split takes the label off a line.
func (r *Reader) split(line []byte) (label string, text []byte, err error) {
	tab := bytes.IndexByte(line, '\t')
	where := "before"
	if r.o.Label == file.Last {
		tab = bytes.LastIndexByte(line, '\t')
		where = "after"
	}
	if tab < 0 {
		return "", nil, r.scan.Fault(len(line), "the line has no tab, so no label",
			"write label, tab, text in every line, or say that there are no labels")
	}
	name, text, at := line[:tab], line[tab+1:], 0
	if r.o.Label == file.Last {
		name, text, at = line[tab+1:], line[:tab], tab+1
	}
	name = bytes.TrimSpace(name)
	if len(name) == 0 {
		return "", nil, r.scan.Fault(at, "there is no label "+where+" the tab", "fill it in, or leave the line out")
	}
	return r.labels.Of(name), text, nil
}
