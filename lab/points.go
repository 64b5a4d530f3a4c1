package lab

import (
	"context"
	"fmt"
	"slices"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/gen"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/model"
)

// points are labelled points of the plane.
type points struct {
	x       *data.Matrix
	y       []int
	classes []string
	axes    [2]string
	notes   []string

	// pool are the rows that landmarks are drawn from, nil for all. Fresh are points that
	// had no part in choosing them: the rest, or a draw of its own, which then has classes.
	pool   []int
	fresh  *data.Matrix
	freshY []int
}

// Streams of random numbers.
const (
	streamFresh uint64 = 1 << 20
	streamPool  uint64 = 1<<20 + 1
)

// points makes or finds the points of a state.
func (l *Lab) points(ctx context.Context, s *State) (*points, error) {
	p := &points{x: data.NewMatrix(0, 2), classes: []string{"-1", "1"}, axes: [2]string{"x", "y"}}
	switch s.Data {
	case DataDrawn:
	case DataTable:
		t, err := l.table(s.Table)
		if err != nil {
			return nil, err
		}
		if p, err = t.points(s); err != nil {
			return nil, err
		}
	default:
		if err := p.make(ctx, s); err != nil {
			return nil, err
		}
	}
	for _, d := range s.Drawn {
		p.x.Data, p.x.Rows = append(p.x.Data, d[0], d[1]), p.x.Rows+1
		p.y = append(p.y, int(d[2]))
	}
	if len(p.y) == 0 {
		return nil, refused("there are no points; draw some, or choose data")
	}
	seen := make([]bool, len(p.classes))
	for _, c := range p.y {
		seen[c] = true
	}
	if missing := slices.Index(seen, false); missing >= 0 {
		return nil, refused("there is no point of class %s; a separator needs both", p.classes[missing])
	}
	if p.fresh == nil {
		p.split(s)
	}
	return p, nil
}

// make draws points, and as many fresh ones.
func (p *points) make(ctx context.Context, s *State) error {
	o := gen.Defaults()
	o.N, o.Noise, o.Seed, o.Dim = s.N, s.Noise, uint64(s.Seed), 2
	var err error
	if p.x, p.y, err = drawn(ctx, s.Data, o); err != nil {
		return err
	}
	// What is nowhere random has no fresh points: the next ones would be the same.
	if s.Data == "interleaved" {
		return nil
	}
	o.Seed = seed.Derive(o.Seed, streamFresh)
	p.fresh, p.freshY, err = drawn(ctx, s.Data, o)
	return err
}

// drawn returns points of a generator in the plane; those of a line are on the first axis.
func drawn(ctx context.Context, name string, o gen.Options) (*data.Matrix, []int, error) {
	x, labels, err := gen.Make(ctx, name, o)
	if err != nil {
		return nil, nil, err
	}
	out, y := data.NewMatrix(x.Rows, 2), make([]int, x.Rows)
	for i, label := range labels {
		copy(out.Row(i), x.Row(i))
		if label == "1" {
			y[i] = 1
		}
	}
	return out, y, nil
}

// split sets points aside that landmarks are not drawn from, for the certificate: those
// that are left are then independent of the map. Learners learn from all.
func (p *points) split(s *State) {
	n := len(p.y)
	aside := int(model.FreshPart * float64(n))
	order := seed.Stream(uint64(s.Seed), streamPool, 0).Perm(n)
	p.pool, p.fresh = slices.Sorted(slices.Values(order[aside:])), data.NewMatrix(aside, 2)
	for i, row := range order[:aside] {
		copy(p.fresh.Row(i), p.x.Row(row))
	}
}

// sample returns the points as learners take them.
func (p *points) sample() model.Sample[data.Vector] {
	return model.Sample[data.Vector]{Task: model.Classify, X: p.x, Y: p.y, Classes: data.NewClasses(p.classes)}
}

// signs returns +1 for points of a class and -1 for others.
func (p *points) signs(class int) []float64 {
	out := make([]float64, len(p.y))
	for i, c := range p.y {
		out[i] = -1
		if c == class {
			out[i] = 1
		}
	}
	return out
}

// view returns the window that holds all points with some room around: left, bottom,
// right, top. Its sides are alike, so that angles are what they look. Where all points are
// drawn by hand it holds the square from -1 to 1, and does not move with each of them.
func (p *points) view(byHand bool) [4]float64 {
	low, high := [2]float64{p.x.Data[0], p.x.Data[1]}, [2]float64{p.x.Data[0], p.x.Data[1]}
	if byHand {
		low, high = [2]float64{-1, -1}, [2]float64{1, 1}
	}
	for i := range p.x.Rows {
		for j, v := range p.x.Row(i) {
			low[j], high[j] = min(low[j], v), max(high[j], v)
		}
	}
	half := 0.55 * max(high[0]-low[0], high[1]-low[1])
	if half == 0 {
		half = 1
	}
	x, y := (low[0]+high[0])/2, (low[1]+high[1])/2
	return [4]float64{x - half, y - half, x + half, y + half}
}

// fault is a request that cannot be answered, and why.
type fault struct {
	status int
	text   string
}

func (f *fault) Error() string { return f.text }

// refused returns the fault of a request that is understood and cannot be computed.
func refused(format string, args ...any) error { return &fault{422, fmt.Sprintf(format, args...)} }

// shuffled returns rows in a random order.
func shuffled(rows []int, s uint64) []int {
	out := make([]int, len(rows))
	for i, j := range seed.Stream(s, streamPool, 1).Perm(len(rows)) {
		out[i] = rows[j]
	}
	return out
}
