package parquet

import "encoding/binary"

// plainTexts are texts one after the other, of a fixed width, or after their
// lengths where width is 0.
type plainTexts struct {
	noNumbers
	data  []byte
	width int
}

func (v *plainTexts) texts(dst []string) error {
	for i := range dst {
		n := uint64(v.width)
		if v.width == 0 {
			if len(v.data) < 4 {
				return errDamaged
			}
			n = uint64(binary.LittleEndian.Uint32(v.data))
			v.data = v.data[4:]
		}
		if n > uint64(len(v.data)) {
			return errDamaged
		}
		dst[i] = string(v.data[:n])
		v.data = v.data[n:]
	}
	return nil
}

// deltaTexts are texts whose lengths stand before all of them.
type deltaTexts struct {
	noNumbers
	lengths *delta
	data    []byte
}

func newDeltaTexts(data []byte) (*deltaTexts, error) {
	lengths, err := newDelta(data)
	if err != nil {
		return nil, err
	}
	rest, err := lengths.after()
	return &deltaTexts{lengths: lengths, data: rest}, err
}

// next returns the next text, which shares memory with the page.
func (v *deltaTexts) next() ([]byte, error) {
	n, err := v.lengths.next()
	if err != nil || n < 0 || n > int64(len(v.data)) {
		return nil, errDamaged
	}
	text := v.data[:n:n]
	v.data = v.data[n:]
	return text, nil
}

func (v *deltaTexts) texts(dst []string) error {
	for i := range dst {
		text, err := v.next()
		if err != nil {
			return err
		}
		dst[i] = string(text)
	}
	return nil
}

// prefixed are texts of which only what differs from the beginning of the one
// before is written.
type prefixed struct {
	noNumbers
	prefixes *delta
	rest     *deltaTexts
	last     []byte
	store    *store
}

func newPrefixed(data []byte, store *store) (*prefixed, error) {
	prefixes, err := newDelta(data)
	if err != nil {
		return nil, err
	}
	data, err = prefixes.after()
	if err != nil {
		return nil, err
	}
	rest, err := newDeltaTexts(data)
	return &prefixed{prefixes: prefixes, rest: rest, store: store}, err
}

// texts makes texts anew. A few bytes can stand for a long one, so that what a call
// makes is held to what pages may take.
func (v *prefixed) texts(dst []string) error {
	made := int64(0)
	defer func() { _ = v.store.take(-made) }()
	for i := range dst {
		n, err := v.prefixes.next()
		if err != nil || n < 0 || n > int64(len(v.last)) {
			return errDamaged
		}
		end, err := v.rest.next()
		if err != nil {
			return err
		}
		size := n + int64(len(end))
		if err := v.store.take(size); err != nil {
			return err
		}
		made += size
		v.last = append(v.last[:n], end...)
		dst[i] = string(v.last)
	}
	return nil
}
