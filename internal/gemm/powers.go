package gemm

// A powersFunc adds powers of 2, whose exponents are products and what is added to them, to sums of rows, by two
// weights a column: for tiles of MR rows one below the other, from as many strips of a and one strip of b. The
// terms of a strip are NR each of beta, w and v, and the sums of a row 16 of w and 16 of v:
//
//	for i := range tiles*MR {
//		for j := range NR {
//			e := alpha[i] + terms[j]
//			for p := range k {
//				e = fma(a[(i/MR*k+p)*MR+i%MR], b[p*NR+j], e)
//			}
//			power := float32(math.Exp2(float64(e)))
//			sums[i*32+j%16] += terms[NR+j]*power
//			sums[i*32+16+j%16] += terms[2*NR+j]*power
//		}
//	}
//
// where a power is off by 4u of it at most, u = 2⁻²⁴. No bounds are checked, and tiles must be positive.
type powersFunc func(k, tiles int, a, b, alpha, terms, sums []float32)

// A thinPowersFunc is the same for rows of few values, as those of thinFunc.
type thinPowersFunc func(rows int, start, at []int32, value, b, alpha, terms, sums []float32)

type powersKernels struct {
	dense powersFunc
	thin  thinPowersFunc
}

// sumLanes is how many partial sums a row has of each weight.
const sumLanes = 16

// Powers holds the rows of a matrix B for sums over j of w[j]·2^e and v[j]·2^e, where e = alpha + a·b_j + beta[j]. It
// is immutable and may be used by many goroutines.
type Powers struct {
	run   powersKernels
	b     *Packed[float32]
	terms []float32
}

// HasPowers reports whether the level has sums of powers for packed rows: not where they are empty or longer than a
// block of depth.
func HasPowers(b *Packed[float32]) bool {
	return powersAt[Current()].dense != nil && b.t == kernelsOf[float32]() && b.k > 0 && b.k <= b.t.kc
}

// PackPowers takes packed rows, and three numbers of each. It is nil where HasPowers says no.
func PackPowers(b *Packed[float32], beta, w, v []float32) *Powers {
	if !HasPowers(b) {
		return nil
	}
	nr := b.t.nr
	p := &Powers{run: powersAt[Current()], b: b, terms: aligned[float32](3 * roundUp(b.n, nr))}
	clear(p.terms)
	for j := range b.n {
		at := j/nr*3*nr + j%nr
		p.terms[at], p.terms[at+nr], p.terms[at+2*nr] = beta[j], w[j], v[j]
	}
	return p
}

// PowerSums is memory for sums of powers. It belongs to one goroutine.
type PowerSums struct{ alpha, sums scratch[float32] }

// stretch is how many strips are added up in float32: no lane then gets more than 495 terms, which with the sum of the
// lanes are less than 512 roundings.
const stretch = 165

// Sum sets w[i] and v[i] to the sums of row i of a, which must have been packed at the same level and depth. In
// each at most 511 terms are added in float32, one after the other.
func (s *PowerSums) Sum(w, v []float64, a *Left[float32], alpha []float32, p *Powers) {
	t := p.b.t
	if a.k != p.b.k || a.t != t {
		panic("gemm: sides packed for another depth or level")
	}
	k, high := a.k, roundUp(a.m, t.mr)
	own := s.start(w, v, alpha, a.m, high)
	s.stretches(w, v, a.m, high, p, func(b, terms, sums []float32) {
		p.run.dense(k, high/t.mr, a.data, b, own, terms, sums)
	})
}

// SumThin is Sum for rows of few values.
func (s *PowerSums) SumThin(w, v []float64, a *Thin[float32], alpha []float32, p *Powers) {
	if a.k != p.b.k || a.t != p.b.t {
		panic("gemm: sides packed for another depth or level")
	}
	own := s.start(w, v, alpha, a.m, a.m)
	s.stretches(w, v, a.m, a.m, p, func(b, terms, sums []float32) {
		p.run.thin(a.m, a.start, a.at, a.value, b, own, terms, sums)
	})
}

// start clears the sums of m rows, and returns their numbers followed by 0 up to high.
func (s *PowerSums) start(w, v []float64, alpha []float32, m, high int) []float32 {
	clear(w[:m])
	clear(v[:m])
	own := s.alpha.grow(high)
	clear(own[copy(own, alpha[:m]):])
	return own
}

// stretches calls add for each strip, and adds up what it left in the lanes.
func (s *PowerSums) stretches(w, v []float64, m, high int, p *Powers, add func(b, terms, sums []float32)) {
	if m == 0 {
		return
	}
	nr, k, strips := p.b.t.nr, p.b.k, len(p.terms)/(3*p.b.t.nr)
	for lo := 0; lo < strips; lo += stretch {
		sums := s.sums.grow(2 * sumLanes * high)
		clear(sums)
		for i := lo; i < min(lo+stretch, strips); i++ {
			add(p.b.data[i*nr*k:], p.terms[3*i*nr:], sums)
		}
		for i := range m {
			row := (*[2 * sumLanes]float32)(sums[2*sumLanes*i:])
			w[i] += lanes(row[:sumLanes])
			v[i] += lanes(row[sumLanes:])
		}
	}
}

// lanes returns the sum of 16 numbers.
func lanes(x []float32) float64 {
	x = x[:sumLanes]
	a := (float64(x[0]) + float64(x[1])) + (float64(x[2]) + float64(x[3]))
	b := (float64(x[4]) + float64(x[5])) + (float64(x[6]) + float64(x[7]))
	c := (float64(x[8]) + float64(x[9])) + (float64(x[10]) + float64(x[11]))
	d := (float64(x[12]) + float64(x[13])) + (float64(x[14]) + float64(x[15]))
	return (a + b) + (c + d)
}
