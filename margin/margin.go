// Package margin says how good a linear separator is on data: by how much it
// gets each instance right, as the cosine of an angle.
//
//	margin of (x, y) = y·(w·x)/(|w|·|x|)        in [-1, 1]
//
// It is positive where x is on its side, and does not change when w or x is
// scaled. A sample is separated by margin γ if all of its margins are at least
// γ, and has error α at margin γ if a part α of them is below γ (Blum 2006,
// definitions 1 and 2).
//
// Of is the margin of one instance, Sample those of many, and a Separator may
// have a bias. Those of a trained model, of any number of classes and in the
// feature space of its kernel, are model.Pipeline.Margins.
//
// A Curve is the error at every margin, of the best of several separators: it
// says which pair of margin and error to plan with.
package margin

import (
	"context"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/run"
)

// Of returns y·(w·x)/(|w|·|x|), the margin of the instance x with label y = +1
// or -1 under the separator w (Blum 2006, definition 1), and 0 where w or x is
// zero. Where w or x has fewer coordinates it is padded with zeros. Where one
// of them is not finite it returns -1, never NaN.
func Of(w []float64, x data.Vector, y float64) float64 {
	return Separator{W: w}.Of(x, y)
}

// Sample returns the margins of the instances x with labels y, each +1 or -1,
// under the separator w, in O(stored coordinates). It is Separator.Sample
// without a bias.
func Sample(
	ctx context.Context, ctl run.Control, w []float64, x data.Source[data.Vector], y []float64,
) (Margins, error) {
	return Separator{W: w}.Sample(ctx, ctl, x, y)
}
