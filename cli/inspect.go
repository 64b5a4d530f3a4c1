package cli

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/job"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/spec"
)

func (a *app) inspect() *cobra.Command {
	return &cobra.Command{
		Use:     "inspect MODEL",
		Short:   "What is inside a model, and whether it is whole",
		Example: "  kerf inspect model.kerf",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			f, err := readModel(args[0])
			if err == nil {
				// Whether a model that starts a program is whole is not for inspect to try.
				if _, err = f.Model(); errors.Is(err, model.ErrProgram) {
					err = nil
				}
				err = named(args[0], err)
			}
			var e *dataset.Encoding
			if err == nil {
				e, err = dataset.Parse(f.Header.Schema)
				err = named(args[0], err)
			}
			if err != nil {
				if a.json && errors.Is(err, model.ErrDamaged) {
					_ = a.result(map[string]any{"checksum_ok": false, "error": oneLine(err)}, nil)
				}
				return err
			}
			return a.result(inspection(f), func(w io.Writer) error { return printModel(w, f, e) })
		},
	}
}

// named adds the file's name to a fault.
func named(path string, err error) error {
	if err == nil {
		return nil
	}
	return wrapf("%s: %w", path, err)
}

func inspection(f *model.File) any {
	h := f.Header
	o := map[string]any{
		"kernel": h.Kernel, "map": h.Map.Kind, "dim": h.Map.Dim, "landmarks": h.Map.Landmarks, "drawn": h.Map.Drawn,
		"learner": h.Learner, "classes": h.Classes, "instances": h.Instances, "writer": h.Writer,
		"checksum_ok": true, "sha256": hex.EncodeToString(f.Digest[:]), "schema": h.Schema, "trained": h.Trained,
	}
	if len(h.Parts) > 0 {
		o["parts"] = partsOf(h)
	}
	if h.Kernel == "" {
		o["kernel"] = "linear"
	}
	return o
}

// part is what is said of a part of a blend.
type part struct {
	Weight    float64 `json:"weight"`
	Kernel    string  `json:"kernel"`
	Map       string  `json:"map"`
	Dim       int     `json:"dim"`
	Landmarks int     `json:"landmarks"`
	Drawn     int     `json:"drawn"`
	Learner   string  `json:"learner"`
}

func partsOf(h model.Header) []part {
	kernels, out := h.Kernels(), make([]part, len(h.Parts))
	for i, p := range h.Parts {
		out[i] = part{p.Weight, kernels[i], p.Map.Kind, p.Map.Dim, p.Map.Landmarks, p.Map.Drawn, p.Learner}
	}
	return out
}

// mapText says what a map is.
func mapText(kind string, landmarks, dim int) string {
	if kind == model.MapNone {
		return fmt.Sprintf("none: %d coordinates", dim)
	}
	return fmt.Sprintf("%s: %d landmarks, %d features", kind, landmarks, dim)
}

func printModel(w io.Writer, f *model.File, e *dataset.Encoding) error {
	h := f.Header
	out := newFacts(w)
	if len(h.Parts) == 0 {
		out.add("kernel", "%s", spec.Short(h.Kernels()[0]))
	}
	for i, p := range partsOf(h) {
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
	if json.Unmarshal(h.Trained, &trained) == nil && trained.N > 0 {
		out.add("trained", "on %d rows, %s, by kerf %s", trained.N, trained.Status, h.Writer)
	}
	out.add("checksum", "right (SHA-256 %s…)", hex.EncodeToString(f.Digest[:8]))
	return out.flush()
}
