package job

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/model"
)

// Inspected is what is inside a model file that is whole.
type Inspected struct {
	Whole     bool            `json:"checksum_ok"`
	Classes   []string        `json:"classes"`
	Dim       int             `json:"dim"`
	Drawn     int             `json:"drawn"`
	Instances string          `json:"instances"`
	Kernel    string          `json:"kernel"`
	Landmarks int             `json:"landmarks"`
	Learner   string          `json:"learner"`
	Map       string          `json:"map"`
	Parts     []Part          `json:"parts,omitempty"` // of a blend
	Schema    json.RawMessage `json:"schema"`
	SHA256    string          `json:"sha256"`
	Trained   json.RawMessage `json:"trained"`
	Writer    string          `json:"writer"`

	File     *model.File       `json:"-"`
	Encoding *dataset.Encoding `json:"-"`
}

// Part is a part of a blend.
type Part struct {
	Weight    float64 `json:"weight"`
	Kernel    string  `json:"kernel"`
	Map       string  `json:"map"`
	Dim       int     `json:"dim"`
	Landmarks int     `json:"landmarks"`
	Drawn     int     `json:"drawn"`
	Learner   string  `json:"learner"`
}

// Inspect looks into a model file that was read from path. Whether a model that starts
// a program is whole it does not try.
func Inspect(path string, f *model.File) (*Inspected, error) {
	if _, err := f.Model(); err != nil && !errors.Is(err, model.ErrProgram) {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	e, err := dataset.Parse(f.Header.Schema)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	h := f.Header
	out := &Inspected{Whole: true, Classes: h.Classes, Dim: h.Map.Dim, Drawn: h.Map.Drawn, Instances: h.Instances,
		Kernel: h.Kernel, Landmarks: h.Map.Landmarks, Learner: h.Learner, Map: h.Map.Kind, Schema: h.Schema,
		SHA256: hex.EncodeToString(f.Digest[:]), Trained: h.Trained, Writer: h.Writer, File: f, Encoding: e}
	if h.Kernel == "" {
		out.Kernel = "linear"
	}
	kernels := h.Kernels()
	for i, p := range h.Parts {
		out.Parts = append(out.Parts, Part{p.Weight, kernels[i], p.Map.Kind, p.Map.Dim, p.Map.Landmarks, p.Map.Drawn,
			p.Learner})
	}
	return out, nil
}
