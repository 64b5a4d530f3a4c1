package compute_test

import (
	"testing"

	"github.com/kerf-ml/kerf/internal/compute"
	"github.com/kerf-ml/kerf/kerftest"
)

// A sum of n ≤ 65 products in any order is within n·2⁻⁵³ of Σ|a||b|.
func TestPortable(t *testing.T) {
	kerftest.Backend(t, compute.Portable{}, 65*0x1p-53)
}
