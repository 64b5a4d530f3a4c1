package parquet

import (
	"bytes"

	"github.com/kerf-ml/kerf/data/file"
)

// Begins reports whether content begins as a Parquet file does, and is no text
// that happens to.
func Begins(head []byte) bool { return bytes.HasPrefix(head, []byte("PAR1")) && file.LooksBinary(head) }
