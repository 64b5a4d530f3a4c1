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
		"hidden":    makeHidden,
		"exec":      makeExec[data.Vector],
		"wasm":      makeWasm[data.Vector],
		"block":     func(a *arguments) (kernel.Kernel[data.Vector], error) { return makeBlock(a, nil, 0) },
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

// vectorKernelsOf are the kernels on vectors, of which a block takes a width that is
// left open from its own coordinates of x.
func vectorKernelsOf(x data.Source[data.Vector], seed uint64) map[string]maker[data.Vector] {
	makers := vectorKernels()
	makers["block"] = func(a *arguments) (kernel.Kernel[data.Vector], error) { return makeBlock(a, x, seed) }
	return makers
}

// makeBlock reads block(from=0,to=3,K).
func makeBlock(a *arguments, x data.Source[data.Vector], seed uint64) (kernel.Kernel[data.Vector], error) {
	if len(a.node.inner) != 1 || len(a.node.params) != 2 {
		return nil, a.fail("block takes coordinates and one kernel, as in block(from=0,to=3,rbf(gamma=1))")
	}
	bounds := *a
	bounds.node.inner = nil
	v, err := bounds.numbers(named{"from", 0}, named{"to", 0})
	if err != nil {
		return nil, err
	}
	k := kernel.Block{}
	if k.From, err = a.whole(v, "from"); err != nil {
		return nil, err
	}
	if k.To, err = a.whole(v, "to"); err != nil {
		return nil, err
	}
	if k.From < 0 || k.To <= k.From {
		return nil, a.fail("block has coordinates from %d to %d and needs one or more", k.From, k.To)
	}
	width, makers := a.width, vectorKernels()
	if x != nil {
		part := make(data.Slice[data.Vector], x.Len())
		for i := range part {
			part[i] = k.Get(x.At(i))
		}
		width, makers = func() float64 { return kernel.MedianDistance(part, seed) }, vectorKernelsOf(part, seed)
	}
	k.Of, err = build(a.kernel, a.node.inner[0], makers, width)
	return k, err
}
