package kernel

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/kerf-ml/kerf/data"
)

// Learned is K(x, y) = Of(T·x, T·y), a kernel on vectors in the coordinates of a
// linear map T. Where Of is a function of |x - y| it is one of the distance
//
//	d_M(x, y)² = (x - y)ᵀ·M·(x - y),   M = Tᵀ·T
//
// so that T says which directions matter. Package metric learns T from data. It is
// a kernel if Of is.
type Learned struct {
	Of     Kernel[data.Vector]
	Metric *Metric
}

// Metric is a linear map T of vectors: a matrix, or the numbers of a diagonal one.
// It is immutable. Its numbers are those of float32, so that its text is short.
type Metric struct {
	scale  []float64    // of a diagonal map, one a coordinate
	matrix *data.Matrix // of any other: T
}

// NewDiagonal returns the map that multiplies each coordinate by a number, rounded to
// float32.
func NewDiagonal(scale []float64) *Metric {
	return &Metric{scale: rounded(scale)}
}

// NewMetric returns the map of a matrix, whose numbers are rounded to float32.
func NewMetric(t *data.Matrix) *Metric {
	return &Metric{matrix: &data.Matrix{Rows: t.Rows, Cols: t.Cols, Data: rounded(t.Data)}}
}

func rounded(v []float64) []float64 {
	out := make([]float64, len(v))
	for i, a := range v {
		out[i] = float64(float32(a))
	}
	return out
}

// Width returns how many coordinates it takes.
func (m *Metric) Width() int {
	if m.matrix != nil {
		return m.matrix.Cols
	}
	return len(m.scale)
}

// Importance returns the diagonal of M = Tᵀ·T: how much each coordinate counts.
func (m *Metric) Importance() []float64 {
	out := make([]float64, m.Width())
	for j, s := range m.scale {
		out[j] = s * s
	}
	if m.matrix != nil {
		for i := range m.matrix.Rows {
			for j, v := range m.matrix.Row(i) {
				out[j] += v * v
			}
		}
	}
	return out
}

// Diagonal returns the numbers of a diagonal map, nil for any other. They are shared
// and must not be written to.
func (m *Metric) Diagonal() []float64 { return m.scale }

// Matrix returns a copy of T.
func (m *Metric) Matrix() *data.Matrix {
	if m.matrix != nil {
		return &data.Matrix{Rows: m.matrix.Rows, Cols: m.matrix.Cols, Data: append([]float64(nil), m.matrix.Data...)}
	}
	t := data.NewMatrix(len(m.scale), len(m.scale))
	for j, s := range m.scale {
		t.Row(j)[j] = s
	}
	return t
}

// Times returns the map a·T.
func (m *Metric) Times(a float64) *Metric {
	if m.matrix == nil {
		return NewDiagonal(times(m.scale, a))
	}
	return NewMetric(&data.Matrix{Rows: m.matrix.Rows, Cols: m.matrix.Cols, Data: times(m.matrix.Data, a)})
}

func times(v []float64, a float64) []float64 {
	out := make([]float64, len(v))
	for i, b := range v {
		out[i] = a * b
	}
	return out
}

// Of returns T·x. Coordinates that T does not have count as missing ones do: they
// are left out.
func (m *Metric) Of(x data.Vector) data.Vector {
	if m.matrix == nil {
		return m.scaled(x)
	}
	out := make([]float64, m.matrix.Rows)
	for i := range out {
		out[i] = x.DotWith(m.matrix.Row(i))
	}
	return data.Vector{Value: out}
}

// scaled is Of for a diagonal map.
func (m *Metric) scaled(x data.Vector) data.Vector {
	if !x.IsSparse() {
		out := make([]float64, min(len(x.Value), len(m.scale)))
		for j := range out {
			out[j] = x.Value[j] * m.scale[j]
		}
		return data.Vector{Value: out}
	}
	out := data.Vector{Index: make([]int32, 0, len(x.Index)), Value: make([]float64, 0, len(x.Value))}
	for i, j := range x.Index {
		if int(j) < len(m.scale) {
			out.Index, out.Value = append(out.Index, j), append(out.Value, x.Value[i]*m.scale[j])
		}
	}
	return out
}

// String returns the map as text that ParseMetric reads: diag, the number of
// coordinates, and the numbers in base64; or full with rows and columns.
func (m *Metric) String() string {
	values, head := m.scale, fmt.Sprintf("diag%d", len(m.scale))
	if m.matrix != nil {
		values, head = m.matrix.Data, fmt.Sprintf("full%dx%d", m.matrix.Rows, m.matrix.Cols)
	}
	b := make([]byte, 0, 4*len(values))
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(v)))
	}
	return head + ":" + base64.RawURLEncoding.EncodeToString(b)
}

var errMetric = errors.New("the metric is damaged")

// ParseMetric reads what String wrote.
func ParseMetric(text string) (*Metric, error) {
	head, coded, _ := strings.Cut(text, ":")
	b, err := base64.RawURLEncoding.DecodeString(coded)
	if err != nil || len(b)%4 != 0 {
		return nil, errMetric
	}
	values := make([]float64, len(b)/4)
	for i := range values {
		values[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])))
	}
	if size, ok := strings.CutPrefix(head, "diag"); ok {
		if n, err := strconv.Atoi(size); err != nil || n != len(values) {
			return nil, errMetric
		}
		return NewDiagonal(values), nil
	}
	size, ok := strings.CutPrefix(head, "full")
	rows, cols, two := strings.Cut(size, "x")
	r, err1 := strconv.Atoi(rows)
	c, err2 := strconv.Atoi(cols)
	if !ok || !two || errors.Join(err1, err2) != nil || r < 1 || c < 1 || r > len(values) || len(values) != r*c {
		return nil, errMetric
	}
	return NewMetric(&data.Matrix{Rows: r, Cols: c, Data: values}), nil
}

// Validate reports a metric that is missing or has numbers that are not finite.
func (k Learned) Validate() error {
	if k.Metric == nil || k.Of == nil {
		return errors.New("learned: the metric or the kernel is missing")
	}
	values := k.Metric.scale
	if k.Metric.matrix != nil {
		values = k.Metric.matrix.Data
	}
	for _, v := range values {
		if v-v != 0 {
			return fmt.Errorf("learned: the metric has the number %v and must be finite", v)
		}
	}
	return Validate(k.Of)
}

// Eval returns Of(T·x, T·y).
func (k Learned) Eval(x, y data.Vector) float64 { return k.Of.Eval(k.Metric.Of(x), k.Metric.Of(y)) }

// Diag returns Of(T·x, T·x).
func (k Learned) Diag(x data.Vector) float64 { return Diag(k.Of, k.Metric.Of(x)) }

// Prepare maps y once.
func (k Learned) Prepare(y data.Vector) func(x data.Vector) float64 {
	with := Prepare(k.Of, k.Metric.Of(y))
	return func(x data.Vector) float64 { return with(k.Metric.Of(x)) }
}

// Vectors returns T and Of.
func (k Learned) Vectors() (get func(x data.Vector) data.Vector, of Kernel[data.Vector], ok bool) {
	return k.Metric.Of, k.Of, true
}

func (k Learned) String() string { return fmt.Sprintf("learned(%v,metric=%v)", k.Of, k.Metric) }
