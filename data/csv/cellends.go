package csv

import (
	"encoding/binary"
	"math/bits"

	"github.com/kerf-ml/kerf/internal/vmath"
)

const (
	ones  = 0x0101010101010101 // 1 in each byte
	highs = 0x80 * ones        // the highest bit of each byte

	// gather is a factor that moves the lowest bits of eight bytes to the highest byte.
	gather = 0x0102040810204080

	// group is how many bytes are looked at together. As many ends as most groups have are
	// written before it is known how many there are, so that the processor need not guess that.
	group    = 64
	mostly   = 8
	moreEnds = group + 16 // room for ends behind those that there are, which one group may take
)

//go:generate go -C ../../gen run ./text -what ends -to ../data/csv
//go:generate go -C ../../gen run ./text -what endsbytes -to ../data/csv

// cellEnds writes -1, and where all commas and ends of lines in a text are, to ends, which grows
// as it must, and returns those that there are.
func cellEnds(ends []int32, text []byte, comma byte) []int32 {
	n, commas, lines := 1, ones*uint64(comma), ones*uint64('\n')
	ends[0] = -1
	wide := vmath.Active() >= vmath.AVX512
	for at := 0; at < len(text); at += group {
		if len(ends)-n < moreEnds {
			ends = append(ends, make([]int32, len(ends)+moreEnds)...)
		}
		if wide && len(text)-at >= group {
			places := endsAVX512
			if compressesBytes {
				places = endsVBMI2
			}
			count, size := places(ends[n:], text[at:], at, comma)
			n, at = n+count, at+size-group
			continue
		}
		part := text[at:]
		if len(part) < group {
			part = append(make([]byte, 0, group), part...)[:group]
		}
		found := marks((*[group]byte)(part), commas, lines)
		count, to := bits.OnesCount64(found), (*[group + mostly]int32)(ends[n:])
		for i := range mostly {
			to[i] = int32(at + bits.TrailingZeros64(found))
			found &= found - 1
		}
		for i := mostly; i < count; i++ {
			to[i] = int32(at + bits.TrailingZeros64(found))
			found &= found - 1
		}
		n += count
	}
	return ends[:n]
}

// marks has a bit for each byte that is the one of all a, or of all b.
func marks(text *[group]byte, a, b uint64) (found uint64) {
	for i := 0; i < group; i += 8 {
		word := binary.LittleEndian.Uint64(text[i:])
		others := other(word^a) & other(word^b)
		found |= (^others & highs) >> 7 * gather >> 56 << i
	}
	return found
}

// other has the highest bit of each byte that is not 0: adding to the others carries into it.
func other(word uint64) uint64 { return word&^highs + ^uint64(highs) | word }
