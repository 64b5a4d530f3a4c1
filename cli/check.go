package cli

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/spec"
)

func (a *app) check() *cobra.Command {
	var (
		in     inputFlags
		text   string
		sample int
	)
	c := &cobra.Command{
		Use:   "check DATA --kernel SPEC",
		Short: "Is it a kernel on this data: symmetric, positive semidefinite, rank, spectrum",
		Long: `Is it a kernel on this data: symmetric and positive semidefinite. A sample can
show that it is none, and then the rows that show it are named; that it is one
on this sample proves nothing about others.`,
		Example: "  kerf check heart.libsvm --kernel 'sigmoid(gamma=1,coef=-2)'",
		Args:    cobra.ExactArgs(1),
	}
	in.add(c.Flags())
	c.Flags().StringVar(&text, "kernel", "", "kernel or similarity to check (required)")
	c.Flags().IntVar(&sample, "sample", 500, "rows to check it on, drawn at random")
	c.RunE = func(c *cobra.Command, args []string) error {
		if text == "" {
			return usage("--kernel is missing; usage: %s", c.UseLine())
		}
		if sample < 1 || sample > 5000 {
			return usage("--sample is %d and must be from 1 to 5000", sample)
		}
		k, err := spec.Parse(text)
		if err != nil {
			return err
		}
		return a.runCheck(c.Context(), args[0], k, sample, &in)
	}
	return c
}

func (a *app) runCheck(ctx context.Context, path string, k spec.Kernel, sample int, flags *inputFlags) error {
	kind, err := flags.kind(k)
	if err != nil {
		return err
	}
	in, err := a.read(ctx, path, kind, false, flags)
	if err != nil {
		return err
	}
	switch in.kind {
	case spec.KindStrings:
		return check(ctx, a, spec.Strings{}, in, k, sample, flags)
	case spec.KindSets:
		return check(ctx, a, spec.Sets{}, in, k, sample, flags)
	}
	return check(ctx, a, spec.Vectors{}, in, k, sample, flags)
}

// checked is what check found, for machines. Rows count from 1.
type checked struct {
	Kernel        string          `json:"kernel"`
	N             int             `json:"n"`
	Symmetric     bool            `json:"symmetric"`
	PSD           bool            `json:"psd"`
	MinEigenvalue float64         `json:"min_eigenvalue"`
	MaxEigenvalue float64         `json:"max_eigenvalue"`
	Median        float64         `json:"median_eigenvalue"`
	Tolerance     float64         `json:"tolerance"`
	Rank          int             `json:"rank"`
	Asymmetry     float64         `json:"asymmetry"`
	Witness       *checkedWitness `json:"witness,omitempty"`
}

type checkedWitness struct {
	Rows         []int     `json:"rows"`
	Coefficients []float64 `json:"coefficients"`
	Value        float64   `json:"value"`
}

// check judges a similarity on instances of type T.
func check[T any](ctx context.Context, a *app, kind instanceKind[T], in *input, text spec.Kernel, sample int, flags *inputFlags) error {
	scaled, err := flags.scaling(in, text.Open())
	if err != nil {
		return err
	}
	e, err := in.fitEncoding(nil, scaled, flags)
	if err != nil {
		return err
	}
	x, _, err := decode[T](e, in.chunk)
	if err != nil {
		return err
	}
	k, err := kind.Make(text, x, a.seed)
	if err != nil {
		return err
	}
	rows := seed.Choose(x.Len(), sample, a.seed, seed.Landmarks)
	v, err := gram.Check(ctx, a.control(), k, data.Subset[T]{Of: x, Index: rows}, gram.NewCheckOptions())
	if err != nil {
		return named(in.name, err)
	}
	c := checked{
		Kernel: kernelName(k), N: v.N, Symmetric: v.Symmetric, PSD: v.PSD, MinEigenvalue: v.MinEigenvalue(), MaxEigenvalue: v.MaxEigenvalue(),
		Median: v.Quantile(0.5), Tolerance: v.Tolerance, Rank: v.Rank, Asymmetry: v.Asymmetry,
	}
	if v.Witness != nil {
		c.Witness = &checkedWitness{Coefficients: v.Witness.Coefficients, Value: v.Witness.Value}
		for _, i := range v.Witness.Index {
			c.Witness.Rows = append(c.Witness.Rows, rows[i]+1)
		}
	}
	if scaled != scale.None {
		a.warn("the numbers were scaled (%s)", scaled)
	}
	return a.result(c, c.print)
}

func (c checked) print(w io.Writer) error {
	out := newFacts(w)
	out.add("kernel", "%s, on %d rows", c.Kernel, c.N)
	out.add("symmetric", "%s", yes(c.Symmetric))
	out.add("semidefinite", "%s", yes(c.PSD))
	out.add("eigenvalues", "%.4g to %.4g, half of them below %.4g; each known to within %.1g", c.MinEigenvalue, c.MaxEigenvalue, c.Median, c.Tolerance)
	out.add("rank", "%d", c.Rank)
	if c.Witness != nil {
		out.add("witness", "rows %v with coefficients %.3g give %.3g, and a kernel would give at least 0", c.Witness.Rows, c.Witness.Coefficients, c.Witness.Value)
		out.add("so", "F1 takes it as it stands; F2 refuses it unless --repair clip, flip or shift; F3 refuses it")
	}
	return out.flush()
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
