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

// The blockings by level and element type. First level of cache: KC·NR elements
// take 16 to 32 KiB of 32 (Zen 3) or 48 (Ice Lake). Second level: KC·MC take
// 150 to 300 KiB of 512 or 1280.
var (
	portable32 = blocking{mr: 2, nr: 4, kc: 256, mc: 128, nc: 2048, tileRows: 64, tileCols: 256}
	portable64 = blocking{mr: 2, nr: 4, kc: 256, mc: 64, nc: 2048, tileRows: 64, tileCols: 256}

	avx2x32 = blocking{mr: 6, nr: 16, kc: 384, mc: 144, nc: 2048, tileRows: 72, tileCols: 256}
	avx2x64 = blocking{mr: 6, nr: 8, kc: 384, mc: 72, nc: 2048, tileRows: 72, tileCols: 128}

	avx512x32 = blocking{mr: 14, nr: 32, kc: 384, mc: 168, nc: 2048, tileRows: 84, tileCols: 256}
	avx512x64 = blocking{mr: 14, nr: 16, kc: 384, mc: 168, nc: 2048, tileRows: 84, tileCols: 256}
)

// panelBytes bounds the packed panel of B that a product allocates.
const panelBytes = 32 << 20

// depth returns how much of the depth a panel of B of n columns takes: a
// multiple of KC that keeps it within panelBytes.
func (b blocking) depth(n, size int) int {
	return max(1, panelBytes/(size*roundUp(n, b.nr)*b.kc)) * b.kc
}

func roundUp(n, to int) int { return (n + to - 1) / to * to }
