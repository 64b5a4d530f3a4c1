package kernelized_test

import (
	"slices"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kerftest"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/kernelized"
)

var _ learn.Learner[data.Vector, float64, *kernelized.Expansion[data.Vector]] = kernelized.Centroid[data.Vector]{}

// distance2 returns |φ(x) - c|² for the weighted mean c of the rows, from the
// definition.
func distance2(
	k kernel.Kernel[data.Vector], x data.Vector, of data.Source[data.Vector], rows []int, weight []float64,
) float64 {
	total, cross, own := 0.0, 0.0, 0.0
	for _, i := range rows {
		total += weight[i]
		cross += weight[i] * k.Eval(of.At(i), x)
		for _, j := range rows {
			own += weight[i] * weight[j] * k.Eval(of.At(i), of.At(j))
		}
	}
	return k.Eval(x, x) - 2*cross/total + own/(total*total)
}

func TestCentroidAgainstDistances(t *testing.T) {
	k := kernel.Gaussian{Gamma: 0.7}
	for _, classes := range []int{2, 3, 5} {
		for _, weighted := range []bool{false, true} {
			d := sectors(97, classes)
			weight := make([]float64, 97)
			for i := range weight {
				weight[i] = 1
				if weighted {
					weight[i] = float64(i % 4)
				}
			}
			c := kernelized.NewCentroid[data.Vector](k)
			if weighted {
				d.Weight = weight
			}
			m, report, err := c.FitClasses(t.Context(), d, classes)
			if err != nil {
				t.Fatal(err)
			}
			if report.Status != learn.Converged {
				t.Errorf("%+v", report)
			}
			members := learn.Members(d.Y, classes)
			scores, squares := make([]float64, classes), make([]float64, classes)
			for i := range d.Y {
				x := d.X.At(i)
				m.Scores(scores, x)
				for c, rows := range members {
					squares[c] = distance2(k, x, d.X, rows, weight)
				}
				if classes == 2 {
					isNear(t, "score", scores[1], (squares[0]-squares[1])/2, 1e-13)
					isNear(t, "score", scores[0], -scores[1], 0)
				} else {
					for c := range scores {
						isNear(t, "score", scores[c], 1-squares[c], 1e-13)
					}
				}
			}
			if classes == 2 {
				binary := sample{X: d.X, Y: learn.Against(nil, d.Y, 1), Weight: d.Weight}
				e, _, err := c.Fit(t.Context(), binary)
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(e.Weight, m.Class(1).Weight) || e.Bias != m.Bias[1] {
					t.Error("Fit and FitClasses differ")
				}
			}
		}
	}
}

func TestCentroidWeightsAreRepetitions(t *testing.T) {
	d := ring(60)
	weight, index := repeated(60)
	c := kernelized.NewCentroid[data.Vector](kernel.NewPolynomial(2))
	again, _, err := c.Fit(t.Context(), d.Select(index))
	if err != nil {
		t.Fatal(err)
	}
	d.Weight = weight
	e, _, err := c.Fit(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	for i := range d.Y {
		isNear(t, "score", e.Score(d.X.At(i)), again.Score(d.X.At(i)), 1e-12)
	}
}

func TestCentroidConformance(t *testing.T) {
	kerftest.Learner(t, kernelized.NewCentroid[data.Vector](kernel.Gaussian{Gamma: 1}), ring(150))
}
