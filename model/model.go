package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/internal/atomicfile"
	"github.com/kerf-ml/kerf/learn/stream"
	"github.com/kerf-ml/kerf/run"
	"github.com/kerf-ml/kerf/spec"
)

// Model is a model of the rows of files: how rows become instances, and the
// pipeline of these. It takes rows and records as they stand in data, never
// instances: there is no way past the encoding. It is immutable and safe for
// concurrent use.
type Model struct {
	*Head
	Encoding *dataset.Encoding
	rows     rowPipeline
}

// rowPipeline is an encoding and a pipeline of instances of some type.
type rowPipeline interface {
	scores(ctx context.Context, ctl run.Control, r *dataset.Rows) (*data.Matrix, error)
	scoreMargins(ctx context.Context, ctl run.Control, r *dataset.Rows, y []int) (*data.Matrix, []float64, error)
	features(ctx context.Context, ctl run.Control, r *dataset.Rows) (*data.Matrix, error)
	basis() *stream.Basis
	f1(ctx context.Context, ctl run.Control, r *dataset.Rows) (*data.Matrix, error)
	eachFeatures(ctx context.Context, ctl run.Control, r *dataset.Rows, most int, use func(int, *data.Matrix) error) error
	encode(r *dataset.Rows) (any, error)
	scoreEncoded(ctx context.Context, ctl run.Control, parts []*Encoded) (*data.Matrix, error)
	featuresEncoded(ctx context.Context, ctl run.Control, parts []*Encoded) (*data.Matrix, error)
	columns(parts []*Encoded) ([]Column, error)
	value(x *Encoded, row int, c Column) string
	text(x *Encoded, row int) string
	empty() *Encoded
	swap(x *Encoded, to []int, from *Encoded, donors []int, c Column) (*Encoded, []int, error)
	pulls(ctx context.Context, x *Encoded, row, output int) (*Pulls, error)
	similarities(ctx context.Context, ctl run.Control, x *Encoded, row int, others *Encoded) ([]float64, error)
	landmarks(part int) *Encoded
	same(a *Encoded, i int, b *Encoded, j int) bool
	pick(x *Encoded, index []int) (*Encoded, error)
	diagonals() []PartMetric
	directions(ctx context.Context, ctl run.Control, most int) ([]*Directions, error)
	dim() int
	partCount() int
	width() int
	header() (Header, error)
	write(w io.Writer) error
}

// NewModel joins a pipeline to the encoding that its instances were made by.
func NewModel[T any](p *Pipeline[T], e *dataset.Encoding, kind Kind[T]) *Model {
	return &Model{Head: &p.Head, Encoding: e, rows: encoded[T]{p, e, kind}}
}

// ErrEncoded reports a model of rows that is opened as one of instances, and
// ErrPlain the reverse.
var (
	ErrEncoded = errors.New("the model is of the rows of a file, which it encodes itself; open it with model.Load")
	ErrPlain   = errors.New("the model is of instances of a Go type; open it with model.ReadFile and model.Open")
)

// Load reads a model of rows, such as kerf train writes.
func Load(path string) (*Model, error) {
	f, err := ReadFile(path)
	if err != nil {
		return nil, err
	}
	m, err := f.Model()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

// Model builds the model of a file.
func (f *File) Model() (*Model, error) {
	if len(f.Header.Schema) == 0 {
		return nil, ErrPlain
	}
	e, err := dataset.Parse(f.Header.Schema)
	if err != nil {
		return nil, damaged(err)
	}
	type result struct {
		m   *Model
		err error
	}
	r, err := spec.ForKind(dataset.Kind(f.Header.Instances),
		func(k spec.Kind[data.Vector]) result { m, err := openEncoded(f, e, k); return result{m, err} },
		func(k spec.Kind[string]) result { m, err := openEncoded(f, e, k); return result{m, err} },
		func(k spec.Kind[data.Set]) result { m, err := openEncoded(f, e, k); return result{m, err} })
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrKind, err)
	}
	return r.m, r.err
}

func openEncoded[T any](f *File, e *dataset.Encoding, kind spec.Kind[T]) (*Model, error) {
	p, err := open(f, Kind[T](kind))
	if err != nil {
		return nil, err
	}
	return NewModel(p, e, Kind[T](kind)), nil
}

// Scores returns the scores of rows, a row each.
func (m *Model) Scores(ctx context.Context, ctl run.Control, r *dataset.Rows) (*data.Matrix, error) {
	return m.rows.scores(ctx, ctl, r)
}

// ScoreMargins returns the scores and the margins of rows of classes y, -1 for the
// margin where the class is not known (-1). Each row is mapped once.
func (m *Model) ScoreMargins(
	ctx context.Context, ctl run.Control, r *dataset.Rows, y []int,
) (*data.Matrix, []float64, error) {
	return m.rows.scoreMargins(ctx, ctl, r, y)
}

// Features returns the features of rows, a row each.
func (m *Model) Features(ctx context.Context, ctl run.Control, r *dataset.Rows) (*data.Matrix, error) {
	return m.rows.features(ctx, ctl, r)
}

// EachFeatures hands over the features of rows, of at most so many rows at a time, with the
// place of the first of them.
func (m *Model) EachFeatures(
	ctx context.Context, ctl run.Control, r *dataset.Rows, most int, use func(first int, x *data.Matrix) error,
) error {
	return m.rows.eachFeatures(ctx, ctl, r, most, use)
}

// Vectors returns the pipeline of a model whose instances are vectors, for those who
// write it in another form; false for others. What it takes are encoded rows.
func (m *Model) Vectors() (*Pipeline[data.Vector], bool) {
	e, ok := m.rows.(encoded[data.Vector])
	return e.p, ok
}

// Dim returns the number of features of a row.
func (m *Model) Dim() int { return m.rows.dim() }

// Header says what the model is, as its file does.
func (m *Model) Header() (Header, error) { return m.rows.header() }

// Write writes the model in the file format.
func (m *Model) Write(w io.Writer) error { return m.rows.write(w) }

// Save writes the model to a file, whole or not at all.
func (m *Model) Save(path string) error { return atomicfile.Write(path, m.Write) }

// Prediction is what a model says of one record.
type Prediction struct {
	Label         string    `json:"label"`                   // of a model of numbers, the number as text
	Value         float64   `json:"value,omitempty"`         // the number
	Scores        []float64 `json:"scores"`                  // one a class, or the number
	Probabilities []float64 `json:"probabilities,omitempty"` // one a class, where the model has them
}

// Predict says what the model makes of a raw record, as dataset.Encoding.Record
// takes them: a map of columns, the cells of a CSV line, a struct, numbers, a
// string, a set. It is exactly what kerf predict prints for that row.
func (m *Model) Predict(record any) (Prediction, error) {
	all, err := m.PredictAll(context.Background(), run.Control{Workers: 1}, record)
	if err != nil {
		return Prediction{}, err
	}
	return all[0], nil
}

// PredictAll predicts several records together.
func (m *Model) PredictAll(ctx context.Context, ctl run.Control, records ...any) ([]Prediction, error) {
	rows, err := m.Encoding.Records(records...)
	if err != nil {
		return nil, err
	}
	scores, err := m.Scores(ctx, ctl, rows)
	if err != nil {
		return nil, err
	}
	out := make([]Prediction, scores.Rows)
	for i := range out {
		out[i] = m.Prediction(scores.Row(i))
	}
	return out, nil
}

// Prediction says what the given scores mean.
func (p *Head) Prediction(scores []float64) Prediction {
	out := Prediction{Label: p.Label(scores), Scores: scores}
	if p.Regresses() {
		out.Value = scores[0]
	}
	if p.Calibration != nil {
		out.Probabilities = make([]float64, len(scores))
		p.Calibration.Probabilities(out.Probabilities, scores)
	}
	return out
}

// encoded is a rowPipeline of instances of type T.
type encoded[T any] struct {
	p    *Pipeline[T]
	e    *dataset.Encoding
	kind Kind[T]
}

func (m encoded[T]) scores(ctx context.Context, ctl run.Control, r *dataset.Rows) (*data.Matrix, error) {
	d, err := dataset.Decode[T](m.e, r)
	if err != nil {
		return nil, err
	}
	scores, err := m.p.ScoreAll(ctx, ctl, d.X)
	if err == nil {
		dataset.Free(m.e, d.X)
	}
	return scores, err
}

func (m encoded[T]) scoreMargins(
	ctx context.Context, ctl run.Control, r *dataset.Rows, y []int,
) (*data.Matrix, []float64, error) {
	d, err := dataset.Decode[T](m.e, r)
	if err != nil {
		return nil, nil, err
	}
	return m.p.ScoreMargins(ctx, ctl, d.X, y)
}

func (m encoded[T]) features(ctx context.Context, ctl run.Control, r *dataset.Rows) (*data.Matrix, error) {
	d, err := dataset.Decode[T](m.e, r)
	if err != nil {
		return nil, err
	}
	return feature.Apply(ctx, ctl, m.p.Map, d.X)
}

func (m encoded[T]) eachFeatures(
	ctx context.Context, ctl run.Control, r *dataset.Rows, most int, use func(int, *data.Matrix) error,
) error {
	d, err := dataset.Decode[T](m.e, r)
	if err != nil {
		return err
	}
	for lo := 0; lo < d.X.Len(); lo += most {
		part := data.Range[T]{Of: d.X, Lo: lo, Hi: min(lo+most, d.X.Len())}
		x, err := feature.Apply(ctx, ctl, m.p.Map, part)
		if err != nil {
			return Moved(err, lo)
		}
		if err := use(lo, x); err != nil {
			return err
		}
	}
	return nil
}

func (m encoded[T]) dim() int { return m.p.Map.Dim() }

func (m encoded[T]) header() (Header, error) {
	h, err := Describe(m.p, m.kind)
	if err != nil {
		return h, err
	}
	h.Schema, err = json.Marshal(m.e)
	return h, err
}

func (m encoded[T]) write(w io.Writer) error {
	schema, err := json.Marshal(m.e)
	if err != nil {
		return err
	}
	return writeWith(w, m.p, m.kind, schema)
}
