package kernelized_test

import (
	"compress/gzip"
	"context"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/libsvm"
	"github.com/kerf-ml/kerf/learn/kernelized"
	"github.com/kerf-ml/kerf/run"
)

type labeled = data.Labeled[data.Vector, float64]

// dataSet returns the path of a public data set, packed, and skips the test
// where it is not here.
func dataSet(t *testing.T, name string) string {
	t.Helper()
	folder := os.Getenv("KERF_DATA")
	if folder == "" {
		folder = filepath.Join("..", "..", "..", "shared", "data")
	}
	path := filepath.Join(folder, name+".gz")
	if _, err := os.Stat(path); err != nil {
		t.Skipf("data set %s is not here; KERF_DATA names the folder of the data sets", name)
	}
	return path
}

// readText returns a file's text, unpacked where its name ends in .gz.
func readText(t *testing.T, path string) io.Reader {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	if !strings.HasSuffix(path, ".gz") {
		return f
	}
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// readFile reads rows in LIBSVM's format with labels that are numbers. Rows
// with few zeros become dense.
func readFile(t *testing.T, path string) labeled {
	t.Helper()
	x, labels, err := libsvm.NewReader(readText(t, path), path).Read(context.Background(), 0)
	if err != nil {
		t.Fatal(err)
	}
	d := labeled{X: x, Y: make([]float64, len(labels))}
	for i, l := range labels {
		if d.Y[i], err = strconv.ParseFloat(l, 64); err != nil {
			t.Fatal(err)
		}
	}
	if x.Cols <= 40 {
		m := data.NewMatrix(x.Len(), x.Cols)
		for i := range x.Len() {
			x.At(i).CopyTo(m.Row(i))
		}
		d.X = m
	}
	return d
}

// timed scores all instances and says how long it took.
func timed(
	t *testing.T, e *kernelized.Expansion[data.Vector], ctl run.Control, x data.Source[data.Vector],
) ([]float64, time.Duration) {
	t.Helper()
	start := time.Now()
	scores, err := e.ScoreAll(t.Context(), ctl, x)
	if err != nil {
		t.Fatal(err)
	}
	return scores, time.Since(start)
}
