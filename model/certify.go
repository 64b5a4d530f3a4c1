package model

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/kerf-ml/kerf/certificate"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/margin"
	"github.com/kerf-ml/kerf/project"
)

// Earned is what a map that was grown to a claim earned.
type Earned struct {
	certificate.Certificate
	Outcome  certificate.Outcome `json:"outcome"`
	Promised int                 `json:"promised"` // landmarks that the theorem asks for; 0 where the count does not fit
	Used     int                 `json:"used"`     // landmarks of the map
	Choice   *margin.Choice      `json:"choice"`   // how the margin was chosen; nil where it was given
	Baseline float64             `json:"baseline"` // error of the most frequent class
	Words    string              `json:"-"`        // the same for people
}

// Useless says why a certificate that holds is of no use, and what would help. It
// is empty where it may be of use: the error at the margin chosen and the bound
// together are below the error of the most frequent class.
func (e *Earned) Useless() string {
	if !e.Holds || e.Choice == nil || e.Choice.Noise+e.Bound < e.Baseline {
		return ""
	}
	return fmt.Sprintf("nothing of use: %.3g%% of the rows have less than that margin, which with the bound makes %.3g%%"+
		", and the most frequent class alone is wrong on %.3g%%; more rows, or a kernel with larger margins (kerf margin), "+
		"would help", 100*e.Choice.Noise, 100*(e.Choice.Noise+e.Bound), 100*e.Baseline)
}

// claimRows bounds the rows that a margin is chosen on.
const claimRows = 4000

// FreshPart is the part of the rows that is set apart for a certificate.
const FreshPart = 0.4

// growMap grows F2, and F3 on top of it, until the claim of the recipe is
// certified. Where the claim has no margin, one is chosen on labelled rows that
// have no part in the certificate.
func (r Recipe[T]) growMap(ctx context.Context, s Sample[T]) (feature.Map[T], *Earned, error) {
	f2, projection, err := r.grows()
	if err != nil {
		return nil, nil, err
	}
	rest, fresh, err := r.setApart(s)
	if err != nil {
		return nil, nil, err
	}
	earned, claim := &Earned{Baseline: s.baseline()}, r.Claim.Claim
	claim.Classes = max(2, s.Classes.Len())
	if projection != "" {
		claim.Error /= 2
		claim.Confidence = (1 + claim.Confidence) / 2
	}
	g := certificate.NewGrow(r.Kernel, claim)
	g.Tolerance, g.Select, g.Most, g.Atoms = f2.Rank, f2.Select, r.Claim.Most, r.Claim.Atoms
	g.Seed, g.Run = r.Seed, r.Run
	if claim.Margin == 0 {
		choice, err := r.chooseMargin(ctx, g, rest, fresh)
		if err != nil {
			return nil, nil, fmt.Errorf("no margin was given and none could be chosen: %w", err)
		}
		g.Claim.Margin, earned.Choice = choice.Margin, &choice
	}
	grown, err := g.FitFresh(ctx, rest.X, fresh.X)
	if err != nil {
		return nil, nil, err
	}
	earned.Certificate, earned.Outcome, earned.Promised = grown.Certificate, grown.Outcome, grown.Promised
	earned.Used, earned.Words = grown.Landmarks, grown.String()
	if grown.Map == nil {
		return nil, nil, errors.New(grown.String())
	}
	if projection == "" {
		return grown.Map, earned, nil
	}
	return r.compress(ctx, grown.Map, projection, g.Claim, earned)
}

// setApart returns the fresh rows, of which those of less weight than others are
// left out now and then, and the others in a random order.
func (r Recipe[T]) setApart(s Sample[T]) (rest, fresh Sample[T], err error) {
	n := s.Len()
	order := seed.Choose(n, n, r.Seed, seed.Landmarks)
	apart := r.Claim.Fresh
	if apart == nil {
		apart = slices.Clone(order[n-int(FreshPart*float64(n)):])
	}
	is := make([]bool, n)
	for _, i := range apart {
		is[i] = true
	}
	if s.Weight != nil {
		weight := make([]float64, len(apart))
		for i, j := range apart {
			weight[i] = s.Weight[j]
		}
		kept, err := certificate.Thin(weight, slices.Max(s.Weight), r.Seed)
		if err != nil {
			return rest, fresh, err
		}
		for i, j := range kept {
			kept[i] = apart[j]
		}
		apart = kept
	}
	others := slices.DeleteFunc(order, func(i int) bool { return is[i] })
	return s.Select(others), s.Select(apart), nil
}

// compress puts a random projection behind F2, to so many dimensions that it
// takes no more of the error and of the confidence than F2 did.
func (r Recipe[T]) compress(
	ctx context.Context, f2 *feature.Orthogonal[T], kind string, claim certificate.Claim, earned *Earned,
) (feature.Map[T], *Earned, error) {
	spent, within := 1-claim.Confidence, func(c certificate.Certificate) bool {
		return c.Bound-earned.Bound <= claim.Error
	}
	low, high := 0, 1
	for {
		c, err := earned.Project(high, spent)
		if err != nil {
			return nil, nil, err
		}
		if within(c) || high > 1<<30 {
			break
		}
		low, high = high, 2*high
	}
	for high-low > 1 {
		middle := (low + high) / 2
		c, err := earned.Project(middle, spent)
		if err != nil {
			return nil, nil, err
		}
		if within(c) {
			high = middle
		} else {
			low = middle
		}
	}
	if high >= f2.Dim() {
		return nil, nil, fmt.Errorf("F3 would need %d dimensions to keep the margin, more than the %d of F2; use map f2",
			high, f2.Dim())
	}
	projection, err := project.Recall(kind, high, r.Seed)
	if err != nil {
		return nil, nil, err
	}
	p, err := projection.Fit(f2.Dim())
	if err != nil {
		return nil, nil, err
	}
	m, err := feature.NewCompressed(ctx, r.Run, f2, p)
	if err != nil {
		return nil, nil, err
	}
	if earned.Certificate, err = earned.Project(high, spent); err != nil {
		return nil, nil, err
	}
	earned.Error *= 2
	earned.Confidence = r.Claim.Confidence // but for rounding it is that
	earned.Holds = earned.Bound <= earned.Error
	earned.Words = earned.Certificate.String()
	return m, earned, nil
}

// chooseMargin returns the margin with the least sum of the error at it, of the
// best separator found, and of what a test is foreseen to show; of those at which
// the claim is foreseen to hold, where there are such.
func (r Recipe[T]) chooseMargin(
	ctx context.Context, g certificate.Grow[T], rest, fresh Sample[T],
) (margin.Choice, error) {
	labelled := rest.atMost(claimRows, seed.Derive(r.Seed, seed.Choice))
	r.Map = F2[T]{Dim: max(min(claimDim, labelled.Len()/2), 1), Rank: g.Tolerance}
	curve, err := r.curve(ctx, labelled)
	if err != nil {
		return margin.Choice{}, err
	}
	var points []margin.Point
	for _, p := range curve.Points(claimPoints) {
		if p.Margin > 0 && p.Error < 1 {
			points = append(points, p)
		}
	}
	if len(points) == 0 {
		return margin.Choice{}, errors.New("no separator found has an instance at a positive margin")
	}
	margins := make([]float64, len(points))
	for i, p := range points {
		margins[i] = p.Margin
	}
	shown, err := g.Foresee(ctx, rest.X, fresh.X, margins)
	if err != nil {
		return margin.Choice{}, err
	}
	best, holds := -1, false
	for i, p := range points {
		ok := shown[i] <= g.Claim.Error
		if best < 0 || ok && !holds || ok == holds && p.Error+shown[i] < points[best].Error+shown[best] {
			best, holds = i, ok
		}
	}
	return margin.Choice{Margin: margins[best], Noise: points[best].Error, Error: shown[best]}, nil
}

// claimPoints bounds the points of a curve that a margin is chosen from.
const claimPoints = 40

// claimDim bounds the landmarks with which separators are sought for a curve.
const claimDim = 500

// grows returns the map F2 and the projection behind it, empty for none, of the map
// that a claim is about.
func (r Recipe[T]) grows() (f2 F2[T], projection string, err error) {
	switch m := r.Map.(type) {
	case F2[T]:
		if m.Repair == "" {
			return m, "", nil
		}
	case F3[T]:
		kind := projectionKind(m.Projection)
		if kind == project.KindSparse || kind == project.KindHadamard {
			return f2, "", fmt.Errorf("Claim is set with a %s projection, which theorem 2 does not cover, and must be with %s, "+
				"%s, %s or %s", kind, project.KindGaussian, project.KindSign, project.KindAchlioptas, project.KindOrthogonal)
		}
		return F2[T]{Select: m.Select, Rank: m.Rank}, kind, nil
	}
	return f2, "", fmt.Errorf("Claim is set with map %s and must be with f2 or f3, of a kernel", r.Map.Name())
}

// check reports rows that are none of n.
func (c *Claim) check(n int) error {
	if c == nil {
		return nil
	}
	for _, i := range c.Fresh {
		if i < 0 || i >= n {
			return fmt.Errorf("Claim.Fresh has %d and must have rows from 0 to %d", i, n-1)
		}
	}
	return nil
}

// among returns the claim with its rows counted among some.
func (c *Claim) among(index []int) *Claim {
	if c == nil || c.Fresh == nil {
		return c
	}
	at := map[int]int{}
	for i, j := range index {
		at[j] = i
	}
	out := *c
	out.Fresh = []int{}
	for _, j := range c.Fresh {
		if i, ok := at[j]; ok {
			out.Fresh = append(out.Fresh, i)
		}
	}
	return &out
}
