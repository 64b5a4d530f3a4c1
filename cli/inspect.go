package cli

import (
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/kerf-ml/kerf/job"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/report/text"
)

func (a *app) inspect() *cobra.Command {
	return &cobra.Command{
		Use:     "inspect MODEL",
		Short:   "What is inside a model, and whether it is whole",
		Example: "  kerf inspect model.kerf",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			f, err := readModel(args[0])
			var m *job.Inspected
			if err == nil {
				m, err = job.Inspect(args[0], f)
			}
			if err != nil {
				if a.json && errors.Is(err, model.ErrDamaged) {
					_ = a.result(map[string]any{"checksum_ok": false, "error": oneLine(err)}, nil)
				}
				return err
			}
			return a.result(m, func(w io.Writer) error { return text.Inspected(w, m) })
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
