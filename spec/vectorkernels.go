package spec

import (
	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kernel"
)

// vectorKernels are the kernels on vectors by name. A new one is a line here.
func vectorKernels() map[string]maker[data.Vector] {
	return map[string]maker[data.Vector]{
		"learned":   makeLearned,
		"linear":    made[data.Vector](kernel.Linear{}),
		"cosine":    made[data.Vector](kernel.CosineSimilarity{}),
		"min":       made[data.Vector](kernel.Minimum{}),
		"poly":      makePolynomial,
		"rbf":       makeGaussian,
		"laplace":   made[data.Vector](kernel.Laplacian{Gamma: 1}),
		"sigmoid":   made[data.Vector](kernel.NewSigmoid()),
		"chi2":      made[data.Vector](kernel.NewChi2()),
		"matern":    made[data.Vector](kernel.NewMatern()),
		"stretched": made[data.Vector](kernel.NewStretched()),
		"rq":        made[data.Vector](kernel.NewRationalQuadratic()),
		"exec":      makeExec[data.Vector],
		"wasm":      makeWasm[data.Vector],
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
