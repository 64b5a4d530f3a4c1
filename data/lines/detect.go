package lines

import (
	"bytes"
	"strconv"

	"github.com/kerf-ml/kerf/data/file"
)

// Detect guesses from the beginning of a file where its labels stand. Labels
// come again and texts do not: if every line has a tab, and the different cells
// before the first tab are at most half as many as the lines, it is file.First; else
// the same for those after the last tab gives file.Last; else it is file.First where
// nine tenths of the cells before the first tab are numbers and those after the last
// are not; else file.Unlabeled. A label that is missing or no number here and there is
// for others to report.
// The last line of head, which may be cut off, counts only where it is the only one.
func Detect(head []byte) file.Label {
	if cut := bytes.LastIndexByte(head, '\n'); cut >= 0 {
		head = head[:cut+1]
	}
	first, last := map[string]bool{}, map[string]bool{}
	n, firstNumbers, lastNumbers := 0, 0, 0
	for line := range bytes.Lines(head) {
		line = bytes.TrimRight(line, "\r\n")
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		lo, hi := bytes.IndexByte(line, '\t'), bytes.LastIndexByte(line, '\t')
		if lo < 0 {
			return file.Unlabeled
		}
		n++
		a, b := string(bytes.TrimSpace(line[:lo])), string(bytes.TrimSpace(line[hi+1:]))
		first[a], last[b] = true, true
		firstNumbers += numbers(a)
		lastNumbers += numbers(b)
	}
	again := func(cells map[string]bool) bool {
		return 2*len(cells) <= n && !(len(cells) == 1 && cells[""])
	}
	switch {
	case n > 0 && again(first):
		return file.First
	case n > 0 && again(last):
		return file.Last
	case n > 1 && 10*firstNumbers >= 9*n && 10*lastNumbers < 9*n:
		return file.First
	}
	return file.Unlabeled
}

// numbers returns 1 for a cell that is a number, 0 for another.
func numbers(cell string) int {
	if v, err := strconv.ParseFloat(cell, 64); err != nil || v-v != 0 {
		return 0
	}
	return 1
}
