package lines

import (
	"bytes"
	"fmt"
)

// Detect guesses from the beginning of a file where its labels stand. Labels
// come again and texts do not: if every line has a tab, and the different cells
// before the first tab are at most half as many as the lines, it is First; else
// the same for those after the last tab gives Last; else it is None. The last
// line of head, which may be cut off, counts only where it is the only one.
func Detect(head []byte) Label {
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
			return None
		}
		n++
		first[string(bytes.TrimSpace(line[:lo]))] = true
		last[string(bytes.TrimSpace(line[hi+1:]))] = true
	}
	switch {
	case n > 0 && 2*len(first) <= n && !first[""]:
		return First
	case n > 0 && 2*len(last) <= n && !last[""]:
		return Last
	}
	return None
}

// ParseLabel returns the place of labels of a name: first, last or none.
func ParseLabel(name string) (Label, error) {
	switch name {
	case "none":
		return None, nil
	case "first":
		return First, nil
	case "last":
		return Last, nil
	}
	return None, fmt.Errorf("place of the label is %q and must be first, last or none", name)
}

func (l Label) String() string {
	switch l {
	case None:
		return "none"
	case First:
		return "first"
	case Last:
		return "last"
	}
	return "unknown place"
}
