package job

import (
	"context"
	"io"
	"os"

	"github.com/kerf-ml/kerf/data/file"
	"github.com/kerf-ml/kerf/run"
)

// keptShare is the part of the budget that the beginning of a pipe may take. What is
// shorter is read as a file is; of what is longer, encoding, kernel and map are by it.
const keptShare = 1.0 / 8

// piped is input that can be read once.
type piped struct {
	path   string
	replay *file.Replay
	bytes  int64 // of content that a survey looks at; 0 for all, which is kept
	last   bool  // it is read for the last time
}

// isPipe reports a path that can be read once.
func isPipe(path string) bool {
	if path == "-" {
		return true
	}
	info, err := os.Stat(path)
	return err == nil && !info.Mode().IsRegular() && !info.IsDir()
}

// content opens the pipe for dataset.Options.
func (p *piped) content(path string) (string, io.Reader) {
	switch {
	case path != p.path:
		return "", nil
	case p.last:
		return p.replay.Name(), p.replay.Last()
	}
	return p.replay.Name(), p.replay.Again()
}

// settlePipe reads the beginning of a pipe that may be streamed, and decides whether it is.
// It returns nil for anything else. Whoever calls it closes the replay.
func (o *TrainOptions) settlePipe(ctx context.Context, path string) (*piped, error) {
	if o.Engine != nil || len(o.Read.More) > 0 || !isPipe(path) {
		return nil, nil
	}
	if o.Test == path {
		return nil, badInput(path, "it can be read once, and is both to train and to test on",
			"test on a part of it with --holdout, or on a file")
	}
	if why := o.unstreamed(); why != nil {
		if o.Stream {
			return nil, why
		}
		return nil, nil // all of it is read into memory
	}
	replay, err := file.OpenReplay(ctx, path, o.Read.Stdin)
	if err != nil {
		return nil, err
	}
	p := &piped{path: path, replay: replay}
	most := keptShare * float64(o.budget())
	ended, err := replay.Fill(0)
	if err == nil && !ended {
		raw := most
		if replay.Packed() {
			raw /= unpacked
		}
		ended, err = replay.Fill(int64(raw))
	}
	if err != nil {
		_ = replay.Close()
		return nil, err
	}
	if !ended {
		p.bytes = max(1, int64(most))
		o.Stream = true
		o.note("%s: it is more than %s, which may not fit in %s of memory, and can be read once: its beginning says what "+
			"rows are, and all are learnt from sums in one pass", replay.Name(), run.Bytes(most), run.Bytes(float64(o.budget())))
	}
	p.last = !o.Stream
	o.Read.Piped = p.content
	return p, nil
}

// once reports whether the rows of a stream can be read no more than once.
func (s *streaming) once() bool { return s.pipe != nil && s.pipe.bytes > 0 }
