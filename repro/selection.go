package repro

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/kernel"
)

// selection compares ways to choose landmarks.
func selection() Experiment {
	return Experiment{
		Name:  "fewer-examples",
		Title: "Landmarks that are chosen, not drawn",
		Claim: "An open question: can F2 do with fewer unlabelled examples than theorem 4 asks for? Landmarks may be " +
			"chosen among those that there are instead of drawn from them.",
		Where: "Blum 2006, section 5",
		Method: "Twelve clusters in the plane, each 0.7 times as frequent as the one before, labels by cluster in " +
			"turn. F2 with landmarks that are drawn uniformly, spread by k-means' seeding or chosen by random pivots: " +
			"how far inner products are from the kernel, and the error of a linear SVM. Nothing is promised of the comparison.",
		Takes: []Parameter{{Dim, "landmarks, up to 800"}},
		Full:  Params{Dim: []int{6, 12, 25, 50, 100}},
		Quick: Params{Dim: []int{12, 25}},
		Limit: limitSelection,
		Run:   runSelection,
	}
}

func limitSelection(p Params) error {
	for _, v := range p.Dim {
		if v > 800 {
			return fmt.Errorf("--dim is %d and must be at most 800", v)
		}
	}
	return nil
}

// clustered is a point of one of twelve clusters.
func clustered(rng *rand.Rand, _ int) ([]float64, float64) {
	c := 0
	for c < 11 && rng.Float64() < 0.7 {
		c++
	}
	x := []float64{float64(c%4) + 0.12*rng.NormFloat64(), float64(c/4) + 0.12*rng.NormFloat64()}
	return x, float64(1 - (c+c/4)%2*2)
}

func runSelection(ctx context.Context, p Params) (*Result, error) {
	r := &Result{}
	k := kernel.Kernel[data.Vector](kernel.Gaussian{Gamma: 4})
	ways := []way{landmarksOf("uniform", k, feature.Uniform), landmarksOf("kmeans", k, feature.KMeans),
		landmarksOf("rpcholesky", k, feature.RPCholesky)}
	off, err := compareWays(ctx, p, r, 0, world{dim: 2, draw: clustered}, k, ways, nil)
	if err != nil {
		return nil, err
	}
	errs := make([]Series, len(ways))
	for i, w := range ways {
		errs[i] = Series{Name: w.name, Joined: true}
	}
	for _, row := range r.Rows {
		for i, w := range ways {
			if row.What == "error of the SVM" && row.At[0].Text == w.name {
				errs[i].Points = append(errs[i].Points, bare(row.At[1].Value, row.Measured.Value))
			}
		}
	}
	r.Figures = []Figure{
		{Title: "Landmarks for F2: distance from the kernel", X: Axis{Label: "landmarks", Log: true},
			Y: Axis{Label: "root mean square of φ(x)·φ(y) - K", Log: true}, Series: off,
			Note: "Chosen landmarks reach the rare clusters with fewer."},
		{Title: "Landmarks for F2: error of a linear SVM", X: Axis{Label: "landmarks", Log: true},
			Y: Axis{Label: "error on new rows", Zero: true, Percent: true}, Series: errs,
			Note: "Means over samples of as many rows to train on as to test."},
	}
	return r, nil
}
