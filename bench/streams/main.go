// Command streams measures what a file costs beside rows in memory: CPU seconds to predict and to
// map the rows of a CSV file by a model, as kerf predict and kerf map do without what they write, beside the
// same of the same rows in memory, with the same workers, in turns. Usage:
//
//	go run ./bench/streams MODEL FILE.csv
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"slices"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/job"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/run"
)

const (
	turns = 5
	most  = 1000 // rows whose features are made at a time
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 3 {
		log.Fatal("usage: streams MODEL FILE.csv")
	}
	if err := measure(context.Background(), os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err)
	}
}

func measure(ctx context.Context, name, path string) error {
	m, err := model.Load(name)
	if err != nil {
		return err
	}
	p, ok := m.Vectors()
	if !ok {
		return fmt.Errorf("%s: is no model of vectors", name)
	}
	o := job.PredictOptions{Options: job.NewOptions()}
	ctl := run.Control{}
	var parts []data.Source[data.Vector] // the rows as instances
	read := func(keep bool) error {
		return m.Encoding.Stream(ctx, path, dataset.Options{Run: ctl}, func(r *dataset.Rows) error {
			d, err := dataset.Decode[data.Vector](m.Encoding, r)
			if keep && err == nil {
				parts = append(parts, d.X)
			}
			return err
		})
	}
	if err := read(true); err != nil {
		return err
	}
	works := []struct {
		name string
		do   func() error
	}{
		{"read", func() error { return read(false) }},
		{"predict, memory", func() error {
			return each(parts, func(x data.Source[data.Vector]) error { _, err := p.ScoreAll(ctx, ctl, x); return err })
		}},
		{"predict, file", func() error {
			return job.Predict(ctx, m, path, o, func(*job.Predictions) error { return nil })
		}},
		{"map, memory", func() error {
			return each(parts, func(x data.Source[data.Vector]) error {
				for lo := 0; lo < x.Len(); lo += most {
					part := data.Range[data.Vector]{Of: x, Lo: lo, Hi: min(lo+most, x.Len())}
					if _, err := feature.Apply(ctx, ctl, p.Map, part); err != nil {
						return err
					}
				}
				return nil
			})
		}},
		{"map, file", func() error {
			_, err := job.MapFeatures(ctx, m, path, o.Options, func(*data.Matrix, []string) error { return nil })
			return err
		}},
	}
	spent := make([][]float64, len(works))
	for range turns {
		for k, w := range works {
			before := cpu()
			if err := w.do(); err != nil {
				return err
			}
			spent[k] = append(spent[k], cpu()-before)
		}
	}
	middle := func(k int) float64 { return slices.Sorted(slices.Values(spent[k]))[turns/2] }
	for k, w := range works {
		fmt.Printf("%-16s %6.2f CPU s (%.2f to %.2f)\n", w.name, middle(k), slices.Min(spent[k]), slices.Max(spent[k]))
	}
	fmt.Printf("speed of memory: predict %.0f%%, map %.0f%%\n", 100*middle(1)/middle(2), 100*middle(3)/middle(4))
	return nil
}

// each does something with all parts.
func each(parts []data.Source[data.Vector], do func(x data.Source[data.Vector]) error) error {
	for _, x := range parts {
		if err := do(x); err != nil {
			return err
		}
	}
	return nil
}
