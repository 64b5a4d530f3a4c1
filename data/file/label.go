package file

import (
	"fmt"
	"strconv"
)

// Label says where the label of a line stands.
type Label int

// With Unlabeled a line has none. With First it is what stands before the first
// separator of a line, with Last what stands after the last one.
const (
	Unlabeled Label = iota
	First
	Last
)

var labelNames = [...]string{Unlabeled: "none", First: "first", Last: "last"}

// ParseLabel returns the place of labels of a name: first, last or none.
func ParseLabel(name string) (Label, error) {
	for l, n := range labelNames {
		if n == name {
			return Label(l), nil
		}
	}
	return Unlabeled, fmt.Errorf("place of the label is %q and must be first, last or none", name)
}

func (l Label) String() string {
	if l < 0 || int(l) >= len(labelNames) {
		return "unknown place"
	}
	return labelNames[l]
}

// Spell returns numbers as labels: in the shortest way that reads as the same float64.
func Spell(values []float64) []string {
	spelled := map[float64]string{}
	labels := make([]string, len(values))
	for i, v := range values {
		s, known := spelled[v]
		if !known {
			s = strconv.FormatFloat(v, 'g', -1, 64)
			spelled[v] = s
		}
		labels[i] = s
	}
	return labels
}
