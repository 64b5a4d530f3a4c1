package model

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
)

// Mapper is the recipe of a map into features: a value whose exported fields are
// its hyperparameters, with the names of their json tags in text. A map of one's
// own has these three methods; kinds say how what it fits is stored, see Own.
type Mapper[T any] interface {
	Name() string
	// Validate reports every field that is out of range.
	Validate() error
	// Fit fits the map to the instances of the problem. It uses no labels.
	Fit(ctx context.Context, p Problem[T]) (feature.Map[T], error)
}

// SizedMapper is the recipe of a map whose number of features can be chosen.
type SizedMapper[T any] interface {
	Mapper[T]
	WithDim(d int) Mapper[T]
}

// Names of maps.
const (
	MapF1        = "f1"        // similarities to landmarks
	MapF2        = "f2"        // orthogonal projection onto the landmarks' span
	MapF3        = "f3"        // f2, then a random projection
	MapFourier   = "fourier"   // random Fourier features
	MapORF       = "orf"       // orthogonal random Fourier features
	MapSketch    = "sketch"    // TensorSketch of a polynomial kernel
	MapMonomials = "monomials" // all monomials of a polynomial kernel
	MapTaylor    = "taylor"    // the expansion of a Gaussian kernel
	MapDirect    = "direct"    // f2 with all rows as landmarks
	MapLift      = "lift"      // another map with a bias coordinate
	MapExplicit  = "explicit"  // the features that the kernel lists itself
	MapProject   = "project"   // a random projection of the coordinates
	MapPowers    = "powers"    // the powers of a single coordinate
	MapNone      = "none"      // the coordinates themselves
)

// Mappers returns a recipe of each map with its default hyperparameters. A new map
// is a line here.
func Mappers[T any]() []Mapper[T] {
	return []Mapper[T]{
		NewF1[T](DefaultDim),
		NewF2[T](DefaultDim),
		NewF3[T](DefaultDim),
		NewFourier[T](DefaultDim),
		NewORF[T](DefaultDim),
		NewSketch[T](DefaultDim),
		Monomials[T]{},
		NewTaylor[T](DefaultDegree),
		NewDirect[T](),
		NewLift[T](DefaultDim),
		NewExplicit[T](),
		NewProject[T](DefaultDim),
		NewPowers[T](DefaultDegree),
		None[T]{},
	}
}

// DefaultDim is the number of features where nobody chose one.
const DefaultDim = 500

// DefaultDegree is the degree of expansions where nobody chose one.
const DefaultDegree = 4

// MapNames are the names of all maps.
func MapNames() []string {
	var names []string
	for _, m := range Mappers[data.Vector]() {
		names = append(names, m.Name())
	}
	return names
}

// HasLandmarks reports whether maps of the name are made from landmarks.
func HasLandmarks(name string) bool { return slices.Contains([]string{MapF1, MapF2, MapF3}, name) }

// Landmarked reports whether maps of the name are made of rows that are chosen among
// those of the sample, so that they have no more features than there are rows.
func Landmarked(name string) bool {
	m, _ := NewMapper[data.Vector](name, nil)
	return m != nil && Accepts(m, "select")
}

// SizedMap reports whether the number of features of maps of the name can be
// chosen.
func SizedMap(name string) bool {
	m, err := NewMapper[data.Vector](name, nil)
	_, sized := m.(SizedMapper[data.Vector])
	return err == nil && sized
}

// DimUpTo returns the most features, at most d, that maps of the name can have:
// Fourier features come in pairs, and may be those that are lifted.
func DimUpTo(name string, d int) int {
	if name == MapFourier || name == MapORF || name == MapLift {
		return max(d-d%2, 2)
	}
	return d
}

// checkDim reports a number of features that is none.
func checkDim(d int) error {
	if d < 1 {
		return outOfRange("Dim", d, "at least 1")
	}
	return nil
}

// onVectors fits a map that is for vectors alone.
func onVectors[T any](
	name string, p Problem[T], fit func(Problem[data.Vector]) (feature.Map[data.Vector], error),
) (feature.Map[T], error) {
	v, ok := any(p).(Problem[data.Vector])
	if !ok {
		return nil, &SampleError{fmt.Sprintf("map %s is for vectors alone; choose f1, f2 or f3", name)}
	}
	m, err := fit(v)
	if err != nil {
		return nil, err
	}
	return any(m).(feature.Map[T]), nil
}

// fitted returns a map as the interface, which is nil where there is an error.
func fitted[T any, M feature.Map[T]](m M, err error) (feature.Map[T], error) {
	if err != nil {
		return nil, err
	}
	return m, nil
}

// NewMapper returns the recipe of a map by name, with some of its hyperparameters.
func NewMapper[T any](name string, args map[string]any) (Mapper[T], error) {
	for _, m := range Mappers[T]() {
		if m.Name() != name {
			continue
		}
		first, err := with(m, "map "+name, args)
		if s, ok := first.(SizedMapper[T]); ok && err == nil && args["dim"] != nil {
			return with(s.WithDim(DimOf(first)), "map "+name, args) // what depends on dim, unless it is given too
		}
		return first, err
	}
	return nil, fmt.Errorf("unknown map %q; there are %s", name, strings.Join(MapNames(), ", "))
}

// NewLearner returns a learner by name, with some of its hyperparameters.
func NewLearner[T any](name string, args map[string]any) (Learner, error) {
	for _, l := range Learners[T]() {
		if l.Name() == name {
			return with(l, name, args)
		}
	}
	return nil, fmt.Errorf("unknown learner %q; there are %s", name, strings.Join(LearnerNames(nil), ", "))
}
