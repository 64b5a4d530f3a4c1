package model

import (
	"context"
	"errors"
	"fmt"

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
	Words    string              `json:"-"`        // the same for people
}

// claimRows bounds the rows that a margin is chosen on, claimPart is their part
// of the sample.
const (
	claimRows = 4000
	claimPart = 0.25
)

// growMap grows F2, and F3 on top of it, until the claim of the recipe is
// certified. Where the claim has no margin, one is chosen on labelled rows that
// have no part in the certificate.
func (r Recipe[T]) growMap(ctx context.Context, s Sample[T]) (feature.Map[T], *Earned, error) {
	rank, projection, err := r.grows()
	if err != nil {
		return nil, nil, err
	}
	earned := &Earned{}
	if r.Claim.Rows != nil {
		s = s.Select(r.Claim.Rows)
	}
	claim, x := r.Claim.Claim, s.X
	if claim.Margin == 0 {
		part := min(claimPart, claimRows/float64(s.Len()))
		rest, own := s.Split(part, seed.Derive(r.Seed, seed.Choice))
		choice, err := r.chooseMargin(ctx, s.Select(own), claim)
		if err != nil {
			return nil, nil, fmt.Errorf("no margin was given and none could be chosen: %w", err)
		}
		claim.Margin, claim.Error, earned.Choice = choice.Margin, choice.Error*(1-choice.Noise), &choice
		x = s.Select(rest).X
	}
	if projection != "" {
		claim.Error /= 2
		claim.Confidence = (1 + claim.Confidence) / 2
	}
	g := certificate.NewGrow(r.Kernel, claim)
	g.Tolerance, g.Most, g.Seed, g.Run = rank, r.Claim.Most, r.Seed, r.Run
	grown, err := g.Fit(ctx, x)
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
	return r.compress(ctx, grown.Map, projection, claim, earned)
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

// chooseMargin returns the margin to plan with, when the mapping may add the
// claim's error to what the best separator found leaves.
func (r Recipe[T]) chooseMargin(ctx context.Context, s Sample[T], claim certificate.Claim) (margin.Choice, error) {
	rank, _, err := r.grows()
	if err != nil {
		return margin.Choice{}, err
	}
	r.Map = F2[T]{Dim: max(min(claimDim, s.Len()/2), 1), Rank: rank}
	curve, err := r.curve(ctx, s)
	if err != nil {
		return margin.Choice{}, err
	}
	return curve.Recommend(min(curve.At(0)+claim.Error, 0.999), claim.Confidence)
}

// claimDim bounds the landmarks with which separators are sought for a curve.
const claimDim = 500

// grows returns the tolerance of the rank and the projection, empty for none, of
// the map that a claim is about.
func (r Recipe[T]) grows() (rank float64, projection string, err error) {
	switch m := r.Map.(type) {
	case F2[T]:
		if m.Repair == "" {
			return m.Rank, "", nil
		}
	case F3[T]:
		return m.Rank, m.projection(), nil
	}
	return 0, "", fmt.Errorf("Claim is set with map %s and must be with f2 or f3, of a kernel", r.Map.Name())
}

// check reports rows that are none of n.
func (c *Claim) check(n int) error {
	if c == nil {
		return nil
	}
	for _, i := range c.Rows {
		if i < 0 || i >= n {
			return fmt.Errorf("Claim.Rows has %d and must have rows from 0 to %d", i, n-1)
		}
	}
	return nil
}

// among returns the claim with its rows counted among some.
func (c *Claim) among(index []int) *Claim {
	if c == nil || c.Rows == nil {
		return c
	}
	at := map[int]int{}
	for i, j := range index {
		at[j] = i
	}
	out := *c
	out.Rows = []int{}
	for _, j := range c.Rows {
		if i, ok := at[j]; ok {
			out.Rows = append(out.Rows, i)
		}
	}
	return &out
}
