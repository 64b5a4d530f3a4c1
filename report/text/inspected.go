package text

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/job"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/spec"
)

// mapText says what a map is.
func mapText(kind string, landmarks, dim int) string {
	if kind == model.MapNone {
		return fmt.Sprintf("none: %d coordinates", dim)
	}
	return fmt.Sprintf("%s: %d landmarks, %d features", kind, landmarks, dim)
}

// Inspected says what is inside a model.
func Inspected(w io.Writer, m *job.Inspected) error {
	h, e := m.File.Header, m.Encoding
	out := newFacts(w)
	if len(h.Parts) == 0 {
		out.add("kernel", "%s", spec.Short(h.Kernels()[0]))
	}
	for i, p := range m.Parts {
		out.add(fmt.Sprintf("part %d", i+1), "weight %.4g, %s", p.Weight, spec.Short(p.Kernel))
		out.add("", "%s; %s", mapText(p.Map, p.Landmarks, p.Dim), p.Learner)
	}
	for _, command := range h.Programs() {
		out.add("program", "%s", command)
		out.add("", "predict, eval and map start it, with --allow-exec alone")
	}
	out.add("map", "%s", mapText(h.Map.Kind, h.Map.Landmarks, h.Map.Dim))
	out.add("learner", "%s", h.Learner)
	if h.Task == model.Regress {
		out.add("task", "regress: it predicts numbers")
	} else {
		out.add("classes", "%d: %s", len(h.Classes), job.Quoted(h.Classes))
	}
	if e.Table != nil {
		out.add("input", "a table of %s", e.Table.Summary())
	} else {
		out.add("input", "%s, %s", e.Kind, e.Format)
	}
	if s := e.Scaled(); e.Table != nil && s != scale.None {
		out.add("scale", "%s", e.Table.Scales())
	} else if s != scale.None {
		out.add("scale", "%s", s)
	}
	var trained struct {
		N      int    `json:"n"`
		Status string `json:"status"`
	}
	if json.Unmarshal(m.Trained, &trained) == nil && trained.N > 0 {
		out.add("trained", "on %d rows, %s, by kerf %s", trained.N, trained.Status, h.Writer)
	}
	out.add("checksum", "right (SHA-256 %s…)", m.SHA256[:16])
	return out.flush()
}
