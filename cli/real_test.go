package cli_test

import (
	"math"
	"os"
	"path/filepath"
	"testing"
)

// dataSet returns the path of a public data set, packed or not, and skips the
// test where it is not here.
func dataSet(t *testing.T, name string) string {
	t.Helper()
	folder := os.Getenv("KERF_DATA")
	if folder == "" {
		folder = filepath.Join("..", "..", "shared", "data")
	}
	for _, packed := range []string{"", ".gz"} {
		path := filepath.Join(folder, name+packed)
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	t.Skipf("data set %s is not here; KERF_DATA names the folder of the data sets", name)
	return ""
}

// TestRealData trains with no choice made. The bounds leave room above what
// kerf reached when this was written, and stand far below the larger class.
func TestRealData(t *testing.T) {
	for _, c := range []struct {
		name  string
		args  []string
		most  float64 // error
		class int
	}{
		{"heart.libsvm", []string{"--kernel", "rbf(gamma=0.05)", "--holdout", "0.3"}, 0.25, 2},
		{"sonar.csv", []string{"--holdout", "0.3"}, 0.27, 2},
		{"zoo.csv", []string{"--header", "skip", "--drop", "1", "--holdout", "0.3"}, 0.15, 7},
		{"house-votes.csv", []string{"--target", "first", "--holdout", "0.3"}, 0.1, 2},
		{"svmguide1.libsvm", []string{"--kernel", "rbf(gamma=0.001)", "--dim", "200", "--C", "1", "--test",
			"svmguide1.t.libsvm"}, 0.06, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			args := append([]string{"train", dataSet(t, c.name), "--json", "--quiet"}, c.args...)
			for i, a := range args {
				if i > 0 && args[i-1] == "--test" {
					args[i] = dataSet(t, a)
				}
			}
			o, err := object(mustRun(t, args...))
			if err != nil {
				t.Fatal(err)
			}
			got, err := find(o, "test.error")
			if err != nil {
				t.Fatal(err)
			}
			if e := number(got); !(e <= c.most) {
				t.Errorf("the test error is %v, want at most %v", e, c.most)
			}
			classes, err := find(o, "classes.len")
			if err != nil || number(classes) != float64(c.class) {
				t.Errorf("%v classes (%v), want %d", classes, err, c.class)
			}
			t.Logf("test error %v, kernel %v", got, o["kernel"])
		})
	}
}

// TestLibsvmGuide is the example of LIBSVM's guide: svmguide1 as it is, scaled
// to [-1, 1] by the ranges of the training rows, and with the C and width
// that it finds. The model scales what it is given, to predict and to evaluate.
func TestLibsvmGuide(t *testing.T) {
	train, test := dataSet(t, "svmguide1.libsvm"), dataSet(t, "svmguide1.t.libsvm")
	saved := filepath.Join(t.TempDir(), "m.kerf")
	for _, c := range []struct {
		scale, kernel, c string
		accuracy         float64
	}{
		{"none", "rbf(gamma=0.25)", "1", 0.66925},
		{"range", "rbf(gamma=0.25)", "1", 0.9615},
		{"range", "rbf(gamma=2)", "2", 0.96875},
	} {
		for _, args := range [][]string{
			{"train", train, "--test", test, "--learner", "kernel-svm", "--kernel", c.kernel, "--C", c.c, "--scale", c.scale,
				"-o", saved},
			{"eval", saved, test},
		} {
			o, err := object(mustRun(t, append(args, "--json", "--quiet")...))
			if err != nil {
				t.Fatal(err)
			}
			path := "accuracy"
			if args[0] == "train" {
				path = "test.accuracy"
			}
			got, err := find(o, path)
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(number(got)-c.accuracy) > 1e-9 {
				t.Errorf("%s, --scale %s, %s: accuracy %v, want %v", args[0], c.scale, c.kernel, got, c.accuracy)
			}
		}
	}
}
