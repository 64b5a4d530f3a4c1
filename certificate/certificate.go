// Package certificate tests a fitted feature map on fresh instances, and states
// what the map keeps of every target that there could be.
//
// A target is a unit vector w of the kernel's feature space; its margin at an
// instance z with label ℓ is ℓ·w·φ(z)/|φ(z)|. F2 projects φ(z) onto the span of
// the landmarks. What it loses of z is measured by one number that needs no
// label, the exposure
//
//	ρ(z) = r/(1 - κ²·(1 - r))        r(z) = 1 - |F2(z)|²/K(z,z)
//
// A target with margin γ at z keeps at least κ·γ of it among the features unless
// ρ(z) ≥ γ². That gives two tests:
//
//	pointwise   Pr[lost] ≤ Pr[ρ ≥ γ²]
//	spectral    Pr[lost] ≤ Pr[ρ > L] + λ(L)/γ²
//
// with λ(L) the largest eigenvalue of the second moments of what is outside of
// the span, weighted. A target of k classes is a vector for each; the margin of an
// instance is the least over the other classes of that under the difference of
// two, and λ(L) the sum of the k-1 largest eigenvalues. Both hold for all targets
// at once. Test takes a map and
// fresh instances and returns a Certificate; Grow finds the least map that
// passes; HeldOut is for one separator and labelled instances.
//
// A certificate supposes that K is a kernel, and that the fresh instances are
// independent draws of the distribution and of the landmarks. How the landmarks
// were chosen does not matter. docs/math/certificates.md has the proofs.
package certificate

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Claim is what is to be certified: with the given confidence, every target
// that has margin Margin in the kernel's feature space but for a part α keeps
// margin Keep·Margin among the features but for a part α + Error.
type Claim struct {
	Margin     float64 `json:"margin"`     // γ, in (0, 1]
	Keep       float64 `json:"keep"`       // κ, the part of the margin to keep, in [0, 1)
	Error      float64 `json:"error"`      // ε, in (0, 1)
	Confidence float64 `json:"confidence"` // 1 - δ, in (0, 1)
	Classes    int     `json:"classes"`    // k, that targets tell apart; 0 counts as 2
}

// classes is the number of classes, at least 2.
func (c Claim) classes() int { return max(2, c.Classes) }

// NewClaim returns the claim of theorem 4, which keeps half of the margin.
func NewClaim(margin, err, confidence float64) Claim {
	return Claim{Margin: margin, Keep: 0.5, Error: err, Confidence: confidence}
}

// Validate reports every field that is out of range.
func (c Claim) Validate() error {
	return errors.Join(
		check("margin", c.Margin, c.Margin > 0 && c.Margin <= 1, "above 0 and at most 1"),
		check("keep", c.Keep, c.Keep >= 0 && c.Keep < 1, "at least 0 and below 1"),
		check("error", c.Error, c.Error > 0 && c.Error < 1, "above 0 and below 1"),
		checkConfidence(c.Confidence),
		check("classes", float64(c.Classes), c.Classes == 0 || c.Classes > 1, "at least 2"),
	)
}

func checkConfidence(confidence float64) error {
	return check("confidence", confidence, confidence > 0 && confidence < 1, "above 0 and below 1")
}

func check(name string, value float64, ok bool, want string) error {
	if ok {
		return nil
	}
	return fmt.Errorf("%s is %v and must be %s", name, value, want)
}

// Kind is the test that a certificate comes from.
type Kind string

// The kinds.
const (
	Pointwise Kind = "pointwise" // instance by instance, for every target
	Spectral  Kind = "spectral"  // by the largest eigenvalue of what is lost, for every target
	Separator Kind = "separator" // of one separator, on labelled instances
)

// Certificate is a statement measured on fresh instances: with probability at
// least Confidence over their draw, the error added at margin Kept is at most
// Bound. Holds says whether that is within what was asked for.
type Certificate struct {
	Kind       Kind    `json:"kind"`
	Holds      bool    `json:"holds"`      // Bound ≤ Error
	Margin     float64 `json:"margin"`     // γ, of the targets
	Kept       float64 `json:"kept"`       // the margin that is kept
	Error      float64 `json:"error"`      // ε, as asked
	Bound      float64 `json:"bound"`      // upper confidence bound on ε, at most 1
	Confidence float64 `json:"confidence"` // of this certificate and all looks before it
	Spent      float64 `json:"spent"`      // δ that this look was given
	Look       int     `json:"look"`       // the number of the look at these instances, from 1
	Classes    int     `json:"classes"`    // of the targets
	Fresh      int     `json:"fresh"`      // instances tested
	Copies     int     `json:"copies"`     // instances that are the same as others; Bound holds with and without them
	Features   int     `json:"features"`   // dimension of the map, or of the separator
	Level      float64 `json:"level"`      // L, above which exposures are counted
	Counted    int     `json:"counted"`    // instances counted as lost
	Eigenvalue float64 `json:"eigenvalue"` // upper confidence bound on λ(L), 0 where none is used
	Projected  bool    `json:"projected"`  // whether a random projection follows: then for one target, not for all at once
}

// String says in one sentence what holds, or that nothing could be shown.
func (c Certificate) String() string {
	if c.Fresh == 0 {
		return "Nothing was tested, so nothing is known."
	}
	odds := fmt.Sprintf("With %s%% confidence, from %s", short(100*c.Confidence), count(c.Fresh, "fresh instance"))
	if c.Copies > 0 {
		odds += fmt.Sprintf(" (with and without %s)", count(c.Copies, "copy"))
	}
	if c.Kind == Separator {
		return fmt.Sprintf("%s: at most %s%% of all instances have a margin below %s under this separator%s.",
			odds, percent(c.Bound), short(c.Kept), c.verdict())
	}
	if !(c.Bound < 1) {
		return fmt.Sprintf("%s: nothing can be said about targets of margin %s; a map with %s may lose them.",
			odds, short(c.Margin), count(c.Features, "feature"))
	}
	of := ""
	if c.Classes > 2 {
		of = fmt.Sprintf(" of %d classes", c.Classes)
	}
	who := "whatever the target" + of
	if c.Projected {
		who = "for any one target" + of + ", fixed before the projection was drawn"
	}
	return fmt.Sprintf("%s: %s, if it has margin %s under the kernel then a map with %s keeps margin %s but for at "+
		"most %s%% of all instances%s.",
		odds, who, short(c.Margin), count(c.Features, "feature"), short(c.Kept), percent(c.Bound), c.verdict())
}

func (c Certificate) verdict() string {
	if c.Holds {
		return ""
	}
	return fmt.Sprintf(", which is more than the %s%% asked for", short(100*c.Error))
}

// count writes a number of things.
func count(n int, what string) string {
	switch {
	case n == 1:
		return "1 " + what
	case strings.HasSuffix(what, "y"):
		return strconv.Itoa(n) + " " + strings.TrimSuffix(what, "y") + "ies"
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// short writes a number as people do, with at most four digits.
func short(v float64) string { return strconv.FormatFloat(v, 'g', 4, 64) }

// percent rounds a part upwards to a hundredth of a percent, so that a bound
// stays one.
func percent(v float64) string {
	hundredths := int(v * 1e4)
	for float64(hundredths)/1e4 < v {
		hundredths++
	}
	return strconv.FormatFloat(float64(hundredths)/100, 'f', -1, 64)
}
