package data

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Classes are the labels of a problem, in the order in which they were first
// seen after sorting. A label may be any string. Labels that read as the same
// number are the same class, whatever their spelling: "1", "+1" and "1.0".
type Classes struct {
	Names []string
	index map[string]int
}

// NewClasses returns the classes with the given names, in that order.
func NewClasses(names []string) Classes {
	c := Classes{Names: names, index: make(map[string]int, len(names))}
	for i, name := range names {
		if _, dup := c.index[labelKey(name)]; !dup {
			c.index[labelKey(name)] = i
		}
	}
	return c
}

// Encode finds the classes among labels and returns them with the class index
// of each label. Classes are sorted: numbers by value, then texts by bytes, so
// that the order of rows does not matter. The first spelling seen is kept.
func Encode(labels []string) (Classes, []int) {
	spelling := map[string]string{}
	var keys []string
	for _, l := range labels {
		key := labelKey(l)
		if _, seen := spelling[key]; !seen {
			spelling[key] = l
			keys = append(keys, key)
		}
	}
	sortLabels(keys)
	names := make([]string, len(keys))
	for i, key := range keys {
		names[i] = spelling[key]
	}
	c := NewClasses(names)
	y := make([]int, len(labels))
	for i, l := range labels {
		y[i] = c.index[labelKey(l)]
	}
	return c, y
}

// Len returns the number of classes.
func (c Classes) Len() int { return len(c.Names) }

// Index returns the class of a label, and false where it is none of them.
func (c Classes) Index(label string) (int, bool) {
	i, ok := c.index[labelKey(label)]
	return i, ok
}

// labelKey is what makes two labels the same: the number they read as, or the
// text itself.
func labelKey(label string) string {
	s := strings.TrimSpace(label)
	if f, ok := number(s); ok {
		return strconv.FormatFloat(f, 'g', -1, 64)
	}
	return s
}

// number reads a finite number, with 0 for -0.
func number(s string) (float64, bool) {
	f, err := strconv.ParseFloat(s, 64)
	return f + 0, err == nil && f-f == 0
}

// sortLabels sorts keys of labels: numbers first, by value, then texts.
func sortLabels(keys []string) {
	slices.SortFunc(keys, func(a, b string) int {
		fa, numA := number(a)
		fb, numB := number(b)
		switch {
		case numA && numB:
			return cmp.Compare(fa, fb)
		case numA:
			return -1
		case numB:
			return 1
		}
		return cmp.Compare(a, b)
	})
}
