package gpu

import (
	"context"
	"runtime"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/cuda"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/run"
)

// Product sets dst[k][i] = Σ_j K(x_i, y_j)·v[k][j].
func (m *matrix[F]) Product(ctx context.Context, ctl run.Control, dst, v *data.Matrix) error {
	if m.n == 0 || v.Rows == 0 {
		return nil
	}
	defer runtime.KeepAlive(m)
	return m.call(func(slots []*slot[F]) error {
		shared, err := m.vectors(slots[0], v)
		if err != nil {
			return err
		}
		return m.chunks(ctx, ctl, m.chunk, slots, func(s *slot[F], rows sideArgs, lo, hi int) error {
			if err := room(s.device, &s.total, v.Rows*(hi-lo)); err != nil {
				return err
			}
			k, err := m.values(s, rows, lo)
			if err != nil {
				return err
			}
			if err := m.forward(s, rows, hi-lo, k, shared, v.Rows, joined{out: s.total.At(0)}); err != nil {
				return err
			}
			return m.back(s, v.Rows*(hi-lo), func(sums []float64) {
				for k := range v.Rows {
					copy(dst.Row(k)[lo:hi], sums[k*(hi-lo):])
				}
			})
		})
	})
}

// call runs f with two slots on the device. Where it fails nobody knows what was kept.
func (m *matrix[F]) call(f func(slots []*slot[F]) error) error {
	err := m.engine.device.Do(func() error { return m.engine.with(2, f) })
	if err != nil {
		m.full = nil
	}
	return err
}

// vectors brings v to the device, rounded, with zeros around it.
func (m *matrix[F]) vectors(s *slot[F], v *data.Matrix) (cuda.Pointer, error) {
	if v == nil {
		return 0, nil
	}
	ld := padded(v.Cols)
	n := (v.Rows + m.q - 1) / m.q * m.q * ld
	if err := pin(s.device, &s.in, n); err != nil {
		return 0, err
	}
	if err := room(s.device, &s.shared, n); err != nil {
		return 0, err
	}
	flat := s.in.Data[:n]
	clear(flat)
	for k := range v.Rows {
		for j, a := range v.Row(k) {
			flat[k*ld+j] = F(a)
		}
	}
	if err := s.shared.Write(0, flat, s.stream); err != nil {
		return 0, err
	}
	return s.shared.At(0), s.device.Wait(s.stream) // other streams read it
}

// forward starts to compute K·v for a chunk of n rows, whose values are at k if not 0.
func (m *matrix[F]) forward(
	s *slot[F], rows sideArgs, n int, k, v cuda.Pointer, count int, to joined,
) error {
	if k != 0 {
		return m.along(s, k, n, v, count, to)
	}
	return m.multiply(s, m.careful(s), rows, m.cols(s), v, count, to)
}

// backward starts to compute Kᵀ·v for such a chunk.
func (m *matrix[F]) backward(
	s *slot[F], rows sideArgs, n int, k, v cuda.Pointer, count int, to joined,
) error {
	if k != 0 {
		return m.across(s, k, n, v, count, to)
	}
	return m.multiply(s, m.careful(s), m.cols(s), rows, v, count, to)
}

// back starts to bring n sums back, and lets done have them when the slot is needed
// again.
func (m *matrix[F]) back(s *slot[F], n int, done func(sums []float64)) error {
	if err := pin(s.device, &s.sums, n); err != nil {
		return err
	}
	if err := s.total.Read(s.sums.Data[:n], 0, s.stream); err != nil {
		return err
	}
	s.done = func() error {
		done(s.sums.Data[:n])
		return nil
	}
	return nil
}

// ProductNormal sets dst[k] = Kᵀ·C·(K·v[k] + u[k]).
func (m *matrix[F]) ProductNormal(
	ctx context.Context, ctl run.Control, dst, v, u *data.Matrix, weight []float64,
) error {
	clear(dst.Data)
	count := dst.Rows
	if m.n == 0 || count == 0 || v == nil && u == nil {
		return ctx.Err()
	}
	defer runtime.KeepAlive(m)
	return m.call(func(slots []*slot[F]) error {
		shared, err := m.vectors(slots[0], v)
		if err != nil {
			return err
		}
		return m.chunks(ctx, ctl, m.chunk, slots, func(s *slot[F], rows sideArgs, lo, hi int) error {
			k, err := m.stored(s, rows, lo, hi, v != nil)
			if err != nil {
				return err
			}
			if err := m.inner(s, rows, lo, hi, k, shared, count, u, weight); err != nil {
				return err
			}
			if err := room(s.device, &s.total, count*m.m); err != nil {
				return err
			}
			if err := m.backward(s, rows, hi-lo, k, s.v.At(0), count, joined{out: s.total.At(0)}); err != nil {
				return err
			}
			return m.back(s, count*m.m, func(sums []float64) { vmath.Axpy(dst.Data, 1, sums) })
		})
	})
}

// inner starts to compute C·(K·v + u) for a chunk of rows into the slot's v.
func (m *matrix[F]) inner(
	s *slot[F], rows sideArgs, lo, hi int, k, shared cuda.Pointer, count int, u *data.Matrix, weight []float64,
) error {
	n := hi - lo
	ld, places := padded(n), (count+m.q-1)/m.q*m.q
	if err := room(s.device, &s.v, places*ld); err != nil {
		return err
	}
	to := joined{v: s.v.At(0), ldu: n}
	if err := m.extras(s, &to, lo, hi, u, weight); err != nil {
		return err
	}
	if places > count { // vectors that go together with the last ones are zero
		if err := m.join(s, n, 0, 1, places-count, joined{v: s.v.At(count * ld)}); err != nil {
			return err
		}
	}
	if shared == 0 {
		return m.join(s, n, 0, 1, count, to)
	}
	return m.forward(s, rows, n, k, shared, count, to)
}

// extras brings a chunk's part of u and of the weights to the device.
func (m *matrix[F]) extras(s *slot[F], to *joined, lo, hi int, u *data.Matrix, weight []float64) error {
	n, at := hi-lo, 0
	if u != nil {
		at = u.Rows * n
	}
	total := at
	if weight != nil {
		total += n
	}
	if total == 0 {
		return nil
	}
	if err := pin(s.device, &s.given, total); err != nil {
		return err
	}
	if err := room(s.device, &s.extra, total); err != nil {
		return err
	}
	if u != nil {
		for k := range u.Rows {
			copy(s.given.Data[k*n:(k+1)*n], u.Row(k)[lo:hi])
		}
		to.u = s.extra.At(0)
	}
	if weight != nil {
		copy(s.given.Data[at:total], weight[lo:hi])
		to.weight = s.extra.At(at)
	}
	return s.extra.Write(0, s.given.Data[:total], s.stream)
}
