package model_test

import (
	"fmt"
	"math"
	"reflect"
	"testing"

	"github.com/kerf-ml/kerf/certificate"
	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/calibrate"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/run"
)

// unkeyed are the fields that are not in a recipe's key, by type and name, and why.
// A field that is neither in the key nor here fails the test.
var unkeyed = map[string]string{
	"Recipe.Checkpoint": "where the state is kept, not what is trained",
	"Control.Workers":   "results are the same bits for any number",
	"Control.Memory":    "results are the same bits for any budget",
	"Control.Process":   "results are the same bits for any budget",
	"Control.Progress":  "who is told",
	"Control.Counter":   "who counts",
	"Control.Device":    "a state may go on where there is another device",
	"Control.Places":    "who is told",
	"Oblivious.name":    "it is Name, which is in the key",
	"Oblivious.kind":    "it goes with Name, which is in the key",
}

// otherValues are values for fields that cannot be changed by their type alone.
var otherValues = map[string]any{
	"Recipe.Kernel":      kernel.Kernel[data.Vector](kernel.Gaussian{Gamma: 2}),
	"Recipe.Map":         model.Mapper[data.Vector](model.NewF1[data.Vector](7)),
	"Recipe.Learner":     model.Learner(model.NewLogistic()),
	"Recipe.Claim":       (*model.Claim)(nil),
	"Recipe.ClassWeight": map[string]float64{"a": 2},
	"Recipe.Calibrate":   calibrate.Steps,
	"Recipe.Checkpoint":  learn.Checkpoint{From: []byte{1}},
	"Control.Progress":   run.Progress{Finish: func() {}},
	"Control.Counter":    &run.Counter{},
	"Control.Device":     run.CPU,
	"Control.Places":     &run.Places{},
	"Claim.Fresh":        []int{3, 1},
}

// field is a field of a value, and how to change it there.
type field struct {
	name   string // with the type's
	change func(reflect.Value)
}

// typeName is the name of a type without its parameters.
func typeName(t reflect.Type) string {
	name := t.Name()
	for i, r := range name {
		if r == '[' {
			return name[:i]
		}
	}
	return name
}

// other changes a value of a plain type.
func other(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Int, reflect.Int64:
		v.SetInt(v.Int() + 1)
	case reflect.Uint8: // of two names
		v.SetUint(1 - v.Uint())
	case reflect.Uint64:
		v.SetUint(v.Uint() + 1)
	case reflect.Float64:
		v.SetFloat(math.Nextafter(v.Float(), 2))
	case reflect.String:
		v.SetString(v.String() + "x")
	default:
		return false
	}
	return true
}

// fieldsOf lists the fields of a struct type; those of the structs in open are
// listed one by one.
func fieldsOf(t *testing.T, of reflect.Type, open ...reflect.Type) []field {
	t.Helper()
	var out []field
	for i := range of.NumField() {
		f := of.Field(i)
		name := typeName(of) + "." + f.Name
		inside := false
		for _, o := range open {
			inside = inside || f.Type == o
		}
		if inside {
			for _, in := range fieldsOf(t, f.Type, open...) {
				out = append(out, field{in.name, func(v reflect.Value) { in.change(v.Field(i)) }})
			}
			continue
		}
		if !f.IsExported() {
			if unkeyed[name] == "" {
				t.Errorf("%s is not exported and no test can change it: list it", name)
			}
			continue
		}
		out = append(out, field{name, func(v reflect.Value) {
			if value, ok := otherValues[name]; ok {
				v.Field(i).Set(reflect.ValueOf(value).Convert(f.Type))
			} else if !other(v.Field(i)) {
				t.Errorf("%s is a %s, which the test cannot change: give it another value", name, f.Type)
			}
		}})
	}
	return out
}

func keyOf(t *testing.T, r model.Recipe[data.Vector]) string {
	t.Helper()
	key, err := r.Key()
	if err != nil {
		t.Fatal(err)
	}
	return string(key)
}

// wantOther checks that each field changes the key, to one that no other has, or
// that it is listed and does not.
func wantOther(t *testing.T, seen map[string]string, before string, name, after string) {
	t.Helper()
	why, listed := unkeyed[name]
	switch {
	case listed && after != before:
		t.Errorf("%s is in the key, and listed as not: %s", name, why)
	case listed:
	case after == before:
		t.Errorf("%s is not in the key", name)
	case seen[after] != "":
		t.Errorf("%s and %s have the same key", name, seen[after])
	}
	seen[after] = name
}

func baseRecipe() model.Recipe[data.Vector] {
	r := model.NewRecipe[data.Vector](kernel.Gaussian{Gamma: 1}, 20)
	r.Claim = &model.Claim{Claim: certificate.NewClaim(0.1, 0.2, 0.9)}
	return r
}

// TestRecipeKey: every field of a recipe is in its key.
func TestRecipeKey(t *testing.T) {
	base := baseRecipe()
	before, seen := keyOf(t, base), map[string]string{}
	for _, f := range fieldsOf(t, reflect.TypeFor[model.Recipe[data.Vector]](), reflect.TypeFor[run.Control]()) {
		r := base
		f.change(reflect.ValueOf(&r).Elem())
		wantOther(t, seen, before, f.name, keyOf(t, r))
	}
	for _, f := range fieldsOf(t, reflect.TypeFor[model.Claim](), reflect.TypeFor[certificate.Claim]()) {
		r, claim := base, *base.Claim
		f.change(reflect.ValueOf(&claim).Elem())
		r.Claim = &claim
		wantOther(t, seen, before, "Claim "+f.name, keyOf(t, r))
	}
}

// TestHyperparametersInKey: every field of every learner and map is in the key.
func TestHyperparametersInKey(t *testing.T) {
	seen := map[string]string{}
	check := func(of any, put func(r *model.Recipe[data.Vector], v any)) {
		r := baseRecipe()
		put(&r, of)
		before := keyOf(t, r)
		if seen[before] != "" {
			t.Errorf("%T and %s have the same key", of, seen[before])
		}
		seen[before] = fmt.Sprintf("%T", of)
		for _, f := range fieldsOf(t, reflect.TypeOf(of)) {
			changed := reflect.New(reflect.TypeOf(of)).Elem()
			changed.Set(reflect.ValueOf(of))
			f.change(changed)
			put(&r, changed.Interface())
			wantOther(t, seen, before, fmt.Sprintf("%T %s", of, f.name), keyOf(t, r))
		}
	}
	for _, l := range model.Learners[data.Vector]() {
		if b, ok := l.(model.Boost); ok && b.Halfspaces {
			continue // it is boost with a field changed, which has its key
		}
		check(l, func(r *model.Recipe[data.Vector], v any) { r.Learner = v.(model.Learner) })
	}
	for _, m := range model.Mappers[data.Vector]() {
		check(m, func(r *model.Recipe[data.Vector], v any) { r.Map = v.(model.Mapper[data.Vector]) })
	}
}

// TestKernelInKey: kernels that differ in the last digit have other keys, and so do
// those of vectors that are called alike.
func TestKernelInKey(t *testing.T) {
	close := math.Nextafter(1, 2)
	seen := map[string]string{}
	for _, k := range []kernel.Kernel[data.Vector]{
		nil, kernel.Linear{}, kernel.Gaussian{Gamma: 1}, kernel.Gaussian{Gamma: close}, kernel.Laplacian{Gamma: 1},
		kernel.Laplacian{Gamma: close}, kernel.Polynomial{Degree: 2, Coef: 1, Gamma: 1},
		kernel.Polynomial{Degree: 2, Coef: close, Gamma: 1}, kernel.Polynomial{Degree: 2, Coef: 1, Gamma: close},
		kernel.Polynomial{Degree: 3, Coef: 1, Gamma: 1}, kernel.Scale[data.Vector](2, kernel.Linear{}),
		kernel.Sum[data.Vector](kernel.Linear{}, kernel.Gaussian{Gamma: 1}),
		kernel.Product[data.Vector](kernel.Linear{}, kernel.Gaussian{Gamma: 1}),
		kernel.Normalize[data.Vector](kernel.Linear{}), kernel.ExpOf[data.Vector](kernel.Linear{}),
	} {
		r := baseRecipe()
		r.Kernel = k
		key := keyOf(t, r)
		if seen[key] != "" {
			t.Errorf("%v and %s have the same key", k, seen[key])
		}
		seen[key] = fmt.Sprint(k)
	}
}
