package gemm

// A blocking says how a product is cut. A micro-kernel computes MR×NR elements
// in registers over a depth of KC; an MC×KC block of A stays in the second
// level of cache while strips of B, NR×KC each and in the first level, pass by;
// a KC×NC panel of B is shared by all workers in the last level.
//
// KC is part of the result (see the order of a sum in the package comment) and
// the same for AVX2 and AVX-512; the others change nothing but the time.
type blocking struct {
	mr, nr, kc, mc, nc int

	// tileRows×tileCols of C, with what it takes of A and B, fit in the
	// second level of cache.
	tileRows, tileCols int
}

// The blockings by level and element type. A strip of B takes 24 KiB of the 32
// KiB that a first level of cache has where AVX2 is the best level (Zen 3). Where it
// is AVX-512 it takes 72 KiB, which the first level does not have: the second gives
// it as fast as it is used. A block of A takes 216 KiB of 512 (Zen 3), and 252 KiB
// of float32 or 504 KiB of float64 of 1280 (Ice Lake). A smaller KC leaves more room
// in the first level, but passes over C more often, which was the slower.
var (
	blocking32 = [...]blocking{
		Portable: {mr: 2, nr: 4, kc: 256, mc: 128, nc: 2048, tileRows: 64, tileCols: 256},
		AVX2:     {mr: 6, nr: 16, kc: 384, mc: 144, nc: 4096, tileRows: 72, tileCols: 256},
		AVX512:   {mr: 8, nr: 48, kc: 384, mc: 168, nc: 4096, tileRows: 80, tileCols: 240},
	}
	blocking64 = [...]blocking{
		Portable: {mr: 2, nr: 4, kc: 256, mc: 64, nc: 2048, tileRows: 64, tileCols: 256},
		AVX2:     {mr: 6, nr: 8, kc: 384, mc: 72, nc: 4096, tileRows: 72, tileCols: 128},
		AVX512:   {mr: 8, nr: 24, kc: 384, mc: 168, nc: 4096, tileRows: 80, tileCols: 240},
	}
)

// panelBytes bounds the packed panel of B that a product allocates.
const panelBytes = 16 << 20

// depth returns how much of the depth a panel of B of n columns takes: a
// multiple of KC that keeps it within panelBytes.
func (b blocking) depth(n, size int) int {
	return max(1, panelBytes/(size*roundUp(n, b.nr)*b.kc)) * b.kc
}

func roundUp(n, to int) int { return (n + to - 1) / to * to }
