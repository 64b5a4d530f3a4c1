package model

import (
	"context"
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn/stream"
	"github.com/kerf-ml/kerf/run"
)

// basisOf returns what the features of a map are of similarities, and the map to these; nil where
// they are not as many.
func basisOf[T any](m feature.Map[T]) (*stream.Basis, *feature.Landmarks[T]) {
	var matrix *data.Matrix
	switch m := m.(type) {
	case *feature.Orthogonal[T]:
		matrix = m.Inverse()
	case *feature.Spectral[T]:
		matrix = m.Matrix()
	}
	if matrix == nil || matrix.Rows != matrix.Cols {
		return nil, nil
	}
	of := m.(feature.Rotation[T])
	return &stream.Basis{Matrix: matrix, Rotate: of.Rotate}, of.Landmarks()
}

// tame reports whether weights of features are weights of similarities that cancel by at most
// foldLoss, whatever they are: by Cauchy and Schwarz Σ|Bᵀw|_j·√K(z_j,z_j) is at most |w| times the length of the
// vector with Σ|B_ij|·√K(z_j,z_j). The same bounds what rounding of sums of similarities is in sums of features.
func tame[T any](b *stream.Basis, m *feature.Landmarks[T]) bool {
	lengths, sum := landmarkLengths(m), 0.0
	for i := range b.Matrix.Rows {
		terms := 0.0
		for j, v := range b.Matrix.Row(i) {
			terms += math.Abs(v) * lengths[j]
		}
		sum += terms * terms
	}
	return sum <= foldLoss*foldLoss // and finite
}

// landmarkLengths returns √K(z,z) of the landmarks.
func landmarkLengths[T any](m *feature.Landmarks[T]) []float64 {
	out := make([]float64, m.Dim())
	for j := range out {
		out[j] = math.Sqrt(max(0, kernel.Diag(m.Kernel(), m.Instances().At(j))))
	}
	return out
}

// Basis returns what the features of rows are of their similarities F1; nil where they follow from none.
func (m *Model) Basis() *stream.Basis { return m.rows.basis() }

// F1 returns the similarities of rows to the landmarks of the map, a row each, of a model
// with a Basis.
func (m *Model) F1(ctx context.Context, ctl run.Control, r *dataset.Rows) (*data.Matrix, error) {
	return m.rows.f1(ctx, ctl, r)
}

func (m encoded[T]) basis() *stream.Basis {
	b, _ := basisOf(m.p.Map)
	return b
}

func (m encoded[T]) f1(ctx context.Context, ctl run.Control, r *dataset.Rows) (*data.Matrix, error) {
	d, err := dataset.Decode[T](m.e, r)
	if err != nil {
		return nil, err
	}
	_, landmarks := basisOf(m.p.Map)
	return feature.Apply(ctx, ctl, landmarks, d.X)
}
