package model_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"slices"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/run"
	"github.com/kerf-ml/kerf/spec"
)

// compass is a map of one's own: how far a city lies from the middle of all.
type compass struct{}

func (compass) Name() string    { return "compass" }
func (compass) Validate() error { return nil }

func (compass) Fit(_ context.Context, p model.Problem[city]) (feature.Map[city], error) {
	var m bearings
	for i := range p.Len() {
		c := p.X.At(i)
		m.Lat, m.Lon = m.Lat+c.Lat/float64(p.Len()), m.Lon+c.Lon/float64(p.Len())
	}
	return m, nil
}

// bearings are the features of a city.
type bearings struct{ Lat, Lon float64 }

func (bearings) Dim() int { return 3 }

func (m bearings) MapTo(dst []float64, c city) {
	north, east := c.Lat-m.Lat, c.Lon-m.Lon
	dst[0], dst[1], dst[2] = north, east, north*east
}

// storedBearings says how bearings are stored.
var storedBearings = model.OwnMap[city]{
	Name: "compass",
	Encode: func(m feature.Map[city]) ([]byte, bool) {
		b, ok := m.(bearings)
		text, err := json.Marshal(b)
		return text, ok && err == nil
	},
	Decode: func(text []byte) (feature.Map[city], error) {
		var b bearings
		err := json.Unmarshal(text, &b)
		return b, err
	},
}

// fitted is what a learner of features found.
type fitted = model.Fitted[data.Vector]

// nearestMean is a learner of one's own: x is of the class whose mean m is nearest,
// that of the largest m·x - |m|²/2.
type nearestMean struct{}

func (nearestMean) Name() string         { return "nearest-mean" }
func (nearestMean) Traits() model.Traits { return model.Traits{} }
func (nearestMean) Validate() error      { return nil }

func (nearestMean) Fit(_ context.Context, p model.Problem[data.Vector]) (fitted, learn.Report, error) {
	means, count := data.NewMatrix(p.Classes.Len(), data.Dim(p.X)), make([]float64, p.Classes.Len())
	for i, c := range p.Y {
		p.X.At(i).AddTo(means.Row(c), 1)
		count[c]++
	}
	bias := make([]float64, means.Rows)
	for c := range means.Rows {
		for j, v := range means.Row(c) {
			means.Row(c)[j] = v / count[c]
			bias[c] -= means.Row(c)[j] * means.Row(c)[j] / 2
		}
	}
	if means.Rows == 2 { // one separator, whose positive side is class 1
		for j, v := range means.Row(0) {
			means.Row(0)[j] = means.Row(1)[j] - v
		}
		bias[0] = bias[1] - bias[0]
		means, bias = &data.Matrix{Rows: 1, Cols: means.Cols, Data: means.Row(0)}, bias[:1]
	}
	return fitted{Separators: means, Bias: bias, Unit: 1}, learn.Report{Status: learn.Converged}, nil
}

// quarters are cities in two or more classes.
func quarters(classes int) data.Labeled[city, string] {
	d := cities()
	for i := range d.Y {
		d.Y[i] = []string{"north", "south", "west", "east"}[i%10*classes/10]
	}
	return d
}

// ownModels are models of cities with a map or a learner of one's own.
func ownModels() map[string]model.Recipe[city] {
	all := map[string]model.Recipe[city]{}
	for _, l := range []model.Learner{nearestMean{}, model.NewSVM(), model.NewBoost(), model.NewBoostHalfspace()} {
		r := model.NewRecipe[city](nil, 0)
		r.Map, r.Learner = compass{}, l
		all["compass "+l.Name()] = r
		r.Conformal = 0.3
		all["compass, sets, "+l.Name()] = r
		r.Kernel = nearby
		all["compass and a kernel, "+l.Name()] = r
	}
	for _, m := range []model.Mapper[city]{model.NewF1[city](9), model.NewF2[city](9), model.NewF3[city](4)} {
		r := model.NewRecipe[city](nearby, 9)
		r.Map, r.Learner = m, nearestMean{}
		all[m.Name()+" nearest-mean"] = r
	}
	return all
}

// TestOwnRecipes: maps and learners of one's own stand in a recipe beside ours and
// each other, and their models come back from a file with the same bits.
func TestOwnRecipes(t *testing.T) {
	kind := model.Kind[city](model.Own[city]{
		Type: "city", Kernels: []kernel.Named[city]{nearby}, Maps: []model.OwnMap[city]{storedBearings},
	})
	for name, r := range ownModels() {
		for _, classes := range []int{2, 3, 4} {
			d := quarters(classes)
			p, training, err := r.Fit(t.Context(), d)
			if err != nil {
				t.Errorf("%s, %d classes: %v", name, classes, err)
				continue
			}
			if training.Map != r.Map.Name() || p.Learner != r.Learner.Name() || p.Calibration == nil {
				t.Errorf("%s: %s on %s", name, p.Learner, training.Map)
			}
			q := again(t, p, kind)
			one, err := p.ScoreAll(t.Context(), run.Control{Workers: 1}, d.X)
			two, other := q.ScoreAll(t.Context(), run.Control{Workers: 2}, d.X)
			if err := errors.Join(err, other); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(one.Data, two.Data) {
				t.Errorf("%s, %d classes: the scores differ after loading", name, classes)
			}
			if !sameScores(p.Map, one.Data, training.Scores.Data) {
				t.Errorf("%s, %d classes: the scores are others than the training's", name, classes)
			}
			chance := 1 - 1/float64(classes)
			if wrong := model.Labels(d).Loss(one); wrong > 0.9*chance {
				t.Errorf("%s, %d classes: %v of the rows are wrong", name, classes, wrong)
			}
		}
	}
}

// again stores a model and opens it.
func again(t *testing.T, p *model.Pipeline[city], kind model.Kind[city]) *model.Pipeline[city] {
	t.Helper()
	var file bytes.Buffer
	if err := model.Write(&file, p, kind); err != nil {
		t.Fatal(err)
	}
	f, err := model.Decode(file.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	q, err := model.Open(f, kind)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// TestOwnMeans: the learner of the test is what it says, by its definition.
func TestOwnMeans(t *testing.T) {
	d := quarters(4)
	r := model.NewRecipe[city](nil, 0)
	r.Map, r.Learner, r.Calibrate = compass{}, nearestMean{}, ""
	p, _, err := r.Fit(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	means, n := map[string][]float64{}, map[string]float64{}
	features := make([][]float64, len(d.Y))
	for i, y := range d.Y {
		features[i] = make([]float64, 3)
		p.Map.MapTo(features[i], d.X.At(i))
		if means[y] == nil {
			means[y] = make([]float64, 3)
		}
		n[y]++
		for c, v := range features[i] {
			means[y][c] += v
		}
	}
	for i, f := range features {
		best, least := "", 1e300
		for _, y := range slices.Sorted(slices.Values(p.Classes.Names)) {
			distance := 0.0
			for c, v := range f {
				distance += (v - means[y][c]/n[y]) * (v - means[y][c]/n[y])
			}
			if distance < least-1e-9 {
				best, least = y, distance
			}
		}
		if got := p.Predict(d.X.At(i)); got != best {
			t.Errorf("row %d is %q, and the nearest mean is that of %q", i, got, best)
		}
	}
}

// odd is a learner that returns what it is told to.
type odd struct {
	nearestMean
	fitted fitted
}

func (o odd) Fit(context.Context, model.Problem[data.Vector]) (fitted, learn.Report, error) {
	return o.fitted, learn.Report{Status: learn.Converged}, nil
}

// TestOwnRefused: what a file cannot hold, and what a learner must not return.
func TestOwnRefused(t *testing.T) {
	r := model.NewRecipe[city](nil, 0)
	r.Map, r.Learner = compass{}, nearestMean{}
	p, _, err := r.Fit(t.Context(), cities())
	if err != nil {
		t.Fatal(err)
	}
	kind := model.Own[city]{Type: "city"}
	if err := model.Write(&bytes.Buffer{}, p, model.Kind[city](kind)); err == nil {
		t.Error("a map that is not listed was stored")
	}
	for _, name := range append(model.MapNames(), "") {
		taken := storedBearings
		taken.Name = name
		kind.Maps = []model.OwnMap[city]{taken}
		err := model.Write(&bytes.Buffer{}, p, model.Kind[city](kind))
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("a map of one's own called %q: %v", name, err)
		}
	}
	kind.Maps = []model.OwnMap[city]{storedBearings}
	var file bytes.Buffer
	if err := model.Write(&file, p, model.Kind[city](kind)); err != nil {
		t.Fatal(err)
	}
	f, err := model.Decode(file.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	broken := storedBearings
	broken.Decode = func([]byte) (feature.Map[city], error) { return nil, errors.New("no") }
	for _, maps := range [][]model.OwnMap[city]{nil, {broken}} {
		kind.Maps = maps
		if _, err := model.Open(f, model.Kind[city](kind)); !errors.Is(err, model.ErrDamaged) {
			t.Errorf("with maps %v: %v", maps, err)
		}
	}
	weighted := cities()
	weighted.Weight = slices.Repeat([]float64{1}, 60)
	if _, _, err := r.Fit(t.Context(), weighted); err == nil || !strings.Contains(err.Error(), "nearest-mean") {
		t.Errorf("weights of a learner without: %v", err)
	}
	three := &data.Matrix{Rows: 1, Cols: 3, Data: []float64{1, 2, 3}}
	for _, c := range []fitted{
		{},
		{Separators: three},
		{Separators: three, Bias: []float64{1, 2}},
		{Separators: data.NewMatrix(2, 3), Bias: []float64{1, 2}},
		{Separators: data.NewMatrix(1, 9), Bias: []float64{1}},
		{Separators: three, Bias: []float64{1}, Map: feature.Identity{Width: 3}},
		{Separators: three, Bias: []float64{1}, Pairs: []int{0, 1}},
	} {
		r.Learner = odd{fitted: c}
		for _, method := range append(methods, "") {
			r.Calibrate = method
			if _, _, err := r.Fit(t.Context(), cities()); err == nil || !strings.Contains(err.Error(), "nearest-mean") {
				t.Errorf("%+v was taken: %v", c, err)
			}
		}
	}
}

// TestOwnMapOfVectors: what only spec knows of cannot be stored, and that is said.
func TestOwnMapOfVectors(t *testing.T) {
	p := &pipeline{Map: doubled{}, Head: model.Head{
		Classes: data.NewClasses([]string{"a", "b"}), Separators: data.NewMatrix(1, 1), Bias: []float64{0},
	}}
	err := model.Write(&bytes.Buffer{}, p, spec.Vectors{})
	if err == nil || !strings.Contains(err.Error(), "cannot be stored") {
		t.Errorf("a map of one's own of vectors: %v", err)
	}
}

type doubled struct{}

func (doubled) Dim() int                           { return 1 }
func (doubled) MapTo(dst []float64, x data.Vector) { dst[0] = 2 * x.Value[0] }

// A map and a learner of one's own, on instances of one's own, in a file: say how
// the map is stored. The learner is what it found.
func ExampleOwn_maps() {
	r := model.NewRecipe[city](nil, 0)
	r.Map, r.Learner = compass{}, nearestMean{}
	p, _, err := r.Fit(context.Background(), cities())
	if err != nil {
		log.Fatal(err)
	}
	kind := model.Kind[city](model.Own[city]{Type: "city", Maps: []model.OwnMap[city]{storedBearings}})
	var file bytes.Buffer
	if err := model.Write(&file, p, kind); err != nil {
		log.Fatal(err)
	}
	f, err := model.Decode(file.Bytes())
	if err != nil {
		log.Fatal(err)
	}
	loaded, err := model.Open(f, kind)
	fmt.Println(loaded.Predict(city{Lat: 8, Lon: 3}), f.Header.Map.Kind, f.Header.Learner, err)
	// Output: north compass nearest-mean <nil>
}
