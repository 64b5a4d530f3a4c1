package spec

import (
	"encoding/binary"
	"errors"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/kernel/text"
)

// stringKernels are the kernels on strings by name. A new one is a line here.
func stringKernels() map[string]maker[string] {
	return map[string]maker[string]{
		"degree":      made[string](text.Degree{D: 5}),
		"substring":   makeSubstring,
		"spectrum":    made[string](text.Spectrum{K: 3}),
		"mismatch":    made[string](text.NewMismatch(5, 1)),
		"subsequence": made[string](text.NewSubsequence(3)),
		"words":       made[string](text.NewWords()),
		"ngrams":      made[string](text.NewNgrams()),
		"exec":        makeExec[string],
		"wasm":        makeWasm[string],
	}
}

func makeSubstring(a *arguments) (kernel.Kernel[string], error) {
	v, err := a.numbers(named{"p", 0})
	if err != nil {
		return nil, err
	}
	p, err := a.whole(v, "p")
	return text.Substring{Max: p}, err
}

// Strings is the kind of instances that are strings.
type Strings struct{}

// Name returns "strings".
func (Strings) Name() string { return string(dataset.Strings) }

// Make makes a kernel. No width is left to the data.
func (Strings) Make(k Kernel, _ data.Source[string], _ uint64) (kernel.Kernel[string], error) {
	return build(k, k.root, stringKernels(), func() float64 { return 1 })
}

// Kernel reads a kernel.
func (s Strings) Kernel(text string) (kernel.Kernel[string], error) {
	k, err := Parse(text)
	if err != nil {
		return nil, err
	}
	return s.Make(k, nil, 0)
}

// Encode writes the strings, each after its length.
func (Strings) Encode(x data.Source[string]) []byte {
	b := binary.AppendUvarint(nil, uint64(x.Len()))
	for i := range x.Len() {
		b = appendText(b, x.At(i))
	}
	return b
}

// Decode reads what Encode wrote.
func (Strings) Decode(b []byte) (data.Source[string], error) {
	r := texts{rest: b}
	n := r.count()
	out := make(data.Slice[string], 0, min(n, len(b)))
	for range n {
		out = append(out, r.text())
		if r.failed {
			break
		}
	}
	if r.failed || len(r.rest) > 0 {
		return nil, errTexts
	}
	return out, nil
}

// errTexts reports stored strings or sets that do not fit together.
var errTexts = errors.New("the stored instances are damaged")

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// texts takes strings off a byte slice and remembers when it ran short.
type texts struct {
	rest   []byte
	failed bool
}

// count reads a number that is at most what is left in bytes, so that nothing
// larger than the input is ever made.
func (r *texts) count() int {
	v, n := binary.Uvarint(r.rest)
	if n <= 0 || v > uint64(len(r.rest)-n) {
		r.failed = true
		return 0
	}
	r.rest = r.rest[n:]
	return int(v)
}

func (r *texts) text() string {
	n := r.count()
	if r.failed {
		return ""
	}
	s := string(r.rest[:n])
	r.rest = r.rest[n:]
	return s
}
