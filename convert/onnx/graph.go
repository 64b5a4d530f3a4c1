// Package onnx writes models in the Open Neural Network Exchange format: a graph of
// standard operators, in the wire form of protocol buffers. It knows graphs alone;
// package convert makes them of kerf's models.
package onnx

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// Type is the type of the elements of a tensor, by its number in the format.
type Type int32

// The types that are used.
const (
	Int64  Type = 7
	String Type = 8
	Bool   Type = 9
	Double Type = 11
)

// Versions of the format and of its operators: those that onnxruntime 1.13 and later
// run.
const (
	irVersion  = 8
	coreOpset  = 17
	learnOpset = 3
)

// ML is the domain of operators of classical machine learning.
const ML = "ai.onnx.ml"

// Graph is a graph that grows by its methods, each of which returns the name of a
// value for others to use. It is not safe for concurrent use.
type Graph struct {
	name    string
	prefix  string // of the names of values, which are unique among all graphs of a model
	count   *int
	nodes   [][]byte
	tensors [][]byte
	inputs  [][]byte
	outputs [][]byte
	shared  map[string]string // names of constants that are there already
}

// NewGraph returns an empty graph.
func NewGraph(name string) *Graph {
	return &Graph{name: name, prefix: "_", count: new(int), shared: map[string]string{}}
}

// Body returns an empty graph that is to become the body of a loop of g: it may use
// what g has.
func (g *Graph) Body(name string) *Graph {
	return &Graph{name: name, prefix: g.prefix, count: g.count, shared: map[string]string{}}
}

func (g *Graph) fresh() string {
	*g.count++
	return fmt.Sprintf("%s%d", g.prefix, *g.count)
}

// Attribute is a named constant of an operator.
type Attribute []byte

func text(b []byte, field protowire.Number, s string) []byte {
	return protowire.AppendString(protowire.AppendTag(b, field, protowire.BytesType), s)
}

func raw(b []byte, field protowire.Number, v []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), v)
}

func integer(b []byte, field protowire.Number, v int64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), uint64(v))
}

func attribute(name string, kind int64) []byte { return integer(text(nil, 1, name), 20, kind) }

// Int is a whole number.
func Int(name string, v int64) Attribute { return integer(attribute(name, 2), 3, v) }

// Ints are whole numbers.
func Ints(name string, values ...int64) Attribute {
	b := attribute(name, 7)
	for _, v := range values {
		b = integer(b, 8, v)
	}
	return b
}

// Strings are texts.
func Strings(name string, values ...string) Attribute {
	b := attribute(name, 8)
	for _, v := range values {
		b = text(b, 9, v)
	}
	return b
}

// BodyOf is the body of a loop.
func BodyOf(name string, body *Graph) Attribute { return raw(attribute(name, 5), 6, body.bytes()) }

// Op adds an operator of the core domain with one result.
func (g *Graph) Op(kind string, inputs []string, attributes ...Attribute) string {
	return g.node("", kind, inputs, g.fresh(), attributes)
}

// OpML adds an operator of the domain ML with one result.
func (g *Graph) OpML(kind string, inputs []string, attributes ...Attribute) string {
	return g.node(ML, kind, inputs, g.fresh(), attributes)
}

// Name gives a value a name of the caller's, such as that of an output.
func (g *Graph) Name(value, name string) { g.node("", "Identity", []string{value}, name, nil) }

func (g *Graph) node(domain, kind string, inputs []string, output string, attributes []Attribute) string {
	var b []byte
	for _, in := range inputs {
		b = text(b, 1, in)
	}
	b = text(text(text(b, 2, output), 3, kind+output), 4, kind)
	for _, a := range attributes {
		b = raw(b, 5, a)
	}
	if domain != "" {
		b = text(b, 7, domain)
	}
	g.nodes = append(g.nodes, b)
	return output
}

// Dimensions that a run decides: as long as the batch, and as wide as its rows.
const (
	Rows    = -1
	Columns = -2
)

// value describes an input or output.
func value(name string, of Type, dims []int) []byte {
	var shape []byte
	for _, d := range dims {
		var dim []byte
		switch d {
		case Rows:
			dim = text(nil, 2, "N")
		case Columns:
			dim = text(nil, 2, "W")
		default:
			dim = integer(nil, 1, int64(d))
		}
		shape = raw(shape, 1, dim)
	}
	tensor := raw(integer(nil, 1, int64(of)), 2, shape)
	return raw(text(nil, 1, name), 2, raw(nil, 1, tensor))
}

// Input adds an input.
func (g *Graph) Input(name string, of Type, dims ...int) string {
	g.inputs = append(g.inputs, value(name, of, dims))
	return name
}

// Output declares a value an output.
func (g *Graph) Output(name string, of Type, dims ...int) {
	g.outputs = append(g.outputs, value(name, of, dims))
}

func tensor(name string, of Type, dims []int) []byte {
	var b []byte
	for _, d := range dims {
		b = integer(b, 1, int64(d))
	}
	return text(integer(b, 2, int64(of)), 8, name)
}

// Doubles adds a constant. It has len(values) elements, as the dimensions say.
func (g *Graph) Doubles(values []float64, dims ...int) string {
	b := make([]byte, 0, 8*len(values))
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return g.constant(Double, dims, b)
}

// Double adds a constant number.
func (g *Graph) Double(v float64) string { return g.Doubles([]float64{v}) }

// Ints adds a constant of whole numbers.
func (g *Graph) Ints(values []int64, dims ...int) string {
	b := make([]byte, 0, 8*len(values))
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, uint64(v))
	}
	return g.constant(Int64, dims, b)
}

// Bools adds a constant of truth values.
func (g *Graph) Bools(values []bool, dims ...int) string {
	b := make([]byte, len(values))
	for i, v := range values {
		if v {
			b[i] = 1
		}
	}
	return g.constant(Bool, dims, b)
}

// constant adds a tensor; small ones that are there already are shared.
func (g *Graph) constant(of Type, dims []int, b []byte) string {
	key := ""
	if len(b) <= 64 {
		key = fmt.Sprint(of, dims, b)
		if name, ok := g.shared[key]; ok {
			return name
		}
	}
	name := g.fresh()
	g.tensors = append(g.tensors, raw(tensor(name, of, dims), 9, b))
	if key != "" {
		g.shared[key] = name
	}
	return name
}

// Strings adds a constant list of texts.
func (g *Graph) Strings(values []string) string {
	name := g.fresh()
	b := tensor(name, String, []int{len(values)})
	for _, v := range values {
		b = text(b, 6, v)
	}
	g.tensors = append(g.tensors, b)
	return name
}

func (g *Graph) parts() []part {
	return []part{{1, g.nodes}, {5, g.tensors}, {11, g.inputs}, {12, g.outputs}}
}

type part struct {
	field    protowire.Number
	messages [][]byte
}

func (g *Graph) bytes() []byte {
	b := text(nil, 2, g.name)
	for _, p := range g.parts() {
		for _, m := range p.messages {
			b = raw(b, p.field, m)
		}
	}
	return b
}

// Size returns how many bytes the graph has, its frame aside.
func (g *Graph) Size() int64 {
	n := int64(0)
	for _, p := range g.parts() {
		for _, m := range p.messages {
			n += int64(protowire.SizeTag(p.field) + protowire.SizeBytes(len(m)))
		}
	}
	return n + int64(protowire.SizeTag(2)+protowire.SizeBytes(len(g.name)))
}

// ErrLarge reports a model that the format cannot hold: a message of protocol buffers
// has less than 2 GiB.
var ErrLarge = errors.New("the model would have more than 2 GiB, which is the most that a file of ONNX can have")

// Entry is a fact about the model that is kept beside the graph.
type Entry struct{ Key, Value string }

// Write writes the model of a graph.
func (g *Graph) Write(w io.Writer, producer, version string, facts ...Entry) error {
	b := integer(nil, 1, irVersion)
	b = text(text(b, 2, producer), 3, version)
	for _, s := range []struct {
		domain  string
		version int64
	}{{"", coreOpset}, {ML, learnOpset}} {
		b = raw(b, 8, integer(text(nil, 1, s.domain), 2, s.version))
	}
	for _, f := range facts {
		b = raw(b, 14, text(text(nil, 1, f.Key), 2, f.Value))
	}
	size := g.Size()
	if size+int64(len(b))+16 > math.MaxInt32 {
		return ErrLarge
	}
	b = protowire.AppendVarint(protowire.AppendTag(b, 7, protowire.BytesType), uint64(size))
	b = text(b, 2, g.name)
	if _, err := w.Write(b); err != nil {
		return err
	}
	for _, p := range g.parts() {
		for _, m := range p.messages {
			frame := protowire.AppendVarint(protowire.AppendTag(nil, p.field, protowire.BytesType), uint64(len(m)))
			if _, err := w.Write(frame); err != nil {
				return err
			}
			if _, err := w.Write(m); err != nil {
				return err
			}
		}
	}
	return nil
}
