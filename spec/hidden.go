package spec

import (
	"math"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/gen"
	"github.com/kerf-ml/kerf/kernel"
)

// makeHidden reads hidden(bits=20,seed=1,own=0), the kernel of the data that kerf gen
// hidden makes of as many bits and the same seed.
func makeHidden(a *arguments) (kernel.Kernel[data.Vector], error) {
	h := gen.NewHidden()
	v, err := a.numbers(named{"bits", float64(h.Bits)}, named{"seed", float64(h.Seed)}, named{"own", 0})
	if err != nil {
		return nil, err
	}
	if h.Bits, err = a.whole(v, "bits"); err != nil {
		return nil, err
	}
	if seed := v["seed"]; !(seed >= 0 && seed <= 1<<53 && seed == math.Trunc(seed)) {
		return nil, a.fail("seed is %v and must be a whole number from 0 to 2^53", seed)
	}
	h.Seed = uint64(v["seed"])
	if err := h.Validate(); err != nil {
		return nil, a.fail("%v", err)
	}
	return h.Kernel().Definite(v["own"]), nil
}
