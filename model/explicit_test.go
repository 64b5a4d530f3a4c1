package model_test

import (
	"bytes"
	"context"
	"errors"
	"reflect"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/kernel/text"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/run"
	"github.com/kerf-ml/kerf/spec"
)

// TestExplicitFile trains on features that a kernel lists and reads the model back:
// the scores are the same bits.
func TestExplicitFile(t *testing.T) {
	x := data.Slice[string]{
		"the cat", "a cat sat", "cats and cats", "my cat", "the dog", "a dog ran", "dogs and dogs", "my dog",
	}
	y := []string{"cat", "cat", "cat", "cat", "dog", "dog", "dog", "dog"}
	fresh := data.Slice[string]{"", "her cat", "dogs ran", "nothing of these"}
	k := kernel.Sum[string](kernel.Normalize[string](text.NewWords()), kernel.Normalize[string](text.NewNgrams()))
	for _, idf := range []bool{false, true} {
		r := model.NewRecipe(k, 1)
		m := model.NewExplicit[string]()
		m.IDF = idf
		r.Map = m
		p, training, err := r.Fit(context.Background(), data.Labeled[string, string]{X: x, Y: y})
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Predict("her cat"); got != "cat" || training.Map != model.MapExplicit {
			t.Errorf("idf %v: %s by map %s", idf, got, training.Map)
		}
		var b bytes.Buffer
		if err := model.Write(&b, p, model.Kind[string](spec.Strings{})); err != nil {
			t.Fatal(err)
		}
		f, err := model.Decode(b.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		again, err := model.Open(f, model.Kind[string](spec.Strings{}))
		if err != nil {
			t.Fatal(err)
		}
		want, err := p.ScoreAll(context.Background(), run.Control{}, fresh)
		if err != nil {
			t.Fatal(err)
		}
		got, err := again.ScoreAll(context.Background(), run.Control{Workers: 1}, fresh)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("idf %v: the scores are %v, want %v (%v)", idf, got, want, err)
		}
		one := make([]float64, 2)
		for i, s := range fresh {
			if again.Scores(one, s); !reflect.DeepEqual(one, want.Row(i)) {
				t.Errorf("%q alone: %v, want %v", s, one, want.Row(i))
			}
		}
	}
	r := model.NewRecipe[string](text.NewSubsequence(2), 1)
	r.Map = model.NewExplicit[string]()
	var wrong *model.SampleError
	if _, _, err := r.Fit(context.Background(), data.Labeled[string, string]{X: x, Y: y}); !errors.As(err, &wrong) {
		t.Errorf("a kernel without listing: %v", err)
	}
}
