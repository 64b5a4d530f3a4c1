package report

import "github.com/kerf-ml/kerf/explain"

// Importance is the section on which columns of a model matter, with its chart.
func Importance(r *explain.Ranking) Section { return importance(r, "") }
