package job

import (
	"cmp"

	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/eval"
	"github.com/kerf-ml/kerf/model"
)

// rarePart is the part of the rows below which one of two classes is rare: then nearly all models have the
// same error, that of the other class, and the AUC tells them apart.
const rarePart = 0.05

// findCriterion settles what choices go by.
func (o *Options) findCriterion(rows *dataset.Rows, s *settled, t *targets) error {
	given := s.Metric
	if given != "" {
		by, err := eval.ParseCriterion(string(given))
		if err != nil {
			return dataset.BadOption("%v", err)
		}
		s.Metric = by
	}
	switch {
	case t.none && given != "":
		return dataset.BadOption("%s is what choices go by, and %s makes none", dataset.Option("metric"), s.Learner.Name)
	case t.none:
	case given != "" && s.Metric.OfNumbers() != s.regresses():
		what := "classes"
		if s.Metric.OfNumbers() {
			what = "numbers"
		}
		return dataset.BadOption("%s %s is for %s, and the task is to %s", dataset.Option("metric"), given, what, s.Task)
	case given == "" && s.regresses():
		s.Metric = eval.ByRMSE
	case given == "":
		s.Metric = eval.ByError
		if rare, part := t.rare(); rare != "" && s.ClassWeight == nil && !s.Balanced {
			s.Metric = eval.ByAUC
			o.note("%s: %s of the rows have the label %q, and the error hardly tells models apart: choices go by the AUC; "+
				"use --metric error, or f1, for another", rows.Name, percent(part), rare)
		}
	}
	if s.Metric == eval.ByBalanced && s.ClassWeight == nil && s.traits.Weights {
		s.Balanced, o.Choices.Balanced = true, true // a learner that counts errors would count those of the frequent ones
	}
	t.by = s.Metric
	return nil
}

// unusual returns the criterion where it is neither the error nor the RMSE.
func (t *targets) unusual() eval.Criterion {
	if t.by == eval.ByError || t.by == eval.ByRMSE {
		return ""
	}
	return t.by
}

// Criterion is what choices went by.
func (t *Trained) Criterion() eval.Criterion { return criterion(t.Metric, t.Task) }

// Criterion is what the losses of trials are by.
func (t *Tuned) Criterion() eval.Criterion { return criterion(t.Metric, t.Task) }

func criterion(metric eval.Criterion, task model.Task) eval.Criterion {
	if task == model.Regress {
		return cmp.Or(metric, eval.ByRMSE)
	}
	return cmp.Or(metric, eval.ByError)
}

// rare returns the label of the rarer of two classes and its part of the rows, if that is small.
func (t *targets) rare() (label string, part float64) {
	if t.task != model.Classify || t.classes.Len() != 2 || len(t.live) == 0 {
		return "", 0
	}
	ones := 0
	for _, i := range t.live {
		ones += t.y[i]
	}
	part = float64(ones) / float64(len(t.live))
	label = t.classes.Names[1]
	if part > 0.5 {
		label, part = t.classes.Names[0], 1-part
	}
	if part >= rarePart {
		return "", 0
	}
	return label, part
}
