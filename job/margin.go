package job

import (
	"context"
	"fmt"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/margin"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/spec"
)

// instances returns the choices of a job that looks at no others, and all rows as
// instances.
func instances[T any](o *Options, kind spec.Kind[T], rows *dataset.Rows) (
	*settled, *dataset.Encoding, data.Source[T], []string, error,
) {
	s, err := settle(o.Choices, kind)
	if err != nil {
		return nil, nil, nil, nil, err
	}
	scaled, err := o.scaling(rows, s.kernel.Open())
	if err != nil {
		return nil, nil, nil, nil, err
	}
	read := o.Read
	read.Run = o.Run
	e, err := dataset.Fit(rows, nil, scaled, read)
	if err != nil {
		return nil, nil, nil, nil, err
	}
	d, err := dataset.Decode[T](e, rows)
	return s, e, d.X, d.Y, err
}

// unweighted reports weights of rows for what goes by rows alone.
func (o *Options) unweighted(what string) error {
	if o.Read.Weighted() || o.Read.Weights != "" {
		return dataset.BadOption("%s takes no weights of rows; leave out those of weight 0, and name a column of weights "+
			"with %s", what, dataset.Option("drop"))
	}
	return nil
}

// MarginOptions are the options of FindMargin.
type MarginOptions struct {
	Options
	Dim        int     // landmarks in whose span separators are sought
	Error      float64 // that the mapping may add
	Confidence float64 // with which the plan must hold
	Points     int     // of the curve, at most
}

// NewMarginOptions returns 500 landmarks, error 0.05, confidence 0.95, 50 points.
func NewMarginOptions() MarginOptions {
	return MarginOptions{Options: NewOptions(), Dim: model.DefaultDim, Error: 0.05, Confidence: 0.95, Points: 50}
}

// Margin is the error at every margin of the best separator found.
type Margin struct {
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

	Picture string `json:"-"` // of the curve, in letters
}

// FindMargin finds the error at every margin of the best separator found in the
// kernel's feature space. Half of the rows train separators, a quarter chooses
// among them, and the errors are counted on the last quarter.
func FindMargin(ctx context.Context, path string, o MarginOptions) (*Margin, error) {
	if err := o.unweighted("a curve of margins"); err != nil {
		return nil, err
	}
	rows, w, err := o.read(ctx, path)
	if err != nil {
		return nil, err
	}
	return w.margin(ctx, rows, &o)
}

func (w typed[T]) margin(ctx context.Context, rows *dataset.Rows, o *MarginOptions) (*Margin, error) {
	if _, _, err := classesOf(rows); err != nil {
		if f := taskOf(rows.LiveLabels()); f.task == model.Regress {
			problem := fmt.Sprintf("%s holds %d different numbers in %d rows, which are no classes", rows.TargetTitle(),
				f.distinct, f.rows)
			return nil, badInput(rows.Name, problem, "margins are of classes; name a column of these with --target")
		}
		return nil, err
	}
	s, _, x, labels, err := instances(&o.Options, w.kind, rows)
	if err != nil {
		return nil, err
	}
	k, err := w.kind.Make(s.kernel, x, o.Seed)
	if err != nil {
		return nil, err
	}
	r := model.NewRecipe(k, o.Dim)
	r.Seed, r.Run = o.Seed, o.Run
	curve, err := r.Curve(ctx, data.Labeled[T, string]{X: x, Y: labels})
	if err != nil {
		return nil, inFile(rows.Name, err)
	}
	out := &Margin{Kernel: kernelName(k), N: x.Len(), Rows: curve.Len(), Curve: curve.Points(o.Points),
		Confidence: o.Confidence}
	if out.Gap, err = curve.Gap(o.Confidence); err != nil {
		return nil, err
	}
	out.TotalError = min(curve.At(0)+o.Error, 0.999)
	choice, err := curve.Recommend(out.TotalError, o.Confidence)
	if err != nil {
		return nil, inFile(rows.Name, err)
	}
	out.Margin, out.Noise, out.Error, out.Landmarks = choice.Margin, choice.Noise, choice.Error, choice.Landmarks
	out.Picture = curve.Draw(choice.Margin)
	return out, nil
}

// CheckOptions are the options of Check.
type CheckOptions struct {
	Options
	Sample int // rows to check on, drawn at random
}

// NewCheckOptions returns a sample of 500 rows.
func NewCheckOptions() CheckOptions { return CheckOptions{Options: NewOptions(), Sample: 500} }

// Checked is whether a similarity is a kernel on some rows. Rows count from 1.
type Checked struct {
	Kernel        string   `json:"kernel"`
	N             int      `json:"n"`
	Symmetric     bool     `json:"symmetric"`
	PSD           bool     `json:"psd"`
	MinEigenvalue float64  `json:"min_eigenvalue"`
	MaxEigenvalue float64  `json:"max_eigenvalue"`
	Median        float64  `json:"median_eigenvalue"`
	Tolerance     float64  `json:"tolerance"`
	Rank          int      `json:"rank"`
	Asymmetry     float64  `json:"asymmetry"`
	Witness       *Witness `json:"witness,omitempty"`
}

// Witness are rows and coefficients a whose Σ a_i a_j K(x_i, x_j) is negative.
type Witness struct {
	Rows         []int     `json:"rows"`
	Coefficients []float64 `json:"coefficients"`
	Value        float64   `json:"value"`
}

// Check judges whether a similarity is a kernel on the rows of a file: symmetric
// and positive semidefinite. A sample can show that it is none; that it is one on
// this sample proves nothing about others.
func Check(ctx context.Context, path string, o CheckOptions) (*Checked, error) {
	o.Read.Unlabeled = true
	if err := o.unweighted("a check"); err != nil {
		return nil, err
	}
	rows, w, err := o.read(ctx, path)
	if err != nil {
		return nil, err
	}
	return w.check(ctx, rows, &o)
}

func (w typed[T]) check(ctx context.Context, rows *dataset.Rows, o *CheckOptions) (*Checked, error) {
	o.warnLabels(rows)
	s, _, x, _, err := instances(&o.Options, w.kind, rows)
	if err != nil {
		return nil, err
	}
	k, err := w.kind.Make(s.kernel, x, o.Seed)
	if err != nil {
		return nil, err
	}
	index := seed.Choose(x.Len(), o.Sample, o.Seed, seed.Landmarks)
	v, err := gram.Check(ctx, o.Run, k, data.Subset[T]{Of: x, Index: index}, gram.NewCheckOptions())
	if err != nil {
		return nil, inFile(rows.Name, err)
	}
	c := &Checked{
		Kernel: kernelName(k), N: v.N, Symmetric: v.Symmetric, PSD: v.PSD, MinEigenvalue: v.MinEigenvalue(),
		MaxEigenvalue: v.MaxEigenvalue(), Median: v.Quantile(0.5), Tolerance: v.Tolerance, Rank: v.Rank,
		Asymmetry: v.Asymmetry,
	}
	if v.Witness != nil {
		c.Witness = &Witness{Coefficients: v.Witness.Coefficients, Value: v.Witness.Value}
		for _, i := range v.Witness.Index {
			c.Witness.Rows = append(c.Witness.Rows, index[i]+1)
		}
	}
	if scaled, _ := o.scaling(rows, s.kernel.Open()); scaled != scale.None {
		o.warn("the numbers were scaled (%s)", scaled)
	}
	return c, nil
}
