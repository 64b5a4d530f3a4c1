package model_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
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
// target adds, and checks that whatever opens is stored and opened again to the
// same pipeline. Landmarks with far coordinates are left out: the tiles of a
// kernel hold a list for each coordinate, so they need memory for what the
// landmarks span, however small the file is.
func FuzzDecode(f *testing.F) {
	for _, c := range trials() {
		b := encode(f, c.fit(f, 12))
		f.Add(b[:len(b)-sha256.Size])
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if len(body) >= 12 && string(body[:8]) == "kerfmodl" {
			binary.LittleEndian.PutUint32(body[8:], 1) // other versions are refused at once
		}
		before := allocated()
		file, err := model.Decode(sealed(body))
		if err != nil {
			return
		}
		p, err := model.Open(file, near{})
		if err != nil {
			return
		}
		if grew := allocated() - before; grew > 64<<20+uint64(1000*len(body)) {
			t.Fatalf("a file of %d bytes took %d to open", len(body), grew)
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
	})
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
	a, b := make([]float64, p.Classes.Len()), make([]float64, p.Classes.Len())
	for _, x := range []data.Vector{data.Dense(), data.Dense(0.5, -1, 2), {Index: []int32{1, 9}, Value: []float64{1, -2}}} {
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
