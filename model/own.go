package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/kernel"
)

// Own is a kind of instances of the user's: a Go type that encoding/json can
// write and read, and the kernels on it by name. It is what Save and Open need
// to store models of that type.
type Own[T any] struct {
	Type    string // name of the kind in model files
	Kernels []kernel.Named[T]
	Maps    []OwnMap[T] // maps of the user's own
}

// OwnMap says how the fitted maps of a Mapper of the user's are stored.
type OwnMap[T any] struct {
	Name   string                                // of the map in model files, such as its Mapper's
	Encode func(m feature.Map[T]) ([]byte, bool) // false for a map of another kind
	Decode func(b []byte) (feature.Map[T], error)
}

// MapKind is a kind of instances that has maps of its own.
type MapKind[T any] interface {
	EncodeMap(m feature.Map[T]) (name string, stored []byte, ok bool)
	DecodeMap(name string, stored []byte) (feature.Map[T], error)
}

// EncodeMap stores a map by the first that knows it.
func (o Own[T]) EncodeMap(m feature.Map[T]) (string, []byte, bool) {
	for _, own := range o.Maps {
		if b, ok := own.Encode(m); ok {
			return own.Name, b, true
		}
	}
	return "", nil, false
}

// DecodeMap reads what EncodeMap stored.
func (o Own[T]) DecodeMap(name string, stored []byte) (feature.Map[T], error) {
	for _, own := range o.Maps {
		if own.Name == name {
			return own.Decode(stored)
		}
	}
	return nil, fmt.Errorf("there is no map %q of %s; list it", name, o.Type)
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
