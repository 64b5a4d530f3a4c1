package text_test

import (
	"bufio"
	"compress/gzip"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/kernel/text"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/run"
)

// task is a real data set with a kernel and the accuracy that five folds must
// reach, and one fold in a test.
type task struct {
	file   string
	kernel kernel.Kernel[string]
	dim    int
	five   float64 // least accuracy over five folds
	one    float64 // least accuracy of the first fold: three standard errors less
	most   float64 // what no fold may exceed, for kernels that must fail
}

func tasks() []task {
	return []task{
		{file: "splice-dna.csv", kernel: text.Degree{D: 5}, dim: 1000, five: 0.955, one: 0.94, most: 1},
		{file: "splice-dna.csv", kernel: kernel.Normalize[string](text.Spectrum{K: 3}), dim: 1000, five: 0.6, one: 0.58,
			most: 0.7},
		{file: "sms-spam.tsv", kernel: kernel.Normalize[string](text.Spectrum{K: 3}), dim: 1000, five: 0.985, one: 0.98,
			most: 1},
	}
}

// TestReal trains on four folds of real data and measures the fifth. The
// benchmark of the same name does so for all five.
func TestReal(t *testing.T) {
	if testing.Short() {
		t.Skip("training on real data takes seconds")
	}
	for _, task := range tasks() {
		t.Run(task.file+"/"+fmt.Sprint(task.kernel), func(t *testing.T) {
			d := load(t, task.file)
			right, total := task.fold(t, d, 0)
			accuracy := float64(right) / float64(total)
			t.Logf("accuracy %.4f", accuracy)
			if accuracy < task.one || accuracy > task.most {
				t.Errorf("accuracy is %.4f and must be from %v to %v", accuracy, task.one, task.most)
			}
		})
	}
}

func BenchmarkReal(b *testing.B) {
	for _, task := range tasks() {
		b.Run(task.file+"/"+fmt.Sprint(task.kernel), func(b *testing.B) {
			d := load(b, task.file)
			for b.Loop() {
				right, total := 0, 0
				for fold := range folds {
					r, n := task.fold(b, d, fold)
					right, total = right+r, total+n
				}
				accuracy := float64(right) / float64(total)
				b.ReportMetric(100*accuracy, "%accuracy")
				if accuracy < task.five || accuracy > task.most {
					b.Errorf("accuracy is %.4f and must be from %v to %v", accuracy, task.five, task.most)
				}
			}
		})
	}
}

const folds = 5

// fold trains on all folds but one and returns how many of that are right.
func (task task) fold(t testing.TB, d data.Labeled[string, string], fold int) (right, total int) {
	t.Helper()
	var rest, held []int
	for i, j := range rand.New(rand.NewPCG(1, 0)).Perm(len(d.Y)) {
		if i%folds == fold {
			held = append(held, j)
		} else {
			rest = append(rest, j)
		}
	}
	ctx := context.Background()
	p, _, err := model.NewRecipe(task.kernel, task.dim).Fit(ctx, d.Select(rest))
	if err != nil {
		t.Fatal(err)
	}
	scores, err := p.ScoreAll(ctx, run.Control{}, d.Select(held).X)
	if err != nil {
		t.Fatal(err)
	}
	for i, j := range held {
		if p.Classes.Names[model.Best(scores.Row(i))] == d.Y[j] {
			right++
		}
	}
	return right, len(held)
}

// load reads a data set of strings: label, name and sequence with commas, or
// label and text with a tab.
func load(t testing.TB, name string) data.Labeled[string, string] {
	t.Helper()
	folder := os.Getenv("KERF_DATA")
	if folder == "" {
		folder = filepath.Join("..", "..", "..", "shared", "data")
	}
	f, err := os.Open(filepath.Join(folder, name+".gz"))
	if err != nil {
		t.Skipf("data set %s is not here; KERF_DATA names the folder of the data sets", name)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var x, y []string
	lines := bufio.NewScanner(z)
	for lines.Scan() {
		label, rest, _ := strings.Cut(lines.Text(), "\t")
		if strings.HasSuffix(name, ".csv") {
			label, rest, _ = strings.Cut(lines.Text(), ",")
			_, rest, _ = strings.Cut(rest, ",")
		}
		x, y = append(x, strings.TrimSpace(rest)), append(y, label)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return data.Labeled[string, string]{X: data.Slice[string](x), Y: y}
}
