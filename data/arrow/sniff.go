package arrow

import (
	"bytes"
	"encoding/binary"

	"github.com/kerf-ml/kerf/data/file"
)

// Begins reports whether content begins as a file of Arrow does, or as a stream, or
// as a file of the first version of Feather, which is refused by name.
func Begins(head []byte) bool {
	switch {
	case IsFile(head):
		return true
	case len(head) < 16 || binary.LittleEndian.Uint32(head) != continuation:
		return false
	}
	bad := false
	size := binary.LittleEndian.Uint32(head[4:])
	f := root(head[8:min(uint64(len(head)), 8+uint64(size))], &bad)
	return f.int(1, 1, 0) == messageSchema && !bad
}

// IsFile reports whether content that begins as Arrow is a file and not a stream.
func IsFile(head []byte) bool {
	return bytes.HasPrefix(head, []byte(magic+"\x00\x00")) ||
		bytes.HasPrefix(head, []byte(magicFeather)) && file.LooksBinary(head)
}
