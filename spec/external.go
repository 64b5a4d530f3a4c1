package spec

import (
	"context"

	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/kernel/external"
)

// Programs returns the commands that making the kernel of a text would start, in
// order; none for a text that is no kernel.
func Programs(text string) []string {
	root, err := parse(text)
	if err != nil {
		return nil
	}
	var out []string
	var walk func(n node)
	walk = func(n node) {
		if n.op == 'c' && n.name == "exec" {
			out = append(out, n.rest)
		}
		for _, inner := range n.inner {
			walk(inner)
		}
	}
	walk(root)
	return out
}

// makeExec starts a program. It runs until kerf ends, which closes its input.
func makeExec[T external.Instance](a *arguments) (kernel.Kernel[T], error) {
	return external.NewExec[T](context.Background(), a.node.rest, external.ExecOptions{})
}

// makeWasm loads a module from a file.
func makeWasm[T external.Instance](a *arguments) (kernel.Kernel[T], error) {
	return external.OpenWasm[T](context.Background(), a.node.rest, external.WasmOptions{})
}
