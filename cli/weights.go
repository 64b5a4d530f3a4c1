package cli

import (
	"fmt"

	"github.com/spf13/pflag"

	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/eval"
)

// addWeights adds the flags that say where the weights of rows are.
func (f *inputFlags) addWeights(flags *pflag.FlagSet) {
	flags.StringVar(&f.weight, "weight", "", "column of a table with a weight for each row, by name or number: a row of weight 2 counts as two, one of weight 0 not at all; it is not learnt from")
	flags.StringVar(&f.rowWeights, "weights", "", "file with the weight of each row, one a line, for any data")
}

// checkWeights reports flags of weights that do not go together.
func (f *inputFlags) checkWeights(flags *pflag.FlagSet) error {
	switch changed := flags.Changed; {
	case changed("weight") && f.weight == "":
		return usage("--weight needs a column")
	case changed("weights") && f.rowWeights == "":
		return usage("--weights needs a file")
	case f.weighted() && f.rowWeights != "":
		return usage("--weight and --weights do not go together; choose one")
	}
	return nil
}

// weighted reports whether a column of weights is named.
func (f *inputFlags) weighted() bool { return f.weight != "" && f.weight != "none" }

// weighingOf returns what the weights come to, and where they are from; nil where
// there are none.
func weighingOf(in *dataset.Rows, flags *inputFlags) *weighing {
	if in.Weights == nil {
		return nil
	}
	from := flags.rowWeights
	if flags.weighted() {
		from = in.WeightColumn()
	}
	return &weighing{Weights: eval.NewWeights(in.Weights), From: from}
}

// weighing is what the weights of a file's rows come to.
type weighing struct {
	*eval.Weights
	From string `json:"from"` // column or file
}

// String is the same for people.
func (w *weighing) String() string {
	return fmt.Sprintf("%s: %s", w.From, weightText(w.Weights))
}

func weightText(w *eval.Weights) string {
	text := fmt.Sprintf("sum %.6g, as good as %s rows of equal weight", w.Sum, grouped(int64(w.Effective+0.5)))
	if w.Zero > 0 {
		text += fmt.Sprintf("; %d of weight 0 left out", w.Zero)
	}
	return text
}

// meanWeight returns the mean of weights, 1 where there are none.
func meanWeight(weights []float64) float64 {
	if weights == nil {
		return 1
	}
	mean := 0.0
	for _, w := range weights {
		mean += w / float64(len(weights))
	}
	return mean
}
