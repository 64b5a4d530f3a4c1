package model_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/run"
	"github.com/kerf-ml/kerf/spec"
)

type (
	recipe   = model.Recipe[data.Vector]
	pipeline = model.Pipeline[data.Vector]
	labeled  = data.Labeled[data.Vector, string]
	numbered = data.Labeled[data.Vector, float64]

	args map[string]any // hyperparameters by name
)

// learnerOf returns a learner with those of the hyperparameters that it has.
func learnerOf[T any](name string, a args) model.Learner {
	l, err := model.NewLearner[T](name, nil)
	if err == nil {
		l, err = model.NewLearner[T](name, a.of(l))
	}
	if err != nil {
		panic(err)
	}
	return l
}

// mapOf returns a map with those of the hyperparameters that it has.
func mapOf[T any](name string, a args) model.Mapper[T] {
	m, err := model.NewMapper[T](name, nil)
	if err == nil {
		m, err = model.NewMapper[T](name, a.of(m))
	}
	if err != nil {
		panic(err)
	}
	return m
}

// of returns those that a recipe has, of C and lambda the first.
func (a args) of(recipe any) args {
	a = maps.Clone(a)
	if model.Accepts(recipe, "C") && a["C"] != nil {
		delete(a, "lambda")
	}
	maps.DeleteFunc(a, func(name string, _ any) bool { return !model.Accepts(recipe, name) })
	return a
}

// job is a learner with a map on a sample.
type job struct {
	learner string
	kind    string // map
	task    model.Task
	classes int // 0 for numbers
	dense   bool
}

func (j job) String() string {
	return fmt.Sprintf("%s on %s, %s %d, dense %v", j.learner, j.kind, j.task, j.classes, j.dense)
}

// traits are those of the job's learner.
func (j job) traits() model.Traits {
	t, _ := model.TraitsOf(j.learner)
	return t
}

// jobs are all learners with every task that they do, on dense and sparse rows,
// with two classes and with three, those of features without a map and with F2.
func jobs() []job {
	var all []job
	for _, name := range model.LearnerNames(nil) {
		t, _ := model.TraitsOf(name)
		kinds := []string{model.MapNone, model.MapF2}
		if t.Kernel {
			kinds = kinds[:1]
		}
		for _, kind := range kinds {
			for _, dense := range []bool{true, false} {
				if t.Can(model.Classify) {
					all = append(all, job{name, kind, model.Classify, 2, dense})
					if name != model.LearnerNuSVM && !t.Unsupervised {
						all = append(all, job{name, kind, model.Classify, 3, dense})
					}
				}
				if t.Can(model.Regress) {
					all = append(all, job{name, kind, model.Regress, 0, dense})
				}
			}
		}
	}
	return all
}

// recipe returns the recipe of the job, with little work to do and nothing to
// choose, and with some hyperparameters of the map or the learner replaced.
func (j job) recipe(more args) recipe {
	r := model.NewRecipe[data.Vector](kernel.Gaussian{Gamma: 0.7}, 20)
	a := args{"dim": 20, "C": 1, "lambda": 1e-3, "nu": 0.3, "choose": false, "max_passes": 50, "rounds": 12}
	maps.Copy(a, more)
	r.Map, r.Learner = mapOf[data.Vector](j.kind, a), learnerOf[data.Vector](j.learner, a)
	r.Choose, r.Calibrate = false, ""
	return r
}

// choosing is recipe with all that can be chosen open.
func (j job) choosing(more args) recipe {
	a := args{"choose": true}
	maps.Copy(a, more)
	r := j.recipe(a)
	r.Choose = true
	return r
}

// sample returns the job's n rows, which may have weights.
func (j job) sample(n int, weight []float64) model.Sample[data.Vector] {
	if j.task == model.Regress {
		d := wave(n, j.dense)
		d.Weight = weight
		return model.Numbers(d)
	}
	d := blobsOf(n, max(j.classes, 2), j.dense)
	d.Weight = weight
	return model.Labels(d)
}

// fit trains the job's recipe on its sample of n rows.
func (j job) fit(ctx context.Context, r recipe, n int) (*pipeline, model.Training, error) {
	if j.task == model.Regress {
		return r.FitValues(ctx, wave(n, j.dense))
	}
	return r.Fit(ctx, blobsOf(n, j.classes, j.dense))
}

// mustFit is fit, which must not fail.
func (j job) mustFit(t *testing.T, r recipe, n int) (*pipeline, model.Training) {
	t.Helper()
	p, training, err := j.fit(t.Context(), r, n)
	if err != nil {
		t.Fatalf("%s: %v", j, err)
	}
	return p, training
}

// fresh returns rows that the job's training has not seen.
func (j job) fresh() data.Source[data.Vector] { return j.sample(100, nil).X }

// blobsOf returns n points around one centre a class, dense or sparse.
func blobsOf(n, classes int, dense bool) labeled {
	r := seed.Stream(11, seed.Generator, uint64(classes))
	var x data.Slice[data.Vector]
	var y []string
	for i := range n {
		c := i % classes
		v := []float64{float64(c) + 0.3*r.NormFloat64(), math.Cos(2*float64(c)) + 0.3*r.NormFloat64(), 0.1 * r.NormFloat64()}
		if dense {
			x = append(x, data.Dense(v...))
		} else {
			x = append(x, data.Vector{Index: []int32{1, 5, 9}, Value: v})
		}
		y = append(y, []string{"red", "green", "blau, hell", "4"}[c])
	}
	return labeled{X: x, Y: y}
}

// wave returns n points and the values of a smooth function there, with noise.
func wave(n int, dense bool) numbered {
	r := seed.Stream(12, seed.Generator, uint64(n))
	var x data.Slice[data.Vector]
	var y []float64
	for range n {
		v := []float64{2 * r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}
		if dense {
			x = append(x, data.Dense(v...))
		} else {
			x = append(x, data.Vector{Index: []int32{0, 4, 7}, Value: v})
		}
		y = append(y, 40+10*math.Sin(v[0])+3*v[1]+0.3*r.NormFloat64())
	}
	return numbered{X: x, Y: y}
}

// scoresOf returns the scores of all rows.
func scoresOf(t *testing.T, p *pipeline, workers int, x data.Source[data.Vector]) *data.Matrix {
	t.Helper()
	out, err := p.ScoreAll(t.Context(), run.Control{Workers: workers}, x)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// wantFinite fails unless all scores are numbers.
func wantFinite(t *testing.T, name string, p *pipeline, x data.Source[data.Vector]) {
	t.Helper()
	for i, v := range scoresOf(t, p, 1, x).Data {
		if v-v != 0 {
			t.Errorf("%s: score %d is %v", name, i, v)
			return
		}
	}
}

// encode returns the bytes of a pipeline's file.
func encode(t testing.TB, p *pipeline) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := model.Write(&b, p, spec.Vectors{}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// decode returns the pipeline of a file's bytes.
func decode(b []byte) (*pipeline, error) {
	f, err := model.Decode(b)
	if err != nil {
		return nil, err
	}
	return model.Open(f, spec.Vectors{})
}
