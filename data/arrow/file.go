package arrow

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// blocks reads the messages of a file in the order of its footer: dictionaries, then
// batches. Some writers put things between messages that only the footer knows of.
type blocks struct {
	file io.ReaderAt
	size int64
	root flat
	list [2]int // where the blocks of dictionaries and of batches that are left begin
	left [2]int
}

const blockSize = 24 // bytes of a place in the footer

// newBlocks reads the footer.
func newBlocks(r io.ReaderAt, size int64) (*blocks, error) {
	const frame = int64(8 + 4 + len(magic)) // a magic word at both ends, and the length
	var begin [8]byte
	end := make([]byte, 4+len(magic))
	if size < frame {
		return nil, cut(io.EOF)
	}
	if err := readAt(r, begin[:], 0); err != nil {
		return nil, err
	}
	if string(begin[:4]) == magicFeather {
		return nil, unread("is Feather of version 1")
	}
	if err := readAt(r, end, size-int64(len(end))); err != nil {
		return nil, err
	}
	if string(begin[:6]) != magic || string(end[4:]) != magic {
		return nil, cut(io.EOF)
	}
	n := int64(int32(binary.LittleEndian.Uint32(end)))
	if n <= 0 || n > size-frame {
		return nil, fmt.Errorf("it is said to have a footer of %d bytes", n)
	}
	footer := make([]byte, n)
	if err := readAt(r, footer, size-int64(len(end))-n); err != nil {
		return nil, err
	}
	bad := false
	b := &blocks{file: r, size: size, root: root(footer, &bad)}
	if b.root.int(0, 2, 0) < leastVersion {
		return nil, unread("is of an early version of Arrow")
	}
	for k := range b.list {
		b.list[k], b.left[k] = b.root.vector(2+k, blockSize)
	}
	if bad {
		return nil, errDamaged
	}
	return b, b.check()
}

// check holds the blocks to the size of the file, so that none stands there twice
// and again.
func (b *blocks) check() error {
	sum := int64(0)
	for k := range b.list {
		for i := range b.left[k] {
			_, head, body := b.block(b.list[k] + blockSize*i)
			if head < 8 || body < 0 || head > b.size || body > b.size || sum > b.size {
				return errDamaged
			}
			sum += head + body
		}
	}
	if sum > b.size {
		return errors.New("its batches are larger than the file")
	}
	return nil
}

// block returns where a message stands, and the lengths of its head and body.
func (b *blocks) block(at int) (place, head, body int64) {
	return int64(b.root.uint64(at)), int64(int32(b.root.uint32(at + 8))), int64(b.root.uint64(at + 16))
}

func (b *blocks) schema() (flat, error) {
	schema, ok := b.root.table(1)
	if !ok {
		return flat{}, errors.New("it has no schema")
	}
	return schema, nil
}

func (b *blocks) next(reserve func(what string, bytes float64) error) (*message, error) {
	k := 0
	if b.left[0] == 0 {
		k = 1
	}
	if b.left[k] == 0 {
		return nil, io.EOF
	}
	place, size, length := b.block(b.list[k])
	b.list[k] += blockSize
	b.left[k]--
	if place < 0 || place > b.size-size-length {
		return nil, errDamaged
	}
	head := make([]byte, size)
	if err := readAt(b.file, head, place); err != nil {
		return nil, err
	}
	frame := 4 // the length, before Arrow 0.15
	if binary.LittleEndian.Uint32(head) == continuation {
		frame = 8
	}
	head = head[frame:]
	m, body, err := newMessage(head)
	if err != nil {
		return nil, err
	}
	if body > length || m.kind != int64(messageDictionary+k) {
		return nil, errDamaged
	}
	if err := reserve(fmt.Sprintf("a batch of %d bytes", body), float64(body)); err != nil {
		return nil, err
	}
	m.body = make([]byte, body)
	return m, readAt(b.file, m.body, place+size)
}

// readAt fills p.
func readAt(r io.ReaderAt, p []byte, at int64) error {
	n, err := r.ReadAt(p, at)
	if n == len(p) {
		return nil
	}
	return cut(err)
}
