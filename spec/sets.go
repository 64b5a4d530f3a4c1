package spec

import (
	"encoding/binary"
	"slices"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/kernel/set"
)

// setKernels are the kernels on sets by name. A new one is a line here.
func setKernels() map[string]maker[data.Set] {
	return map[string]maker[data.Set]{
		"intersection": made[data.Set](set.Intersection{}),
		"jaccard":      made[data.Set](set.Jaccard{}),
		"conjunction":  made[data.Set](set.Conjunction{Degree: 2}),
		"exec":         makeExec[data.Set],
		"wasm":         makeWasm[data.Set],
	}
}

// Sets is the kind of instances that are sets.
type Sets struct{}

// Name returns "sets".
func (Sets) Name() string { return string(dataset.Sets) }

// Make makes a kernel. No width is left to the data.
func (Sets) Make(k Kernel, _ data.Source[data.Set], _ uint64) (kernel.Kernel[data.Set], error) {
	return build(k, k.root, setKernels(), func() float64 { return 1 })
}

// Kernel reads a kernel.
func (s Sets) Kernel(text string) (kernel.Kernel[data.Set], error) {
	k, err := Parse(text)
	if err != nil {
		return nil, err
	}
	return s.Make(k, nil, 0)
}

// Encode writes the sets: how many items each has, and the items after their
// lengths.
func (Sets) Encode(x data.Source[data.Set]) []byte {
	b := binary.AppendUvarint(nil, uint64(x.Len()))
	for i := range x.Len() {
		s := x.At(i)
		b = binary.AppendUvarint(b, uint64(len(s)))
		for _, item := range s {
			b = appendText(b, item)
		}
	}
	return b
}

// Decode reads what Encode wrote.
func (Sets) Decode(b []byte) (data.Source[data.Set], error) {
	r := texts{rest: b}
	n := r.count()
	out := make(data.Slice[data.Set], 0, min(n, len(b)))
	for range n {
		items := make(data.Set, r.count())
		for i := range items {
			items[i] = r.text()
		}
		if r.failed || !slices.IsSorted(items) {
			return nil, errTexts
		}
		out = append(out, items)
	}
	if r.failed || len(r.rest) > 0 {
		return nil, errTexts
	}
	return out, nil
}
