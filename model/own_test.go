package model_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/model"
)

// city is an instance of a user's own type.
type city struct{ Lat, Lon float64 }

var nearby = kernel.Name[city]("near", kernel.Func[city](func(a, b city) float64 {
	return math.Exp(-(a.Lat-b.Lat)*(a.Lat-b.Lat) - (a.Lon-b.Lon)*(a.Lon-b.Lon))
}))

func cities() data.Labeled[city, string] {
	var x data.Slice[city]
	var y []string
	for i := range 60 {
		x = append(x, city{float64(i % 10), float64(i % 7)})
		y = append(y, map[bool]string{true: "north", false: "south"}[i%10 > 4])
	}
	return data.Labeled[city, string]{X: x, Y: y}
}

// TestOwnType saves and loads a model of a user's own type: the kernel comes back
// by its name, and the predictions are the same bits.
func TestOwnType(t *testing.T) {
	d := cities()
	p, _, err := model.NewRecipe[city](nearby, 20).Fit(context.Background(), d)
	if err != nil {
		t.Fatal(err)
	}
	kind := model.Own[city]{Type: "city", Kernels: []kernel.Named[city]{nearby}}
	var file bytes.Buffer
	if err := model.Write(&file, p, model.Kind[city](kind)); err != nil {
		t.Fatal(err)
	}
	f, err := model.Decode(file.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	again, err := model.Open(f, model.Kind[city](kind))
	if err != nil {
		t.Fatal(err)
	}
	a, b := make([]float64, 2), make([]float64, 2)
	for i := range d.X.Len() {
		p.Scores(a, d.X.At(i))
		again.Scores(b, d.X.At(i))
		if a[0] != b[0] || a[1] != b[1] {
			t.Fatalf("row %d scores %v, after loading %v", i, a, b)
		}
	}
	if _, err := model.Open(f, model.Kind[city](model.Own[city]{Type: "city"})); err == nil {
		t.Error("a kernel that is not listed was found")
	}
	if err := model.Write(&file, p, model.Kind[city](model.Own[city]{Type: "city"})); err == nil {
		t.Error("a kernel that is not listed was stored")
	}
}

// A model of one's own type in a file: give the kernel a name and list it.
func ExampleOwn() {
	p, _, err := model.NewRecipe[city](nearby, 20).Fit(context.Background(), cities())
	if err != nil {
		fmt.Println(err)
		return
	}
	kind := model.Own[city]{Type: "city", Kernels: []kernel.Named[city]{nearby}}
	var file bytes.Buffer
	if err := model.Write(&file, p, model.Kind[city](kind)); err != nil {
		fmt.Println(err)
		return
	}
	f, err := model.Decode(file.Bytes())
	if err != nil {
		fmt.Println(err)
		return
	}
	loaded, err := model.Open(f, model.Kind[city](kind))
	fmt.Println(loaded.Predict(city{Lat: 8, Lon: 3}), loaded.Kernel, err)
	// Output: north near <nil>
}
