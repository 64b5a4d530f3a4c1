package arrow

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

const (
	codecNone = -1
	codecLZ4  = 0
	codecZstd = 1
)

const lz4Ratio = 255 // bytes that one of LZ4 stands for at most

// unpacker unpacks buffers. The zero value is ready to use.
type unpacker struct {
	zstd *zstd.Decoder
	lz4  *lz4.Reader
}

// unpack returns what a buffer holds: its size, which is -1 where it is not packed,
// and its packed bytes. What it makes is taken from store.
func (u *unpacker) unpack(codec int, packed []byte, store *int64) ([]byte, error) {
	if codec == codecNone || len(packed) == 0 {
		return packed, nil
	}
	if len(packed) < 8 {
		return nil, errDamaged
	}
	size := int64(binary.LittleEndian.Uint64(packed))
	if packed = packed[8:]; size == -1 {
		return packed, nil
	}
	if size < 0 || size > *store || codec == codecLZ4 && size > lz4Ratio*(int64(len(packed))+64) {
		return nil, fmt.Errorf("%d bytes are said to unpack to %d", len(packed), size)
	}
	*store -= size
	dst := make([]byte, size)
	if codec == codecZstd {
		return dst, u.unpackZstd(dst, packed)
	}
	if u.lz4 == nil {
		u.lz4 = lz4.NewReader(nil)
	}
	u.lz4.Reset(bytes.NewReader(packed))
	_, err := io.ReadFull(u.lz4, dst)
	return dst, err
}

func (u *unpacker) unpackZstd(dst, packed []byte) error {
	if u.zstd == nil {
		var err error
		// The decoder starts no goroutine, and writes no further than dst reaches.
		u.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true))
		if err != nil {
			return err
		}
	}
	filled, err := u.zstd.DecodeAll(packed, dst[:0:len(dst)])
	if err == nil && len(filled) != len(dst) {
		return errors.New("a buffer has another size than it says")
	}
	return err
}
