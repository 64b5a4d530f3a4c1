package repro

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/gen"
	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/dataset"
)

// practiceSet is a data set, divided.
type practiceSet struct {
	name        string
	train, test data.Labeled[data.Vector, string]
}

// practiceFile is a public data set and what stands for it where it is not there.
type practiceFile struct {
	file, target string
	scale        scale.Kind
	instead      string
	o            gen.Options
	quick        bool // of a quick run too
}

// practiceFiles are vectors of 2 to 26 classes, from 101 rows on.
func practiceFiles() []practiceFile {
	noisy := gen.Options{N: 2500, Noise: 0.1, Margin: 0.05, Dim: 20}
	clean := gen.Options{N: 2500, Margin: 0.2, Dim: 100}
	return []practiceFile{
		{"heart.libsvm.gz", "", scale.None, "circle", noisy, true},
		{"sonar.csv.gz", "last", scale.Standard, "halfspace", noisy, true},
		{"house-votes.csv.gz", "", scale.Standard, "halfspace", clean, false},
		{"zoo.csv.gz", "last", scale.Standard, "rings", clean, false},
		{"svmguide1.libsvm.gz", "", scale.Standard, "moons", noisy, true},
		{"letter.libsvm.gz", "", scale.None, "xor", clean, false},
		{"ijcnn1.libsvm.gz", "", scale.None, "rings", noisy, false},
		{"a9a.libsvm.gz", "", scale.None, "xor", noisy, false},
		{"covtype20k.csv.gz", "last", scale.Standard, "circle", clean, false},
		{"mnist-train-images.idx.gz", "", scale.None, "moons", clean, false},
	}
}

// practiceSets reads the data sets, or makes those that are not there.
func practiceSets(ctx context.Context, p Params) ([]practiceSet, error) {
	folder := os.Getenv("KERF_DATA")
	if folder == "" {
		folder = filepath.Join("..", "shared", "data")
	}
	var out []practiceSet
	for i, f := range practiceFiles() {
		if p.Quick && !f.quick {
			continue
		}
		s, err := f.read(ctx, p, i, filepath.Join(folder, f.file))
		if errors.Is(err, fs.ErrNotExist) {
			s, err = f.make(ctx, p, i)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// divided returns the numbers of rows to train and to test on, at random.
func divided(p Params, part, n int) (train, test []int) {
	order := p.rng(1, part).Perm(n)
	first := min(7*n/10, p.pick(3000, 400))
	return order[:first], order[first:min(n, first+p.pick(3000, 400))]
}

func (f practiceFile) read(ctx context.Context, p Params, part int, path string) (practiceSet, error) {
	if _, err := os.Stat(path); err != nil {
		return practiceSet{}, err
	}
	o := dataset.Options{Target: f.target, Run: p.single()}
	if dataset.LabelsBeside(path, "IDX") != "" {
		o.Labels = dataset.LabelsBeside(path, "IDX")
	}
	rows, err := dataset.Recognise(ctx, path, o, true)
	if err != nil {
		return practiceSet{}, err
	}
	train, test := divided(p, part, rows.Len())
	e, err := dataset.Fit(rows, train, f.scale, o)
	if err != nil {
		return practiceSet{}, err
	}
	d, err := dataset.Decode[data.Vector](e, rows)
	return f.set(f.file, d, train, test), err
}

// make makes the data set that stands for one that is not there.
func (f practiceFile) make(ctx context.Context, p Params, part int) (practiceSet, error) {
	f.o.Seed = p.seedOf(2, part)
	x, labels, err := gen.Make(ctx, f.instead, f.o)
	if err != nil {
		return practiceSet{}, err
	}
	train, test := divided(p, part, x.Rows)
	return f.set(f.instead+" for "+f.file, data.Labeled[data.Vector, string]{X: x, Y: labels}, train, test), nil
}

func (f practiceFile) set(name string, d data.Labeled[data.Vector, string], train, test []int) practiceSet {
	part := func(index []int) data.Labeled[data.Vector, string] {
		out := data.Labeled[data.Vector, string]{}
		var x data.Slice[data.Vector]
		for _, i := range index {
			x, out.Y = append(x, d.X.At(i)), append(out.Y, d.Y[i])
		}
		out.X = x
		return out
	}
	if d.X == nil {
		return practiceSet{}
	}
	return practiceSet{name, part(train), part(test)}
}
