package job_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/job"
)

// blobs is a table of so many rows and classes that overlap.
func blobs(t testing.TB, n, classes int, sd uint64) string {
	t.Helper()
	rng := seed.Stream(sd, seed.Generator, 0)
	var b strings.Builder
	b.WriteString("a,b,c,w,class\n")
	for i := range n {
		k := rng.IntN(classes)
		turn := 2 * math.Pi * float64(k) / float64(classes)
		fmt.Fprintf(&b, "%.4f,%.4f,%.4f,%d,%c\n", 2*math.Cos(turn)+0.8*rng.NormFloat64(),
			2*math.Sin(turn)+0.8*rng.NormFloat64(), rng.NormFloat64(), 1+i%2, 'p'+k)
	}
	return put(t, fmt.Sprintf("blobs-%d.csv", sd), b.String())
}

// piped trains on the content of a file through a pipe.
func piped(t testing.TB, path string, o job.TrainOptions) *job.Trained {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	o.Read.Stdin = io.MultiReader(f) // no file any more
	return train(t, "-", o)
}

// A pipe of more than an eighth of the memory is learnt from in one pass, and the error is
// about that of memory: of 20,000 test rows it deviates by up to 0.35%, of the same rows by
// less, and the models may differ by 0.3%.
func TestPipeIsLearntFromInOnePass(t *testing.T) {
	for _, c := range []struct {
		classes  int
		learner  string
		weighted bool
	}{{2, "svm(C=10)", false}, {4, "svm(lambda=1e-5)", true}, {2, "logistic(C=3)", false},
		{4, "ridge", false}, {3, "", false}} {
		path, test := blobs(t, 45_000, c.classes, 1), blobs(t, 20_000, c.classes, 2)
		o := job.NewTrainOptions()
		o.Options = chosen(t, "rbf(gamma=0.5)", "f2(dim=40)", "ridge")
		if o.Choices.Learner = call(t, "svm"); c.learner != "" {
			o.Choices.Learner = call(t, c.learner)
		}
		if o.Test, o.Effort = test, job.Quick; c.weighted {
			o.Read.Weight = "w"
		} else {
			o.Read.Drop = []string{"w"}
		}
		want := train(t, path, o)
		var notes []string
		o.Note = func(text string) { notes = append(notes, text) }
		o.Run.Memory = 8 << 20
		got := piped(t, path, o)
		if got.Streamed == nil || got.Streamed.First == 0 || got.Streamed.First >= 45_000 || got.N != 45_000 ||
			!strings.Contains(strings.Join(notes, "\n"), "read once") {
			t.Fatalf("%+v: %+v, %d rows; %q", c, got.Streamed, got.N, notes)
		}
		if math.Abs(got.Test.Loss()-want.Test.Loss()) > 0.003 {
			t.Errorf("%+v: error %v of the pipe, %v of memory", c, got.Test.Loss(), want.Test.Loss())
		}
	}
}

func TestPipesAreTheSameBits(t *testing.T) {
	path := blobs(t, 40_000, 3, 1)
	for _, learner := range []string{"svm", "ridge"} {
		o := job.TrainOptions{Options: chosen(t, "rbf(gamma=0.5)", "f2(dim=20)", learner), Holdout: 0.1}
		o.Run.Memory, o.Read.Weight = 8<<20, "w"
		var first []byte
		for _, workers := range []int{1, 3} {
			o.Run.Workers = workers
			b := bytesOf(t, piped(t, path, o).Model)
			if first == nil {
				first = b
			}
			if !bytes.Equal(b, first) {
				t.Fatalf("%s with %d workers: another model", learner, workers)
			}
		}
		// A state goes on where the same rows are fed again.
		o.Checkpoint = filepath.Join(t.TempDir(), "state")
		for i := range 2 {
			if b := bytesOf(t, piped(t, path, o).Model); !bytes.Equal(b, first) {
				t.Fatalf("%s, time %d with a checkpoint: another model", learner, i+1)
			}
		}
	}
}

// Numbers, strings, sets and sparse vectors come through pipes too; and rows that are held
// out are kept to be measured.
func TestPipesOfAllKinds(t *testing.T) {
	files := kinds(t)
	repeat := func(name string) string {
		b, err := os.ReadFile(files[name])
		if err != nil {
			t.Fatal(err)
		}
		if name == "table" { // the header comes once
			line, rest, _ := bytes.Cut(b, []byte("\n"))
			return put(t, filepath.Base(files[name]), string(line)+"\n"+strings.Repeat(string(rest), 2000))
		}
		return put(t, filepath.Base(files[name]), strings.Repeat(string(b), 2000))
	}
	for _, c := range []struct{ name, kernel, learner string }{
		{"table", "rbf(gamma=2)", "svm"}, {"libsvm", "rbf(gamma=2)", "logistic"}, {"strings", "spectrum(k=2)", "svm"},
		{"sets", "jaccard", "ridge"},
	} {
		o := job.TrainOptions{Options: chosen(t, c.kernel, "f2(dim=10)", c.learner), Holdout: 0.2}
		o.Run.Memory = 16 << 20
		if c.name == "sets" {
			o.Read.Target = "first"
		}
		got := piped(t, repeat(c.name), o)
		if got.Streamed == nil || got.Streamed.First == 0 || got.N <= got.Streamed.First || got.Test == nil ||
			got.Test.Rows() < 1000 || got.Test.Rows() > 20_000 {
			t.Errorf("%s: %+v, tested on %+v", c.name, got.Streamed, got.Test)
		}
		if got.Test.Loss() > got.Train.Loss()+0.05 {
			t.Errorf("%s: error %v, %v on the rows trained on", c.name, got.Test.Loss(), got.Train.Loss())
		}
	}
	o := job.TrainOptions{Options: chosen(t, "rbf(gamma=0.5)", "f2(dim=10)", "ridge"), Holdout: 0.1}
	o.Run.Memory, o.Read.Target, o.Read.Drop = 16<<20, "a", []string{"w"}
	if got := piped(t, blobs(t, 90_000, 2, 1), o); got.Streamed.First == 0 || got.Test.R2 == nil || *got.Test.R2 < 0.5 {
		t.Errorf("numbers: %+v", got.Test)
	}
}

// What fits is read as a file of the same content is, with and without --stream, whether it
// is compressed, standard input or a named pipe.
func TestShortPipesAreFiles(t *testing.T) {
	path := blobs(t, 3000, 3, 1)
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write(content); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	for _, stream := range []bool{false, true} {
		o := job.TrainOptions{Options: chosen(t, "rbf(gamma=0.5)", "f2(dim=40)", "svm"), Stream: stream}
		want := bytesOf(t, train(t, path, o).Model)
		o.Read.Stdin = bytes.NewReader(content)
		if got := bytesOf(t, train(t, "-", o).Model); !bytes.Equal(got, want) {
			t.Errorf("stream %v: another model through a pipe", stream)
		}
		o.Read.Stdin = bytes.NewReader(packed.Bytes())
		if got := bytesOf(t, train(t, "-", o).Model); !bytes.Equal(got, want) {
			t.Errorf("stream %v: another model of compressed rows", stream)
		}
		named := filepath.Join(t.TempDir(), "pipe")
		if err := syscall.Mkfifo(named, 0o600); err != nil {
			t.Skip(err)
		}
		go func() { _ = os.WriteFile(named, content, 0o600) }()
		if got := bytesOf(t, train(t, named, o).Model); !bytes.Equal(got, want) {
			t.Errorf("stream %v: another model through a named pipe", stream)
		}
	}
}

func TestPipesRefuse(t *testing.T) {
	content, err := os.ReadFile(blobs(t, 45_000, 2, 1))
	if err != nil {
		t.Fatal(err)
	}
	option := func(tail string, learner string) job.TrainOptions {
		o := job.TrainOptions{Options: chosen(t, "rbf(gamma=0.5)", "f2(dim=20)", learner)}
		o.Run.Memory = 8 << 20
		o.Read.Stdin = io.MultiReader(bytes.NewReader(content), strings.NewReader(tail))
		return o
	}
	var input *data.InputError
	for tail, words := range map[string]string{
		"1,2,3,1,rare\n": `the label "rare" stands in none of the first`, "x,2,3,1,p\n": `:45002:1: "x" is not a number`,
		"1,2\n": ":45002", "1,2,3,1,\n": ":45002",
	} {
		for _, learner := range []string{"svm", "ridge"} {
			if _, err := job.Train(t.Context(), "-", option(tail, learner)); !errors.As(err, &input) ||
				!strings.Contains(err.Error(), words) || !strings.Contains(err.Error(), "standard input") {
				t.Errorf("%s after %q: %v", learner, tail, err)
			}
		}
	}
	o := option("", "svm")
	o.Test = "-"
	if _, err := job.Train(t.Context(), "-", o); !errors.As(err, &input) || !strings.Contains(err.Error(), "--holdout") {
		t.Errorf("a pipe to train and to test on: %v", err)
	}
	o = option("", "kernel-svm")
	o.Stream, o.Choices.Map.Name = true, "none"
	var bad *dataset.OptionError
	if _, err := job.Train(t.Context(), "-", o); !errors.As(err, &bad) {
		t.Errorf("a kernel machine: %v", err)
	}
	three, err := os.ReadFile(blobs(t, 45_000, 3, 1))
	if err != nil {
		t.Fatal(err)
	}
	o = option("", "logistic")
	o.Read.Stdin = io.MultiReader(bytes.NewReader(three))
	if _, err := job.Train(t.Context(), "-", o); !errors.As(err, &bad) ||
		!strings.Contains(err.Error(), "several passes") {
		t.Errorf("many classes by the logistic loss: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	o = option("", "svm")
	in, out := io.Pipe()
	o.Read.Stdin = in
	go func() {
		_, _ = out.Write(content)
		cancel() // and nothing more comes
	}()
	if _, err := job.Train(ctx, "-", o); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
