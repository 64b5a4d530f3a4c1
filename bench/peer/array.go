package peer

import (
	"bufio"
	"context"
	"io"
	"os"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/npy"
)

// Array reads an array that the Python side wrote, some rows at a time into
// memory that is there already.
func Array(ctx context.Context, path string) (*data.Matrix, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, err := npy.NewReader(bufio.NewReaderSize(f, 1<<20), path)
	if err != nil {
		return nil, err
	}
	m := data.NewMatrix(r.Rows(), r.Cols())
	for at := 0; ; {
		part, err := r.Read(ctx, 10_000)
		if err == io.EOF {
			return m, nil
		}
		if err != nil {
			return nil, err
		}
		at += copy(m.Data[at:], part.Data)
	}
}

// Sparse puts sparse rows together from their three arrays.
func Sparse(cols int, ptr, index, value *data.Matrix) *data.CSR {
	m := &data.CSR{Cols: cols, Ptr: make([]int, len(ptr.Data)), Index: make([]int32, len(index.Data)), Value: value.Data}
	for i, p := range ptr.Data {
		m.Ptr[i] = int(p)
	}
	for k, j := range index.Data {
		m.Index[k] = int32(j)
	}
	return m
}
