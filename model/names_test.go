package model_test

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/learn/linear"
	"github.com/kerf-ml/kerf/model"
)

// named is what all recipes of maps and learners have.
type named interface {
	Name() string
	Validate() error
}

// byName returns a recipe of a map or a learner by its name.
type byName func(name string, a map[string]any) (named, error)

func newLearner(name string, a map[string]any) (named, error) {
	return model.NewLearner[data.Vector](name, a)
}

func newMapper(name string, a map[string]any) (named, error) {
	return model.NewMapper[data.Vector](name, a)
}

// recipes are those of all learners and maps.
func recipes() (all []named, make []byName) {
	for _, l := range model.Learners[data.Vector]() {
		all, make = append(all, l), append(make, newLearner)
	}
	for _, m := range model.Mappers[data.Vector]() {
		all, make = append(all, m), append(make, newMapper)
	}
	return all, make
}

// TestNames: every learner and every map has a name of its own, by which its
// defaults come back, and the defaults are valid.
func TestNames(t *testing.T) {
	seen := map[string]bool{}
	all, make := recipes()
	for i, want := range all {
		name := want.Name()
		if seen[name] || name == "" {
			t.Errorf("the name %q is there twice", name)
		}
		seen[name] = true
		if err := want.Validate(); err != nil {
			t.Errorf("%s: the defaults are refused: %v", name, err)
		}
		for _, none := range []map[string]any{nil, {}} {
			if got, err := make[i](name, none); err != nil || got != want {
				t.Errorf("%s came back as %+v, %v", name, got, err)
			}
		}
	}
	for name := range seen {
		traits, ok := model.TraitsOf(name)
		l, err := model.NewLearner[city](name, nil)
		if ok != (err == nil) || ok != slices.Contains(model.LearnerNames(nil), name) ||
			ok && !reflect.DeepEqual(traits, l.Traits()) {
			t.Errorf("%s is a learner: %v, %v", name, ok, err)
		}
		m, err := model.NewMapper[data.Vector](name, nil)
		if (err == nil) != slices.Contains(model.MapNames(), name) {
			t.Errorf("%s is a map: %v", name, err)
		}
		if _, sized := m.(model.SizedMapper[data.Vector]); sized != model.SizedMap(name) {
			t.Errorf("%s is sized: %v", name, sized)
		}
	}
	if len(seen) != len(model.LearnerNames(nil))+len(model.MapNames()) || len(seen) != 34 {
		t.Errorf("there are %d names", len(seen))
	}
}

// TestHyperparameters: these are the names that files and command lines know, and
// each can be set alone.
func TestHyperparameters(t *testing.T) {
	want := map[string]string{
		"svm": "C lambda loss tolerance max_passes unit", "logistic": "C lambda tolerance max_passes unit",
		"ridge":               "lambda choose",
		"perceptron":          "max_passes unit normalize",
		"averaged-perceptron": "max_passes unit normalize", "pegasos": "C lambda unit",
		"hard-margin": "unit normalize", "lp": "unit", "boost": "rounds", "boost-halfspace": "rounds",
		"kernel-svm": "C lambda tolerance max_steps pairs", "nu-svm": "nu tolerance max_steps", "one-class": "nu tolerance",
		"svr": "C epsilon tolerance max_steps", "nu-svr": "C nu tolerance max_steps", "kernel-ridge": "lambda tolerance",
		"falkon": "lambda dim", "kernel-sgd": "lambda", "kernel-perceptron": "max_passes", "centroid": "",
		"f1": "dim select", "f2": "dim select rank repair", "f3": "dim landmarks projection select rank",
		"fourier": "dim", "orf": "dim", "sketch": "dim", "monomials": "",
		"taylor": "degree", "direct": "dim projection rank", "lift": "dim of unit", "project": "dim projection",
		"powers":   "degree",
		"explicit": "buckets idf", "none": "",
	}
	value := args{
		"C": 0.25, "lambda": 0.125, "nu": 0.375, "epsilon": 0.0625, "tolerance": 0.03125, "unit": 2.5, "rank": 1e-5,
		"max_passes": 7, "max_steps": 11, "rounds": 13, "dim": 17, "landmarks": 19, "pairs": false, "choose": false,
		"loss": "hinge", "select": "greedy", "projection": "sign", "repair": "clip",
		"buckets": 23, "idf": true, "degree": 3, "of": "f1",
	}
	all, make := recipes()
	for i, plain := range all {
		name, names := plain.Name(), model.Hyperparameters(plain)
		if strings.Join(names, " ") != want[name] {
			t.Errorf("%s has %v, want %s", name, names, want[name])
		}
		value["normalize"] = name != "hard-margin" // where it is so without
		for _, h := range names {
			got, err := make[i](name, map[string]any{h: value[h]})
			if err != nil || got == plain || got.Name() != name || !model.Accepts(got, h) {
				t.Errorf("%s with %s = %v is %+v, %v", name, h, value[h], got, err)
				continue
			}
			landmarks := name == "f3" && h == "dim" // four for each dimension
			if changed := fieldsThatDiffer(plain, got); len(changed) != 1 && !landmarks {
				t.Errorf("%s with %s = %v has other %v", name, h, value[h], changed)
			}
			lone := name == "direct" && h == "projection" // without a dimension
			if err := got.Validate(); (err != nil) != lone {
				t.Errorf("%s with %s = %v: %v", name, h, value[h], err)
			}
		}
		if _, err := make[i](name, value.of(plain)); err != nil {
			t.Errorf("%s with all: %v", name, err)
		}
	}
}

func fieldsThatDiffer(a, b any) []string {
	var names []string
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	for i := range x.NumField() {
		if !x.Field(i).Equal(y.Field(i)) {
			names = append(names, x.Type().Field(i).Name)
		}
	}
	return names
}

// TestHyperparameterValues: what is set by name is what stands in the field.
func TestHyperparameterValues(t *testing.T) {
	type vector = data.Vector
	for _, c := range []struct {
		make byName
		name string
		args args
		want named
	}{
		{newLearner, "svm", args{"C": 3, "loss": linear.Hinge, "max_passes": 5.0},
			model.SVM{C: 3, Loss: linear.Hinge, Tolerance: 1e-3, MaxPasses: 5, Unit: 1}},
		{newLearner, "kernel-svm", args{"pairs": false, "C": float32(0.5)},
			model.KernelSVM[vector]{C: 0.5, Tolerance: 1e-3}},
		{newLearner, "svr", args{"epsilon": 0}, model.SVR[vector]{C: 1, Tolerance: 1e-3}},
		{newLearner, "boost-halfspace", args{"rounds": 9}, model.Boost{Rounds: 9, Halfspaces: true}},
		{newLearner, "falkon", args{"dim": 40}, model.Falkon[vector]{Lambda: 1e-3, Dim: 40}},
		{newMapper, "f2", args{"dim": 40, "repair": feature.Clip}, model.F2[vector]{Dim: 40, Rank: 1e-12, Repair: "clip"}},
		{newMapper, "f3", args{"dim": 4, "landmarks": 9}, model.F3[vector]{Dim: 4, Landmarks: 9, Rank: 1e-12}},
		{newMapper, "orf", args{"dim": 8}, model.NewORF[vector](8)},
	} {
		if got, err := c.make(c.name, c.args); err != nil || got != c.want {
			t.Errorf("%s with %v is %+v, %v, want %+v", c.name, c.args, got, err, c.want)
		}
	}
}

// TestNamesRefused: errors name what there is, and are one line.
func TestNamesRefused(t *testing.T) {
	for _, c := range []struct {
		make byName
		name string
		args args
		says []string
	}{
		{newLearner, "nosuch", nil, []string{`unknown learner "nosuch"`, "svm, logistic, ", ", centroid"}},
		{newLearner, "", nil, []string{`unknown learner ""`}},
		{newLearner, "SVM", nil, []string{`unknown learner "SVM"`}},
		{newLearner, "f2", nil, []string{`unknown learner "f2"`}},
		{newMapper, "nosuch", nil, []string{`unknown map "nosuch"`, "f1, f2, f3, ", ", none"}},
		{newMapper, "svm", nil, []string{`unknown map "svm"`}},
		{newLearner, "svm", args{"nu": 1}, []string{"svm", `"nu"`, "C, lambda, loss, tolerance, max_passes, unit"}},
		{newLearner, "svm", args{"c": 1}, []string{"svm", `"c"`}},
		{newLearner, "svm", args{"": 1}, []string{"svm", `""`}},
		{newLearner, "boost", args{"Halfspaces": true}, []string{"boost", `"Halfspaces"`}},
		{newLearner, "boost", args{"-": true}, []string{"boost", `"-"`}},
		{newLearner, "centroid", args{"C": 1}, []string{"centroid", `"C"`, "none"}},
		{newMapper, "none", args{"dim": 1}, []string{"map none", `"dim"`, "none"}},
		{newMapper, "fourier", args{"name": "orf"}, []string{"map fourier", `"name"`}},
		{newLearner, "svm", args{"C": "1"}, []string{"svm", `"C"`, "string", "number"}},
		{newLearner, "svm", args{"C": true}, []string{"svm", `"C"`, "bool", "number"}},
		{newLearner, "svm", args{"C": []int{1}}, []string{"svm", `"C"`, "array", "number"}},
		{newLearner, "svm", args{"C": math.NaN()}, []string{"svm", "NaN"}},
		{newLearner, "svm", args{"C": math.Inf(1)}, []string{"svm", "Inf"}},
		{newLearner, "svm", args{"C": func() {}}, []string{"svm", "func"}},
		{newLearner, "svm", args{"C": nil}, []string{"svm", `"C"`, "number"}},
		{newLearner, "svm", args{"max_passes": 1.5}, []string{"svm", `"max_passes"`, "1.5", "whole number"}},
		{newLearner, "svm", args{"max_passes": 1e30}, []string{"svm", `"max_passes"`, "whole number"}},
		{newLearner, "svm", args{"loss": "nosuch"}, []string{"svm", `"nosuch"`, "squared-hinge"}},
		{newLearner, "svm", args{"loss": 1}, []string{"svm", `"loss"`, "number"}},
		{newLearner, "kernel-svm", args{"pairs": 1}, []string{"kernel-svm", `"pairs"`, "number", "true or false"}},
		{newMapper, "f2", args{"dim": "many"}, []string{"map f2", `"dim"`, "string", "whole number"}},
		{newMapper, "f2", args{"select": 3}, []string{"map f2", `"select"`, "number", "text"}},
	} {
		got, err := c.make(c.name, c.args)
		if err == nil {
			t.Errorf("%q with %v was taken: %+v", c.name, c.args, got)
			continue
		}
		text := err.Error()
		for _, s := range append(c.says, c.name) {
			if !strings.Contains(text, s) {
				t.Errorf("%q with %v: error is %q, and does not say %q", c.name, c.args, text, s)
			}
		}
		if strings.ContainsAny(text, "\n") || strings.Contains(text, "json") || strings.Contains(text, "Go ") {
			t.Errorf("%q with %v: error is %q", c.name, c.args, text)
		}
	}
	for _, r := range []any{nil, 3, func() {}, &model.SVM{}} { // recipes of one's own may be of any type
		want := 0
		if _, ok := r.(*model.SVM); ok {
			want = 6
		}
		if got := model.Hyperparameters(r); len(got) != want || model.Accepts(r, "nu") {
			t.Errorf("%T has %v", r, got)
		}
	}
}
