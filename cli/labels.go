package cli

import (
	"fmt"
	"strings"

	"github.com/kerf-ml/kerf/data"
)

// classIndex returns the classes of labels, -1 for those that the model does
// not know, and the first few of these.
func classIndex(classes data.Classes, labels []string) (y []int, unknown []string) {
	y = make([]int, len(labels))
	seen := map[string]bool{}
	for i, l := range labels {
		c, ok := classes.Index(l)
		if !ok {
			c = -1
			if !seen[l] && len(unknown) < 3 {
				unknown = append(unknown, fmt.Sprintf("%q", l))
			}
			seen[l] = true
		}
		y[i] = c
	}
	return y, unknown
}

// checkLabels warns of labels that the model does not know, and refuses data in
// which it knows none.
func (a *app) checkLabels(name string, classes data.Classes, y []int, unknown []string) error {
	if len(unknown) == 0 {
		return nil
	}
	known := 0
	for _, c := range y {
		if c >= 0 {
			known++
		}
	}
	names := strings.Join(unknown, ", ")
	if known == 0 {
		return badInput(name, fmt.Sprintf("none of its labels is known to the model: it has %s, the model has %s", names, quoted(classes.Names)), "check --target")
	}
	a.warn("%s: %d of %d rows have labels that training did not have (%s); they count as errors", name, len(y)-known, len(y), names)
	return nil
}

// quoted lists names, the first few of them.
func quoted(names []string) string {
	var out []string
	for i, n := range names {
		if i == 5 {
			out = append(out, "…")
			break
		}
		out = append(out, fmt.Sprintf("%q", n))
	}
	return strings.Join(out, ", ")
}
