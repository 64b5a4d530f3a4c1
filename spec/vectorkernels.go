package spec

import (
	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kernel"
)

// vectorKernels are the kernels on vectors by name.
func vectorKernels() map[string]maker[data.Vector] {
	return map[string]maker[data.Vector]{
		"linear":  plain(kernel.Linear{}),
		"cosine":  plain(kernel.CosineSimilarity{}),
		"min":     plain(kernel.Minimum{}),
		"poly":    makePolynomial,
		"rbf":     makeGaussian,
		"laplace": makeLaplacian,
		"sigmoid": makeSigmoid,
		"chi2":    makeChi2,
		"matern":  makeMatern,
		"rq":      makeRationalQuadratic,
		"exec":    makeExec[data.Vector],
		"wasm":    makeWasm[data.Vector],
	}
}

// plain makes a kernel without parameters.
func plain(k kernel.Kernel[data.Vector]) maker[data.Vector] {
	return func(a *arguments) (kernel.Kernel[data.Vector], error) {
		_, err := a.numbers()
		return k, err
	}
}

func makePolynomial(a *arguments) (kernel.Kernel[data.Vector], error) {
	v, err := a.numbers(named{"degree", 3}, named{"coef", 1}, named{"gamma", 1})
	if err != nil {
		return nil, err
	}
	degree, err := a.whole(v, "degree")
	if err != nil || degree > 1000 {
		return nil, a.fail("degree is %v and must be a whole number from 1 to 1000", v["degree"])
	}
	return kernel.Polynomial{Degree: degree, Coef: v["coef"], Gamma: v["gamma"]}, nil
}

func makeGaussian(a *arguments) (kernel.Kernel[data.Vector], error) {
	v, err := a.numbers(named{"gamma", 0}, named{"sigma", 0})
	if err != nil {
		return nil, err
	}
	switch given := a.node.params; {
	case len(given) == 2:
		return nil, a.fail("rbf takes gamma or sigma, not both")
	case len(given) == 0:
		return kernel.GaussianWidth(a.width()), nil
	case given[0].name == "gamma":
		return kernel.Gaussian{Gamma: v["gamma"]}, nil
	}
	if !(v["sigma"] > 0) {
		return nil, a.fail("sigma is %v and must be a positive number", v["sigma"])
	}
	return kernel.GaussianWidth(v["sigma"]), nil
}

func makeLaplacian(a *arguments) (kernel.Kernel[data.Vector], error) {
	v, err := a.numbers(named{"gamma", 1})
	return kernel.Laplacian{Gamma: v["gamma"]}, err
}

func makeSigmoid(a *arguments) (kernel.Kernel[data.Vector], error) {
	v, err := a.numbers(named{"gamma", 1}, named{"coef", 0})
	return kernel.Sigmoid{Gamma: v["gamma"], Coef: v["coef"]}, err
}

func makeChi2(a *arguments) (kernel.Kernel[data.Vector], error) {
	v, err := a.numbers(named{"gamma", 1})
	return kernel.Chi2{Gamma: v["gamma"]}, err
}

func makeMatern(a *arguments) (kernel.Kernel[data.Vector], error) {
	v, err := a.numbers(named{"nu", 1.5}, named{"length", 1})
	return kernel.MaternKernel{Nu: v["nu"], Length: v["length"]}, err
}

func makeRationalQuadratic(a *arguments) (kernel.Kernel[data.Vector], error) {
	v, err := a.numbers(named{"alpha", 1}, named{"length", 1})
	return kernel.RationalQuadratic{Alpha: v["alpha"], Length: v["length"]}, err
}
