package parquet_test

import (
	"bytes"
	"testing"

	"github.com/kerf-ml/kerf/data/parquet"
	"github.com/kerf-ml/kerf/data/table"
	"github.com/kerf-ml/kerf/kerftest"
	"github.com/kerf-ml/kerf/run"
)

func TestWholeColumns(t *testing.T) {
	read := func(content []byte, to table.Sink, workers int) (kerftest.TableReader, error) {
		r, err := parquet.NewReader(bytes.NewReader(content), int64(len(content)), "f", to)
		if err != nil {
			return nil, err
		}
		r.Run = run.Control{Workers: workers}
		return r, nil
	}
	kerftest.WholeColumns(t, "testdata/*.parquet", read)
}
