package dataset

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The formats whose labels are in a file of their own.
const (
	formatIDX = "IDX"
	formatNPY = "NPY"
)

// pairs are what stands in the names of an array of instances, and what in that of its
// labels.
var pairs = [][2]string{
	{"images", "labels"}, {"features", "labels"}, {"features", "targets"}, {"X_", "y_"}, {"X-", "y-"}, {"X.", "y."},
	{"_X.", "_y."}, {"-X.", "-y."}, {"x_", "y_"}, {"x-", "y-"}, {"x.", "y."}, {"_x.", "_y."}, {"-x.", "-y."},
}

// LabelsBeside returns the file that has the labels of an array, by its name: labels in
// the place of images or features, y in that of X, as in mnist-train-labels.idx.gz,
// train-labels-idx1-ubyte and y_train.npy, packed or not. It is empty where there is
// no such file, and for data of other formats, whose labels are inside.
func LabelsBeside(path, format string) string {
	if format != formatIDX && format != formatNPY {
		return ""
	}
	dir, base := filepath.Split(path)
	for _, p := range pairs {
		at := strings.Index(base, p[0])
		if at < 0 || at > 0 && len(p[0]) == 2 { // X_ begins a name
			continue
		}
		name := base[:at] + p[1] + strings.Replace(base[at+len(p[0]):], "idx3", "idx1", 1)
		plain := name
		for _, packed := range packings {
			plain = strings.TrimSuffix(plain, packed)
		}
		for _, name := range append([]string{name, plain}, packed(plain)...) {
			if info, err := os.Stat(dir + name); err == nil && info.Mode().IsRegular() && name != base {
				return dir + name
			}
		}
	}
	return ""
}

// packings are the endings of files that are compressed.
var packings = []string{".gz", ".bz2", ".zst"}

func packed(name string) []string {
	out := slices.Clone(packings)
	for i, ending := range out {
		out[i] = name + ending
	}
	return out
}
