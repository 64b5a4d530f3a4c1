package certificate

import (
	"errors"
	"fmt"

	"github.com/kerf-ml/kerf/bound"
)

// Project returns the certificate of F3: what is certified of F2, followed by a
// random projection to dim coordinates, Gaussian or ±1, whose matrix is drawn
// independently of everything else. The margin kept is halved, and
//
//	Bound = Bound of F2 + (k-1)·β/δ'      β = 8·exp(-(g² - g³)·dim/4), g = η/(2 + η)
//
// at confidence less by δ', with η the margin that F2 keeps, δ' the probability
// spent, and k classes: an instance is told from k-1 others. The part β/δ' is for one fixed target: other than F2's
// certificate, that of F3 does not hold for all targets at once.
//
// Reference: Blum 2006, theorem 5; docs/math/certificates.md.
func (c Certificate) Project(dim int, spent float64) (Certificate, error) {
	if c.Kind == Separator || c.Projected || !(c.Kept > 0) {
		return Certificate{}, errors.New("only a certificate of a map that keeps a margin can be followed by a projection")
	}
	if !(spent > 0 && spent < c.Confidence) {
		return Certificate{}, fmt.Errorf("the probability spent is %v and must be above 0 and below the confidence %v", spent,
			c.Confidence)
	}
	g, err := bound.MarginDistortion(c.Kept)
	if err != nil {
		return Certificate{}, err
	}
	one, err := bound.DistortionFailure(g, dim)
	if err != nil {
		return Certificate{}, err
	}
	c.Bound = min(1, c.Bound+float64(max(2, c.Classes)-1)*4*one/spent)
	c.Kept /= 2
	c.Confidence -= spent
	c.Features, c.Projected = dim, true
	c.Holds = c.Bound <= c.Error
	return c, nil
}
