package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/spec"
)

// mapFlags choose a kernel and a map.
type mapFlags struct {
	kernel    string
	kind      string
	dim       int
	landmarks int

	text     spec.Kernel
	dimGiven bool
}

func (f *mapFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.kernel, "kernel", "", "kernel, such as 'rbf(gamma=0.1)', 'poly(degree=3)', linear, 'normalize(poly)'; rbf takes its width from the data (default rbf)")
	flags.StringVar(&f.kind, "map", "", "map into features: f1, f2, f3 or none (default f2; none for the linear kernel)")
	flags.IntVar(&f.dim, "dim", 0, "dimension: landmarks of f1 and f2, features of f3 (default: 500, or as many as there are rows)")
	flags.IntVar(&f.landmarks, "landmarks", 0, "landmarks of f3 (default: 4 for each dimension)")
}

// check reads the kernel, fills in defaults and reports what does not fit.
// Without a map, only a kernel machine has a use for a kernel.
func (f *mapFlags) check(c *cobra.Command, kernelMachine bool) error {
	f.dimGiven = c.Flags().Changed("dim")
	switch {
	case f.dimGiven && f.dim < 1:
		return usage("--dim is %d and must be at least 1", f.dim)
	case c.Flags().Changed("landmarks") && f.landmarks < 1:
		return usage("--landmarks is %d and must be at least 1", f.landmarks)
	case f.kind != "" && !slices.Contains(model.MapKinds, f.kind):
		return usage("unknown map %q; there are %s", f.kind, strings.Join(model.MapKinds, ", "))
	}
	given := f.kernel != ""
	if !given {
		f.kernel = "rbf"
		if f.kind == model.MapNone && !kernelMachine {
			f.kernel = "linear"
		}
	}
	var err error
	if f.text, err = spec.Parse(f.kernel); err != nil {
		return err
	}
	isLinear := f.text.String() == "linear"
	if f.kind == "" {
		f.kind = model.MapF2
		if isLinear {
			f.kind = model.MapNone
		}
	}
	switch {
	case f.kind == model.MapNone && given && !isLinear && !kernelMachine:
		return usage("--map none leaves the kernel %s without use; choose --map f1, f2 or f3, or drop --kernel", f.kernel)
	case f.kind == model.MapNone && f.dimGiven && !kernelMachine:
		return usage("--map none has no dimension to choose; drop --dim")
	case f.landmarks > 0 && f.kind != model.MapF3:
		return usage("--landmarks is for --map f3; %s has --dim landmarks", f.kind)
	}
	return nil
}

// defaultDim is the dimension where the user chose none.
const defaultDim = 500

// recipe returns the recipe for n rows.
func (f *mapFlags) recipe(k kernel.Kernel[data.Vector], n int) model.Recipe[data.Vector] {
	dim := f.dim
	if !f.dimGiven {
		dim = min(defaultDim, n)
	}
	r := model.NewRecipe(k, dim)
	r.Map = f.kind
	if f.landmarks > 0 {
		r.Landmarks = f.landmarks
	}
	return r
}
