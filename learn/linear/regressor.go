package linear

import "github.com/kerf-ml/kerf/data"

// Regressor is the fitted function W·x + Bias. It is immutable and safe for
// concurrent use.
type Regressor struct {
	W    []float64
	Bias float64
}

// Predict returns W·x + Bias in time proportional to the stored coordinates of
// x. Coordinates past len(W) have weight 0.
func (r *Regressor) Predict(x data.Vector) float64 { return x.DotWith(r.W) + r.Bias }

// Score is Predict: with labels +1 and -1 its sign is the label.
func (r *Regressor) Score(x data.Vector) float64 { return r.Predict(x) }
