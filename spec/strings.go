package spec

import (
	"encoding/binary"
	"errors"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/kernel/text"
)

// stringKernels are the kernels on strings by name.
func stringKernels() map[string]maker[string] {
	return map[string]maker[string]{
		"degree":      makeDegree,
		"substring":   makeSubstring,
		"spectrum":    makeSpectrum,
		"mismatch":    makeMismatch,
		"subsequence": makeSubsequence,
		"exec":        makeExec[string],
		"wasm":        makeWasm[string],
	}
}

func makeDegree(a *arguments) (kernel.Kernel[string], error) {
	d, err := a.one("d", 5)
	return text.Degree{D: d}, err
}

func makeSubstring(a *arguments) (kernel.Kernel[string], error) {
	p, err := a.one("p", 0)
	return text.Substring{Max: p}, err
}

func makeSpectrum(a *arguments) (kernel.Kernel[string], error) {
	k, err := a.one("k", 3)
	return text.Spectrum{K: k}, err
}

func makeMismatch(a *arguments) (kernel.Kernel[string], error) {
	v, err := a.numbers(named{"k", 5}, named{"m", 1}, named{"letters", 4})
	if err != nil {
		return nil, err
	}
	k, errK := a.whole(v, "k")
	m, errM := a.whole(v, "m")
	letters, errL := a.whole(v, "letters")
	return text.Mismatch{K: k, M: m, Letters: letters}, errors.Join(errK, errM, errL)
}

func makeSubsequence(a *arguments) (kernel.Kernel[string], error) {
	v, err := a.numbers(named{"k", 3}, named{"decay", 0.5})
	if err != nil {
		return nil, err
	}
	k, err := a.whole(v, "k")
	return text.Subsequence{K: k, Decay: v["decay"]}, err
}

// one returns the only parameter, a whole number.
func (a *arguments) one(name string, otherwise float64) (int, error) {
	v, err := a.numbers(named{name, otherwise})
	if err != nil {
		return 0, err
	}
	return a.whole(v, name)
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
