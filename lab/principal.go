package lab

import (
	"context"
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/linalg"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/run"
)

// Subspace iteration: how many directions are followed, of which two are wanted, and for
// how many steps. The error of a direction falls by the ratio of its eigenvalue to the
// ninth in each; where those are as close the picture does not depend on which is taken.
const (
	directions = 8
	iterations = 60
)

// principal returns rows of the given width along their first two principal directions,
// those of the largest variance, and the shares of these in all of it. Each direction is
// turned so that its largest weight is positive. It takes 2·directions products a step
// with the values that are stored: sparse rows are not filled in.
func principal(ctx context.Context, x []data.Vector, width int) (*data.Matrix, [2]float64, error) {
	var share [2]float64
	mean, total := make([]float64, width), 0.0
	for _, v := range x {
		v.AddTo(mean, 1/float64(len(x)))
		total += v.Norm2() / float64(len(x))
	}
	for _, m := range mean {
		total -= m * m
	}
	values, vectors, err := top(ctx, min(directions, width), width, iterations, func(dst, basis *data.Matrix) error {
		covariance(dst, basis, x, mean)
		return ctx.Err()
	})
	if err != nil {
		return nil, share, err
	}
	out := data.NewMatrix(len(x), 2)
	for d := range min(2, len(values)) {
		w := vectors.Row(d)
		upright(w)
		if total > 0 {
			share[d] = min(1, max(0, values[d]/total))
		}
		shift := 0.0
		for j, m := range mean {
			shift += w[j] * m
		}
		for i, v := range x {
			out.Row(i)[d] = v.DotWith(w) - shift
		}
	}
	return out, share, nil
}

// top returns the k largest eigenvalues of a symmetric positive matrix of the given width,
// the largest first, and their eigenvectors in rows, by subspace iteration from a fixed
// start. Apply sets its first argument to the products of the rows of the second with the
// matrix. An eigenvalue is off by about the (2·steps)-th power of the ratio to it of the
// one after the last.
func top(
	ctx context.Context, k, width, steps int, apply func(dst, basis *data.Matrix) error,
) ([]float64, *data.Matrix, error) {
	basis, next := data.NewMatrix(k, width), data.NewMatrix(k, width)
	rng := seed.Stream(1, streamPool, 0)
	for i := range basis.Data {
		basis.Data[i] = rng.NormFloat64()
	}
	orthonormal(basis)
	for range steps {
		if err := apply(next, basis); err != nil {
			return nil, nil, err
		}
		basis, next = next, basis
		orthonormal(basis)
	}
	if err := apply(next, basis); err != nil {
		return nil, nil, err
	}
	small, ctl := data.NewMatrix(k, k), run.Control{Workers: 1}
	if err := linalg.MulT(ctx, ctl, 1, basis, next, 0, small); err != nil {
		return nil, nil, err
	}
	for i := range k { // symmetric but for rounding
		for j := range i {
			v := (small.Row(i)[j] + small.Row(j)[i]) / 2
			small.Row(i)[j], small.Row(j)[i] = v, v
		}
	}
	increasing, mix, err := linalg.Eigen(ctx, ctl, small)
	if err != nil {
		return nil, nil, err
	}
	values, vectors := make([]float64, k), data.NewMatrix(k, width)
	for d := range k {
		values[d] = increasing[k-1-d]
		for i := range k {
			a, to := mix.Row(i)[k-1-d], vectors.Row(d)
			for j, b := range basis.Row(i) {
				to[j] += a * b
			}
		}
	}
	return values, vectors, nil
}

// covariance sets dst to the products of the rows of basis with the covariance of x.
func covariance(dst, basis *data.Matrix, x []data.Vector, mean []float64) {
	clear(dst.Data)
	for i := range basis.Rows {
		w, to := basis.Row(i), dst.Row(i)
		shift, sum := 0.0, 0.0
		for j, m := range mean {
			shift += w[j] * m
		}
		for _, v := range x {
			a := (v.DotWith(w) - shift) / float64(len(x))
			v.AddTo(to, a)
			sum += a
		}
		for j, m := range mean {
			to[j] -= sum * m
		}
	}
}

// orthonormal makes rows orthonormal, by the process of Gram and Schmidt, twice. A row
// that the ones before it span becomes 0.
func orthonormal(b *data.Matrix) {
	for i := range b.Rows {
		row := b.Row(i)
		before := norm(row)
		for range 2 {
			for j := range i {
				dot := 0.0
				for c, v := range b.Row(j) {
					dot += v * row[c]
				}
				for c, v := range b.Row(j) {
					row[c] -= dot * v
				}
			}
		}
		length := norm(row)
		if !(length > 1e-10*before) {
			clear(row)
			continue
		}
		for c := range row {
			row[c] /= length
		}
	}
}

func norm(v []float64) float64 {
	s := 0.0
	for _, a := range v {
		s += a * a
	}
	return math.Sqrt(s)
}

// upright turns a vector so that its largest entry is positive.
func upright(w []float64) {
	most := 0.0
	for _, v := range w {
		if math.Abs(v) > math.Abs(most) {
			most = v
		}
	}
	if most < 0 {
		for j := range w {
			w[j] = -w[j]
		}
	}
}
