package model

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn/boost"
	"github.com/kerf-ml/kerf/run"
	"github.com/kerf-ml/kerf/spec"
)

// Version is the version of kerf that model files are stamped with.
const Version = "0.1.0"

// Describe returns what a pipeline is, as its file would say it.
func Describe[T any](p *Pipeline[T], kind Kind[T]) (Header, error) {
	h := Header{
		Writer: Version, Instances: kind.Name(), Learner: p.Learner, Classes: p.Classes.Names, Pairs: p.Pairs,
		Unit: p.Unit, Calibration: p.Calibration, Conformal: p.Conformal, Trained: p.Trained,
	}
	if p.Regresses() {
		h.Task = Regress
	}
	if p.FirstWins {
		h.Ties = tiesFirst
	}
	if p.Parts != nil {
		return describeParts(h, p, kind)
	}
	inner := p.Map
	if v, ok := inner.(Votes[T]); ok {
		h.Votes = &VotesHeader{Rules: v.Dim(), Cuts: v.Rules.Cuts() != nil}
		inner = v.Inner
	}
	h.Map.Dim = inner.Dim()
	if p.Kernel != nil {
		h.Kernel = fmt.Sprint(p.Kernel)
		if err := readable(h.Kernel, kind); err != nil {
			return h, err
		}
	}
	if landmarks := landmarksOf(inner); landmarks != nil && landmarks.Precision() != run.Float64 {
		h.Precision = landmarks.Precision().String()
	}
	if s, is := storerOf(inner); s != nil {
		h.Map = is
		return h, nil
	}
	if name, _, ok := ownMap(inner, kind); ok {
		if name == "" || name == MapBlend || slices.Contains(MapNames(), name) {
			return h, fmt.Errorf("a map of one's own is called %q and must have a name of its own", name)
		}
		h.Map.Kind = name
		return h, nil
	}
	return h, fmt.Errorf("a map of type %T cannot be stored", p.Map)
}

// readable reports a kernel whose text cannot be read back. One that names a program
// has been parsed to find that out, and is not made: that would start it once more.
func readable[T any](text string, kind Kind[T]) error {
	if len(spec.Programs(text)) > 0 {
		return nil
	}
	if _, err := kind.Kernel(text); err != nil {
		return fmt.Errorf("this kernel cannot be stored, because its text cannot be read back: %w", err)
	}
	return nil
}

// storer is a map of ours, which knows how it is stored.
type storer[T any] interface {
	Mapper[T]
	describe(m feature.Map[T], h *MapHeader) bool // whether it is one of its maps
	blobs(m feature.Map[T], kind Kind[T]) ([]blob, error)
	open(f *File, k kernel.Kernel[T], kind Kind[T]) (feature.Map[T], error)
}

func storers[T any]() []storer[T] {
	var out []storer[T]
	for _, m := range Mappers[T]() {
		out = append(out, m.(storer[T]))
	}
	return out
}

// storerOf returns the recipe that stores a map of ours, nil where there is none, and
// what the map is.
func storerOf[T any](m feature.Map[T]) (storer[T], MapHeader) {
	for _, s := range storers[T]() {
		h := MapHeader{Kind: s.Name(), Dim: m.Dim()}
		if s.describe(m, &h) {
			return s, h
		}
	}
	return nil, MapHeader{}
}

// ownMap returns the name and the bytes of a map of the user's.
func ownMap[T any](m feature.Map[T], kind Kind[T]) (string, []byte, bool) {
	if k, ok := kind.(MapKind[T]); ok {
		return k.EncodeMap(m)
	}
	return "", nil, false
}

// Write writes a pipeline of instances in the file format. A model of rows has a
// Write of its own.
func Write[T any](w io.Writer, p *Pipeline[T], kind Kind[T]) error { return writeWith(w, p, kind, nil) }

func writeWith[T any](w io.Writer, p *Pipeline[T], kind Kind[T], schema []byte) error {
	if err := p.Validate(); err != nil {
		return err
	}
	h, err := Describe(p, kind)
	if err != nil {
		return err
	}
	h.Schema = schema
	for _, name := range h.Classes {
		if !utf8.ValidString(name) { // JSON would replace its bytes and the label be lost
			return fmt.Errorf("the label %q is not UTF-8 text and cannot be stored", name)
		}
	}
	blobs, err := blobsOf(p, h, kind)
	if err != nil {
		return err
	}
	return write(w, h, blobs)
}

// blobsOf returns the stored parts of a pipeline.
func blobsOf[T any](p *Pipeline[T], h Header, kind Kind[T]) ([]blob, error) {
	if p.Parts != nil {
		return partBlobs(p, h, kind)
	}
	weights := p.Separators
	if p.Pairs != nil {
		weights = compactPairs(p.Pairs, p.Classes.Len(), weights)
	}
	blobs := []blob{{"weights", floats(weights.Data)}, {"bias", floats(p.Bias)}}
	inner := p.Map
	if v, ok := inner.(Votes[T]); ok {
		inner = v.Inner
		blobs = append(blobs, blob{"rules", floats(rulesOf(v.Rules))})
	}
	more, err := mapBlobs(inner, h.Map.Kind, kind)
	return append(blobs, more...), err
}

// mapBlobs returns the stored parts of a map.
func mapBlobs[T any](m feature.Map[T], name string, kind Kind[T]) ([]blob, error) {
	for _, s := range storers[T]() {
		if s.Name() == name {
			return s.blobs(m, kind)
		}
	}
	_, own, _ := ownMap(m, kind)
	return []blob{{"map", own}}, nil
}

// landmarksOf returns the map F1 inside a map, nil where there is none.
func landmarksOf[T any](m feature.Map[T]) *feature.Landmarks[T] {
	switch m := m.(type) {
	case *feature.Landmarks[T]:
		return m
	case *feature.Lift[T]:
		return landmarksOf(m.Inner())
	case interface{ Landmarks() *feature.Landmarks[T] }:
		return m.Landmarks()
	}
	return nil
}

// Open builds the pipeline of a file of instances of a Go type. That of a model of
// rows is not to be had without its encoding: see Load.
func Open[T any](f *File, kind Kind[T]) (*Pipeline[T], error) {
	if len(f.Header.Schema) > 0 {
		return nil, ErrEncoded
	}
	return open(f, kind)
}

func open[T any](f *File, kind Kind[T]) (*Pipeline[T], error) {
	h := f.Header
	if h.Instances != kind.Name() {
		return nil, fmt.Errorf("%w: %s, not %s", ErrKind, h.Instances, kind.Name())
	}
	if commands := h.Programs(); len(commands) > 0 && !f.AllowExec {
		return nil, fmt.Errorf("%w: %s", ErrProgram, data.Clip(strings.Join(commands, "; "), 300))
	}
	build := openOne[T]
	if len(h.Parts) > 0 {
		build = openParts[T]
	}
	p, err := build(f, kind)
	if err != nil {
		return nil, damaged(err)
	}
	return p, nil
}

// openOne builds a pipeline that is no blend.
func openOne[T any](f *File, kind Kind[T]) (*Pipeline[T], error) {
	h := f.Header
	p := &Pipeline[T]{Head: Head{
		Task: h.Task, Classes: data.NewClasses(h.Classes), Learner: h.Learner,
		Calibration: h.Calibration, Conformal: h.Conformal, Trained: h.Trained, FirstWins: h.Ties == tiesFirst,
	}}
	if p.Task == "" {
		p.Task = Classify
	}
	if h.Kernel != "" {
		k, err := kind.Kernel(h.Kernel)
		if err != nil {
			return nil, err
		}
		p.Kernel = k
	}
	m, err := openMap(f, p.Kernel, kind)
	if err != nil {
		return nil, err
	}
	if m, err = openVotes(f, m); err != nil {
		return nil, err
	}
	p.Map = m
	if p.Bias, err = numbers(f.blobs["bias"]); err != nil {
		return nil, err
	}
	weights, err := numbers(f.blobs["weights"])
	if err != nil {
		return nil, err
	}
	d, k := m.Dim(), p.Classes.Len()
	separators := &data.Matrix{Rows: len(p.Bias), Cols: d, Data: weights}
	if h.Pairs != nil {
		if k < 2 || !rising(h.Pairs, k, d) || len(weights) != d*(k-1) {
			return nil, fmt.Errorf("it has %d weights of %d features for the pairs of %d classes", len(weights), d, k)
		}
		separators = expandPairs(h.Pairs, k, &data.Matrix{Rows: d, Cols: k - 1, Data: weights})
	} else if len(weights) != d*len(p.Bias) {
		return nil, fmt.Errorf("it has %d weights for %d separators of %d features", len(weights), len(p.Bias), d)
	}
	if separators.Rows != len(p.Bias) {
		return nil, fmt.Errorf("it has %d biases for %d separators", len(p.Bias), separators.Rows)
	}
	if err := p.take(separators, p.Bias, h.Unit, h.Pairs, d); err != nil {
		return nil, err
	}
	if err := checkHeader(h, p, kind); err != nil {
		return nil, err
	}
	return p, nil
}

// rulesOf returns the numbers of rules: feature, threshold and sign of a cut, or
// weights and bias of a halfspace.
func rulesOf(v *boost.Votes) []float64 {
	var out []float64
	if cuts := v.Cuts(); cuts != nil {
		for _, c := range cuts {
			out = append(out, float64(c.Feature), c.Threshold, c.Sign)
		}
		return out
	}
	w, bias := v.Halfspaces()
	for t := range w.Rows {
		out = append(append(out, w.Row(t)...), bias[t])
	}
	return out
}

// openVotes puts the rules of a boosted model behind its map.
func openVotes[T any](f *File, m feature.Map[T]) (feature.Map[T], error) {
	h := f.Header.Votes
	if h == nil {
		return m, nil
	}
	numbers, err := numbers(f.blobs["rules"])
	if err != nil {
		return nil, err
	}
	size := 3
	if !h.Cuts {
		size = m.Dim() + 1
	}
	if h.Rules < 0 || len(numbers)/size != h.Rules || len(numbers)%size != 0 {
		return nil, fmt.Errorf("it has %d numbers for %d rules", len(numbers), h.Rules)
	}
	var rules *boost.Votes
	if h.Cuts {
		cuts := make([]boost.Cut, h.Rules)
		for i := range cuts {
			n := numbers[3*i:]
			if !(n[0] >= 0 && n[0] < float64(m.Dim()) && n[0] == math.Trunc(n[0])) {
				return nil, fmt.Errorf("a rule is about the feature %v", n[0])
			}
			cuts[i] = boost.Cut{Feature: int(n[0]), Threshold: n[1], Sign: n[2]}
		}
		rules, err = boost.NewCuts(m.Dim(), cuts)
	} else {
		w, bias := data.NewMatrix(h.Rules, m.Dim()), make([]float64, h.Rules)
		for t := range h.Rules {
			copy(w.Row(t), numbers[t*size:])
			bias[t] = numbers[t*size+size-1]
		}
		rules, err = boost.NewVotes(w, bias)
	}
	if err != nil {
		return nil, err
	}
	return Votes[T]{Inner: m, Rules: rules}, nil
}

// checkHeader reports a header that says of the map what it is not, so that
// what is shown of a model is true.
func checkHeader[T any](h Header, p *Pipeline[T], kind Kind[T]) error {
	is, err := Describe(p, kind)
	if err != nil {
		return err
	}
	if h.Map.Dim != is.Map.Dim || h.Map.Landmarks != is.Map.Landmarks {
		return fmt.Errorf("it claims %d features of %d landmarks and has %d of %d", h.Map.Dim, h.Map.Landmarks, is.Map.Dim,
			is.Map.Landmarks)
	}
	return nil
}

func damaged(err error) error { return fmt.Errorf("%w: %w", ErrDamaged, err) }

// maxDim bounds the dimensions that a file may claim, and maxEntries the numbers
// that a map not made from landmarks draws anew.
const (
	maxDim     = 1 << 28
	maxEntries = 1 << 26
)

// openMap builds the map of a file.
func openMap[T any](f *File, k kernel.Kernel[T], kind Kind[T]) (feature.Map[T], error) {
	h := f.Header.Map
	if h.Dim < 0 || h.Dim > maxDim {
		return nil, fmt.Errorf("its map claims %d features", h.Dim)
	}
	for _, m := range storers[T]() {
		if m.Name() != h.Kind {
			continue
		}
		if k == nil && !isRaw[T](m) && h.Kind != MapLift { // that looks at the one inside
			return nil, fmt.Errorf("its map %q has no kernel", h.Kind)
		}
		return m.open(f, k, kind)
	}
	if own, ok := kind.(MapKind[T]); ok {
		return own.DecodeMap(h.Kind, f.blobs["map"])
	}
	return nil, fmt.Errorf("its map %q is unknown", h.Kind)
}

// claim bounds the features that the map of a file may have: each has a stored
// weight, or is one of those that a boosted model's rules are about.
func (f *File) claim() int {
	if f.Header.Votes != nil {
		return 1 << 16
	}
	return len(f.blobs["weights"]) / 8
}

// triangle packs the lower triangle of a matrix row by row.
func triangle(m *data.Matrix) []float64 {
	var packed []float64
	for i := range m.Rows {
		packed = append(packed, m.Row(i)[:i+1]...)
	}
	return packed
}

// square unpacks a lower triangle of n rows.
func square(b []byte, n int) (*data.Matrix, error) {
	packed, err := numbers(b)
	if err != nil {
		return nil, err
	}
	if len(packed) != n*(n+1)/2 {
		return nil, fmt.Errorf("its triangle has %d entries for %d landmarks", len(packed), n)
	}
	m := data.NewMatrix(n, n)
	for i := range n {
		copy(m.Row(i), packed[:i+1])
		packed = packed[i+1:]
	}
	return m, nil
}

// floats writes numbers little-endian.
func floats(x []float64) []byte {
	b := make([]byte, 0, 8*len(x))
	for _, v := range x {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return b
}

// numbers reads finite numbers, little-endian.
func numbers(b []byte) ([]float64, error) {
	if len(b)%8 != 0 {
		return nil, fmt.Errorf("a part of %d bytes is cut off", len(b))
	}
	x := make([]float64, len(b)/8)
	for i := range x {
		x[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
		if x[i]-x[i] != 0 {
			return nil, fmt.Errorf("number %d is not finite", i)
		}
	}
	return x, nil
}
