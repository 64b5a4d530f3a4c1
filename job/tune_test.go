package job_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/eval"
	"github.com/kerf-ml/kerf/job"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/spec"
)

// tune searches, and fails the test where that fails.
func tune(t *testing.T, path string, o job.TuneOptions) *job.Tuned {
	t.Helper()
	out, err := job.Tune(t.Context(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// foldsOf divides a table as a search does and returns the rows to train on and to
// test on of each fold, encoded by the first alone.
func foldsOf(t *testing.T, path string, k int, s scale.Kind, use func(train, test data.Labeled[data.Vector, string])) {
	t.Helper()
	rows, err := dataset.Read(t.Context(), path, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, y := data.Encode(rows.Labels)
	folds, err := eval.Folds{K: k, Repeats: 1, Seed: 1}.Stratified(y)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range folds {
		e, err := dataset.Fit(rows, f.Train(), s, dataset.Options{})
		if err != nil {
			t.Fatal(err)
		}
		d, err := dataset.Decode[data.Vector](e, rows)
		if err != nil {
			t.Fatal(err)
		}
		use(d.Select(f.Train()), d.Select(f.Test))
	}
}

// TestTuneByHand: the loss of a candidate is the mean error over the folds, each of
// a quick recipe on rows that it was not trained on.
func TestTuneByHand(t *testing.T) {
	path := circle(t, 121, 0.15)
	o := job.NewTuneOptions()
	o.Options, o.Search, o.Scale = chosen(t, "rbf(gamma=2)", "f2(dim=15)", "svm(C=3)"), job.Grid, "standard"
	got := tune(t, path, o)
	if len(got.Trials) != 1 {
		t.Fatalf("%d trials of one candidate", len(got.Trials))
	}
	k, err := spec.Vectors{}.Kernel("rbf(gamma=2)")
	if err != nil {
		t.Fatal(err)
	}
	svm := model.NewSVM()
	svm.C, svm.MaxPasses = 3, 20000
	r := model.NewRecipe(k, 15)
	r.Learner, r.Choose = svm, false
	var losses []float64
	foldsOf(t, path, 3, scale.Standard, func(train, test data.Labeled[data.Vector, string]) {
		for m, err := range r.Quick(len(train.Y)).Trials(t.Context(), model.Labels(train), test.X, []float64{3}) {
			if err != nil {
				t.Fatal(err)
			}
			losses = append(losses, model.Labels(test).Loss(m.Scores))
		}
	})
	mean, square := (losses[0]+losses[1]+losses[2])/3, 0.0
	for _, l := range losses {
		square += (l - mean) * (l - mean)
	}
	trial := got.Trials[0]
	if !near(*trial.Loss, mean) || !near(*trial.Std, math.Sqrt(square/2)) || *trial.C != 3 || *trial.Dim != 15 {
		t.Errorf("the trial is %v ± %v, want %v of %v", *trial.Loss, *trial.Std, mean, losses)
	}
}

// TestTuneSearches: of each search the best trial is the best of the last round, and
// the final model is what training gives with its choices.
func TestTuneSearches(t *testing.T) {
	path, searches, trials := circle(t, 1201, 0.1), job.Searches, 12
	if testing.Short() {
		searches, trials = []job.Search{job.Halving}, 4
	}
	for _, search := range searches {
		o := job.NewTuneOptions()
		o.Search, o.Trials, o.Folds, o.Scale, o.Time, o.Holdout = search, trials, 2, "standard", 0, 0.2
		got := tune(t, path, o)
		rounds, last := map[int]int{}, 0
		for i, r := range got.Trials {
			if r.Failure != "" {
				t.Errorf("%s: %s on %s failed: %s", search, r.Map, r.Kernel, r.Failure)
				continue
			}
			rounds[r.Round]++
			last = max(last, r.Round)
			if i > 0 && r.Round == got.Trials[i-1].Round && *r.Loss < *got.Trials[i-1].Loss {
				t.Errorf("%s: trial %d is better than the one before", search, i+1)
			}
		}
		if got.Best.Round != last || *got.Best.Loss != *got.Trials[0].Loss || got.Status != learn.Converged {
			t.Errorf("%s: the best is %+v of %d rounds, status %s", search, got.Best, last, got.Status)
		}
		if want := search == job.Halving; (last > 1) != want || rounds[1] > o.Trials || want && rounds[1] <= rounds[last] {
			t.Errorf("%s: trials by round %v", search, rounds)
		}
		wantKeys(t, object(t, got), "best", "trials")

		best := quickly()
		best.Scale, best.Holdout = "standard", 0.2
		best.Choices.Learner = call(t, fmt.Sprintf("svm(C=%v)", *got.Best.C))
		best.Choices.Map = spec.Call{Name: got.Best.Map}
		if got.Best.Map != model.MapNone {
			best.Choices.Kernel = got.Best.Kernel
			best.Choices.Map.Args = map[string]any{"dim": *got.Best.Dim}
		}
		want := train(t, path, best)
		if !slices.Equal(bytesOf(t, got.Final.Model), bytesOf(t, want.Model)) || got.Test.String() != want.Test.String() {
			t.Errorf("%s: the final model is not that of %+v", search, got.Best)
		}
	}
	o := job.NewTuneOptions()
	o.Trials, o.Time = 4, 0
	wantSameJSON(t, tune(t, path, o), "tune", path, "--trials", "4", "--time", "10m")
}

// TestTunePairs: Fourier features come in pairs, whatever number of rows there is.
func TestTunePairs(t *testing.T) {
	path := circle(t, 121, 0.1)
	for _, mapped := range []string{"fourier", "orf"} {
		o := job.NewTuneOptions()
		o.Choices.Map, o.Trials, o.Folds = call(t, mapped), 8, 2
		for _, r := range tune(t, path, o).Trials {
			if r.Failure != "" || *r.Dim%2 != 0 {
				t.Errorf("%s with %d features: %s", mapped, *r.Dim, r.Failure)
			}
		}
		got := train(t, path, job.TrainOptions{Options: chosen(t, "rbf", mapped, "")})
		if got.Map != mapped || got.Dim%2 != 0 {
			t.Errorf("%s: %d features of %s", mapped, got.Dim, got.Map)
		}
	}
	odd := job.TrainOptions{Options: chosen(t, "rbf", "fourier(dim=45)", "")}
	if _, err := job.Train(t.Context(), path, odd); err == nil {
		t.Error("45 features were asked for, and that is no pairs")
	}
}

// TestTuneEnds: time that is up leaves the best so far, or says that there is none;
// a cancelled context leaves an error and no file.
func TestTuneEnds(t *testing.T) {
	path := circle(t, 400, 0.2)
	o := job.NewTuneOptions()
	o.Output = filepath.Join(t.TempDir(), "m.kerf")
	o.Time = time.Nanosecond
	if _, err := job.Tune(t.Context(), path, o); err == nil || !strings.Contains(err.Error(), "--time") {
		t.Errorf("no time: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	o.Run.Progress.Step = func(done int64) {
		if done == 2 {
			cancel()
		}
	}
	o.Time = 0
	if _, err := job.Tune(ctx, path, o); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if left, err := os.ReadDir(filepath.Dir(o.Output)); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	var once sync.Once
	o.Run.Progress.Step = func(done int64) {
		if done == 3 {
			once.Do(func() { time.Sleep(o.Time) })
		}
	}
	o.Time, o.Trials = time.Second, 100
	var said []string
	o.Warn = func(text string) { said = append(said, text) }
	got := tune(t, circle(t, 120, 0.2), o) // of which some candidates take little time
	if got.Status != learn.TimeLimit || got.Best.Loss == nil || len(said) == 0 {
		t.Errorf("status %s, best %+v, said %q", got.Status, got.Best, said)
	}
	wantWhole(t, got.Final)
}

// TestTuneResumes: a search that was ended goes on, and ends with the same trials and
// the same bytes; what is done is not done again.
func TestTuneResumes(t *testing.T) {
	path := circle(t, 200, 0.1)
	for _, learner := range []string{"svm", "kernel-svm", "ridge"} {
		o := job.NewTuneOptions()
		o.Choices.Learner, o.Trials, o.Time, o.Folds = call(t, learner), 6, 0, 2
		whole := tune(t, path, o)
		o.Checkpoint = filepath.Join(t.TempDir(), "state")
		for _, stop := range []int64{2, 4} {
			ctx, cancel := context.WithCancel(t.Context())
			o.Run.Progress.Step = func(done int64) {
				if done == stop {
					cancel()
				}
			}
			if _, err := job.Tune(ctx, path, o); !errors.Is(err, context.Canceled) {
				t.Fatalf("%s: %v", learner, err)
			}
			cancel()
		}
		o.Run.Progress.Step, o.Run.Workers = nil, 1
		got := tune(t, path, o)
		again := tune(t, path, o)
		for _, r := range []*job.Tuned{got, again} {
			if !slices.Equal(bytesOf(t, r.Final.Model), bytesOf(t, whole.Final.Model)) {
				t.Errorf("%s: gone on, another model", learner)
			}
			for i, w := range whole.Trials {
				if g := r.Trials[i]; *g.Loss != *w.Loss || g.Kernel != w.Kernel || fmt.Sprint(*g.Std) != fmt.Sprint(*w.Std) {
					t.Errorf("%s: trial %d is %+v, want %+v", learner, i+1, g, w)
				}
			}
		}
		if again.Fits != 0 || got.Fits >= whole.Fits {
			t.Errorf("%s: %d fits of %d, and %d when all is known", learner, got.Fits, whole.Fits, again.Fits)
		}
	}
}
