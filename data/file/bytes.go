package file

import (
	"bytes"
	"fmt"
	"io"

	"github.com/kerf-ml/kerf/data"
)

// Bytes reads all content that was not read yet into memory, for formats that
// must be read at random places, as Parquet must. It returns a *data.InputError,
// having read no more, when there are more than limit bytes.
func (f *File) Bytes(limit int64) ([]byte, error) {
	var all bytes.Buffer
	n, err := io.Copy(&all, io.LimitReader(f.text, limit))
	if err != nil {
		return nil, err
	}
	if n == limit {
		if _, err := f.text.Peek(1); err != io.EOF {
			if err != nil {
				return nil, err
			}
			return nil, &data.InputError{
				File:    f.Name,
				Problem: fmt.Sprintf("holds more than %d bytes, and files of its format are read as a whole", limit),
				Advice:  "allow more memory, or convert the file to CSV",
			}
		}
	}
	return all.Bytes(), nil
}
