package feature

import "github.com/kerf-ml/kerf/internal/vmath"

// Rows of one block that are sketched term by term go side by side, a lane each,
// through the same places: the index of a term is looked up once for all, and
// its products and sums are vectors. Each lane adds the terms of its row in the
// order of terms. A coordinate that is 0 adds zeros, where terms leaves it out,
// and so a row has the same bits either way.

// maxBeside bounds the width of rows that go side by side, and so the time for
// which a call of vmath.ScatterAdd cannot be interrupted.
const maxBeside = 1024

// placeBeside puts the gathered row, number i of the block, into the next lane.
func (m *TensorSketchMap) placeBeside(s *sketchSpace, i int) {
	if s.table == nil {
		n := vmath.ScatterLanes * (m.width + 1)
		s.lanes, s.turned = make([]float64, n), [2][]float64{make([]float64, n), make([]float64, n)}
		s.table = make([]float64, vmath.ScatterLanes*2*m.dim)
	}
	if len(s.rows) == 0 {
		clear(s.lanes)
	}
	lane := len(s.rows)
	for k, j := range s.index {
		s.lanes[vmath.ScatterLanes*j+lane] = s.value[k]
	}
	s.rows = append(s.rows, i)
}

// flushLanes sketches the rows that wait into their places of the block.
func flushLanes[F float32 | float64](m *TensorSketchMap, s *sketchSpace, dst []F) {
	if len(s.rows) == 0 {
		return
	}
	for l, out := range s.turned {
		for j, p := range m.place[l] {
			sign := 1 - 2*float64(p&1)
			from, to := s.lanes[vmath.ScatterLanes*j:][:vmath.ScatterLanes], out[vmath.ScatterLanes*j:][:vmath.ScatterLanes]
			for i, a := range from {
				to[i] = sign * a
			}
		}
	}
	clear(s.table)
	vmath.ScatterAdd(s.table, m.beside[0], m.beside[1], s.turned[0], s.turned[1])
	low, high := s.table[:vmath.ScatterLanes*m.dim], s.table[vmath.ScatterLanes*m.dim:]
	vmath.Axpy(low, 1, high)
	deal(m, s, dst, low)
	s.rows = s.rows[:0]
}

// deal writes each lane of the table into its row.
func deal[F float32 | float64](m *TensorSketchMap, s *sketchSpace, dst []F, table []float64) {
	d := m.dim
	if len(s.rows) < vmath.ScatterLanes {
		for lane, i := range s.rows {
			row := dst[i*d:][:d]
			for k := range row {
				row[k] = F(table[vmath.ScatterLanes*k+lane])
			}
		}
		return
	}
	row := func(lane int) []F { return dst[s.rows[lane]*d:][:d] }
	r0, r1, r2, r3 := row(0), row(1), row(2), row(3)
	r4, r5, r6, r7 := row(4), row(5), row(6), row(7)
	r1, r2, r3 = r1[:len(r0)], r2[:len(r0)], r3[:len(r0)]
	r4, r5, r6, r7 = r4[:len(r0)], r5[:len(r0)], r6[:len(r0)], r7[:len(r0)]
	for k := range r0 {
		place := (*[vmath.ScatterLanes]float64)(table[vmath.ScatterLanes*k:])
		r0[k], r1[k], r2[k], r3[k] = F(place[0]), F(place[1]), F(place[2]), F(place[3])
		r4[k], r5[k], r6[k], r7[k] = F(place[4]), F(place[5]), F(place[6]), F(place[7])
	}
}
