package job

import (
	"context"
	"errors"
	"strings"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/explain"
	"github.com/kerf-ml/kerf/model"
)

// Bounds of what a report measures of columns beside a training: kernel values, or
// features, that are computed again. Kernels of strings and sets take longer.
const (
	reportWork     = 1e8
	reportSlowWork = 1e7
	reportRows     = 2000
	reportColumns  = 500
)

// importance measures the columns for a report, on some of the rows that it measures. It
// is nil where rows have no columns, or kernels are programs, of which each value is a
// question to another process.
func (t *training[T]) importance(ctx context.Context, m *Measured, x data.Source[T]) (*explain.Ranking, error) {
	kernel := t.pipeline.KernelText()
	if strings.Contains(kernel, "exec:") || strings.Contains(kernel, "wasm:") {
		return nil, nil
	}
	encoded, of := model.NewEncoded(x), t.out.Model
	columns, err := of.Columns(encoded)
	truth := explain.Truth{Classes: m.Truth, Values: m.Values, Weight: m.Weight}
	if err != nil || len(columns) == 0 || truth.Len() != x.Len() {
		return nil, nil // rows have none, or are not these
	}
	work := reportWork
	if _, vectors := any(x).(data.Source[data.Vector]); !vectors {
		work = reportSlowWork
	}
	p := explain.NewPermutation()
	p.Repeats, p.Most, p.Seed, p.Run = 2, reportColumns, t.o.Seed, t.o.Run
	p.Run.Counter = nil
	rows := int(work / float64(p.Repeats*min(len(columns), p.Most)*max(of.Dim(), 1)))
	p.Rows = min(max(rows, 50), reportRows)
	if p.Metric = string(t.out.Criterion()); t.choices.traits.Unsupervised {
		p.Metric = ""
	}
	if _, err := explain.ParseMetric(p.Metric, of.Head); err != nil {
		p.Metric = ""
	}
	r, err := p.Columns(ctx, of, encoded, truth)
	if errors.Is(err, explain.ErrFew) || errors.Is(err, explain.ErrFar) {
		return nil, nil
	}
	return r, err
}
