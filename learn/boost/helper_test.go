package boost_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/gen"
	"github.com/kerf-ml/kerf/learn/boost"
)

type binary = data.Labeled[data.Vector, float64]

// made returns a generated data set with labels ±1.
func made(t testing.TB, name string, o gen.Options) binary {
	t.Helper()
	x, labels, err := gen.Make(context.Background(), name, o)
	if err != nil {
		t.Fatal(err)
	}
	d := binary{X: x, Y: make([]float64, len(labels))}
	for i, l := range labels {
		d.Y[i] = -1
		if l == "1" {
			d.Y[i] = 1
		}
	}
	return d
}

// rough returns n rows of d coordinates, each of one of few values so that there
// are many ties, with labels that follow a noisy halfspace. Both labels occur.
func rough(n, d, values int, s uint64) binary {
	rng := rand.New(rand.NewPCG(s, 1))
	m := data.NewMatrix(n, d)
	y := make([]float64, n)
	for i := range n {
		sum := rng.NormFloat64()
		for j := range d {
			v := float64(rng.IntN(values) - values/2)
			m.Row(i)[j] = v
			sum += v * float64(j%3-1)
		}
		y[i] = -1
		if sum > 0 {
			y[i] = 1
		}
	}
	y[0], y[n-1] = 1, -1
	return binary{X: m, Y: y}
}

// sparse returns the rows with zeros left out, but for the last coordinate, so
// that the number of coordinates stays.
func sparse(x data.Source[data.Vector]) data.Slice[data.Vector] {
	rows := make(data.Slice[data.Vector], x.Len())
	for i := range rows {
		rows[i].Index = []int32{}
		value := x.At(i).Value
		for j, v := range value {
			if v != 0 || j == len(value)-1 {
				rows[i].Index = append(rows[i].Index, int32(j))
				rows[i].Value = append(rows[i].Value, v)
			}
		}
	}
	return rows
}

// same fails where two votes differ in a bit.
func same(t *testing.T, what string, a, b *boost.Ensemble) {
	t.Helper()
	if len(a.Alpha) != len(b.Alpha) || len(a.History) != len(b.History) {
		t.Fatalf("%s: %d rules after %d rounds and %d after %d", what, len(a.Alpha), len(a.History), len(b.Alpha),
			len(b.History))
	}
	for k := range a.History {
		if a.History[k] != b.History[k] {
			t.Fatalf("%s: round %d is %+v and %+v", what, k, a.History[k], b.History[k])
		}
	}
	aw, ab := a.Votes.Halfspaces()
	bw, bb := b.Votes.Halfspaces()
	for k := range a.Alpha {
		if math.Float64bits(a.Alpha[k]) != math.Float64bits(b.Alpha[k]) || ab[k] != bb[k] {
			t.Fatalf("%s: rule %d has weight %v, bias %v and %v, %v", what, k, a.Alpha[k], ab[k], b.Alpha[k], bb[k])
		}
	}
	for k := range aw.Data {
		if aw.Data[k] != bw.Data[k] {
			t.Fatalf("%s: weight %d of the rules is %v and %v", what, k, aw.Data[k], bw.Data[k])
		}
	}
}

// fit fits and fails on an error.
func fit(t *testing.T, a boost.AdaBoost, d binary) *boost.Ensemble {
	t.Helper()
	e, _, err := a.Fit(context.Background(), d)
	if err != nil {
		t.Fatal(err)
	}
	return e
}
