package spec_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/spec"
)

func sparse(t interface{ Fatal(...any) }, index []int32, value ...float64) data.Vector {
	v, err := data.Sparse(index, value)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// equal reports whether two samples have the same coordinates, stored in
// whatever way.
func equal(x, y data.Source[data.Vector]) bool {
	same := x.Len() == y.Len()
	for i := 0; same && i < x.Len(); i++ {
		data.Walk(x.At(i), y.At(i), func(_ int, a, b float64) { same = same && a == b })
	}
	return same
}

func TestVectorsRoundTrip(t *testing.T) {
	csr := &data.CSR{Cols: 9}
	csr.Append([]int32{0, 8}, []float64{1, 2})
	csr.Append(nil, nil)
	csr.Append([]int32{3}, []float64{-1e-300})
	dense := data.NewMatrix(3, 2)
	copy(dense.Data, []float64{1, -2, math.MaxFloat64, math.SmallestNonzeroFloat64, 0, 1.0 / 3})
	for name, x := range map[string]data.Source[data.Vector]{
		"none":             data.Slice[data.Vector]{},
		"dense":            dense,
		"one":              data.Slice[data.Vector]{data.Dense(7)},
		"different widths": data.Slice[data.Vector]{data.Dense(1), data.Dense(1, 2, 3), data.Dense(4, 5)},
		"sparse":           csr,
		"no width":         data.Slice[data.Vector]{data.Dense(), data.Dense()},
		"all zero":         data.Slice[data.Vector]{sparse(t, nil), sparse(t, nil)},
		"mixed":            data.Slice[data.Vector]{data.Dense(1, 0, 2), sparse(t, []int32{1, 5}, 3, 4)},
		"subset":           data.Subset[data.Vector]{Of: csr, Index: []int{2, 0, 0}},
		"far":              data.Slice[data.Vector]{sparse(t, []int32{math.MaxInt32 - 1}, 1)},
	} {
		b := spec.Vectors{}.Encode(x)
		got, err := spec.Vectors{}.Decode(b)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !equal(x, got) {
			t.Errorf("%s: other vectors came back", name)
		}
		if again := (spec.Vectors{}).Encode(got); !bytes.Equal(b, again) {
			t.Errorf("%s: what came back is stored in another way", name)
		}
		for cut := range b {
			if _, err := (spec.Vectors{}).Decode(b[:cut]); err == nil {
				t.Errorf("%s: cut after %d of %d bytes it decodes", name, cut, len(b))
			}
		}
		if _, err := (spec.Vectors{}).Decode(append(slices.Clone(b), 0)); err == nil {
			t.Errorf("%s: with a byte more it decodes", name)
		}
	}
}

func TestVectorsRoundTripOfAny(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.Float64().Filter(func(v float64) bool { return v-v == 0 })
		one := rapid.Custom(func(t *rapid.T) data.Vector {
			if rapid.Bool().Draw(t, "dense") {
				return data.Dense(rapid.SliceOfN(number, 0, 6).Draw(t, "value")...)
			}
			index := rapid.SliceOfNDistinct(rapid.Int32Range(0, 50), 0, 6, rapid.ID).Draw(t, "index")
			slices.Sort(index)
			return sparse(t, index, rapid.SliceOfN(number, len(index), len(index)).Draw(t, "value")...)
		})
		x := data.Slice[data.Vector](rapid.SliceOfN(one, 0, 8).Draw(t, "x"))
		got, err := spec.Vectors{}.Decode(spec.Vectors{}.Encode(x))
		if err != nil {
			t.Fatal(err)
		}
		if !equal(x, got) {
			t.Fatal("other vectors came back")
		}
	})
}

func words(w ...uint64) []byte {
	var b []byte
	for _, v := range w {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	return b
}

func TestDecodeRefuses(t *testing.T) {
	nan, inf := math.Float64bits(math.NaN()), math.Float64bits(math.Inf(-1))
	one := math.Float64bits(1)
	index := func(i ...uint32) []byte {
		var b []byte
		for _, v := range i {
			b = binary.LittleEndian.AppendUint32(b, v)
		}
		return b
	}
	for name, b := range map[string][]byte{
		"nothing":             nil,
		"unknown layout":      words(7, 1, 1, one),
		"rows without width":  words(0, 1<<40, 0),
		"more rows than data": words(0, 1<<30, 1<<30),
		"overflow":            words(0, 1<<33, 1<<33),
		"negative":            words(0, 1<<63, 1),
		"NaN":                 words(0, 1, 1, nan),
		"infinite":            words(0, 1, 1, inf),
		"sparse NaN":          slices.Concat(words(1, 1, 1, 1, 1), index(0), words(nan)),
		"index past width":    slices.Concat(words(1, 1, 1, 1, 1), index(1), words(one)),
		"negative index":      slices.Concat(words(1, 1, 1, 1, 1), index(1<<31), words(one)),
		"index twice":         slices.Concat(words(1, 1, 5, 2, 2), index(3, 3), words(one, one)),
		"row past the end":    slices.Concat(words(1, 1, 5, 1, 2), index(3), words(one)),
		"row ends backwards":  slices.Concat(words(1, 2, 5, 1, 1, 0), index(3), words(one)),
		"values left over":    slices.Concat(words(1, 1, 5, 1, 0), index(3), words(one)),
		"width past int32":    slices.Concat(words(1, 1, 1<<40, 1, 1), index(3), words(one)),
	} {
		if x, err := (spec.Vectors{}).Decode(b); err == nil {
			t.Errorf("%s: decodes as %d vectors", name, x.Len())
		}
	}
}

func FuzzVectors(f *testing.F) {
	dense := data.NewMatrix(2, 3)
	dense.Data[1] = 4
	f.Add(spec.Vectors{}.Encode(dense))
	f.Add(spec.Vectors{}.Encode(data.Slice[data.Vector]{sparse(f, []int32{1, 5}, 3, 4), data.Dense(1, 2)}))
	f.Add(words(0, 0, 0))
	f.Fuzz(func(t *testing.T, b []byte) {
		x, err := spec.Vectors{}.Decode(b)
		if err != nil {
			return
		}
		if data.Dim(x) > math.MaxInt32 {
			t.Fatalf("%d coordinates", data.Dim(x))
		}
		for i := range x.Len() {
			v := x.At(i)
			if !v.Finite() || v.Dim() > data.Dim(x) {
				t.Fatalf("vector %d is %v", i, v)
			}
			if _, err := data.Sparse(v.Index, v.Value); v.IsSparse() && err != nil {
				t.Fatalf("vector %d: %v", i, err)
			}
		}
		again, err := spec.Vectors{}.Decode(spec.Vectors{}.Encode(x))
		if err != nil || !equal(x, again) {
			t.Fatalf("decoded vectors do not come back: %v", err)
		}
	})
}
