// Package engine does the work of kerf on Apache Beam: in this process, on Prism, or on a
// cluster, whose workers share a file system with whoever asks.
//
// A data set is divided into units that depend on its files alone. A pipeline does the work
// on each, and leaves what comes of it under a name that follows from the work and the unit:
// a file of a shared folder, so that no large element goes through the engine and nothing is
// done twice after a failure. What is added up is merged in the order of the units. So results
// depend neither on the engine nor on the number of machines.
package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/kerf-ml/kerf/job"
)

// groupUnits is how many consecutive units are merged on a worker.
const groupUnits = 16

// Engine is a job.Engine on Beam.
type Engine struct {
	Runner      Runner
	Staging     string // folder that all workers share; what is kept there after a failure is used again
	Memory      int64  // that a unit may take on a worker; 0 for what is free
	Parallelism int    // units at a time; 0 for what the runner chooses

	// Say is told, of each job, how long its parts took; nil for nobody.
	Say func(t Times)

	stamps  map[string]string
	folders []string
}

// New returns an engine whose results are kept in a folder that is shared.
func New(r Runner, staging string) *Engine {
	return &Engine{Runner: r, Staging: staging, stamps: map[string]string{}}
}

// Files returns the files that a path stands for.
func (e *Engine) Files(ctx context.Context, path string) ([]string, error) { return expand(ctx, path) }

// Clear removes the results of works.
func (e *Engine) Clear(ctx context.Context) error {
	var all error
	for _, folder := range e.folders {
		all = errors.Join(all, remove(ctx, folder))
	}
	return all
}

func digestOf(b []byte) string {
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:])
}

// hash is a short name of texts.
func hash(first string, rest ...string) string {
	h := sha256.New()
	fmt.Fprintf(h, "%q %q", first, rest)
	return hex.EncodeToString(h.Sum(nil))[:24]
}

// folderOf returns the folder of a work, with the work in it.
func (e *Engine) folderOf(ctx context.Context, w *job.Work) (string, error) {
	b, err := w.Marshal()
	if err != nil {
		return "", err
	}
	folder := join(e.Staging, string(w.Do)+"-"+hash(string(b)))
	e.folders = append(e.folders, folder)
	if isLocal(folder) { // nobody else makes it: results of work that was withdrawn have no place
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return "", err
		}
	}
	if there, err := read(ctx, join(folder, workFile)); err == nil && string(there) == string(b) {
		return folder, nil
	}
	_, _, err = write(ctx, join(folder, workFile), func(f *os.File) error {
		_, err := f.Write(b)
		return err
	})
	return folder, err
}

// assign names the units.
func (e *Engine) assign(ctx context.Context, units []job.Unit) ([]assigned, error) {
	out := make([]assigned, len(units))
	for i, u := range units {
		if _, known := e.stamps[u.File]; !known {
			e.stamps[u.File] = stamp(ctx, u.File)
		}
		b, err := json.Marshal(u)
		if err != nil {
			return nil, err
		}
		out[i] = assigned{Unit: u, Name: "unit-" + hash(string(b), e.stamps[u.File]), Number: i, Group: i / groupUnits}
	}
	return out, nil
}

// Each does a work on units by a pipeline.
func (e *Engine) Each(
	ctx context.Context, w *job.Work, units []job.Unit, tell func(units int), take func(r *job.Result) error,
) error {
	folder, err := e.folderOf(ctx, w)
	if err != nil {
		return err
	}
	all, err := e.assign(ctx, units)
	if err != nil {
		return err
	}
	clock := timing{begun: time.Now()}
	if err := e.run(ctx, w, folder, all, tell); err != nil {
		return err
	}
	clock.ended = time.Now()
	defer func() {
		if e.Say != nil && !clock.first.IsZero() {
			e.Say(clock.times(w.Do, len(all)))
		}
	}()
	bad := len(all) // the first unit of bad rows
	results := make([]*settled, len(all))
	for i, a := range all {
		if err := ctx.Err(); err != nil {
			return err
		}
		if results[i], _, err = result(ctx, folder, a.Name, false); err != nil {
			return fmt.Errorf("a unit of %s has no result; do the workers share the folder %s? (%w)", a.Unit.File, e.Staging,
				err)
		}
		if results[i].Failed != "" {
			return errors.New(results[i].Failed)
		}
		if results[i].Fault != nil {
			bad = min(bad, i)
		}
		clock.unit(results[i])
	}
	if w.Merges() && bad == len(all) {
		return takeGroups(ctx, folder, all, take, &clock)
	}
	for i, s := range results {
		r := &job.Result{Done: s.Done, Units: 1}
		switch {
		case s.Fault != nil:
			r.Bad = s.Fault.input()
		case w.Do != job.DoPredict && w.Do != job.DoMap && i < bad || w.Do == job.DoDivide: // nobody looks at those behind
			if _, r.Content, err = result(ctx, folder, all[i].Name, true); err != nil {
				return err
			}
		}
		if err := take(r); err != nil {
			return err
		}
	}
	return nil
}

// takeGroups hands over what was merged.
func takeGroups(
	ctx context.Context, folder string, all []assigned, take func(r *job.Result) error, clock *timing,
) error {
	for lo := 0; lo < len(all); lo += groupUnits {
		hi := min(lo+groupUnits, len(all))
		s, content, err := result(ctx, folder, groupName(names(all[lo:hi])), true)
		if err != nil {
			return err
		}
		clock.group(s)
		if err := take(&job.Result{Done: s.Done, Units: hi - lo, Content: content}); err != nil {
			return err
		}
	}
	return nil
}

func names(all []assigned) []string {
	out := make([]string, len(all))
	for i, a := range all {
		out[i] = a.Name
	}
	return out
}

// run runs the pipeline of a work on the units that are not done.
func (e *Engine) run(ctx context.Context, w *job.Work, folder string, all []assigned, tell func(units int)) error {
	done, err := finished(ctx, folder)
	if err != nil {
		return err
	}
	var elements []string
	before := 0
	for lo := 0; lo < len(all); lo += groupUnits {
		hi := min(lo+groupUnits, len(all))
		merged := w.Merges() && done[groupName(names(all[lo:hi]))]
		for _, a := range all[lo:hi] {
			// A group is merged by a pipeline in which all its units are.
			if merged || done[a.Name] && !w.Merges() {
				before++
				continue
			}
			b, err := json.Marshal(a)
			if err != nil {
				return err
			}
			elements = append(elements, string(b))
		}
	}
	if len(elements) == 0 {
		return nil
	}
	if w.Do == job.DoDivide && e.few(all) {
		return e.divideHere(ctx, folder, all, tell)
	}
	p := beam.NewPipeline()
	s := p.Root()
	input := beam.Reshuffle(s, beam.CreateList(s, elements))
	parts := beam.ParDo(s, &doUnits{Folder: folder, Memory: e.Memory}, input)
	if w.Merges() {
		beam.ParDo0(s, &mergeUnits{Folder: folder}, beam.GroupByKey(s, parts))
	}
	err = e.Runner.Run(ctx, p, "kerf-"+string(w.Do), e.Parallelism, func(units int) {
		if units == 0 { // the engine does not say
			if done, err := finished(ctx, folder); err == nil {
				for _, a := range all {
					if done[a.Name] {
						units++
					}
				}
				tell(units)
			}
			return
		}
		tell(min(before+units, len(all)))
	})
	if ctx.Err() != nil {
		return errors.Join(err, erase(context.WithoutCancel(ctx), join(folder, workFile)))
	}
	return err
}

// fewBytes are as many as are divided here: to look through them takes less time than a
// job takes to begin.
const fewBytes = 2 << 30

// few reports whether files are of this machine, and small.
func (e *Engine) few(all []assigned) bool {
	left := int64(fewBytes)
	for _, a := range all {
		if !isLocal(a.Unit.File) {
			return false
		}
		if info, err := os.Stat(a.Unit.File); err == nil {
			left -= info.Size()
		}
	}
	return left >= 0
}

// divideHere divides files in this process, as a worker does.
func (e *Engine) divideHere(ctx context.Context, folder string, all []assigned, tell func(units int)) error {
	d := &doUnits{Folder: folder, Memory: e.Memory}
	for i := range all {
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, err := read(ctx, join(folder, all[i].Name+doneSuffix)); err == nil {
			continue
		}
		if err := d.settle(ctx, &all[i]); err != nil {
			return err
		}
		tell(i + 1)
	}
	return nil
}

// finished returns the names of the units and groups of a folder that are done.
func finished(ctx context.Context, folder string) (map[string]bool, error) {
	files, err := list(ctx, folder, "*"+doneSuffix)
	out := map[string]bool{}
	for _, name := range files {
		base := name[strings.LastIndexAny(name, "/\\")+1:]
		out[strings.TrimSuffix(base, doneSuffix)] = true
	}
	return out, err
}

// Publish moves results to a folder.
func (e *Engine) Publish(ctx context.Context, w *job.Work, units []job.Unit, folder string) ([]string, error) {
	from, err := e.folderOf(ctx, w)
	if err != nil {
		return nil, err
	}
	all, err := e.assign(ctx, units)
	if err != nil {
		return nil, err
	}
	files := make([]string, len(all))
	for i := range files {
		files[i] = fmt.Sprintf("part-%05d-of-%05d%s", i, len(all), w.Ending)
	}
	if isLocal(folder) && isLocal(from) {
		return files, publishHere(from, folder, all, files)
	}
	for i, a := range all {
		if err = copyTo(ctx, join(from, a.Name+partSuffix), join(folder, files[i])); err != nil {
			break
		}
	}
	if err == nil {
		_, _, err = write(ctx, join(folder, "_SUCCESS"), func(*os.File) error { return nil })
	}
	if err != nil {
		return nil, errors.Join(err, remove(context.WithoutCancel(ctx), folder))
	}
	return files, nil
}

// publishHere makes a folder beside the one that is wanted, and moves it there when all is
// in it.
func publishHere(from, folder string, all []assigned, files []string) error {
	if err := os.MkdirAll(filepath.Dir(folder), 0o755); err != nil {
		return err
	}
	aside, err := os.MkdirTemp(filepath.Dir(folder), ".kerf-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(aside)
	if err := os.Chmod(aside, 0o755); err != nil {
		return err
	}
	for i, a := range all {
		part, target := filepath.Join(from, a.Name+partSuffix), filepath.Join(aside, files[i])
		if os.Link(part, target) == nil {
			continue
		}
		if err := copyTo(context.Background(), part, target); err != nil {
			return err
		}
	}
	_ = os.Remove(folder) // an empty one
	return os.Rename(aside, folder)
}

// copyTo copies a file to any file system.
func copyTo(ctx context.Context, from, to string) error {
	in, err := open(ctx, from)
	if err != nil {
		return err
	}
	defer in.Close()
	_, _, err = write(ctx, to, func(f *os.File) error {
		_, err := f.ReadFrom(in)
		return err
	})
	return err
}
