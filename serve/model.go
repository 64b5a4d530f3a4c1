package serve

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/model"
)

// Source names a model file.
type Source struct {
	Name string // by which requests ask for the model
	Path string
}

// ErrName reports a name that requests could not spell.
var ErrName = errors.New("a model's name has letters, digits, dots, hyphens and underscores alone")

// checkName reports a name that is no segment of a URL as it stands.
func checkName(name string) error {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-", r)
	}
	if name == "" || len(name) > 200 || strings.Trim(name, ".") == "" ||
		strings.ContainsFunc(name, func(r rune) bool { return !plain(r) }) {
		return fmt.Errorf("%w, and this one is %q", ErrName, name)
	}
	return nil
}

// served is a model under its name: the one that answers now, and the file that may
// hold another by and by.
type served struct {
	Source
	now  atomic.Pointer[edition]
	seen os.FileInfo // of the file when it was last read; of who watches alone
}

// edition is one content of a model file. It is immutable; requests that began with it
// end with it.
type edition struct {
	*model.Model
	name    string
	version string // of the content: the beginning of its digest
	header  model.Header
	runs    bool // starts programs
	loaded  time.Time
	batch   *batcher
	form    dataset.Form
	takes   []column
	width   int // of vectors; 0 where it is not known
	gives   []string
}

// open reads a model file and makes it ready. Without exec, a model that would start a
// program is an error, whatever the options say.
func (s *Server) open(from Source, exec bool) (*edition, error) {
	f, err := s.o.Open(from.Path)
	if err != nil {
		return nil, err
	}
	f.AllowExec = s.o.AllowExec && exec
	m, err := f.Model()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", from.Path, err)
	}
	header, err := m.Header()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", from.Path, err)
	}
	e := &edition{Model: m, name: from.Name, version: fmt.Sprintf("%x", f.Digest[:6]), header: header, loaded: time.Now()}
	e.runs = len(f.Header.Programs()) > 0
	e.batch = newBatcher(m, s.o.Run, s.o.MaxBatch, func(rows int) { s.count.batch(from.Name, rows) }, func(reason any) {
		s.log.Error("panic", "model", from.Name, "reason", oneLine(fmt.Sprint(reason)))
	})
	e.form, e.width = m.Encoding.RowForm(), m.Width()
	e.takes, e.gives = e.columns(), e.outputs()
	return e, nil
}

// find returns what answers for a model, of any version if that is empty.
func (s *Server) find(name, version string) (*edition, error) {
	m := s.models[name]
	if m == nil {
		return nil, refuse(404, "there is no model %q; the models are %s", clip(name), strings.Join(s.names, ", "))
	}
	e := m.now.Load()
	if version != "" && version != e.version {
		return nil, refuse(404, "model %s has version %s alone, not %q", name, e.version, clip(version))
	}
	return e, nil
}

// only returns what answers where no model is named.
func (s *Server) only() (*edition, error) {
	if len(s.names) > 1 {
		return nil, refuse(
			404,
			"several models are served; POST to /predict/NAME with one of %s",
			strings.Join(s.names, ", "),
		)
	}
	return s.find(s.names[0], "")
}
