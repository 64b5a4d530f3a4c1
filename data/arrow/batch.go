package arrow

import (
	"errors"
	"fmt"
)

// errDamaged is what the parts of the decoder return. The reader adds the place.
var errDamaged = errors.New("its bytes make no sense")

// batch reads the columns of a record batch, whose buffers stand one after the other
// in its body.
type batch struct {
	head  flat
	body  []byte
	codec int
	rows  int

	nodes, buffers, counts int // where these lists begin
	nodesLeft              int
	buffersLeft            int
	countsLeft             int
	by                     *unpacker
	store                  *int64
}

// maxRows and maxFixed bound the rows of a batch and the bytes of a value, so that
// their product is a number.
const (
	maxRows  = 1 << 36
	maxFixed = 1 << 24
)

// newBatch reads the head of a batch.
func newBatch(head flat, body []byte, by *unpacker, store *int64) (*batch, error) {
	b := &batch{head: head, body: body, codec: codecNone, by: by, store: store}
	rows := head.int(0, 8, 0)
	if rows < 0 || rows > maxRows {
		return nil, fmt.Errorf("a batch has %d rows", rows)
	}
	b.rows = int(rows)
	b.nodes, b.nodesLeft = head.vector(1, 16)
	b.buffers, b.buffersLeft = head.vector(2, 16)
	b.counts, b.countsLeft = head.vector(4, 8)
	if packing, ok := head.table(3); ok {
		b.codec = int(packing.int(0, 1, 0))
		if b.codec != codecLZ4 && b.codec != codecZstd || packing.int(1, 1, 0) != 0 {
			return nil, unread(fmt.Sprintf("is packed in the unknown way %d", b.codec))
		}
	}
	if *head.bad {
		return nil, errDamaged
	}
	return b, nil
}

// buffer returns the next buffer, unpacked.
func (b *batch) buffer() ([]byte, error) {
	if b.buffersLeft == 0 {
		return nil, errDamaged
	}
	at, n := int64(b.head.uint64(b.buffers)), int64(b.head.uint64(b.buffers+8))
	b.buffers += 16
	b.buffersLeft--
	if at < 0 || n < 0 || n > int64(len(b.body)) || at > int64(len(b.body))-n {
		return nil, errDamaged
	}
	return b.by.unpack(b.codec, b.body[at:at+n], b.store)
}

// column returns the next column, which must have as many values as the batch has
// rows, and buffers that hold them.
func (b *batch) column(l layout) (*cells, error) {
	if b.nodesLeft == 0 {
		return nil, errDamaged
	}
	rows, nulls := int64(b.head.uint64(b.nodes)), int64(b.head.uint64(b.nodes+8))
	b.nodes += 16
	b.nodesLeft--
	if rows != int64(b.rows) {
		return nil, fmt.Errorf("a column has %d values for %d rows", rows, b.rows)
	}
	c := &cells{layout: l, rows: b.rows}
	if l.kind == kindNull {
		return c, nil
	}
	var err error
	if c.valid, err = b.buffer(); err != nil {
		return nil, err
	}
	if nulls == 0 || len(c.valid) == 0 {
		c.valid = nil
	}
	if c.data, err = b.buffer(); err != nil {
		return nil, err
	}
	switch l.kind {
	case kindText:
		c.texts, err = b.buffer()
	case kindView:
		err = b.views(c)
	}
	if err != nil {
		return nil, err
	}
	return c, c.check(nulls)
}

// views reads the buffers that views point to.
func (b *batch) views(c *cells) error {
	if b.countsLeft == 0 {
		return errDamaged
	}
	n := b.head.uint64(b.counts)
	b.counts += 8
	b.countsLeft--
	if n > uint64(b.buffersLeft) {
		return errDamaged
	}
	for range n {
		part, err := b.buffer()
		if err != nil {
			return err
		}
		c.parts = append(c.parts, part)
	}
	return nil
}

// check returns an error if buffers are too short for the rows.
func (c *cells) check(nulls int64) error {
	bits := (c.rows + 7) / 8
	need := int64(c.rows) * int64(c.width)
	switch c.kind {
	case kindBool:
		need = int64(bits)
	case kindText:
		if need += int64(c.width); c.rows == 0 {
			need = 0
		}
	}
	if int64(len(c.data)) < need || c.valid != nil && len(c.valid) < bits || nulls < 0 || nulls > int64(c.rows) {
		return errDamaged
	}
	if nulls > 0 && c.valid == nil {
		return errDamaged
	}
	return nil
}
