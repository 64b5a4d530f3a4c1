package job

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/eval"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/spec"
)

// Words say for people what was trained on what, and how it was chosen.
type Words struct {
	File    string // name of the data's file
	Data    string
	Kernel  string
	Map     string
	Maps    string // that were tried; empty for none
	Search  string // what was tried of all that can be chosen; empty for no search
	Learner string
}

// words describes the training.
func (t *training[T]) words() Words {
	w := Words{File: t.rows.Name, Data: t.part.encoding.Describe(t.described(), t.part.x), Map: t.mapWords(),
		Learner: t.learnerWords()}
	w.Kernel = spec.Short(t.pipeline.KernelText())
	if w.Search = t.searched; w.Search != "" {
		return w
	}
	if t.choices.kernel.Open() && t.pipeline.Kernel != nil {
		how := "width: the median distance"
		if p := t.out.Picked; p != nil && len(p.Kernels) > 0 {
			how = fmt.Sprintf("width: the best of %d on held-out rows, around the median distance", len(p.Kernels))
		}
		w.Kernel += " (" + how + ")"
	}
	if p := t.out.Picked; t.choices.unchosen && p != nil && len(p.Kernels) > 0 {
		w.Kernel += fmt.Sprintf(" (the best of %d on held-out rows)", len(p.Kernels))
	}
	if p := t.out.Picked; p != nil && len(p.Maps) > 1 {
		w.Maps = t.optionWords(p.Maps) + " on held-out rows"
	}
	return w
}

// dimWords says how the dimension was chosen.
func (t *training[T]) dimWords() string {
	p := t.out.Picked
	switch {
	case t.choices.dim() > 0 || t.out.Training.Earned != nil:
		return ""
	case p == nil || len(p.Dims) == 0:
		return " (dimension by default; see --dim)"
	}
	if dims := t.out.Training.Dims; len(dims) > 0 {
		var tried []string
		for _, d := range dims {
			tried = append(tried, fmt.Sprintf("%d: %.4g", d.Dim, d.Error))
		}
		return fmt.Sprintf(" (dimension chosen by the squared error on folds, %s)", strings.Join(tried, ", "))
	}
	return fmt.Sprintf(" (dimension chosen by the error on held-out rows, %s)", t.optionWords(p.Dims))
}

// optionWords says how options did on held-out rows.
func (t *training[T]) optionWords(options []Option) string {
	var tried []string
	for _, o := range options {
		tried = append(tried, fmt.Sprintf("%s: %s", o.Name, t.targets.by.Format(o.Error)))
	}
	return strings.Join(tried, ", ")
}

func (t *training[T]) mapWords() string {
	if t.choices.traits.Kernel {
		return fmt.Sprintf("none: %d support vectors of the kernel itself", t.pipeline.Map.Dim())
	}
	h, dims := t.header.Map, t.dimWords()
	if t.choices.Map.Name == model.MapDirect {
		text := fmt.Sprintf("direct: all %d rows as landmarks, of rank %d", h.Drawn, h.Landmarks)
		if h.Projection != nil {
			text += fmt.Sprintf(", projected to %d dimensions", h.Dim)
		}
		return text
	}
	switch h.Kind {
	case model.MapExplicit:
		text := fmt.Sprintf("explicit: the %d features that the kernel lists, in %d buckets", h.Dim, h.Width)
		if e, ok := any(t.pipeline.Map).(interface{ Tally() feature.Tally }); ok && e.Tally().In != nil {
			text += ", weighed by how few rows have them"
		}
		return text
	case model.MapNone:
		return fmt.Sprintf("none: the %d coordinates themselves", h.Dim)
	case model.MapF1:
		return fmt.Sprintf("f1: similarities to %d landmarks%s", h.Dim, dims)
	case model.MapF2:
		return fmt.Sprintf("f2: %d landmarks of rank %d%s", h.Drawn, h.Dim, dims)
	case model.MapF3:
		return fmt.Sprintf("f3: %d landmarks of rank %d, projected to %d dimensions%s", h.Drawn, h.Landmarks, h.Dim, dims)
	case model.MapMonomials:
		return fmt.Sprintf("monomials: all %d of %d coordinates", h.Dim, h.Width)
	case model.MapTaylor:
		return fmt.Sprintf("taylor: all %d monomials of %d coordinates up to degree %d", h.Dim, h.Width, h.Degree)
	case model.MapPowers:
		return fmt.Sprintf("powers: 1, x, … up to x^%d", h.Dim-1)
	case model.MapProject:
		return fmt.Sprintf("project: %d coordinates, projected to %d dimensions (%s)%s", h.Width, h.Dim, h.Projection.Kind,
			dims)
	case model.MapLift:
		return fmt.Sprintf("lift: %d features of %s, and a constant of %v before all are scaled by %.4g%s", h.Of.Dim,
			h.Of.Kind, h.Unit, 1/math.Hypot(1, h.Unit), dims)
	}
	if h.Width == 0 {
		return fmt.Sprintf("%s: %d features%s", h.Kind, h.Dim, dims)
	}
	return fmt.Sprintf("%s: %d features of %d coordinates%s", h.Kind, h.Dim, h.Width, dims)
}

// penaltyText writes a penalty for people: as it was given, or, where it was
// divided by the mean weight, in a few digits.
func penaltyText(v float64) string {
	if text := fmt.Sprint(v); len(text) <= 10 {
		return text
	}
	return fmt.Sprintf("%.4g", v)
}

func (t *training[T]) learnerWords() string {
	tr, text := t.out.Training, t.choices.Learner.Name
	l, _ := learnerOf[T](t.choices, 1)
	switch l := l.(type) {
	case model.SVM:
		text += " (" + strings.ReplaceAll(l.Loss.String(), " ", "-") + ")"
	case model.HardMargin:
		if l.Normalize {
			text += " (the largest margin)"
		} else {
			text += " (the largest distance of rows to the separator)"
		}
	}
	how := " (chosen on held-out rows)"
	switch name := t.choices.Learner.Name; {
	case t.stream != nil && (name == model.LearnerRidge || name == model.LearnerFalkon):
		how = " (chosen by its error on folds)"
	case name == model.LearnerRidge:
		how = " (chosen by its leave-one-out error)"
	case len(tr.Folds) > 1:
		how = " (chosen on held-out rows, and by its loss on folds of all)"
	}
	if !t.choices.chooses() {
		how = ""
	}
	switch lambda := lambdaOf(l); {
	case tr.C > 0 && lambda > 0:
		text += fmt.Sprintf(" with lambda = %v, C = 1/(lambda·rows) = %s", lambda, penaltyText(tr.C))
	case tr.C > 0:
		text += fmt.Sprintf(" with C = %s%s", penaltyText(tr.C), how)
	case tr.Lambda > 0:
		text += fmt.Sprintf(" with lambda = %s%s", penaltyText(tr.Lambda), how)
	}
	if tr.Objective != 0 || tr.Gap != 0 {
		text += fmt.Sprintf("; objective %.6g, gap %.2g", tr.Objective, tr.Gap)
	}
	if tr.Mistakes > 0 {
		text += fmt.Sprintf("; %d mistakes%s", tr.Mistakes, t.boundWords(l))
	}
	if tr.Support > 0 {
		text += fmt.Sprintf("; %d support vectors", tr.Support)
	}
	return text
}

// lambdaOf returns the lambda that stands for the C of a learner, 0 where none does.
func lambdaOf(l model.Learner) float64 {
	if r, ok := l.(model.Rated); ok {
		return r.Rate()
	}
	return 0
}

// boundWords says how many mistakes a perceptron can have made, by the margin γ of
// the separator that it found.
func (t *training[T]) boundWords(l model.Learner) string {
	if t.out.Most == nil {
		return ""
	}
	unit, formula, of := 0.0, "R²/γ²", "rows of length at most R"
	normal := func(u float64, on bool) {
		if unit = u; on {
			formula, of = "1/γ²", "rows of length 1"
		}
	}
	switch l := l.(type) {
	case model.Perceptron:
		normal(l.Unit, l.Normalize)
	case model.AveragedPerceptron:
		normal(l.Unit, l.Normalize)
	}
	if unit > 0 {
		of += fmt.Sprintf(" with a constant coordinate of %v", unit)
	}
	if k := t.out.Model.Classes.Len(); k > 2 {
		of += ", summed over the classes"
	}
	return fmt.Sprintf(", at most %s = %.4g with the margin γ found on %s", formula, *t.out.Most, of)
}

// String is the same for people.
func (w *Weighing) String() string { return fmt.Sprintf("%s: %s", w.From, WeightText(w.Weights)) }

// WeightText says what weights come to.
func WeightText(w *eval.Weights) string {
	text := fmt.Sprintf("sum %.6g, as good as %s rows of equal weight", w.Sum, grouped(int64(w.Effective+0.5)))
	if w.Zero > 0 {
		text += fmt.Sprintf("; %d of weight 0 left out", w.Zero)
	}
	return text
}

// grouped writes a count with commas: 1234567 is 1,234,567.
func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// mostWarned is the dimension up to which the spreads of vectors are looked at
// that come from no table. Those of more are sparse for the most part.
const mostWarned = 256

// warnScales tells of columns whose sizes are so different that a distance sees
// only one of them.
func (o *Options) warnScales(e *dataset.Encoding, instances any) {
	x, ok := instances.(data.Source[data.Vector])
	if !ok || e.Scaled() != scale.None || x.Len() == 0 {
		return
	}
	var numbers []int
	if e.Table != nil {
		numbers = e.Table.Numbers()
	} else if dim := data.Dim(x); dim <= mostWarned {
		for j := range dim {
			numbers = append(numbers, j)
		}
	}
	if low, high := spreads(x, numbers); high/low > 100 {
		o.warn("the columns' spreads differ by a factor of %.0f; try --scale standard", high/low)
	}
}

// spreads returns the smallest and the largest standard deviation among those
// of the given coordinates of x that vary, looking at a thousand rows.
func spreads(x data.Source[data.Vector], coordinates []int) (low, high float64) {
	n := min(x.Len(), 1000)
	low = math.Inf(1)
	for _, j := range coordinates {
		sum, square := 0.0, 0.0
		for i := range n {
			v := coordinate(x.At(i), j)
			sum += v
			square += v * v
		}
		mean := sum / float64(n)
		v := square/float64(n) - mean*mean
		if v > 1e-12*mean*mean && v > 0 {
			low, high = min(low, math.Sqrt(v)), max(high, math.Sqrt(v))
		}
	}
	return low, high
}

// coordinate returns coordinate j of v.
func coordinate(v data.Vector, j int) float64 {
	if v.IsSparse() {
		k, found := slices.BinarySearch(v.Index, int32(j))
		if !found {
			return 0
		}
		j = k
	}
	if j >= len(v.Value) {
		return 0
	}
	return v.Value[j]
}
