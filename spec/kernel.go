package spec

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kernel"
)

// Kernel is a kernel as text, checked and ready to be made. It may leave the
// width of a Gaussian to the data: "rbf".
type Kernel struct {
	text string
	root node
}

// Parse reads a kernel from text and checks its names and parameters. The error
// is an *Error.
func Parse(text string) (Kernel, error) {
	root, err := parse(text)
	if err != nil {
		return Kernel{}, err
	}
	k := Kernel{text: text, root: root}
	if _, err := k.build(root, func() float64 { return 1 }); err != nil {
		return Kernel{}, err
	}
	return k, nil
}

// String returns the text.
func (k Kernel) String() string { return k.text }

// Open reports whether the kernel leaves a width to be taken from the data.
func (k Kernel) Open() bool { return open(k.root) }

func open(n node) bool {
	return n.name == "rbf" && len(n.params) == 0 || slices.ContainsFunc(n.inner, open)
}

// Vectors makes the kernel for vectors. A width that is left open becomes the
// median distance of x.
func (k Kernel) Vectors(x data.Source[data.Vector], seed uint64) (kernel.Kernel[data.Vector], error) {
	return k.build(k.root, func() float64 { return kernel.MedianDistance(x, seed) })
}

// builder makes a kernel from the node that names it.
type builder func(k Kernel, n node, width func() float64) (kernel.Kernel[data.Vector], error)

// vectorKernels are the kernels on vectors by name.
func vectorKernels() map[string]builder {
	return map[string]builder{
		"linear":    buildLinear,
		"poly":      buildPolynomial,
		"rbf":       buildGaussian,
		"normalize": buildNormalized,
	}
}

// Names returns the names of the kernels, sorted.
func Names() []string {
	var names []string
	for name := range vectorKernels() {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func (k Kernel) build(n node, width func() float64) (kernel.Kernel[data.Vector], error) {
	make, ok := vectorKernels()[n.name]
	if !ok {
		return nil, k.fail(n.column, "unknown kernel %q; there are %s", n.name, strings.Join(Names(), ", "))
	}
	made, err := make(k, n, width)
	if err != nil {
		return nil, err
	}
	if err := kernel.Validate(made); err != nil {
		return nil, k.fail(n.column, "%s", strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	return made, nil
}

func (k Kernel) fail(at int, format string, args ...any) error {
	return &Error{Text: k.text, Column: at + 1, Problem: fmt.Sprintf(format, args...)}
}

// take checks the arguments of a node: at most the named parameters, each once,
// and exactly so many inner kernels. It returns the parameters that are given.
func (k Kernel) take(n node, kernels int, names ...string) (map[string]float64, error) {
	if len(n.inner) != kernels {
		if kernels == 0 {
			return nil, k.fail(n.inner[0].column, "%s takes parameters as name=number%s", n.name, list(names))
		}
		return nil, k.fail(n.column, "%s takes %d kernel, as in %s(rbf(gamma=1))", n.name, kernels, n.name)
	}
	given := map[string]float64{}
	for _, p := range n.params {
		if !slices.Contains(names, p.name) {
			return nil, k.fail(p.column, "%s has no parameter %q%s", n.name, p.name, list(names))
		}
		if _, twice := given[p.name]; twice {
			return nil, k.fail(p.column, "%s is given twice", p.name)
		}
		given[p.name] = p.value
	}
	return given, nil
}

func list(names []string) string {
	if len(names) == 0 {
		return "; it takes none"
	}
	return "; it takes " + strings.Join(names, ", ")
}

func buildLinear(k Kernel, n node, _ func() float64) (kernel.Kernel[data.Vector], error) {
	_, err := k.take(n, 0)
	return kernel.Linear{}, err
}

func buildPolynomial(k Kernel, n node, _ func() float64) (kernel.Kernel[data.Vector], error) {
	given, err := k.take(n, 0, "degree", "coef", "gamma")
	if err != nil {
		return nil, err
	}
	p := kernel.NewPolynomial(3)
	if v, ok := given["degree"]; ok {
		if v != float64(int(v)) || v > 1000 {
			return nil, k.fail(n.column, "degree is %v and must be a whole number from 1 to 1000", v)
		}
		p.Degree = int(v)
	}
	if v, ok := given["coef"]; ok {
		p.Coef = v
	}
	if v, ok := given["gamma"]; ok {
		p.Gamma = v
	}
	return p, nil
}

func buildGaussian(k Kernel, n node, width func() float64) (kernel.Kernel[data.Vector], error) {
	given, err := k.take(n, 0, "gamma", "sigma")
	if err != nil {
		return nil, err
	}
	gamma, byGamma := given["gamma"]
	sigma, bySigma := given["sigma"]
	switch {
	case byGamma && bySigma:
		return nil, k.fail(n.column, "rbf takes gamma or sigma, not both")
	case byGamma:
		return kernel.Gaussian{Gamma: gamma}, nil
	case !bySigma:
		sigma = width()
	case !(sigma > 0):
		return nil, k.fail(n.column, "sigma is %v and must be a positive number", sigma)
	}
	return kernel.GaussianWidth(sigma), nil
}

func buildNormalized(k Kernel, n node, width func() float64) (kernel.Kernel[data.Vector], error) {
	if _, err := k.take(n, 1); err != nil {
		return nil, err
	}
	inner, err := k.build(n.inner[0], width)
	if err != nil {
		return nil, err
	}
	return kernel.Normalize(inner), nil
}
