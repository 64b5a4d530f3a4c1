package parquet

import (
	"bytes"
	"fmt"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// The ways to pack a page.
const (
	codecNone   = 0
	codecSnappy = 1
	codecGzip   = 2
	codecLZO    = 3
	codecBrotli = 4
	codecLZ4Old = 5
	codecZstd   = 6
	codecLZ4    = 7
)

// ratio bounds how many times larger a page can be than its packed form. Zstandard
// and Brotli have no bound that would help.
var ratio = map[int]int64{codecNone: 1, codecSnappy: 32, codecGzip: 1040, codecLZ4: 255}

// checkCodec returns an error for a codec that is not known.
func checkCodec(codec int) error {
	switch codec {
	case codecNone, codecSnappy, codecGzip, codecBrotli, codecZstd, codecLZ4:
		return nil
	case codecLZO:
		return unread("is packed by LZO")
	case codecLZ4Old:
		return unread("is packed by LZ4 in the old way of Hadoop")
	}
	return unread(fmt.Sprintf("is packed in the unknown way %d", codec))
}

// plausible reports whether so many packed bytes can unpack to size.
func plausible(codec int, packed, size int64) bool {
	most, ok := ratio[codec]
	return !ok || size <= most*(packed+64)
}

// unpacker unpacks pages. The zero value is ready to use.
type unpacker struct {
	zstd *zstd.Decoder
}

// unpack fills dst, which must be as long as what was packed.
func (u *unpacker) unpack(codec int, dst, packed []byte) error {
	var from io.Reader
	switch codec {
	case codecNone:
		if len(packed) != len(dst) {
			return errDamaged
		}
		copy(dst, packed)
		return nil
	case codecSnappy:
		if n, err := snappy.DecodedLen(packed); err != nil || n != len(dst) {
			return errDamaged
		}
		_, err := snappy.Decode(dst, packed)
		return err
	case codecLZ4:
		return exactly(dst, func() (int, error) { return lz4.UncompressBlock(packed, dst) })
	case codecZstd:
		return exactly(dst, func() (int, error) { return u.unpackZstd(dst, packed) })
	case codecGzip:
		z, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			return err
		}
		from = z
	default:
		from = brotli.NewReader(bytes.NewReader(packed))
	}
	_, err := io.ReadFull(from, dst)
	return err
}

// exactly returns an error unless all of dst was filled.
func exactly(dst []byte, fill func() (int, error)) error {
	n, err := fill()
	if err == nil && n != len(dst) {
		err = errDamaged
	}
	return err
}

func (u *unpacker) unpackZstd(dst, packed []byte) (int, error) {
	if u.zstd == nil {
		var err error
		// The decoder starts no goroutine, and writes no further than dst reaches.
		u.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true))
		if err != nil {
			return 0, err
		}
	}
	filled, err := u.zstd.DecodeAll(packed, dst[:0:len(dst)])
	return len(filled), err
}
