package job

import (
	"context"
	"slices"
	"strings"

	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/model"
)

// Published is what was written by work on an engine.
type Published struct {
	Rows    int      `json:"rows"`
	Dim     int      `json:"dim,omitempty"` // features of a row
	Output  string   `json:"output"`        // folder
	Files   []string `json:"files"`         // in it
	Skipped int      `json:"skipped,omitempty"`
}

// PredictOn writes what a model makes of the rows of a path to files in a folder, on the
// engine of the options: lines as kerf predict writes them.
func PredictOn(ctx context.Context, m *model.Model, path, folder string, o PredictOptions) (*Published, error) {
	if _, err := o.check(m); err != nil {
		return nil, err
	}
	return o.publish(ctx, m, path, folder, DoPredict, func(w *Work) {
		w.Scores, w.Proba, w.Coverage, w.Keep, w.Ending = o.Scores, o.Proba, o.Coverage, o.Keep, ".txt"
	})
}

// MapOn writes the features of the rows of a path to files in a folder, on the engine of
// the options, in the format of an ending.
func MapOn(ctx context.Context, m *model.Model, path, folder, ending string, o Options) (*Published, error) {
	if _, err := dataset.WriterFor("x" + ending); err != nil {
		return nil, err
	}
	return o.publish(ctx, m, path, folder, DoMap, func(w *Work) { w.Ending = ending })
}

// publish does a work that writes files. Files of bad rows are left out, as far as they
// may be.
func (o *Options) publish(
	ctx context.Context, m *model.Model, path, folder string, do Do, set func(w *Work),
) (*Published, error) {
	if strings.Contains(folder, "://") { // of a folder here the command knows
		if files, err := o.Engine.Files(ctx, folder+"/"); err == nil && len(files) > 0 {
			return nil, dataset.BadOption("-o %s is there already; name a new folder, or an empty one", folder)
		}
	}
	f, units, b, err := o.unitsFor(ctx, m, path)
	if err != nil {
		return nil, err
	}
	w, err := o.work(do, &o.Read)
	if err != nil {
		return nil, err
	}
	set(w)
	w.Model, w.Exec = b, o.AllowExec
	out := &Published{Output: folder}
	if do == DoMap {
		out.Dim = m.Dim()
	}
	for {
		out.Rows = 0
		err := o.each(ctx, w, units, func(_ int, r *Result) error {
			out.Rows += r.Rows
			return nil
		})
		if err != nil && !f.without(err, o) {
			return nil, err
		}
		if err == nil {
			break
		}
		units = slices.DeleteFunc(units, func(u Unit) bool { return !slices.Contains(f.names, u.File) })
	}
	out.Skipped = len(f.bad)
	out.Files, err = o.Engine.Publish(ctx, w, units, folder)
	return out, err
}
