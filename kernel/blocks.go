package kernel

// Blocks is the ability to compute a whole block of K in one call, for kernels
// whose every call has a cost of its own: another process, another machine.
//
// Such kernels can fail. Their Eval returns NaN after a fault; EvalBlock says
// what it was.
type Blocks[T any] interface {
	// EvalBlock sets dst[i*len(y)+j] to K(x[i], y[j]), for all i and j. It panics
	// unless len(dst) is len(x)*len(y), and is safe for concurrent use. After an
	// error the content of dst is undefined.
	EvalBlock(dst []float64, x, y []T) error
}

// BlocksOf returns the kernel's ability to compute blocks, and false where it has
// none.
func BlocksOf[T any](k Kernel[T]) (Blocks[T], bool) {
	b, ok := k.(Blocks[T])
	return b, ok
}
