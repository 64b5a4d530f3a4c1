package lab

import (
	"encoding/json"
	"fmt"

	"github.com/kerf-ml/kerf/job"
	"github.com/kerf-ml/kerf/report"
)

// Document returns the report of the model: what it is made of and, where there is a file
// of labelled rows, what it gets right on them and which of its columns matter.
func (m *Model) Document() (report.Document, error) {
	h, err := m.Model.Header()
	if err != nil {
		return report.Document{}, err
	}
	d := report.Document{Title: "Model " + m.Name}
	inside := report.Section{Title: "What is inside"}
	fact := func(name, format string, args ...any) {
		inside.Facts = append(inside.Facts, report.Fact{Name: name, Value: fmt.Sprintf(format, args...)})
	}
	fact("instances", "%s, %s", h.Instances, m.Model.Encoding.Format)
	if h.Kernel != "" {
		fact("kernel", "%s", h.Kernel)
	}
	if len(h.Parts) > 0 {
		fact("blend", "of %d models", len(h.Parts))
	} else {
		text := h.Map.Kind
		if h.Map.Drawn > 0 {
			text += fmt.Sprintf(", of %d landmarks", h.Map.Drawn)
		}
		fact("map", "%s", text)
	}
	fact("dimensions", "%d", m.Model.Dim())
	fact("learner", "%s", h.Learner)
	if !m.Model.Regresses() {
		fact("classes", "%d: %s", len(h.Classes), job.Quoted(h.Classes))
	}
	if s := m.Model.Encoding.Scaled(); s != "" {
		fact("scale", "%s", s)
	}
	fact("probabilities", "%s", map[bool]string{true: "calibrated", false: "none"}[h.Calibration != nil])
	if len(h.Conformal) > 0 {
		fact("prediction sets", "at %d coverages", len(h.Conformal))
	}
	var trained struct {
		N      int    `json:"n"`
		Status string `json:"status"`
	}
	if json.Unmarshal(h.Trained, &trained) == nil && trained.N > 0 {
		fact("trained", "on %d rows, %s", trained.N, trained.Status)
	}
	fact("written by", "kerf %s", h.Writer)
	d.Sections = append(d.Sections, inside)
	if m.Evaluated == nil {
		d.Lead = "Start kerf lab with --test FILE to see here what the model gets right on labelled rows, and which " +
			"columns matter."
		return d, nil
	}
	m.measures(&d)
	return d, nil
}

// measures adds what the model gets right, and which columns matter.
func (m *Model) measures(d *report.Document) {
	s := report.Section{Title: "On " + m.On}
	fact := func(name, format string, args ...any) {
		s.Facts = append(s.Facts, report.Fact{Name: name, Value: fmt.Sprintf(format, args...)})
	}
	if n := m.Evaluated.Numbers; n != nil {
		fact("rows", "%d", n.N)
		fact("RMSE", "%.4g", n.RMSE)
		fact("mean absolute error", "%.4g", n.MAE)
		d.Headline = report.Fact{Name: "RMSE", Value: fmt.Sprintf("%.3g", n.RMSE)}
		if n.R2 != nil {
			fact("R²", "%.4g", *n.R2)
			d.Headline = report.Fact{Name: "R²", Value: fmt.Sprintf("%.3g", *n.R2)}
		}
	} else {
		c := m.Evaluated.Classes
		fact("rows", "%d", c.N)
		fact("accuracy", "%.2f%%", 100*c.Accuracy)
		if c.AUC != nil {
			fact("AUC", "%.4f", *c.AUC)
		}
		fact("margins", "least %.3g, median %.3g", c.Margins.Min, c.Margins.Median)
		d.Headline = report.Fact{Name: "error", Value: fmt.Sprintf("%.2f%%", 100*c.Error)}
		if len(c.Names) <= mostMatrix {
			s.Matrix = &report.Matrix{Names: c.Names, Counts: c.Confusion}
		}
	}
	if b := m.Evaluated.Baseline; b != nil {
		fact("baseline", "%s", b)
	}
	d.Sections = append(d.Sections, s)
	if m.Ranking == nil || len(m.Ranking.Importance) == 0 {
		return
	}
	d.Sections = append(d.Sections, report.Importance(m.Ranking))
}

// mostMatrix is how many classes the confusion matrix may have.
const mostMatrix = 20
