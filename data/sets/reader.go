// Package sets reads baskets, one set of items a line:
//
//	citrus fruit,margarine,ready soups
//
// Items are separated by commas and lose the blanks around them; empty items are
// dropped, and an item that comes again counts once. There are no quotes. Where
// Options say so, the first or the last cell of a line is its label. Blank lines
// are no instances; a line of commas, or of a label alone, is the empty set.
package sets

import (
	"bytes"
	"context"
	"io"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/file"
)

// maxWords is how many items and labels have one copy kept.
const maxWords = 1 << 18

// Options say how to read a file. The zero value takes lines without labels.
type Options struct {
	Name  string // the file as errors show it
	Label file.Label
}

// Reader reads instances from a stream of lines. It is not safe for concurrent
// use.
type Reader struct {
	o     Options
	scan  *file.Scanner
	rows  file.Batches
	words file.Words
	items []string // of the line being read
}

// NewReader returns a reader of r.
func NewReader(r io.Reader, o Options) *Reader {
	return &Reader{o: o, scan: file.NewScanner(r, o.Name), words: file.Words{Most: maxWords}}
}

// Read returns the next sets, at most max of them, all that are left if max ≤ 0,
// with their labels; the labels are nil where Options say that there are none. It
// returns io.EOF, and nothing else, when no instance is left.
//
// What is wrong with the file comes back as a *data.InputError; a cancelled
// context as its error.
func (r *Reader) Read(ctx context.Context, max int) (x data.Slice[data.Set], labels []string, err error) {
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
		x = append(x, r.set(line))
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	return x, labels, nil
}

// split takes the label off a line.
func (r *Reader) split(line []byte) (label string, items []byte, err error) {
	name, at := line, 0
	if r.o.Label == file.First {
		if comma := bytes.IndexByte(line, ','); comma >= 0 {
			name, items = line[:comma], line[comma+1:]
		}
	} else if comma := bytes.LastIndexByte(line, ','); comma >= 0 {
		name, items, at = line[comma+1:], line[:comma], comma+1
	}
	name = bytes.TrimSpace(name)
	if len(name) == 0 {
		return "", nil, r.scan.Fault(at, "the label is missing",
			"fill it in, leave the line out, or say that there are no labels")
	}
	return r.words.Of(name), items, nil
}

// set returns the items between the commas of a line.
func (r *Reader) set(line []byte) data.Set {
	r.items = r.items[:0]
	for cell := range bytes.SplitSeq(line, []byte{','}) {
		if cell = bytes.TrimSpace(cell); len(cell) > 0 {
			r.items = append(r.items, r.words.Of(cell))
		}
	}
	return data.NewSet(r.items...)
}
