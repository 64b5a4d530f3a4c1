package dataset

import "github.com/kerf-ml/kerf/data/file"

// FormatOf returns the name of the format of a file.
func FormatOf(f *file.File) (string, error) {
	found, err := detect(f)
	if err != nil {
		return "", err
	}
	return found.name, nil
}

// IsBinary is what files are opened with.
var IsBinary = isBinary
