package dataset

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/file"
)

// format is a way of writing data: how it is recognised, and how it is read.
type format struct {
	name    string   // as encodings store it
	endings []string // of files, without those of compression

	binary   bool                   // files are bytes and not text
	begins   func(head []byte) bool // the beginning of the content decides
	line     func(line []byte) bool // more than half of the lines decide
	doubtful func(head []byte) bool // even so, an ending that says otherwise is right
	named    bool                   // no content tells, so the ending decides before lines do
	table    bool                   // rows have columns
	keyed    bool                   // the columns are those that rows name
	late     bool                   // and a row may be the first to name one
	plain    bool                   // lines without structure: any text may be read as such

	open func(ctx context.Context, f *file.File, o *reading) (next, error)
}

// next gives the rows of a file, at most max at a time, all of them for 0, and
// io.EOF when none is left.
type next func(max int) (*Rows, error)

// sampleLines is how many lines of the head are looked at.
const sampleLines = 100

// detect tells the format of a file: by the beginning of its content; by an ending
// where no content tells; by what more than half of its lines look like, the first
// of the formats winning a line; by its ending.
func detect(f *file.File) (*format, error) {
	head, byName := f.Head(), byEnding(f.Name)
	for _, one := range formats {
		if one.begins != nil && one.begins(head) {
			return one, nil
		}
	}
	if byName != nil && byName.named {
		return byName, nil
	}
	if one := byLines(head); one != nil {
		if byName != nil && one.doubtful != nil && one.doubtful(head) {
			return byName, nil
		}
		return one, nil
	}
	if byName != nil {
		return byName, nil
	}
	return nil, &data.InputError{
		File:    f.Name,
		Problem: "is neither a table nor LIBSVM data",
		Advice: "separate cells by commas or tabs, or give the file an ending that says what it is " +
			"(.csv, .tsv, .libsvm, .txt, .baskets)",
	}
}

// byLines returns the format of more than half of the lines, nil if none.
func byLines(head []byte) *format {
	count, lines := make([]int, len(formats)), 0
	for line := range bytes.Lines(head) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		k := slices.IndexFunc(formats, func(one *format) bool { return one.line != nil && one.line(line) })
		if k >= 0 {
			count[k]++
		}
		if lines++; lines == sampleLines {
			break
		}
	}
	k := slices.IndexFunc(count, func(n int) bool { return 2*n > lines })
	if k < 0 {
		return nil
	}
	return formats[k]
}

// byEnding returns the format that the ending of a name stands for, nil if none.
func byEnding(name string) *format {
	name = strings.ToLower(name)
	for _, packed := range packings {
		name = strings.TrimSuffix(name, packed)
	}
	ending := filepath.Ext(name)
	k := slices.IndexFunc(formats, func(one *format) bool { return slices.Contains(one.endings, ending) })
	if k < 0 {
		return nil
	}
	return formats[k]
}

// byName returns the format of a name.
func byName(name string) *format {
	k := slices.IndexFunc(formats, func(one *format) bool { return one.name == name })
	if k < 0 {
		return nil
	}
	return formats[k]
}

// isBinary reports content that begins as that of a binary format does.
func isBinary(head []byte) bool {
	return slices.ContainsFunc(formats, func(one *format) bool { return one.binary && one.begins(head) })
}
