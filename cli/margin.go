package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/margin"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/spec"
)

// marginFlags are the choices of kerf margin.
type marginFlags struct {
	inputFlags
	kernel     string
	dim        int
	err        float64
	confidence float64
	points     int
}

func (a *app) margin() *cobra.Command {
	f := &marginFlags{}
	c := &cobra.Command{
		Use:   "margin DATA --kernel SPEC",
		Short: "The error at every margin of the best separator found: which margin to plan with",
		Long: `The error at every margin of the best separator found in the kernel's feature
space. Half of the rows train separators, a quarter chooses among them, and the
errors are counted on the last quarter.

Of all margins the one is named with which the theorems ask for the fewest
landmarks, if these may add --error to what the best separator leaves.`,
		Example: "  kerf margin data.csv --kernel 'rbf(gamma=1)'",
		Args:    cobra.ExactArgs(1),
	}
	flags := c.Flags()
	f.inputFlags.add(flags)
	flags.StringVar(&f.kernel, "kernel", "", "kernel (default: rbf for vectors, normalize(spectrum(k=3)) for strings, jaccard for sets)")
	flags.IntVar(&f.dim, "dim", 500, "landmarks in whose span separators are sought")
	flags.Float64Var(&f.err, "error", 0.05, "error that the mapping may add")
	flags.Float64Var(&f.confidence, "confidence", 0.95, "probability with which the plan must hold")
	flags.IntVar(&f.points, "points", 50, "points of the curve to list in JSON, at most")
	c.RunE = func(c *cobra.Command, args []string) error {
		switch {
		case f.dim < 1:
			return usage("--dim is %d and must be at least 1", f.dim)
		case !(f.err > 0 && f.err < 1):
			return usage("--error is %v and must be between 0 and 1", f.err)
		case !(f.confidence > 0 && f.confidence < 1):
			return usage("--confidence is %v and must be between 0 and 1", f.confidence)
		case f.points < 2:
			return usage("--points is %d and must be at least 2", f.points)
		}
		return a.runMargin(c.Context(), args[0], f)
	}
	return c
}

func (a *app) runMargin(ctx context.Context, path string, f *marginFlags) error {
	var k spec.Kernel
	var err error
	if f.kernel != "" {
		if k, err = spec.Parse(f.kernel); err != nil {
			return err
		}
	}
	kind, err := f.inputFlags.kind(k)
	if err != nil {
		return err
	}
	in, err := a.read(ctx, path, kind, true, &f.inputFlags)
	if err != nil {
		return err
	}
	if f.kernel == "" {
		if k, err = spec.Parse(defaultKernel[string(in.Kind)]); err != nil {
			return err
		}
	}
	switch in.Kind {
	case dataset.Strings:
		return marginOf(ctx, a, spec.Strings{}, in, k, f)
	case dataset.Sets:
		return marginOf(ctx, a, spec.Sets{}, in, k, f)
	}
	return marginOf(ctx, a, spec.Vectors{}, in, k, f)
}

// marginFound is what kerf margin found.
type marginFound struct {
	Kernel     string         `json:"kernel"`
	N          int            `json:"n"`
	Rows       int            `json:"rows"` // on which errors were counted
	Curve      []margin.Point `json:"curve"`
	Margin     float64        `json:"margin"`      // to plan with
	Noise      float64        `json:"noise"`       // error at that margin
	Error      float64        `json:"error"`       // left to the mapping
	TotalError float64        `json:"total_error"` // of both
	Confidence float64        `json:"confidence"`
	Landmarks  int            `json:"landmarks"`
	Gap        float64        `json:"gap"` // by which true errors may be above the curve

	picture string
}

// marginOf measures the margins of instances of type T.
func marginOf[T any](ctx context.Context, a *app, kind instanceKind[T], in *dataset.Rows, text spec.Kernel, f *marginFlags) error {
	if err := checkClasses(in); err != nil {
		return err
	}
	scaled, err := f.scaling(in, text.Open())
	if err != nil {
		return err
	}
	e, err := fitEncoding(in, nil, scaled, &f.inputFlags)
	if err != nil {
		return err
	}
	x, labels, err := decode[T](e, in)
	if err != nil {
		return err
	}
	k, err := kind.Make(text, x, a.seed)
	if err != nil {
		return err
	}
	r := model.NewRecipe(k, f.dim)
	r.Seed, r.Run = a.seed, a.control()
	curve, err := r.Curve(ctx, data.Labeled[T, string]{X: x, Y: labels})
	if err != nil {
		return named(in.Name, err)
	}
	found := marginFound{Kernel: kernelName(k), N: x.Len(), Rows: curve.Len(), Curve: curve.Points(f.points), Confidence: f.confidence}
	if found.Gap, err = curve.Gap(f.confidence); err != nil {
		return err
	}
	total := min(curve.At(0)+f.err, 0.999)
	choice, err := curve.Recommend(total, f.confidence)
	if err != nil {
		return named(in.Name, err)
	}
	found.Margin, found.Noise, found.Error, found.TotalError, found.Landmarks = choice.Margin, choice.Noise, choice.Error, total, choice.Landmarks
	found.picture = curve.Draw(choice.Margin)
	return a.result(found, found.print)
}

func (m marginFound) print(w io.Writer) error {
	fmt.Fprintf(w, "error at margin, %s, counted on %d rows\n\n%s\n", m.Kernel, m.Rows, m.picture)
	out := newFacts(w)
	out.add("margin", "%.3g to plan with: all but %s of the rows have it", m.Margin, percent(m.Noise))
	out.add("error", "%s in all, if the mapping adds no more than %.3g", percent(m.TotalError), m.Error)
	if m.Landmarks > 0 {
		out.add("landmarks", "%s suffice by theory (lemma 1); kerf train --error certifies far fewer", grouped(int64(m.Landmarks)))
	}
	out.add("sample", "true errors are with %s confidence at most %s above the curve", percent(m.Confidence), percent(m.Gap))
	return out.flush()
}
