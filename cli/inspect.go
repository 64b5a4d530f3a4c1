package cli

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/kerf-ml/kerf/data/scale"
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
			f, err := loadModel(args[0])
			if err == nil {
				err = checkModel(args[0], f)
			}
			if err != nil {
				if a.json && errors.Is(err, model.ErrDamaged) {
					_ = a.result(map[string]any{"checksum_ok": false, "error": oneLine(err)}, nil)
				}
				return err
			}
			return a.result(inspection(f), func(w io.Writer) error { return printModel(w, f) })
		},
	}
}

// checkModel reports whether the parts of a model fit together.
func checkModel(path string, f *model.File) error {
	var err error
	switch f.Header.Instances {
	case spec.KindStrings:
		_, _, err = openModel(path, f, spec.Strings{})
	case spec.KindSets:
		_, _, err = openModel(path, f, spec.Sets{})
	default:
		_, _, err = openModel(path, f, spec.Vectors{})
	}
	return err
}

func inspection(f *model.File) any {
	h := f.Header
	o := map[string]any{
		"kernel": h.Kernel, "map": h.Map.Kind, "dim": h.Map.Dim, "landmarks": h.Map.Landmarks, "drawn": h.Map.Drawn,
		"learner": h.Learner, "classes": h.Classes, "instances": h.Instances, "writer": h.Writer,
		"checksum_ok": true, "sha256": hex.EncodeToString(f.Digest[:]), "schema": h.Schema, "trained": h.Trained,
	}
	if h.Kernel == "" {
		o["kernel"] = "linear"
	}
	return o
}

func printModel(w io.Writer, f *model.File) error {
	h := f.Header
	out := newFacts(w)
	if h.Kernel == "" {
		h.Kernel = "linear"
	}
	out.add("kernel", "%s", h.Kernel)
	switch h.Map.Kind {
	case model.MapNone:
		out.add("map", "none: %d coordinates", h.Map.Dim)
	case model.MapF3:
		out.add("map", "f3: %d landmarks, %d features", h.Map.Landmarks, h.Map.Dim)
	default:
		out.add("map", "%s: %d landmarks, %d features", h.Map.Kind, h.Map.Landmarks, h.Map.Dim)
	}
	out.add("learner", "%s", h.Learner)
	if h.Task == model.Regress {
		out.add("task", "regress: it predicts numbers")
	} else {
		out.add("classes", "%d: %s", len(h.Classes), quoted(h.Classes))
	}
	if e, err := storedEncoding(h.Schema); err == nil {
		if e.Table != nil {
			out.add("input", "a table of %s", e.Table.Summary())
		} else {
			out.add("input", "%s, %s", e.Kind, e.Format)
		}
		if s := e.Scaled(); s != scale.None {
			out.add("scale", "%s", s)
		}
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
