package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/project"
	"github.com/kerf-ml/kerf/spec"
)

// mapFlags choose a kernel and a map.
type mapFlags struct {
	kernel     string
	mapKind    string
	dim        int
	landmarks  int
	selection  string
	projection string
	repair     string

	spec     spec.Kernel
	machine  bool // the learner works in the kernel's own space
	grows    bool // the dimension is found by a certificate
	dimGiven bool
	mapOpen  bool // nobody chose a map, or what belongs to one
}

func (f *mapFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.kernel, "kernel", "", "kernel, such as 'rbf(gamma=0.1)', 'poly(degree=3)', 'degree(d=5)', jaccard, 'normalize(spectrum(k=3))+1'; rbf takes its width from the data (default: rbf for vectors, normalize(spectrum(k=3)) for strings, jaccard for sets)")
	flags.StringVar(&f.mapKind, "map", "", "map into features: "+strings.Join(model.MapKinds, ", ")+" (default: f2, or fourier or none where they are clearly better on held-out rows; none for the linear kernel)")
	flags.IntVar(&f.dim, "dim", 0, "dimension: landmarks of f1 and f2, features of the other maps (default: chosen by the error on held-out rows, from 64 to 1024)")
	flags.StringVar(&f.selection, "select", "", "how landmarks are chosen: uniform, iid, kmeans, greedy or rpcholesky (default: uniform)")
	flags.StringVar(&f.projection, "projection", "", "random projection of f3: "+strings.Join(project.Kinds(), ", ")+" (default: gaussian)")
	flags.StringVar(&f.repair, "repair", "", "what f2 does with a similarity that is no kernel: clip, flip or shift its spectrum (default: refuse it)")
	flags.IntVar(&f.landmarks, "landmarks", 0, "landmarks of f3 (default: 4 for each dimension); with --error the most that a map is grown to (default: 5000)")
}

// check reads the kernel and reports flags that are out of range. machine says
// that the learner works in the kernel's own space.
func (f *mapFlags) check(c *cobra.Command, machine bool) error {
	f.machine, f.dimGiven = machine, c.Flags().Changed("dim")
	switch {
	case f.dimGiven && f.dim < 1:
		return usage("--dim is %d and must be at least 1", f.dim)
	case c.Flags().Changed("landmarks") && f.landmarks < 1:
		return usage("--landmarks is %d and must be at least 1", f.landmarks)
	case f.mapKind != "" && !slices.Contains(model.MapKinds, f.mapKind):
		return usage("unknown map %q; there are %s", f.mapKind, strings.Join(model.MapKinds, ", "))
	case feature.Selection(f.selection).Validate() != nil:
		return usage("--%w", feature.Selection(f.selection).Validate())
	case f.projection != "" && !slices.Contains(project.Kinds(), f.projection):
		return usage("unknown projection %q; there are %s", f.projection, strings.Join(project.Kinds(), ", "))
	}
	if f.kernel == "" {
		return nil
	}
	var err error
	if f.spec, err = spec.Parse(f.kernel); err != nil {
		return err
	}
	return f.fits(f.spec.String() == "linear")
}

// defaultKernel is the kernel of a kind of instances where the user chose none.
var defaultKernel = map[string]string{spec.KindVectors: "rbf", spec.KindStrings: "normalize(spectrum(k=3))", spec.KindSets: "jaccard"}

// settle fills in what the user left open, now that the kind of instances is
// known.
func (f *mapFlags) settle(kind string) error {
	if f.kernel == "" {
		text := defaultKernel[kind]
		if kind == spec.KindVectors && f.mapKind == model.MapNone && !f.machine {
			text = "linear"
		}
		var err error
		if f.spec, err = spec.Parse(text); err != nil {
			return err
		}
	}
	f.mapOpen = f.mapKind == "" && kind == spec.KindVectors && !f.machine && !f.grows &&
		f.selection == "" && f.projection == "" && f.repair == "" && f.landmarks == 0
	if f.mapKind == "" {
		f.mapKind = model.MapF2
		if f.spec.String() == "linear" {
			f.mapKind = model.MapNone
		}
	}
	return f.fits(f.spec.String() == "linear")
}

// otherMaps returns the maps that are tried beside f2 where the user left the map
// open: Fourier features of a Gaussian kernel, and none where the user named
// neither a kernel nor a dimension, which it would leave without use.
func (f *mapFlags) otherMaps() []string {
	if !f.mapOpen || f.mapKind != model.MapF2 {
		return nil
	}
	var out []string
	if f.spec.Name() == bareGauss {
		out = append(out, model.MapFourier)
	}
	if f.kernel == "" && !f.dimGiven {
		out = append(out, model.MapNone)
	}
	return out
}

// fits reports choices that do not go together.
func (f *mapFlags) fits(isLinear bool) error {
	none := f.mapKind == model.MapNone
	chosen := f.mapKind != ""
	switch {
	case f.selection != "" && chosen && !model.HasLandmarks(f.mapKind):
		return usage("--select is for maps with landmarks: f1, f2 and f3")
	case f.projection != "" && chosen && f.mapKind != model.MapF3:
		return usage("--projection is for --map f3")
	case f.mapKind == model.MapMonomials && f.dimGiven:
		return usage("--map monomials has all monomials of the kernel's degree; drop --dim")
	case none && f.kernel != "" && !isLinear && !f.machine:
		return usage("--map none leaves the kernel %s without use; choose --map f1, f2 or f3, or drop --kernel", f.kernel)
	case none && f.dimGiven && !f.machine:
		return usage("--map none has no dimension to choose; drop --dim")
	case f.repair != "" && !slices.Contains(feature.Repairs, feature.Repair(f.repair)):
		return usage("--repair is %q and must be clip, flip or shift", f.repair)
	case f.repair != "" && f.selection != "" && f.selection != string(feature.Uniform) && f.selection != string(feature.Independent):
		return usage("--repair takes landmarks drawn alike; drop --select %s", f.selection)
	case f.repair != "" && f.mapKind != "" && f.mapKind != model.MapF2:
		return usage("--repair is for --map f2; f1 takes any similarity as it stands")
	case f.landmarks > 0 && f.mapKind != "" && f.mapKind != model.MapF3 && !f.grows:
		return usage("--landmarks is for --map f3; %s has --dim landmarks", f.mapKind)
	}
	return nil
}

// defaultDim is the dimension where the user chose none.
const defaultDim = 500

// recipe returns the recipe for n rows.
func recipe[T any](f *mapFlags, k kernel.Kernel[T], n int) model.Recipe[T] {
	dim := f.dim
	if !f.dimGiven {
		dim = min(defaultDim, n)
	}
	r := model.NewRecipe(k, dim)
	r.Map, r.Repair, r.Select, r.Projection = f.mapKind, f.repair, feature.Selection(f.selection), f.projection
	if f.landmarks > 0 {
		r.Landmarks = f.landmarks
	}
	return r
}
