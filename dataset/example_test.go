package dataset_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/dataset"
)

// A file is read, an encoding is fitted to its rows, and a record that comes later
// becomes the same kind of vector: size scaled as in the file, colour as one
// coordinate for each that the file has.
func Example() {
	dir, err := os.MkdirTemp("", "fruit")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "fruit.csv")
	const text = "size,colour,fruit\n10,green,apple\n12,red,apple\n2,red,cherry\n4,red,cherry\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		log.Fatal(err)
	}

	var o dataset.Options
	rows, err := dataset.Read(context.Background(), path, o)
	if err != nil {
		log.Fatal(err)
	}
	e, err := dataset.Fit(rows, nil, scale.Range, o)
	if err != nil {
		log.Fatal(err)
	}
	train, err := dataset.Decode[data.Vector](e, rows)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(e.Describe(rows.Len(), train.X))
	fmt.Println(train.X.At(0).Value, train.Y[0])

	one, err := e.Record(map[string]any{"size": 7, "colour": "green"})
	if err != nil {
		log.Fatal(err)
	}
	x, err := dataset.Decode[data.Vector](e, one)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(x.X.At(0).Value)
	// Output:
	// 2 columns: 1 number, 1 category → 3 coordinates
	// [0.6 1 0] apple
	// [0 1 0]
}
