package feature_test

import (
	"slices"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/kerftest"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

// TestJoined compares with the maps one by one, at sizes around the blocks.
func TestJoined(t *testing.T) {
	for _, n := range []int{1, 83, 84, 85, 170} {
		var x data.Slice[data.Vector]
		for i := range n {
			v := float64(i%13) / 7
			x = append(x, data.Vector{Index: []int32{0, 2}, Value: []float64{v, 1 - v*v}}, data.Dense(v, -v, 0.5))
		}
		f1 := feature.NewLandmarks[data.Vector](kernel.Gaussian{Gamma: 0.5}, x[:2], run.Float32)
		f2, err := feature.NewF2[data.Vector](kernel.Gaussian{Gamma: 2}, 5).Fit(t.Context(), x)
		if err != nil {
			t.Fatal(err)
		}
		maps := []feature.Map[data.Vector]{f1, feature.Identity{Width: 3}, f2, feature.Identity{Width: 1}}
		joined, err := feature.NewJoined(maps...)
		if err != nil {
			t.Fatal(err)
		}
		kerftest.Map(t, joined, x)
		got, err := feature.Apply(t.Context(), run.Control{}, joined, x)
		if err != nil {
			t.Fatal(err)
		}
		got32, err := feature.Apply32(t.Context(), run.Control{}, joined, x)
		if err != nil {
			t.Fatal(err)
		}
		at := 0
		for _, m := range maps {
			want, err := feature.Apply(t.Context(), run.Control{}, m, x)
			if err != nil {
				t.Fatal(err)
			}
			want32, err := feature.Apply32(t.Context(), run.Control{}, m, x)
			if err != nil {
				t.Fatal(err)
			}
			d := m.Dim()
			for i := range x {
				if !slices.Equal(got.Row(i)[at:at+d], want.Row(i)) ||
					!slices.Equal(got32[i*joined.Dim()+at:][:d], want32[i*d:(i+1)*d]) {
					t.Fatalf("%d rows: features %d to %d of row %d are not those of the map", n, at, at+d, i)
				}
			}
			at += d
		}
		if at != joined.Dim() || len(joined.Maps()) != len(maps) {
			t.Errorf("there are %d features of %d maps, want %d", joined.Dim(), len(joined.Maps()), at)
		}
	}
}

func TestJoinedErrors(t *testing.T) {
	if _, err := feature.NewJoined[data.Vector](); err == nil {
		t.Error("no maps are joined")
	}
	if _, err := feature.NewJoined[data.Vector](feature.Identity{Width: 1}, nil); err == nil {
		t.Error("a map that is not there is joined")
	}
}
