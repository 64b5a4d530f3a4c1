package file

import "fmt"

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
