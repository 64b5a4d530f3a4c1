package lab

import (
	"context"
	"errors"
	"math"

	"github.com/kerf-ml/kerf/bound"
	"github.com/kerf-ml/kerf/certificate"
	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/margin"
)

// Plan is what the kernel itself has, and what the theorems ask for: a margin γ that all
// points but a part α have in its feature space, under the best separator found, and the
// landmarks of lemma 1 for it.
type Plan struct {
	Margin    float64 `json:"margin"`    // γ
	Noise     float64 `json:"noise"`     // α
	Error     float64 `json:"error"`     // ε that is left to the mapping
	Landmarks int     `json:"landmarks"` // that lemma 1 asks for
	Promised  number  `json:"promised"`  // error of the landmarks that there are, by the lemma, α included
	Largest   number  `json:"largest"`   // margin of all points; none where the classes cannot be told apart
	Half      float64 `json:"half"`      // γ/2, that F2 keeps
	Error2    number  `json:"error_at_half"`
	claim     certificate.Claim
}

// Certain is what fresh points say of the map F2.
type Certain struct {
	Holds    bool    `json:"holds"`
	Bound    float64 `json:"bound"` // of the error that the map adds, with the confidence asked for
	Asked    float64 `json:"asked"`
	Fresh    int     `json:"fresh"`
	Kept     float64 `json:"kept"` // margin
	Kind     string  `json:"kind"`
	Counted  int     `json:"counted"`
	Promised number  `json:"promised"` // by lemma 1, of any distribution
}

// Landmarks in whose span the kernel's own separators are sought, and fresh points that
// are tested.
const (
	planMarks  = 128
	draftMarks = 48
	draftPool  = 1000
	mostFresh  = 1000
	draftFresh = 400
)

// planAll finds the margin to plan with. Separators are sought in the span of landmarks
// that leave little of the points outside; their margins are those of φ(x) itself, so that
// they are nowhere above what the kernel has.
func (q *problem) planAll(ctx context.Context) error {
	known, err := recall(q.lab, q.planKey(), func() (known, error) { return q.know(ctx) })
	if err != nil {
		return err
	}
	choice, err := known.curve.Recommend(q.Error, q.Confidence)
	if err != nil {
		return err
	}
	p := &Plan{
		Margin: choice.Margin, Noise: choice.Noise, Error: choice.Error, Landmarks: choice.Landmarks,
		Half: bound.KeptByF2 * choice.Margin, Promised: number(math.NaN()), Largest: number(math.NaN()),
		Error2: number(math.NaN()),
	}
	if known.largest > 0 {
		p.Largest = number(known.largest)
	}
	if e, err := bound.NoisyLandmarksError(p.Margin, q.Confidence, p.Noise, q.f1.Dim()); err == nil {
		p.Promised = number(e)
	}
	p.claim = certificate.NewClaim(p.Margin, p.Error, q.Confidence)
	q.answer.Plan = p
	return nil
}

// known is what the kernel has, whatever the map.
type known struct {
	curve   margin.Curve
	largest float64 // margin of all points; not positive for none
}

// know finds what the kernel has.
func (q *problem) know(ctx context.Context) (known, error) {
	c := feature.NewChooser(q.kernel, planMarks, feature.RPCholesky)
	c.Seed, c.Run = uint64(q.Seed), q.run
	if q.Draft {
		c.Size, c.Pool = draftMarks, draftPool
	}
	chosen, err := c.Choose(ctx, q.x)
	if err != nil {
		return known{}, err
	}
	z := make(data.Slice[data.Vector], len(chosen.Index))
	for i, row := range chosen.Index {
		z[i] = q.x.At(row)
	}
	recipe := feature.NewF2[data.Vector](q.kernel, len(z))
	recipe.Run = q.run
	m, err := recipe.FitTo(ctx, z)
	if err != nil {
		return known{}, err
	}
	s := &Side{}
	if s.features, err = feature.Apply(ctx, q.run, m, q.x); err != nil {
		return known{}, err
	}
	y := q.signs(len(q.classes) - 1)
	separators, err := s.separate(ctx, q, y)
	if err != nil {
		return known{}, err
	}
	all := make([]margin.Margins, len(separators))
	for i, w := range separators {
		all[i] = q.kernelMargins(w, s.features, y)
	}
	curve, err := margin.NewCurve(all...)
	if err != nil {
		return known{}, err
	}
	return known{curve, all[0].Min()}, nil
}

// kernelMargins returns the margins of points in the kernel's own space, under a separator
// of the span that features are of: y(w·F2(x))/(|w||φ(x)|).
func (q *problem) kernelMargins(w []float64, features *data.Matrix, y []float64) margin.Margins {
	out, length := make([]float64, features.Rows), norm(w)
	for i := range out {
		whole := length * math.Sqrt(max(0, kernel.Diag(q.kernel, q.x.At(i))))
		if whole > 0 {
			out[i] = max(-1, min(1, y[i]*features.At(i).DotWith(w)/whole))
		}
	}
	return margin.NewMargins(out)
}

// certify tests F2 on fresh points, and takes the margins of both sides at the noise that
// is planned with.
func (a *Answer) certify(ctx context.Context, q *problem) {
	noise := 0.0
	if a.Plan != nil {
		noise = a.Plan.Noise
	}
	for _, s := range []**Side{&a.F1, &a.F2} {
		if *s != nil {
			*s = (*s).settled(noise)
		}
	}
	if a.Plan == nil || a.F2 == nil {
		return
	}
	a.Plan.Error2 = number(a.F2.curve.At(a.Plan.Half))
	if err := a.test(ctx, q); err != nil {
		a.Faults["certificate"] = oneLine(err.Error())
	}
}

func (a *Answer) test(ctx context.Context, q *problem) error {
	most := mostFresh
	if q.Draft {
		most = draftFresh
	}
	n := min(q.fresh.Rows, most)
	if n == 0 {
		return errors.New("there are no fresh points to test on")
	}
	t := certificate.NewTest[data.Vector](a.Plan.claim)
	t.Run = q.run
	c, err := t.Certify(ctx, q.f2, data.Range[data.Vector]{Of: q.fresh, Lo: 0, Hi: n})
	if err != nil {
		return err
	}
	a.Certain = &Certain{
		Holds: c.Holds, Bound: c.Bound, Asked: c.Error, Fresh: c.Fresh, Kept: c.Kept, Kind: string(c.Kind),
		Counted: c.Counted, Promised: number(math.NaN()),
	}
	if e, err := bound.LandmarksError(a.Plan.Margin, q.Confidence, q.f1.Dim()); err == nil {
		a.Certain.Promised = number(e)
	}
	return nil
}
