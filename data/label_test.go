package data_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/kerf-ml/kerf/data"
)

func TestEncodeLabels(t *testing.T) {
	tests := []struct {
		labels, names []string
		y             []int
	}{
		{nil, []string{}, []int{}},
		{[]string{"+1", "-1", "1.0", "-1.0"}, []string{"-1", "+1"}, []int{1, 0, 1, 0}},
		{[]string{"10", "9", "b", "a", "9 "}, []string{"9", "10", "a", "b"}, []int{1, 0, 3, 2, 0}},
		{[]string{"-0", "0"}, []string{"-0"}, []int{0, 0}},
		{[]string{"", "x"}, []string{"", "x"}, []int{0, 1}},
		{[]string{"NaN", "1", "Inf"}, []string{"1", "Inf", "NaN"}, []int{2, 0, 1}},
	}
	for _, test := range tests {
		classes, y := data.Encode(test.labels)
		if !slices.Equal(classes.Names, test.names) || !slices.Equal(y, test.y) || classes.Len() != len(test.names) {
			t.Errorf("%q: classes %q, %v, want %q, %v", test.labels, classes.Names, y, test.names, test.y)
		}
	}
}

// same is what makes two labels one class.
func same(a, b string) bool {
	a, b = strings.TrimSpace(a), strings.TrimSpace(b)
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	return a == b || errX == nil && errY == nil && x == y && x-x == 0
}

// TestEncodeProperties checks that labels have one class exactly if they are the
// same, that order does not matter, and that Index agrees.
func TestEncodeProperties(t *testing.T) {
	label := rapid.SampledFrom([]string{"1", "+1", "1.0", "1e0", "-1", "2", "10", "x", "y", "X", " x", "", "NaN", "Inf",
		"inf", "1e999", "0", "-0"})
	rapid.Check(t, func(t *rapid.T) {
		labels := rapid.SliceOfN(label, 1, 20).Draw(t, "labels")
		classes, y := data.Encode(labels)
		for i := range labels {
			for j := range labels {
				if (y[i] == y[j]) != same(labels[i], labels[j]) {
					t.Fatalf("%q and %q have classes %d and %d", labels[i], labels[j], y[i], y[j])
				}
			}
			if k, ok := classes.Index(labels[i]); !ok || k != y[i] {
				t.Fatalf("index of %q is %d, want %d", labels[i], k, y[i])
			}
			if !same(classes.Names[y[i]], labels[i]) {
				t.Fatalf("class %q of label %q", classes.Names[y[i]], labels[i])
			}
		}
		shuffled := rapid.Permutation(labels).Draw(t, "shuffled")
		other, _ := data.Encode(shuffled)
		for _, l := range labels {
			a, _ := classes.Index(l)
			if b, ok := other.Index(l); !ok || a != b {
				t.Fatalf("class of %q depends on the order of rows: %d, %d", l, a, b)
			}
		}
		if _, ok := classes.Index("never seen"); ok {
			t.Fatal("an unknown label has a class")
		}
		again := data.NewClasses(classes.Names)
		if k, ok := again.Index(labels[0]); !ok || k != y[0] {
			t.Fatal("classes made of names differ")
		}
	})
}
