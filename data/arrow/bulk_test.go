package arrow_test

import (
	"testing"

	"github.com/kerf-ml/kerf/data/table"
	"github.com/kerf-ml/kerf/kerftest"
	"github.com/kerf-ml/kerf/run"
)

func TestWholeColumns(t *testing.T) {
	read := func(content []byte, to table.Sink, workers int) (kerftest.TableReader, error) {
		r, err := open(content, to)
		if err != nil {
			return nil, err
		}
		r.Run = run.Control{Workers: workers}
		return r, nil
	}
	kerftest.WholeColumns(t, "testdata/*.arrow*", read)
}
