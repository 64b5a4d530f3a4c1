package cli

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kerf-ml/kerf/job"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/report/text"
)

// Program is a program with the words of kerf whose train, predict, map and eval are
// done by an engine.
type Program struct {
	Name  string
	Short string

	// Flags adds the flags of the engine, and Open opens it when they are known. Close
	// ends it, with what came of the command.
	Flags func(flags *pflag.FlagSet)
	Open  func(ctx context.Context) (job.Clustered, error)
	Close func(err error) error

	// Commands are further ones.
	Commands []*cobra.Command
}

// worked are the commands that an engine does.
var worked = []string{"train", "predict", "map", "eval"}

// open opens the engine for the commands that need one.
func (a *app) open(c *cobra.Command) (err error) {
	if a.program != nil && slices.Contains(worked, c.Name()) {
		a.clustered, err = a.program.Open(c.Context())
	}
	return flagged(err)
}

// elsewhere reports whether an engine does the work.
func (a *app) elsewhere() bool { return a.clustered.Engine != nil }

// checkFolder reports a folder that results cannot be written to.
func checkFolder(out string) error {
	if out == "" || out == "-" {
		return usage("-o needs the name of a folder: each worker writes files of its own")
	}
	if strings.Contains(out, "://") {
		return nil
	}
	info, err := os.Stat(out)
	if err != nil {
		return nil
	}
	if entries, err := os.ReadDir(out); !info.IsDir() || err != nil || len(entries) > 0 {
		return usage("-o %s is there already; name a new folder, or an empty one", out)
	}
	return nil
}

// absolute returns the path of a folder from the root.
func absolute(folder string) (string, error) {
	if strings.Contains(folder, "://") {
		return folder, nil
	}
	return filepath.Abs(folder)
}

// predictOn predicts on an engine.
func (a *app) predictOn(ctx context.Context, m *model.Model, path, out string, o job.PredictOptions) error {
	folder, err := absolute(out)
	if err != nil {
		return err
	}
	done, err := job.PredictOn(ctx, m, path, folder, o)
	if err != nil {
		return flagged(err)
	}
	return a.published(done, out, "predictions")
}

// mapOn maps by a model on an engine.
func (a *app) mapOn(ctx context.Context, m *model.Model, path, out string, o job.Options) error {
	folder, err := absolute(out)
	if err != nil {
		return err
	}
	ending := strings.ToLower(filepath.Ext(out))
	if ending == "" {
		ending = ".csv"
	}
	done, err := job.MapOn(ctx, m, path, folder, ending, o)
	if err != nil {
		return flagged(err)
	}
	return a.published(done, out, "features")
}

// published says what was written.
func (a *app) published(p *job.Published, out, what string) error {
	p.Output = out
	return a.result(p, func(w io.Writer) error { return text.Published(w, p, what) })
}
