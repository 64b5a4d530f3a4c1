package spec

import (
	"fmt"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/kernel"
)

// Kind is what is known of a kind of instances: its kernels in text, and how model
// files store its instances.
type Kind[T any] interface {
	// Name returns the name of the kind in model files.
	Name() string
	// Kernel reads a kernel that leaves nothing open.
	Kernel(text string) (kernel.Kernel[T], error)
	// Make makes a kernel. What it leaves open is taken from x.
	Make(k Kernel, x data.Source[T], seed uint64) (kernel.Kernel[T], error)
	// Default is the kernel where nobody chose one.
	Default() string
	// Candidates are the kernels that a search tries where nobody chose one. One
	// that stands twice is drawn twice as often.
	Candidates() []string
	Encode(x data.Source[T]) []byte
	Decode(b []byte) (data.Source[T], error)
}

// ForKind returns what one of three functions makes of the kind: the place where a
// name becomes a type.
func ForKind[R any](
	kind dataset.Kind, vectors func(Kind[data.Vector]) R, strings func(Kind[string]) R, sets func(Kind[data.Set]) R,
) (R, error) {
	switch kind {
	case dataset.Vectors:
		return vectors(Vectors{}), nil
	case dataset.Strings:
		return strings(Strings{}), nil
	case dataset.Sets:
		return sets(Sets{}), nil
	}
	var none R
	return none, fmt.Errorf("there are no instances of kind %q", kind)
}

// Kernels that are nothing but their width. That of laplace is 1 where it is given
// no other, and open in a search.
const (
	Gauss   = "rbf"
	Laplace = "laplace"
)

// Default returns the Gaussian kernel of the data's width.
func (Vectors) Default() string { return Gauss }

// Candidates are Gaussian and Laplacian kernels.
func (Vectors) Candidates() []string { return []string{Gauss, Gauss, Laplace} }

// Default returns the normalised spectrum kernel of three letters.
func (Strings) Default() string { return "normalize(spectrum(k=3))" }

// Candidates are spectrum kernels.
func (Strings) Candidates() []string {
	return []string{"normalize(spectrum(k=2))", "normalize(spectrum(k=3))", "normalize(spectrum(k=4))",
		"normalize(spectrum(k=5))"}
}

// Default returns Jaccard's kernel.
func (Sets) Default() string { return "jaccard" }

// Candidates are kernels of common items.
func (Sets) Candidates() []string {
	return []string{"jaccard", "normalize(intersection)", "normalize(conjunction(degree=2))"}
}
