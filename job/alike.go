package job

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/dataset"
)

// labelsBeside finds the labels of an array of the given format beside its file, where
// the options name none.
func (o *Options) labelsBeside(path, format string, read *dataset.Options) {
	if read.Labels != "" || path == "-" || len(read.More) > 0 {
		return
	}
	if read.Labels = dataset.LabelsBeside(path, format); read.Labels != "" {
		o.note("%s: the labels are those of %s", path, read.Labels)
	}
}

// alike puts classes in the place of labels that are none, but are the same as exactly
// one of them but for blanks around them, case, or a dot at the end, and returns which
// were taken for which.
func alike(classes data.Classes, rows *dataset.Rows) map[string]string {
	taken, plain, double := map[string]string{}, map[string]string{}, map[string]bool{}
	for _, name := range classes.Names {
		p := plainly(name)
		_, known := plain[p]
		plain[p], double[p] = name, known || double[p]
	}
	var own []string
	for i, label := range rows.Labels {
		if _, known := classes.Index(label); known {
			continue
		}
		name, ok := plain[plainly(label)]
		if !ok || double[plainly(label)] {
			continue
		}
		if own == nil {
			own = slices.Clone(rows.Labels)
		}
		own[i], taken[label] = name, name
	}
	if own != nil {
		rows.Labels = own
	}
	return taken
}

// plainly is a label without what people write in one way or another.
func plainly(label string) string {
	return strings.ToLower(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(label), ".")))
}

// noteAlike tells of labels that were taken for others.
func (o *Options) noteAlike(name string, taken map[string]string) {
	if len(taken) == 0 {
		return
	}
	var words []string
	for _, label := range slices.Sorted(maps.Keys(taken)) {
		if len(words) == 3 {
			words = append(words, "…")
			break
		}
		words = append(words, fmt.Sprintf("%q for %q", data.Clip(label, 40), data.Clip(taken[label], 40)))
	}
	o.note("%s: labels are taken for those of training that differ in blanks, case or a dot alone: %s", name,
		strings.Join(words, ", "))
}
