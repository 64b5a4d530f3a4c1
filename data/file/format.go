package file

import (
	"bytes"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/kerf-ml/kerf/data"
)

// Format is a way of writing data.
type Format int

// The formats that Format tells apart.
const (
	CSV     Format = iota + 1 // a table: cells separated by commas, tabs, semicolons or bars
	LIBSVM                    // label index:value index:value …
	JSONL                     // a JSON object a line
	FASTA                     // > header, then a sequence
	Lines                     // a text a line
	Sets                      // a set of items a line, separated by commas
	NPY                       // an array of NumPy; binary
	IDX                       // an array as that of MNIST; binary
	Parquet                   // a table by columns; binary
)

var formatNames = [...]string{
	CSV: "CSV", LIBSVM: "LIBSVM", JSONL: "JSON Lines", FASTA: "FASTA", Lines: "lines of text", Sets: "sets",
	NPY: "NPY", IDX: "IDX", Parquet: "Parquet",
}

func (f Format) String() string {
	if f <= 0 || int(f) >= len(formatNames) {
		return "unknown format"
	}
	return formatNames[f]
}

// IsBinary reports whether files of the format are bytes and not text.
func (f Format) IsBinary() bool { return f == NPY || f == IDX || f == Parquet }

// sampleLines is how many lines of the head are looked at.
const sampleLines = 100

// Format tells the format of the file. Content decides:
//
//   - NPY, IDX and Parquet by their first bytes;
//   - JSONL if the first line that is not blank begins with { and goes on as an
//     object does;
//   - FASTA if it begins with > and the line after it is another header or holds
//     letters, *, - and dots alone;
//   - Sets if the name ends in .baskets or .sets, because no content tells sets
//     from a table whose rows have different lengths;
//   - LIBSVM if more than half of the lines have pairs index:value as their
//     second to last tokens, or as all of them;
//   - CSV if more than half of the lines hold a comma, tab, semicolon or bar, or
//     are a number each.
//
// Where none holds, the ending does: .libsvm, .svm, .svmlight, .csv, .tsv or .txt,
// which stands for Lines, without .gz, .bz2 or .zst. Otherwise it returns a
// *data.InputError.
func (f *File) Format() (Format, error) {
	if f.binary != 0 {
		return f.binary, nil
	}
	if format := beginning(f.head); format != 0 {
		return format, nil
	}
	if formatOf(f.Name) == Sets {
		return Sets, nil
	}
	pairs, cells, lines := 0, 0, 0
	for line := range bytes.Lines(f.head) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		lines++
		switch {
		case hasPairs(line):
			pairs++
		case hasCells(line):
			cells++
		}
		if lines == sampleLines {
			break
		}
	}
	switch {
	case 2*pairs > lines:
		return LIBSVM, nil
	case 2*cells > lines:
		return f.unlessNumbers(CSV), nil
	}
	if byName := formatOf(f.Name); byName != 0 {
		return byName, nil
	}
	return 0, &data.InputError{
		File:    f.Name,
		Problem: "is neither a table nor LIBSVM data",
		Advice:  "separate cells by commas or tabs, or give the file an ending that says what it is (.csv, .tsv, .libsvm, .txt, .baskets)",
	}
}

// unlessNumbers settles what content leaves open: lines without any separator
// are a table of one column, or LIBSVM lines that have only a label.
func (f *File) unlessNumbers(format Format) Format {
	if byName := formatOf(f.Name); byName != 0 && !bytes.ContainsAny(f.head, ",\t;|") {
		return byName
	}
	return format
}

// hasPairs reports whether all tokens of a line but perhaps the first are pairs
// index:value, and there is one at least.
func hasPairs(line []byte) bool {
	pairs := 0
	for i, token := range bytes.Fields(line) {
		switch {
		case token[0] == '#':
			return pairs > 0
		case isPair(token):
			pairs++
		case i > 0:
			return false
		}
	}
	return pairs > 0
}

func isPair(token []byte) bool {
	index, value, found := bytes.Cut(token, []byte{':'})
	if !found || len(index) == 0 {
		return false
	}
	if string(index) == "qid" {
		return true
	}
	for _, c := range index {
		if c < '0' || c > '9' {
			return false
		}
	}
	return isNumber(value)
}

// hasCells reports whether a line holds a separator of cells or is one number.
func hasCells(line []byte) bool { return bytes.ContainsAny(line, ",\t;|") || isNumber(line) }

func isNumber(text []byte) bool {
	_, err := strconv.ParseFloat(string(text), 64)
	return err == nil
}

// formatOf returns the format that the ending of a name stands for, 0 if none.
func formatOf(name string) Format {
	name = strings.ToLower(name)
	for _, packed := range []string{".gz", ".bz2", ".zst"} {
		name = strings.TrimSuffix(name, packed)
	}
	switch filepath.Ext(name) {
	case ".libsvm", ".svm", ".svmlight":
		return LIBSVM
	case ".csv", ".tsv":
		return CSV
	case ".baskets", ".sets":
		return Sets
	case ".txt":
		return Lines
	}
	return 0
}
