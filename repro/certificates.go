package repro

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/kerf-ml/kerf/certificate"
	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/internal/linalg"
	"github.com/kerf-ml/kerf/kernel"
)

// certificates counts false certificates.
func certificates() Experiment {
	return Experiment{
		Name:  "certificates",
		Title: "Certificates are seldom false",
		Claim: "A certificate of F2 with confidence 1 - δ, by fresh instances, is false with probability δ at most: " +
			"with two classes and with many, for columns of categories, and for rows that were copied.",
		Where: "kerf's own; docs/math/certificates.md, from theorem 4 of Blum 2006",
		Method: "Each problem is a distribution on a few vectors of random probabilities, random landmarks and a " +
			"random claim. The certificate's bound is compared with the exact value of what it bounds, which no target " +
			"loses more than. Categories are of 400 kinds, of which a coordinate have those that rows apart from " +
			"the certificate's have; copied rows are pasted three times; both are judged by new rows. δ is 0.05.",
		Takes:   []Parameter{{N, "problems of each kind, at least 20"}},
		Full:    Params{N: []int{1000}},
		Quick:   Params{N: []int{600}},
		Limit:   limitCertificates,
		Run:     runCertificates,
		falsify: 0.2,
	}
}

func limitCertificates(p Params) error {
	for _, v := range p.N {
		if v < 20 || v > 100_000 {
			return fmt.Errorf("--n is %d and must be from 20 to 100,000", v)
		}
	}
	return nil
}

// delta is how often a certificate may be false.
const delta = 0.05

func runCertificates(ctx context.Context, p Params) (*Result, error) {
	r := &Result{}
	var measured, line []Point
	names := []string{}
	add := func(name string, problems int, judge func(rng *rand.Rand) (judged, error)) error {
		part := len(names)
		found, err := trials(ctx, p, "problems", problems, func(trial int) (judged, error) {
			return judge(p.rng(part, trial))
		})
		if err != nil {
			return err
		}
		untrue, said := 0, 0
		for _, j := range found {
			if j.said {
				said++
			}
			if j.untrue {
				untrue++
			}
		}
		m := proportion(untrue, problems)
		r.Rows = append(r.Rows, atMost("part of problems with a false certificate", m, delta, in("problems", name)),
			show("part of problems with a certificate that says something", proportion(said, problems), in("problems", name)))
		measured, line = append(measured, m.point(float64(part))), append(line, bare(float64(part), delta))
		names = append(names, name)
		return nil
	}
	for _, n := range p.N {
		for _, classes := range []int{2, 10, 50} {
			name := fmt.Sprintf("%d classes", classes)
			err := add(name, n, func(rng *rand.Rand) (judged, error) { return judgeAtoms(ctx, p, rng, classes) })
			if err != nil {
				return nil, err
			}
		}
		for _, kind := range []struct {
			name  string
			judge func(context.Context, Params, *rand.Rand) (judged, error)
		}{{"categories", judgeCategories}, {"copies", judgeCopies}} {
			err := add(kind.name, max(n, 150), func(rng *rand.Rand) (judged, error) { return kind.judge(ctx, p, rng) })
			if err != nil {
				return nil, err
			}
		}
	}
	r.Figures = []Figure{{
		Title:  "Certificates: part that is false",
		X:      Axis{Label: "kind of problem", Names: names},
		Y:      Axis{Label: "part of certificates", Zero: true, Percent: true},
		Series: []Series{{Name: "false", Points: measured}, {Name: "δ, at most", Points: line, Bound: true}},
		Note:   "Certificates are made for the worst target; most are true with room to spare.",
	}}
	return r, nil
}

// judged is what became of a certificate: whether it says anything, and that is false.
type judged struct{ said, untrue bool }

// atoms is a distribution on a few unit vectors.
type atoms struct {
	x    *data.Matrix
	prob []float64
}

func newAtoms(rng *rand.Rand) atoms {
	n, dim := 4+rng.IntN(20), 3+rng.IntN(10)
	a := atoms{x: data.NewMatrix(n, dim), prob: make([]float64, n)}
	total := 0.0
	for i := range n {
		row, length := a.x.Row(i), 0.0
		for j := range row {
			row[j] = rng.NormFloat64() / float64(1+j)
			length += row[j] * row[j]
		}
		for j := range row {
			row[j] /= math.Sqrt(length)
		}
		a.prob[i] = rng.ExpFloat64()
		total += a.prob[i]
	}
	for i := range a.prob {
		a.prob[i] /= total
	}
	return a
}

// draw returns n draws, by number.
func (a atoms) draw(rng *rand.Rand, n int) []int {
	out := make([]int, n)
	for i := range out {
		u := rng.Float64()
		for out[i] < len(a.prob)-1 && u >= a.prob[out[i]] {
			u -= a.prob[out[i]]
			out[i]++
		}
	}
	return out
}

// outside returns what is left of each vector outside the span of some.
func (a atoms) outside(marks []int) *data.Matrix {
	out := &data.Matrix{Rows: a.x.Rows, Cols: a.x.Cols, Data: append([]float64(nil), a.x.Data...)}
	for _, m := range marks {
		q := append([]float64(nil), out.Row(m)...)
		length := math.Sqrt(dot(q, q))
		if length < 1e-6 {
			continue // one of those before spans it
		}
		for i := range out.Rows {
			along := dot(q, out.Row(i)) / length
			for j := range q {
				out.Row(i)[j] -= along * q[j] / length
			}
		}
	}
	return out
}

// judgeAtoms certifies a map of a random problem, and judges that.
func judgeAtoms(ctx context.Context, p Params, rng *rand.Rand, classes int) (judged, error) {
	a := newAtoms(rng)
	marks, fresh := a.draw(rng, 1+rng.IntN(8)), a.draw(rng, 20+rng.IntN(250))
	claim := certificate.Claim{Margin: 0.2 + 0.7*rng.Float64(), Keep: 0.9 * rng.Float64(), Error: 0.1,
		Confidence: 1 - delta, Classes: classes}
	f2 := feature.NewF2[data.Vector](kernel.Linear{}, len(marks))
	f2.Tolerance, f2.Run = 1e-10, p.single()
	m, err := f2.FitTo(ctx, data.Subset[data.Vector]{Of: a.x, Index: marks})
	if err != nil {
		return judged{}, err
	}
	test := certificate.NewTest[data.Vector](claim)
	test.Atoms, test.Run = true, p.single()
	c, err := test.Certify(ctx, m, data.Subset[data.Vector]{Of: a.x, Index: fresh})
	if err != nil || c.Bound == 1 {
		return judged{}, err
	}
	value, err := a.bounded(ctx, p, a.outside(marks), c, claim.Keep)
	return judged{true, value > p.promised(c.Bound)+1e-9}, err
}

// bounded is the exact value of what a certificate bounds: with the exposure ρ of a vector
// to targets, the probability of ρ ≥ γ² or, with a level L, that of ρ > L and the largest
// eigenvalues of the rest over γ², one less than there are classes.
func (a atoms) bounded(
	ctx context.Context, p Params, out *data.Matrix, c certificate.Certificate, keep float64,
) (float64, error) {
	lost, square := 0.0, c.Margin*c.Margin
	spread := data.NewMatrix(out.Cols, out.Cols)
	for i := range out.Rows {
		v := out.Row(i)
		rest := dot(v, v)
		rho := rest / (1 - keep*keep*(1-rest))
		switch {
		case rho < square:
		case c.Kind == certificate.Pointwise || rho > c.Level:
			lost += a.prob[i]
		default:
			for j := range v {
				for k := range v {
					spread.Row(j)[k] += a.prob[i] * rho / rest * v[j] * v[k]
				}
			}
		}
	}
	if c.Kind == certificate.Pointwise {
		return lost, nil
	}
	values, _, err := linalg.Eigen(ctx, p.single(), spread)
	if err != nil {
		return 0, err
	}
	for _, v := range values[max(0, len(values)-max(c.Classes, 2)+1):] {
		lost += max(0, v) / square
	}
	return lost, nil
}

// judgeCopies grows a map on rows that were pasted three times, and judges its certificate by
// new rows.
func judgeCopies(ctx context.Context, p Params, rng *rand.Rand) (judged, error) {
	const rows, times = 300, 3
	draw := func(n int) data.Slice[data.Vector] {
		x := make(data.Slice[data.Vector], n)
		for i := range x {
			x[i] = data.Dense(2*rng.NormFloat64(), 2*rng.NormFloat64(), 2*rng.NormFloat64())
		}
		return x
	}
	once := draw(rows)
	var pasted data.Slice[data.Vector]
	for range times {
		pasted = append(pasted, once...)
	}
	g := certificate.NewGrow[data.Vector](kernel.Gaussian{Gamma: 0.1}, certificate.NewClaim(0.7, 0.3, 1-delta))
	g.Seed, g.Run = rng.Uint64(), p.single()
	grown, err := g.Fit(ctx, pasted)
	if err != nil || !grown.Certificate.Holds {
		return judged{}, err
	}
	return judgeBy(ctx, p, grown.Map, grown.Certificate, draw(800))
}

// judgeCategories certifies a map of a number and a category, of which there are hundreds: the map and
// the categories that have a coordinate are of some rows, the certificate of others, among which
// are categories that have none.
func judgeCategories(ctx context.Context, p Params, rng *rand.Rand) (judged, error) {
	const rows, marks, cities = 300, 150, 400
	coordinate := map[int]int32{}
	draw := func(n int, learn bool) data.Slice[data.Vector] {
		x := make(data.Slice[data.Vector], n)
		for i := range x {
			x[i] = data.Vector{Index: []int32{0}, Value: []float64{rng.NormFloat64()}}
			city := int(math.Abs(rng.NormFloat64()) * cities / 3) // some are frequent
			at, known := coordinate[city]
			if !known && learn {
				at, known = int32(1+len(coordinate)), true
				coordinate[city] = at
			}
			if known {
				x[i].Index, x[i].Value = append(x[i].Index, at), append(x[i].Value, 1)
			}
		}
		return x
	}
	f2 := feature.NewF2[data.Vector](kernel.Gaussian{Gamma: 0.5}, marks)
	f2.Run = p.single()
	m, err := f2.FitTo(ctx, draw(rows, true)[:marks])
	if err != nil {
		return judged{}, err
	}
	test := certificate.NewTest[data.Vector](certificate.NewClaim(0.7, 0.3, 1-delta))
	test.Atoms, test.Run = true, p.single()
	c, err := test.Certify(ctx, m, draw(rows, false))
	if err != nil || c.Bound == 1 {
		return judged{}, err
	}
	return judgeBy(ctx, p, m, c, draw(2000, false))
}

// judgeBy judges a certificate by new rows: the part of them that is exposed is at most what it bounds.
func judgeBy(
	ctx context.Context, p Params, m *feature.Orthogonal[data.Vector], c certificate.Certificate,
	fresh data.Source[data.Vector],
) (judged, error) {
	r, err := certificate.Residuals(ctx, p.single(), m, fresh)
	if err != nil {
		return judged{}, err
	}
	lost, keep := 0.0, c.Kept/c.Margin
	for _, rest := range r {
		rho := rest / (1 - keep*keep*(1-rest))
		if c.Kind == certificate.Pointwise && rho >= c.Margin*c.Margin || c.Kind == certificate.Spectral && rho > c.Level {
			lost += 1.0 / float64(len(r))
		}
	}
	return judged{true, lost > p.promised(c.Bound)}, nil
}
