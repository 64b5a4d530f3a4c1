package seed_test

import (
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/internal/seed"
)

// TestDigest compares digests with the product as numbers of any size have it.
func TestDigest(t *testing.T) {
	for _, c := range [][2]uint64{{0, 0}, {1, 2}, {1 << 63, 1<<64 - 1}, {0x9e3779b97f4a7c15, 5}} {
		a := new(big.Int).SetUint64(c[0] ^ 0x9e3779b97f4a7c15)
		p := a.Mul(a, new(big.Int).SetUint64(c[1]^0xa0761d6478bd642f))
		lo := new(big.Int).And(p, new(big.Int).SetUint64(1<<64-1)).Uint64()
		hi := new(big.Int).Rsh(p, 64).Uint64()
		if got, want := seed.Digest(c[0], c[1]), hi^lo^c[0]; got != want {
			t.Errorf("Digest(%x, %x) is %x, want %x", c[0], c[1], got, want)
		}
	}
}

// TestDigestText holds that texts of all lengths around a word differ from each other, and
// that bytes of 0 at the end count.
func TestDigestText(t *testing.T) {
	seen := map[uint64]string{}
	for n := range 40 {
		for _, c := range []string{"\x00", "a", "b", "é"} {
			s := strings.Repeat(c, n)
			h := seed.DigestText(7, s)
			if before, ok := seen[h]; ok && before != s {
				t.Errorf("%q and %q have one digest", before, s)
			}
			seen[h] = s
		}
	}
	for i := range 100_000 {
		s := fmt.Sprint("row ", i)
		h := seed.DigestText(7, s)
		if before, ok := seen[h]; ok {
			t.Fatalf("%q and %q have one digest", before, s)
		}
		seen[h] = s
	}
}

// TestDigestNumbers holds that numbers differ from each other by a value, its sign, its place
// and how many there are.
func TestDigestNumbers(t *testing.T) {
	seen := map[uint64]bool{}
	for n := range 12 {
		values := make([]float64, n)
		seen[seed.DigestNumbers(uint64(n), values)] = true
		for i := range values {
			for _, v := range []float64{math.Copysign(0, -1), 1, -1, 1e-300} {
				values[i] = v
				h := seed.DigestNumbers(uint64(n), values)
				if h != seed.DigestNumbers(uint64(n), values) || seen[h] {
					t.Errorf("%v has the digest of others", values)
				}
				seen[h] = true
			}
			values[i] = 0
		}
	}
}
