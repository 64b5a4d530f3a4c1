package model_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"runtime/metrics"
	"slices"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/spec"
)

// allocated returns the bytes that the process has allocated so far.
func allocated() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// FuzzDecode takes the bytes as a model file without its digest, which the
// target adds, so that what lies behind the checksum is reached.
func FuzzDecode(f *testing.F) {
	for _, c := range trials() {
		b := encode(f, c.fit(f, 12))
		f.Add(b[:len(b)-sha256.Size])
	}
	for _, classes := range []int{2, 0} {
		parts, weight := blended(f, 12, classes, true)
		b := encode(f, blend(f, parts, weight))
		f.Add(b[:len(b)-sha256.Size])
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if len(body) >= 12 && string(body[:8]) == "kerfmodl" {
			v := binary.LittleEndian.Uint32(body[8:])
			binary.LittleEndian.PutUint32(body[8:], 2-v%2) // other versions are refused at once
		}
		openAgain(t, sealed(body))
	})
}

// fuzzed are the parts of a file that FuzzOpen tries.
var fuzzed = []string{"weights", "bias", "landmarks", "inverse", "rules"}

// FuzzOpen takes the header and the parts of a model file, and puts them
// together with the right lengths, so that what builds the pipeline is reached.
func FuzzOpen(f *testing.F) {
	for _, c := range trials() {
		b := encode(f, c.fit(f, 12))
		header, parts := blobsIn(f, b)
		for name := range parts {
			if !slices.Contains(fuzzed, name) {
				f.Fatalf("the part %q is not among those that are tried", name)
			}
		}
		f.Add(header, parts[fuzzed[0]], parts[fuzzed[1]], parts[fuzzed[2]], parts[fuzzed[3]], parts[fuzzed[4]])
	}
	f.Fuzz(func(t *testing.T, header, weights, bias, landmarks, inverse, rules []byte) {
		var h map[string]any
		if json.Unmarshal(header, &h) != nil || h == nil {
			return
		}
		if wide(h) {
			return
		}
		body := []byte("kerfmodl\x01\x00\x00\x00")
		var list []any
		for i, part := range [][]byte{weights, bias, landmarks, inverse, rules} {
			list = append(list, map[string]any{"name": fuzzed[i], "bytes": len(part)})
		}
		h["blobs"] = list
		text, err := json.Marshal(h)
		if err != nil {
			return
		}
		body = binary.LittleEndian.AppendUint32(body, uint32(len(text)))
		openAgain(t, sealed(slices.Concat(body, text, weights, bias, landmarks, inverse, rules)))
	})
}

// openAgain opens a file and, if that goes well, checks that the pipeline is
// stored and opened again to the same one. Landmarks with far coordinates are
// left out: the tiles of a kernel hold a list for each coordinate, so they need
// memory for what the landmarks span, however small the file is.
func openAgain(t *testing.T, b []byte) {
	before := allocated()
	file, err := model.Decode(b)
	if err != nil {
		return
	}
	p, err := model.Open(file, near{})
	if err != nil {
		return
	}
	if grew := allocated() - before; grew > 64<<20+uint64(1000*len(b)) {
		t.Fatalf("a file of %d bytes took %d to open", len(b), grew)
	}
	if err := p.Validate(); err != nil {
		t.Fatalf("an open pipeline is not valid: %v", err)
	}
	var one bytes.Buffer
	if err := model.Write(&one, p, spec.Vectors{}); err != nil {
		t.Fatalf("an open pipeline cannot be stored: %v", err)
	}
	q, err := decode(one.Bytes())
	if err != nil {
		t.Fatalf("a stored pipeline cannot be opened: %v", err)
	}
	var two bytes.Buffer
	if err := model.Write(&two, q, spec.Vectors{}); err != nil || !bytes.Equal(one.Bytes(), two.Bytes()) {
		t.Fatalf("a pipeline is stored in two ways (%v)", err)
	}
	comparePredictions(t, p, q)
}

// near is the kind of vectors whose coordinates are few.
type near struct{ spec.Vectors }

func (n near) Decode(b []byte) (data.Source[data.Vector], error) {
	x, err := n.Vectors.Decode(b)
	if err == nil && data.Dim(x) > 10_000 {
		return data.Slice[data.Vector]{}, nil
	}
	return x, err
}

// comparePredictions checks that two pipelines score a few vectors alike, bit
// for bit, if they can be scored at all: weights may be as large as they like.
func comparePredictions(t *testing.T, p, q *pipeline) {
	if _, plain := any(p.Map).(feature.Identity); !plain && p.Map.Dim() == 0 {
		return
	}
	a, b := make([]float64, p.Outputs()), make([]float64, p.Outputs())
	sparse := data.Vector{Index: []int32{1, 9}, Value: []float64{1, -2}}
	for _, x := range []data.Vector{data.Dense(), data.Dense(0.5, -1, 2), sparse} {
		p.Scores(a, x)
		q.Scores(b, x)
		if !slices.EqualFunc(a, b, func(u, v float64) bool { return u == v || u != u && v != v }) {
			t.Fatalf("%v scores %v and, stored and opened again, %v", x, a, b)
		}
		if p.Predict(x) != q.Predict(x) {
			t.Fatalf("%v is %q and, stored and opened again, %q", x, p.Predict(x), q.Predict(x))
		}
	}
}
