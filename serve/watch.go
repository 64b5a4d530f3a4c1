package serve

import (
	"context"
	"os"
	"time"
)

// watch looks at the model files from time to time, until ctx ends, and takes in those
// that have changed. A file that cannot be read, because it is being written or damaged,
// is told of once and leaves the model as it is.
func (s *Server) watch(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		for _, name := range s.names {
			s.look(s.models[name])
		}
	}
}

// look reads a model again if its file is not the one that was read last.
func (s *Server) look(m *served) {
	info, err := os.Stat(m.Path)
	if err != nil {
		if m.seen != nil {
			m.seen = nil
			s.log.Warn("model file is gone; the model stays", "model", m.Name, "error", oneLine(err.Error()))
		}
		return
	}
	if m.seen != nil && os.SameFile(info, m.seen) && info.Size() == m.seen.Size() &&
		info.ModTime().Equal(m.seen.ModTime()) {
		return
	}
	m.seen = info
	before := m.now.Load()
	if before.runs {
		s.log.Warn("model file changed, and its model starts a program; start the service anew to have the new one",
			"model", m.Name)
		return
	}
	e, err := s.open(m.Source, false)
	switch {
	case err != nil:
		s.count.reload(m.Name, false)
		s.log.Warn("model file changed and cannot be read; the model stays", "model", m.Name, "error", oneLine(err.Error()))
	case e.version == before.version:
	default:
		m.now.Store(e)
		s.count.reload(m.Name, true)
		s.log.Info("model file changed", "model", m.Name, "version", e.version, "before", before.version)
	}
}
