package parquet

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
)

// lz4Ratio bounds how many times larger a text can be than its LZ4 block: a byte of
// a length stands for at most 255.
const lz4Ratio = 255

// checkLZ4 unpacks the pages of the columns of a group that are packed by LZ4,
// because parquet-go takes every damage of such a page for a lack of room and
// doubles the room until there is no memory left.
func checkLZ4(file *io.SectionReader, group *format.RowGroup) error {
	var room []byte
	for i := range group.Columns {
		c := &group.Columns[i].MetaData
		if c.Codec != format.Lz4Raw {
			continue
		}
		from := c.DataPageOffset
		if c.DictionaryPageOffset != 0 {
			from = c.DictionaryPageOffset
		}
		size := c.TotalCompressedSize
		if from < 0 || size < 0 || size > file.Size()-from {
			return fmt.Errorf("a column of %d bytes is said to begin at byte %d of %d", size, from, file.Size())
		}
		pages := bufio.NewReader(io.NewSectionReader(file, from, size))
		for {
			if _, err := pages.Peek(1); err == io.EOF {
				break
			}
			var err error
			if room, err = unpackLZ4(pages, size, room); err != nil {
				return err
			}
		}
	}
	return nil
}

// unpackLZ4 unpacks the next page of at most limit bytes into room, which it
// returns, grown where it was too small.
func unpackLZ4(pages *bufio.Reader, limit int64, room []byte) ([]byte, error) {
	var header format.PageHeader
	var protocol thrift.CompactProtocol
	if err := thrift.NewDecoder(protocol.NewReader(pages)).Decode(&header); err != nil {
		return room, err
	}
	packed, size := int64(header.CompressedPageSize), int64(header.UncompressedPageSize)
	if packed < 0 || packed > limit || size < 0 || size > lz4Ratio*(packed+1) {
		return room, fmt.Errorf("a page of %d bytes is said to unpack to %d", packed, size)
	}
	if int64(len(room)) < packed+size {
		room = make([]byte, packed+size)
	}
	page := room[:packed]
	if _, err := io.ReadFull(pages, page); err != nil {
		return room, err
	}
	if h := header.DataPageHeaderV2; h.Valid {
		levels := int64(h.V.RepetitionLevelsByteLength) + int64(h.V.DefinitionLevelsByteLength)
		if levels < 0 || levels > packed {
			return room, fmt.Errorf("a page of %d bytes is said to have %d bytes of levels", packed, levels)
		}
		if h.V.IsCompressed.Valid && !h.V.IsCompressed.V {
			return room, nil
		}
		page = page[levels:]
	}
	if _, err := lz4.UncompressBlock(page, room[packed:packed+size]); err != nil {
		return room, errors.New("a page packed by LZ4 is damaged")
	}
	return room, nil
}
