package cli

import "github.com/kerf-ml/kerf/dataset"

// formFor returns the form of a file by its ending, CSV for standard output.
func formFor(path string) (dataset.NewWriter, error) {
	if err := writable(path); err != nil {
		return nil, err
	}
	form, err := dataset.WriterFor(path)
	return form, flagged(err)
}
