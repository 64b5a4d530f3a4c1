package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// chunk decodes the values of a column in a group.
type chunk struct {
	column *column
	given  bool // the sink has its values
	pages  pages
	dict   *dictionary
	held   int64 // bytes of the dictionary

	left   int  // rows left in the page
	levels bool // it says which rows are missing
	runs   hybrid
	bits   []byte // the same in an older way, most significant bit first
	at     int
	values values
	room   []uint32

	numbers []float64 // room for those of a dictionary
}

// read decodes the next rows of a group, as many as missing has. Those that are
// not missing stand one after the other at the beginning of numbers or texts; it returns how many.
func (c *chunk) read(missing []bool, numbers []float64, texts []string) (some int, err error) {
	for len(missing) > 0 {
		for c.left == 0 {
			if err := c.page(); err != nil {
				return 0, err
			}
		}
		n := min(c.left, len(missing))
		there, err := c.present(missing[:n])
		if err != nil {
			return 0, err
		}
		some += there
		if c.column.text() {
			err = c.values.texts(texts[:there])
			texts = texts[there:]
		} else {
			err = c.values.numbers(numbers[:there])
			numbers = numbers[there:]
		}
		if err != nil {
			return 0, err
		}
		c.left -= n
		missing = missing[n:]
	}
	return some, nil
}

// present says which rows are missing, and returns how many are not.
func (c *chunk) present(missing []bool) (int, error) {
	there := len(missing)
	switch {
	case !c.levels:
		clear(missing)
	case c.bits != nil:
		if c.at+len(missing) > 8*len(c.bits) {
			return 0, errDamaged
		}
		for i := range missing {
			missing[i] = c.bits[c.at>>3]>>(7-c.at&7)&1 == 0
			c.at++
			if missing[i] {
				there--
			}
		}
	default:
		if n, level, err := c.runs.same(there); err != nil {
			return 0, err
		} else if n == there && level == 1 {
			c.runs.left -= n
			clear(missing)
			return there, nil
		}
		c.room = grow(c.room, len(missing))
		if err := c.runs.read(c.room); err != nil {
			return 0, err
		}
		for i, level := range c.room {
			if missing[i] = level != 1; missing[i] {
				there--
			}
		}
	}
	return there, nil
}

// page begins the next page of values, which may be empty.
func (c *chunk) page() error {
	h, data, err := c.pages.next()
	if err != nil {
		return err
	}
	switch h.kind {
	case pageDict:
		return c.setDictionary(h, data)
	case pageData, pageDataV2:
	default:
		return nil
	}
	if h.values < 0 || h.values > 1<<31 {
		return fmt.Errorf("a page is said to have %d values", h.values)
	}
	c.left = int(h.values)
	if h.kind == pageData {
		data, err = c.setLevels(h, data)
	} else {
		levels := data[h.repeatBytes : h.repeatBytes+h.levelBytes]
		data = data[h.repeatBytes+h.levelBytes:]
		c.levels, c.bits = c.column.optional, nil
		c.runs, err = newHybrid(levels, 1)
	}
	if err != nil {
		return err
	}
	c.values, err = newValues(c.column, h.encoding, data, c.dict, c.pages.store)
	return err
}

// setLevels finds the levels at the beginning of a page of the first version, and
// returns the values.
func (c *chunk) setLevels(h pageHeader, data []byte) ([]byte, error) {
	c.levels, c.bits = c.column.optional, nil
	if !c.levels {
		return data, nil
	}
	switch h.levels {
	case encodingRuns:
		if len(data) < 4 {
			return nil, errDamaged
		}
		n := int64(binary.LittleEndian.Uint32(data))
		if data = data[4:]; n > int64(len(data)) {
			return nil, errDamaged
		}
		var err error
		c.runs, err = newHybrid(data[:n], 1)
		return data[n:], err
	case encodingBits:
		n := (h.values + 7) / 8
		if n > int64(len(data)) {
			return nil, errDamaged
		}
		c.bits, c.at = data[:n:n], 0
		return data[n:], nil
	}
	return nil, errDamaged
}

func (c *chunk) setDictionary(h pageHeader, data []byte) error {
	if c.dict != nil {
		return errors.New("a column has two dictionaries in a group")
	}
	if h.encoding != encodingPlain && h.encoding != encodingDictOld {
		return errDamaged
	}
	const perValue = 16 // the head of a text
	held := int64(len(data)) + perValue*min(max(h.values, 0), int64(len(data)))
	if err := c.pages.store.take(held); err != nil {
		return err
	}
	c.held = held
	var err error
	c.dict, err = newDictionary(c.column, data, h.values, c.numbers)
	if c.dict != nil && c.dict.numbers != nil {
		c.numbers = c.dict.numbers
	}
	return err
}

// release gives back what the chunk holds.
func (c *chunk) release() {
	c.pages.release()
	_ = c.pages.store.take(-c.held)
	c.dict, c.values, c.held, c.numbers = nil, nil, 0, nil
}
