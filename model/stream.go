package model

import (
	"context"
	"fmt"
	"time"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/linear"
	"github.com/kerf-ml/kerf/learn/stream"
	"github.com/kerf-ml/kerf/run"
	"github.com/kerf-ml/kerf/sums"
)

// Stream is a sample that need not fit in memory: its rows are read from the beginning
// as often as a fit asks for them, each time the same in the same order.
type Stream[T any] struct {
	Rows    int       // all of which have a positive weight
	Weight  float64   // sum of their weights, Rows where they have none
	Classes []float64 // the same of each class; nil for numbers

	// Near, where it is not nil, is a uniform sample of the rows, larger than the one that the
	// pipeline was fitted to: Newton's method begins with the minimum over these.
	Near *Sample[T]

	// Head, where it is not nil, hands over the first rows, as often as it is asked, of a
	// stream that can be read once: there are more than Rows, Weight and Classes say, which
	// are of these. Each is asked once, and Read told how many there were.
	Head func(ctx context.Context, use func(part Sample[T]) error) error
	Read func(rows int, weight float64)

	// Each hands the rows over in parts of any size, with the task and the classes of
	// the sample that the pipeline was fitted to.
	Each func(ctx context.Context, use func(part Sample[T]) error) error

	// Sum, where it is not nil, takes the sums of passes elsewhere, as stream.Sample has it,
	// with rows that are mapped by the pipeline and weighed so.
	Sum func(ctx context.Context, p *stream.Pass, w Weighing, merge func(part []byte) error) error

	// Dims are numbers of features, increasing and below those of the map, that ridge chooses
	// among beside these, by sums over folds: of F2 the first features are a map of their own.
	Dims []int

	Checkpoint learn.Checkpoint // where the state is kept; a round is a block of rows
}

// Weighing is how the rows of a stream are weighed.
type Weighing struct {
	Weighted bool      // they have weights, of their own or of their class
	Factor   []float64 // of the weights of each class; nil for numbers
}

// streamFolds is into how many parts the rows are divided to choose the penalty of
// ridge.
const streamFolds = 5

// RidgeSums is how many sums of products ridge has in memory at most while it chooses.
const RidgeSums = 2*streamFolds + 4

// streamPasses bounds the passes over a stream; Newton's method from the solution of a
// sample takes one to ten.
const streamPasses = 20

// Streams reports what keeps a learner from being fitted to a stream of so many classes,
// 0 of numbers, or to one that can be read once.
func Streams(l Learner, classes int, once bool) error {
	if l.Name() == LearnerFalkon {
		return nil
	}
	switch l := l.(type) {
	case Ridge:
		return nil
	case SVM:
		if l.Loss == linear.SquaredHinge {
			return nil
		}
		return fmt.Errorf("svm with the loss %s has no sums over rows; squared-hinge has", l.Loss)
	case Logistic:
		if classes <= 2 || !once {
			return nil
		}
		return fmt.Errorf("logistic of more than two classes takes several passes, and a pipe can be read once; " +
			"svm and ridge take one, and a file is read again")
	}
	return fmt.Errorf("%s needs all rows at once; ridge, svm, logistic and falkon learn from sums over rows", l.Name())
}

// FitStream fits the separators of a pipeline, which FitSample returned with t for a
// sample of the rows, to all rows of a stream. The map, the penalty that the sample was
// best with and the calibration stay; lambda of ridge and of falkon is chosen anew, from sums
// over folds of all rows. The report is that of the stream, the scores and margins are those
// of the sample.
//
// A learner that is not one of Streams is refused. When ctx ends while Newton's method
// runs the result is the best so far and the status says so; ridge has none before its
// pass is over, and returns the context's error.
func (r Recipe[T]) FitStream(ctx context.Context, p *Pipeline[T], t *Training, sample Sample[T], s Stream[T]) error {
	if err := Streams(r.Learner, sample.Classes.Len(), s.Head != nil); err != nil {
		return err
	}
	begun := time.Now()
	r, sample, err := r.ready(sample)
	if err != nil {
		return err
	}
	from := &streamed[T]{r: r, p: p, sample: sample, s: s}
	if from.factor, err = r.factors(sample.Classes, s.Classes, s.Weight); err != nil {
		return err
	}
	switch l := r.Learner.(type) {
	case Ridge:
		err = from.ridge(ctx, l, t)
	case Falkon[T]:
		err = from.falkon(ctx, l, t)
	case SVM:
		if s.Head != nil {
			err = from.once(ctx, l, stream.SquaredHinge, l.Tolerance, l.MaxPasses, l.Unit, t)
			break
		}
		err = from.newton(ctx, l, stream.SquaredHinge, l.Tolerance, l.MaxPasses, l.Unit, t)
	case Logistic:
		if s.Head != nil {
			err = from.once(ctx, l, stream.Logistic, l.Tolerance, l.MaxPasses, l.Unit, t)
			break
		}
		if sample.Classes.Len() > 2 {
			err = from.softmax(ctx, l, t)
			break
		}
		err = from.newton(ctx, l, stream.Logistic, l.Tolerance, l.MaxPasses, l.Unit, t)
	}
	if err != nil {
		return err
	}
	t.Elapsed += time.Since(begun)
	return score(after(ctx), r.Run.Quiet(), t, p, sample, nil, nil)
}

// streamed is a fit to a stream.
type streamed[T any] struct {
	r      Recipe[T]
	p      *Pipeline[T]
	sample Sample[T]
	s      Stream[T]
	factor []float64 // of the weights of each class
}

// weighted reports rows that have weights, of their own or of their class.
func (f *streamed[T]) weighted() bool {
	return f.sample.Weight != nil || f.r.ClassWeight != nil || f.r.Balanced
}

// features returns the stream of features.
func (f *streamed[T]) features() *stream.Sample {
	classes := f.sample.Task == Classify
	out := &stream.Sample{Dim: f.p.Map.Dim(), Rows: f.s.Rows, Weight: f.s.Weight, Unknown: f.s.Head != nil}
	weighted := f.weighted()
	if classes && weighted {
		out.Weight = 0
		for c, sum := range f.s.Classes {
			out.Weight += f.factor[c] * sum
		}
	}
	if f.s.Sum != nil {
		out.Sum = func(ctx context.Context, p *stream.Pass, merge func(part []byte) error) error {
			return f.s.Sum(ctx, p, Weighing{weighted, f.factor}, merge)
		}
	}
	out.Each = f.blocks(f.s.Each, weighted, f.p.features)
	return out
}

// similarities returns the stream of similarities to the landmarks, or of features where these do not
// follow from them closely enough.
func (f *streamed[T]) similarities() *stream.Sample {
	out := f.features()
	out.Basis = f.basis()
	out.Each = f.blocks(f.s.Each, f.weighted(), f.coordinates(out.Basis))
	return out
}

// basis is that of the similarities that rows are taken as; nil for features.
func (f *streamed[T]) basis() *stream.Basis {
	if b, landmarks := basisOf(f.p.Map); b != nil && tame(b, landmarks) {
		return b
	}
	return nil
}

// coordinates returns how rows are mapped.
func (f *streamed[T]) coordinates(b *stream.Basis) mapping[T] {
	if b == nil {
		return f.p.features
	}
	_, landmarks := basisOf(f.p.Map)
	return func(ctx context.Context, ctl run.Control, x data.Source[T]) (data.Source[data.Vector], error) {
		return feature.Apply(ctx, ctl, landmarks, x)
	}
}

// mapping makes coordinates of instances.
type mapping[T any] func(ctx context.Context, ctl run.Control, x data.Source[T]) (data.Source[data.Vector], error)

// mapped are features of some rows of a part.
type mapped[T any] struct {
	x    data.Source[data.Vector]
	part Sample[T]
	lo   int // the first of the rows
}

// blocks returns the blocks of features of rows that each hands over. Rows are mapped while
// those before are summed up.
func (f *streamed[T]) blocks(
	each func(ctx context.Context, use func(part Sample[T]) error) error, weighted bool, of mapping[T],
) func(ctx context.Context, from int, use func(b *sums.Block) error) error {
	return func(ctx context.Context, from int, use func(b *sums.Block) error) error {
		blocks, seen := sums.NewBlocks(f.p.Map.Dim(), f.sample.Task == Classify, weighted, use), 0
		blocks.From(from)
		most := dataset.PartOf(f.r.Run, 8*float64(f.p.Map.Dim())) // of which some are mapped, and some added up
		err := par.Ahead(ctx, f.r.Run, func(ctx context.Context, hand func(mapped[T]) error) error {
			return each(ctx, func(part Sample[T]) error {
				lo := min(max(0, from-seen), part.Len())
				seen += part.Len()
				for ; lo < part.Len(); lo += most {
					x, err := of(ctx, f.r.Run.Quiet(), data.Range[T]{Of: part.X, Lo: lo, Hi: min(lo+most, part.Len())})
					if err != nil {
						return Moved(err, lo)
					}
					if err := hand(mapped[T]{x, part, lo}); err != nil {
						return err
					}
				}
				return nil
			})
		}, func(m mapped[T]) error { return f.add(blocks, m) })
		if err != nil {
			return err
		}
		return blocks.End()
	}
}

// add adds rows to blocks.
func (f *streamed[T]) add(blocks *sums.Blocks, m mapped[T]) error {
	for i := range m.x.Len() {
		at := m.lo + i
		y, value, weight := 0, 0.0, weigh(m.part.Weight, at)
		if f.sample.Task == Classify {
			y = m.part.Y[at]
			weight *= f.factor[y]
		} else {
			value = m.part.Values[at]
		}
		if err := blocks.Add(m.x.At(i), y, value, weight); err != nil {
			return err
		}
	}
	return nil
}

// take puts functions of features into the pipeline.
func (f *streamed[T]) take(models []*stream.Function, unit float64) error {
	w, bias := data.NewMatrix(len(models), f.p.Map.Dim()), make([]float64, len(models))
	for k, m := range models {
		copy(w.Row(k), m.W)
		bias[k] = m.Bias
	}
	return f.p.take(w, bias, unit, nil, f.p.Map.Dim())
}

// newton fits a loss by Newton's method from the solution of the sample.
func (f *streamed[T]) newton(
	ctx context.Context, l Rated, loss stream.Loss, tolerance float64, passes int, unit float64, t *Training,
) error {
	rows := f.similarities()
	c := t.C
	if l.Rate() > 0 {
		c = rated(l.Rate(), rows.Weight)
	}
	start, err := f.start(ctx, c, rows.Weight, loss)
	if err != nil {
		return err
	}
	n := stream.Newton{Loss: loss, C: c, Tolerance: tolerance, MaxPasses: min(passes, streamPasses), Unit: unit,
		Seed: f.r.Seed, Start: start.functions, Active: start.active, Run: f.r.Run}
	near := n
	err = f.nearer(ctx, rows.Weight, rows.Basis, func(some *stream.Sample, times float64) error {
		near.C *= times
		fit, _, err := near.Fit(ctx, some, f.sample.Classes.Len())
		if err == nil {
			n.Start = fit.Models
		}
		return err
	})
	if err != nil {
		return err
	}
	n.Checkpoint, n.Cs = f.s.Checkpoint, penalties(l, t)
	fit, report, err := n.Fit(ctx, rows, f.sample.Classes.Len())
	if err != nil {
		return err
	}
	report.Elapsed = t.Elapsed
	t.Report, t.C = report, fit.C
	for _, c := range fit.Choices {
		t.Folds = append(t.Folds, Trial{Penalty: c.C, Error: c.Loss})
	}
	return f.take(fit.Models, unit)
}

// penalties are the values of C that the sample chose among; nil where nothing was chosen.
func penalties(l Rated, t *Training) (out []float64) {
	if l.Rate() > 0 || len(t.Trials) < 2 {
		return nil
	}
	for _, trial := range t.Trials {
		out = append(out, trial.Penalty)
	}
	return out
}

// softmax fits the multinomial loss of many classes from the solution of the sample, whose
// rows stand for all in the Hessian.
func (f *streamed[T]) softmax(ctx context.Context, l Logistic, t *Training) error {
	rows, classes := f.features(), f.sample.Classes.Len()
	c := t.C
	if l.Rate() > 0 {
		c = rated(l.Rate(), rows.Weight)
	}
	start, err := f.start(ctx, c, rows.Weight, stream.Logistic)
	if err != nil {
		return err
	}
	s := stream.Softmax{C: c, Tolerance: l.Tolerance, MaxPasses: min(l.MaxPasses, streamPasses), Unit: l.Unit,
		Start: start.functions, Curvature: start.rows(f.p.Map.Dim(), start.x.Len()), Run: f.r.Run}
	near := s
	err = f.nearer(ctx, rows.Weight, nil, func(some *stream.Sample, times float64) (err error) {
		near.C *= times
		s.Start, _, err = near.Fit(ctx, some, classes)
		return err
	})
	if err != nil {
		return err
	}
	s.Checkpoint = f.s.Checkpoint
	models, report, err := s.Fit(ctx, rows, classes)
	if err != nil {
		return err
	}
	report.Elapsed = t.Elapsed
	t.Report, t.C = report, c
	return f.take(models, l.Unit)
}

// nearer has the start moved to the minimum over the larger sample, where there is one, with
// a C that is so many times larger, by as much as its weight is less than that of all rows.
func (f *streamed[T]) nearer(
	ctx context.Context, weight float64, basis *stream.Basis, fit func(some *stream.Sample, times float64) error,
) error {
	near := f.s.Near
	if near == nil {
		return nil
	}
	some := &stream.Sample{Dim: f.p.Map.Dim(), Rows: near.Len(), Basis: basis}
	for i, y := range near.Y {
		some.Weight += weigh(near.Weight, i) * f.factor[y]
	}
	some.Each = f.blocks(func(ctx context.Context, use func(part Sample[T]) error) error {
		for lo := 0; lo < near.Len(); lo += nearPart {
			index := make([]int, min(nearPart, near.Len()-lo))
			for i := range index {
				index[i] = lo + i
			}
			if err := use(near.Select(index)); err != nil {
				return err
			}
		}
		return nil
	}, f.weighted(), f.coordinates(basis))
	if err := fit(some, weight/some.Weight); err != nil {
		return err
	}
	return ctx.Err()
}

// nearPart is how many rows of the larger sample are mapped at a time.
const nearPart = 4096

// once fits a loss in a single pass, from the minimum over the first rows.
func (f *streamed[T]) once(
	ctx context.Context, l Rated, loss stream.Loss, tolerance float64, passes int, unit float64, t *Training,
) error {
	rows := f.features()
	head := *rows
	head.Unknown, head.Each = false, f.blocks(f.s.Head, f.weighted(), f.p.features)
	c := t.C * float64(stream.First(head.Rows)) / float64(head.Rows)
	if l.Rate() > 0 {
		c = rated(l.Rate(), head.Weight)
	}
	start, err := f.start(ctx, c, head.Weight, loss)
	if err != nil {
		return err
	}
	classes, guard := f.sample.Classes.Len(), start.rows(rows.Dim, min(guardRows, start.x.Len()))
	start.x = nil // not needed any more
	n := stream.Newton{Loss: loss, C: c, Tolerance: tolerance, MaxPasses: min(passes, streamPasses), Unit: unit,
		Seed: f.r.Seed, Start: start.functions, Active: start.active, Run: f.r.Run}
	begun, _, err := n.Fit(ctx, &head, classes)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return err
	}
	start.functions = begun.Models
	o := stream.Once{Loss: loss, C: t.C, Rate: l.Rate(), Unit: unit, Seed: f.r.Seed, Start: start.functions,
		Known: head.Rows, Active: start.active, Guard: guard, Checkpoint: f.s.Checkpoint, Run: f.r.Run}
	fit, report, err := o.Fit(ctx, rows, classes)
	if err != nil {
		return err
	}
	report.Elapsed = t.Elapsed
	t.Report, t.C = report, fit.C
	f.s.Read(fit.Rows, fit.Weight)
	return f.take(fit.Models, unit)
}

// beginning is what a fit begins with.
type beginning struct {
	functions []*stream.Function
	active    []float64 // part of the rows that have curvature, of each separator

	x      data.Source[data.Vector] // features of the sample
	y      []int
	weight []float64 // nil for 1 each
}

// rows returns the first rows of the sample.
func (b *beginning) rows(dim, rows int) *sums.Block {
	out := &sums.Block{X: data.NewMatrix(rows, dim), Y: b.y[:rows]}
	for i := range rows {
		b.x.At(i).CopyTo(out.X.Row(i))
	}
	if b.weight != nil {
		out.Weight = b.weight[:rows]
	}
	return out
}

// guardRows is how many rows of the sample guard a single pass.
const guardRows = 2048

// start fits the sample with a C that is larger by as much as its rows are fewer: the
// separators are then near those of all rows.
func (f *streamed[T]) start(ctx context.Context, c, weight float64, loss stream.Loss) (*beginning, error) {
	x, err := f.p.features(ctx, f.r.Run.Quiet(), f.sample.X)
	if err != nil {
		return nil, err
	}
	r, mapped := f.r, withX(f.sample, x)
	r.Run = r.Run.Quiet()
	own, err := r.weights(mapped.Classes, mapped.Y, mapped.Weight)
	if err != nil {
		return nil, err
	}
	var begin []*linear.Separator
	for k := range f.p.Separators.Rows {
		begin = append(begin, &linear.Separator{W: f.p.Separators.Row(k), Bias: f.p.Bias[k], Unit: f.p.Unit})
	}
	fitted, _, err := fitAt(ctx, r, mapped, c*weight/total(own, mapped.Len()), begin)
	if err != nil {
		return nil, err
	}
	out := &beginning{x: x, y: mapped.Y, weight: own}
	unit := fitted.Unit
	for k := range fitted.Separators.Rows {
		s := &stream.Function{W: fitted.Separators.Row(k), Bias: fitted.Bias[k]}
		out.functions = append(out.functions, s)
		sum, class := 1.0, learn.PositiveClass(k, mapped.Classes.Len())
		for i := range x.Len() {
			m := x.At(i).DotWith(s.W) + s.Bias*unit
			if mapped.Y[i] != class {
				m = -m
			}
			sum += loss.Active(m)
		}
		out.active = append(out.active, min(1, sum/float64(x.Len())))
	}
	return out, nil
}
