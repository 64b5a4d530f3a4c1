package dataset_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/dataset"
)

func TestLabelsBeside(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{
		"train-images-idx3-ubyte", "train-labels-idx1-ubyte", "m-images.idx.gz", "m-labels.idx", "X_train.npy", "y_train.npy",
		"test_X.npy", "test_y.npy.gz", "X.npy", "matrix_.npy", "matriy_.npy", "labels.idx",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]string{
		"train-images-idx3-ubyte": "train-labels-idx1-ubyte", "m-images.idx.gz": "m-labels.idx", "X_train.npy": "y_train.npy",
		"test_X.npy": "test_y.npy.gz", "X.npy": "", "matrix_.npy": "", "labels.idx": "",
	} {
		got := dataset.LabelsBeside(filepath.Join(dir, path), "IDX")
		if got != "" {
			got = filepath.Base(got)
		}
		if got != want {
			t.Errorf("beside %s: %q, want %q", path, got, want)
		}
	}
	if got := dataset.LabelsBeside(filepath.Join(dir, "X_train.npy"), "CSV"); got != "" {
		t.Errorf("a table has its labels inside, not in %s", got)
	}
}

func TestRecogniseLabels(t *testing.T) {
	dir := t.TempDir()
	images := "\x00\x00\x08\x02\x00\x00\x00\x03\x00\x00\x00\x02" + "\x01\x02\x03\x04\x05\x06"
	labels := "\x00\x00\x08\x01\x00\x00\x00\x03" + "\x07\x00\x07"
	for name, text := range map[string]string{"a-images.idx": images, "a-labels.idx": labels} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r, err := dataset.Recognise(context.Background(), filepath.Join(dir, "a-images.idx"), dataset.Options{}, true)
	if err != nil || strings.Join(r.Labels, " ") != "7 0 7" || !r.Coded || len(r.Notes) != 1 {
		t.Fatalf("%+v, %v", r, err)
	}
	none := dataset.Options{Target: "none"}
	if r, err = dataset.Recognise(context.Background(), filepath.Join(dir, "a-images.idx"), none, true); err != nil ||
		r.Labels != nil {
		t.Errorf("%+v, %v", r, err)
	}
}
