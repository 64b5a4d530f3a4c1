package lines

import (
	"bytes"

	"github.com/kerf-ml/kerf/data/file"
)

// Detect guesses from the beginning of a file where its labels stand. Labels
// come again and texts do not: if every line has a tab, and the different cells
// before the first tab are at most half as many as the lines, it is file.First; else
// the same for those after the last tab gives file.Last; else it is file.Unlabeled. The last
// line of head, which may be cut off, counts only where it is the only one.
func Detect(head []byte) file.Label {
	if cut := bytes.LastIndexByte(head, '\n'); cut >= 0 {
		head = head[:cut+1]
	}
	first, last := map[string]bool{}, map[string]bool{}
	n := 0
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
		first[string(bytes.TrimSpace(line[:lo]))] = true
		last[string(bytes.TrimSpace(line[hi+1:]))] = true
	}
	switch {
	case n > 0 && 2*len(first) <= n && !first[""]:
		return file.First
	case n > 0 && 2*len(last) <= n && !last[""]:
		return file.Last
	}
	return file.Unlabeled
}
