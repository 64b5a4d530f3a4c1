// Package program is the command line of kerf-beam: the words of kerf, with an engine of
// Apache Beam behind them.
package program

import (
	"context"
	"fmt"
	"io"
	"log"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	beamlog "github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kerf-ml/kerf/beam/engine"
	"github.com/kerf-ml/kerf/beam/flink"
	"github.com/kerf-ml/kerf/cli"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/job"
)

// flags are those of the engine.
type flags struct {
	runner      string
	endpoint    string
	staging     string
	worker      string
	memory      int64 // MiB
	parallelism int
	skipBad     int
	span        int
	verbose     bool
}

// opened is an engine in use.
type opened struct {
	engine *engine.Engine
	keep   bool // results of works that did not end well
}

// New returns the program. What commands of its own say goes to stdout.
func New(stdout io.Writer) *cli.Program {
	f, on := &flags{}, &opened{}
	return &cli.Program{
		Name:     "kerf-beam",
		Short:    "kerf on Apache Beam: train, predict, map and eval on many machines",
		Flags:    f.add,
		Open:     func(ctx context.Context) (job.Clustered, error) { return f.open(ctx, on) },
		Close:    on.close,
		Commands: []*cobra.Command{flink.Command(stdout)},
	}
}

func (f *flags) add(set *pflag.FlagSet) {
	set.StringVar(&f.runner, "runner", "prism",
		"engine: prism (in this process), or flink, spark or portable, whose job server is at --endpoint")
	set.StringVar(&f.endpoint, "endpoint", "", "host:port of the job server")
	set.StringVar(&f.staging, "staging", "", "folder that all workers share, for what is summed up: a path, gs:// or "+
		"s3:// (default: a folder of this machine, which goes with the command)")
	set.StringVar(&f.worker, "worker", "",
		"path of kerf-beam on the machines of the cluster (default: that of this one)")
	set.Int64Var(&f.memory, "worker-memory", 0, "MiB that a unit may take on a worker (default: three quarters of "+
		"what is free there)")
	set.IntVar(&f.parallelism, "parallelism", 0, "units at a time (default: what the engine has by default, which is 1 "+
		"of most Flinks)")
	set.IntVar(&f.skipBad, "skip-bad", 0, "files that may be bad: they are left out, with a warning")
	set.IntVar(&f.span, "span", job.DefaultSpan, "rows of a unit at most; sums are taken over units, so that "+
		"another number gives the same model to rounding")
	set.BoolVar(&f.verbose, "verbose", false, "show what the engine says, and how long the parts of jobs took")
}

// open opens the engine that the flags name.
func (f *flags) open(ctx context.Context, on *opened) (job.Clustered, error) {
	var none job.Clustered
	if err := engine.Start(); err != nil {
		return none, err
	}
	if !f.verbose {
		silence() // after Beam has set its own loggers
	}
	r, err := f.find()
	if err != nil {
		return none, err
	}
	switch {
	case f.skipBad < 0:
		return none, dataset.BadOption("--skip-bad is %d and must be at least 0", f.skipBad)
	case f.span < 1:
		return none, dataset.BadOption("--span is %d and must be at least 1", f.span)
	case f.memory < 0 || f.parallelism < 0:
		return none, dataset.BadOption("--worker-memory and --parallelism must be at least 1")
	}
	staging := f.staging
	if on.keep = staging != ""; !on.keep {
		if staging, err = os.MkdirTemp("", "kerf-beam-*"); err != nil {
			return none, err
		}
	} else if !strings.Contains(staging, "://") {
		if staging, err = filepath.Abs(staging); err != nil {
			return none, err
		}
	}
	on.engine = engine.New(r, staging)
	on.engine.Memory, on.engine.Parallelism = f.memory<<20, f.parallelism
	if f.verbose {
		on.engine.Say = func(t engine.Times) { fmt.Fprintln(os.Stderr, "kerf-beam: "+t.String()) }
	}
	return job.Clustered{Engine: on.engine, SkipBad: f.skipBad, Span: f.span}, nil
}

// find returns the runner of the flags.
func (f *flags) find() (engine.Runner, error) {
	switch f.runner {
	case "prism":
		if f.endpoint != "" {
			return nil, dataset.BadOption("--endpoint is for --runner flink; prism runs in this process")
		}
		return &engine.Prism{}, nil
	case "flink", "spark", "portable":
	default:
		return nil, dataset.BadOption("--runner is %q and must be prism, flink, spark or portable", f.runner)
	}
	if f.endpoint == "" {
		return nil, dataset.BadOption("--runner %s needs the --endpoint of its job server; kerf-beam cluster up starts one",
			f.runner)
	}
	worker := f.worker
	if worker == "" {
		self, err := os.Executable()
		if err != nil {
			return nil, err
		}
		worker = self
	}
	return &engine.Portable{Endpoint: f.endpoint, Program: worker}, nil
}

// close removes what the engine has kept, unless the same command may go on from it.
func (o *opened) close(err error) error {
	if o.engine == nil {
		return nil
	}
	if !o.keep {
		return os.RemoveAll(o.engine.Staging)
	}
	if err != nil {
		return nil
	}
	return o.engine.Clear(context.Background())
}

// silence keeps the engine's remarks from standard error.
func silence() {
	slog.SetDefault(slog.New(slog.DiscardHandler))
	log.SetOutput(io.Discard)
	beamlog.SetLogger(mute{})
}

// mute is a logger that says nothing.
type mute struct{}

// Log says nothing.
func (mute) Log(context.Context, beamlog.Severity, int, string) {}
