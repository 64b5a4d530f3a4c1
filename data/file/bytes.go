package file

import (
	"fmt"
	"io"

	"github.com/kerf-ml/kerf/data"
)

// Bytes reads all content that was not read yet into memory, for formats that
// must be read at random places, as Parquet must. It returns a *data.InputError,
// having read no more, when there are more than limit bytes.
func (f *File) Bytes(limit int64) ([]byte, error) {
	var all []byte
	for part := make([]byte, HeadSize); int64(len(all)) < limit; {
		n, err := f.Read(part[:min(limit-int64(len(all)), HeadSize)])
		all = append(all, part[:n]...)
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
	}
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
	return all, nil
}
