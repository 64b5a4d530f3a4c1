package dataset

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/file"
	"github.com/kerf-ml/kerf/data/idx"
	"github.com/kerf-ml/kerf/data/lines"
	"github.com/kerf-ml/kerf/data/npy"
)

// withFiles adds to rows what the options have in files of its own.
func withFiles(ctx context.Context, rest next, o *Options) (next, error) {
	if o.Labels != "" {
		labels, coded, err := readLabels(ctx, o)
		if err != nil {
			return nil, err
		}
		rest = beside(rest, o.Labels, "labels", len(labels), func(r *Rows, lo, hi int) {
			r.Labels, r.Coded = labels[lo:hi], coded
		})
	}
	if o.Weights != "" {
		weights, err := readWeights(ctx, o)
		if err != nil {
			return nil, err
		}
		rest = beside(rest, o.Weights, "weights", len(weights), func(r *Rows, lo, hi int) { r.Weights = weights[lo:hi] })
	}
	return rest, nil
}

// beside adds to rows n things of another file, one each: those from lo to hi-1
// to each part.
func beside(rest next, path, what string, n int, add func(r *Rows, lo, hi int)) next {
	used := 0
	fault := func(problem string) error {
		return &data.InputError{File: path, Problem: problem, Advice: "give the " + what + " of this data"}
	}
	return func(max int) (*Rows, error) {
		r, err := rest(max)
		if errors.Is(err, io.EOF) && used < n {
			return nil, fault(fmt.Sprintf("there are %d %s for %d rows", n, what, used))
		}
		if err != nil {
			return nil, err
		}
		whole := max <= 0
		if used+r.Len() > n || whole && r.Len() < n {
			rows := "more rows"
			if whole {
				rows = fmt.Sprintf("%d rows", r.Len())
			}
			return nil, fault(fmt.Sprintf("there are %d %s and %s", n, what, rows))
		}
		add(r, used, used+r.Len())
		used += r.Len()
		return r, nil
	}
}

// readLabels reads a file of labels: IDX, NPY, or one a line. coded says that they are
// bytes.
func readLabels(ctx context.Context, o *Options) (labels []string, coded bool, err error) {
	f, err := openFile(ctx, o.Labels, o)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	switch head := f.Head(); {
	case idx.Begins(head):
		labels, err = idx.ReadLabels(ctx, f, f.Name)
		return labels, idx.HoldsBytes(head), err
	case npy.Begins(head):
		labels, err = npy.ReadLabels(ctx, f, f.Name)
	default:
		labels, _, err = lines.NewReader(f, lines.Options{Name: f.Name}).Read(ctx, 0)
	}
	return labels, false, err
}

// readWeights reads a file of weights, one a line. Blank lines at its end do not
// count.
func readWeights(ctx context.Context, o *Options) ([]float64, error) {
	f, err := openFile(ctx, o.Weights, o)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	scan := file.NewScanner(f, f.Name)
	var out []float64
	blank := 0 // the first of the blank lines that were just read
	for {
		line, err := scan.Next()
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		text, at := trimmed(line), scan.Line()
		switch {
		case text == "" && blank == 0:
			blank = at
		case text == "":
		case blank > 0:
			return nil, scan.FaultIn(blank, "the line has no weight", "write one a row, 0 to leave the row out")
		default:
			w, ok := parseWeight(text)
			if !ok {
				return nil, scan.FaultIn(at, fmt.Sprintf("the weight %q cannot be used", clip(text)),
					weightAdvice+", one a line")
			}
			out = append(out, w)
		}
	}
}
