package spec

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/kernel"
)

// Kernel is a kernel as text, checked and ready to be made. It may leave the
// width of a Gaussian to the data: "rbf".
type Kernel struct {
	text string
	root node
	kind dataset.Kind
}

// Parse reads a kernel from text and checks its names and parameters. The error
// is an *Error.
func Parse(text string) (Kernel, error) {
	root, err := parse(text)
	if err != nil {
		return Kernel{}, err
	}
	k := Kernel{text: text, root: root}
	if err := k.findKind(root); err != nil {
		return Kernel{}, err
	}
	if foreign(root) {
		return k, nil // to check it would be to run it
	}
	return k, k.check()
}

// foreign reports whether a program or module is part of the kernel.
func foreign(n node) bool {
	return n.op == 'c' && isExternal(n.name) || slices.ContainsFunc(n.inner, foreign)
}

// check makes the kernel once, with any width, to report its faults early.
func (k Kernel) check() error {
	fault, err := ForKind(cmp.Or(k.kind, dataset.Vectors), // a constant is for any kind
		func(Kind[data.Vector]) error { return buildable(k, vectorKernels()) },
		func(Kind[string]) error { return buildable(k, stringKernels()) },
		func(Kind[data.Set]) error { return buildable(k, setKernels()) })
	return cmp.Or(fault, err)
}

func buildable[T any](k Kernel, makers map[string]maker[T]) error {
	_, err := build(k, k.root, makers, func() float64 { return 1 })
	return err
}

// String returns the text.
func (k Kernel) String() string { return k.text }

// Kind returns the kind of instances that the kernel is for, empty where it is
// for any: a constant.
func (k Kernel) Kind() dataset.Kind { return k.kind }

// findKind sets the kind by the first name that belongs to one, and reports a
// name that belongs to none or to another.
func (k *Kernel) findKind(n node) error {
	if n.op == 'c' && isExternal(n.name) {
		if n.rest == "" {
			return k.fail(n.column, "%s is followed by a colon and a program or file, as in %s:./kernel", n.name, n.name)
		}
		return nil
	}
	if n.op == 'c' && !isCombinator(n.name) {
		kind := kindOf(n.name)
		switch {
		case kind == "":
			return k.fail(n.column, "unknown kernel %q; there are %s", n.name, strings.Join(Names(), ", "))
		case k.kind != "" && k.kind != kind:
			return k.fail(n.column, "%s is for %s, and what stands before it for %s", n.name, kind, k.kind)
		}
		k.kind = kind
	}
	for _, inner := range n.inner {
		if err := k.findKind(inner); err != nil {
			return err
		}
	}
	return nil
}

func isCombinator(name string) bool { return name == "normalize" || name == "exp" }

func kindOf(name string) dataset.Kind {
	if _, ok := vectorKernels()[name]; ok {
		return dataset.Vectors
	}
	if _, ok := stringKernels()[name]; ok {
		return dataset.Strings
	}
	if _, ok := setKernels()[name]; ok {
		return dataset.Sets
	}
	return ""
}

// Name returns the name of a kernel that is no combination of others, and nothing
// for one that is.
func (k Kernel) Name() string {
	if k.root.op != 'c' || isCombinator(k.root.name) {
		return ""
	}
	return k.root.name
}

// Open reports whether the kernel leaves a width to be taken from the data.
func (k Kernel) Open() bool { return open(k.root) }

func open(n node) bool {
	return n.op == 'c' && n.name == "rbf" && len(n.params) == 0 || slices.ContainsFunc(n.inner, open)
}

// maker makes a kernel from its arguments.
type maker[T any] func(a *arguments) (kernel.Kernel[T], error)

// arguments are those of a name, taken one by one; what is left over is a
// fault.
type arguments struct {
	kernel Kernel
	node   node
	width  func() float64
}

func (a *arguments) fail(format string, args ...any) error {
	return a.kernel.fail(a.node.column, format, args...)
}

// numbers returns the parameters that are given, each of the given names at
// most once and no others, with defaults for the rest.
func (a *arguments) numbers(defaults ...named) (map[string]float64, error) {
	n := a.node
	var names []string
	out := map[string]float64{}
	for _, d := range defaults {
		names = append(names, d.name)
		out[d.name] = d.value
	}
	if len(n.inner) > 0 {
		return nil, a.kernel.fail(n.inner[0].column, "%s takes parameters as name=number%s", n.name, list(names))
	}
	given := map[string]bool{}
	for _, p := range n.params {
		if !slices.Contains(names, p.name) {
			return nil, a.kernel.fail(p.column, "%s has no parameter %q%s", n.name, p.name, list(names))
		}
		if given[p.name] {
			return nil, a.kernel.fail(p.column, "%s is given twice", p.name)
		}
		given[p.name], out[p.name] = true, p.value
	}
	return out, nil
}

// named is a parameter with its default.
type named struct {
	name  string
	value float64
}

// whole returns a parameter that must be a whole number.
func (a *arguments) whole(values map[string]float64, name string) (int, error) {
	v := values[name]
	if v != float64(int(v)) || v < -1e6 || v > 1e6 {
		return 0, a.fail("%s is %v and must be a whole number", name, v)
	}
	return int(v), nil
}

// Names returns the names of all kernels, sorted.
func Names() []string {
	names := []string{"normalize", "exp"}
	for name := range vectorKernels() {
		names = append(names, name)
	}
	for name := range stringKernels() {
		names = append(names, name)
	}
	for name := range setKernels() {
		names = append(names, name)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	return slices.DeleteFunc(names, isExternal)
}

// build makes the kernel of a node from the kernels of one kind.
func build[T any](k Kernel, n node, makers map[string]maker[T], width func() float64) (kernel.Kernel[T], error) {
	made, err := assemble(k, n, makers, width)
	if err != nil {
		return nil, err
	}
	if err := kernel.Validate(made); err != nil {
		return nil, k.fail(n.column, "%s", strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	return made, nil
}

func assemble[T any](k Kernel, n node, makers map[string]maker[T], width func() float64) (kernel.Kernel[T], error) {
	if n.op == 'n' {
		return kernel.Constant[T]{Value: n.value}, nil
	}
	if n.op == 'c' && !isCombinator(n.name) {
		make, ok := makers[n.name]
		if !ok {
			return nil, k.fail(n.column, "%s is for %s", n.name, kindOf(n.name))
		}
		return make(&arguments{kernel: k, node: n, width: width})
	}
	if n.op == 'c' && (len(n.params) > 0 || len(n.inner) != 1) {
		return nil, k.fail(n.column, "%s takes one kernel, as in %s(rbf(gamma=1))", n.name, n.name)
	}
	var parts []kernel.Kernel[T]
	for _, inner := range n.inner {
		part, err := build(k, inner, makers, width)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	return combine(n, parts), nil
}

// combine applies a combinator to its parts.
func combine[T any](n node, parts []kernel.Kernel[T]) kernel.Kernel[T] {
	switch {
	case n.name == "normalize":
		return kernel.Normalize(parts[0])
	case n.name == "exp":
		return kernel.ExpOf(parts[0])
	case n.op == '^':
		return kernel.PowerOf(parts[0], int(n.value))
	case n.op == '*':
		return multiply(parts)
	}
	return kernel.Sum(parts...)
}

// multiply multiplies kernels; numbers among them scale the rest.
func multiply[T any](parts []kernel.Kernel[T]) kernel.Kernel[T] {
	factor, scaled := 1.0, false
	var rest []kernel.Kernel[T]
	for _, p := range parts {
		if c, ok := p.(kernel.Constant[T]); ok {
			factor, scaled = factor*c.Value, true
			continue
		}
		rest = append(rest, p)
	}
	switch {
	case len(rest) == 0:
		return kernel.Constant[T]{Value: factor}
	case !scaled:
		return kernel.Product(rest...)
	case len(rest) == 1:
		return kernel.Scale(factor, rest[0])
	}
	return kernel.Scale(factor, kernel.Product(rest...))
}

func (k Kernel) fail(at int, format string, args ...any) error {
	return &Error{Text: k.text, Column: at + 1, Problem: fmt.Sprintf(format, args...)}
}

func list(names []string) string {
	if len(names) == 0 {
		return "; it takes none"
	}
	return "; it takes " + strings.Join(names, ", ")
}
