package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kernel"
)

// Own is a kind of instances of the user's: a Go type that encoding/json can
// write and read, and the kernels on it by name. It is what Save and Open need
// to store models of that type.
type Own[T any] struct {
	Type    string // name of the kind in model files
	Kernels []kernel.Named[T]
}

// Name returns Type.
func (o Own[T]) Name() string { return o.Type }

// Kernel returns the kernel of a name.
func (o Own[T]) Kernel(name string) (kernel.Kernel[T], error) {
	for _, k := range o.Kernels {
		if k.Name == name {
			return k, nil
		}
	}
	return nil, fmt.Errorf("there is no kernel %q of %s; give it a name with kernel.Name and list it", name, o.Type)
}

// Encode writes the instances as JSON, one a line. An instance that cannot be
// written becomes null; Write finds that out and refuses.
func (o Own[T]) Encode(x data.Source[T]) []byte {
	var b bytes.Buffer
	for i := range x.Len() {
		text, err := json.Marshal(x.At(i))
		if err != nil {
			text = []byte("null")
		}
		b.Write(text)
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// Decode reads what Encode wrote.
func (o Own[T]) Decode(b []byte) (data.Source[T], error) {
	var out data.Slice[T]
	for line := range bytes.Lines(b) {
		var x T
		if string(bytes.TrimSpace(line)) == "null" {
			return nil, errors.New("an instance could not be stored as JSON")
		}
		if err := json.Unmarshal(line, &x); err != nil {
			return nil, err
		}
		out = append(out, x)
	}
	return out, nil
}
