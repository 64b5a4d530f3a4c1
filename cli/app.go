package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/kerf-ml/kerf/internal/atomicfile"
	"github.com/kerf-ml/kerf/job"
	"github.com/kerf-ml/kerf/run"
)

// app is one run of the program: its streams and what every command takes.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer

	json    bool
	quiet   bool
	seed    uint64
	workers int
	memory  byteSize
	precise string
	device  string
	places  run.Places
	counter run.Counter

	name      string        // of the program
	program   *Program      // nil for kerf itself
	clustered job.Clustered // who does the work

	stop    context.CancelCauseFunc // ends the run
	unlimit func()                  // undoes what limit did
	shown   *display                // of long work; nil where it is not wanted
	hide    func()                  // ends it
}

// globals adds the flags of every command.
func (a *app) globals(f *pflag.FlagSet) {
	f.BoolVar(&a.json, "json", false, "write one JSON object to standard output")
	f.BoolVarP(&a.quiet, "quiet", "q", false, "no progress, no warnings and no notes")
	f.Uint64Var(&a.seed, "seed", 1, "seed of everything random; same seed, same result")
	f.IntVar(&a.workers, "workers", 0, "workers that compute (default: all cores)")
	f.StringVar(&a.precise, "precision", "float64", "precision of kernel values: float64, or float32, which is faster")
	f.StringVar(&a.device, "device", "auto", "what computes: cpu, gpu, gpu:N; auto takes a GPU for large work")
	f.Var(&a.memory, "max-memory", "memory that may be used, such as 2GiB (default: three quarters of what is free)")
}

// control returns the controls of the run.
func (a *app) control() run.Control {
	precision, _ := run.ParsePrecision(a.precise) // checked before any command runs
	device, _ := run.ParseDevice(a.device)
	ctl := run.Control{Workers: a.workers, Memory: int64(a.memory), Process: true, Counter: &a.counter,
		Precision: precision, Device: device, Places: &a.places}
	if a.shown != nil {
		ctl.Progress = a.shown.progress()
	}
	return ctl
}

// warn tells the user something that is no error.
func (a *app) warn(format string, args ...any) {
	if a.shown != nil {
		a.shown.say(a.name + ": warning: " + clipped(fmt.Sprintf(format, args...)) + "\n")
	}
}

// note tells the user what was found of the data where nobody said it.
func (a *app) note(text string) {
	if a.shown != nil {
		a.shown.say(a.name + ": note: " + clipped(text) + "\n")
	}
}

// result writes a result: as JSON if asked for, for people otherwise.
func (a *app) result(object any, people func(w io.Writer) error) error {
	if !a.json {
		return people(a.stdout)
	}
	e := json.NewEncoder(a.stdout)
	e.SetEscapeHTML(false)
	return e.Encode(object)
}

// output writes to the file at path, whole or not at all, or to standard output
// where path is empty or "-". The writer fails once ctx has ended, so that
// writing much stops as soon as computing much does.
func (a *app) output(ctx context.Context, path string, fill func(w io.Writer) error) error {
	if path == "" || path == "-" {
		return fill(contextWriter{ctx, a.stdout})
	}
	return atomicfile.Write(path, func(w io.Writer) error {
		if at, ok := w.(io.WriterAt); ok {
			return fill(struct {
				io.Writer
				io.WriterAt
			}{contextWriter{ctx, w}, at})
		}
		return fill(contextWriter{ctx, w})
	})
}

// contextWriter writes until its context ends.
type contextWriter struct {
	ctx context.Context
	w   io.Writer
}

func (w contextWriter) Write(p []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.w.Write(p)
}

// byteSize is a flag that reads sizes such as 512MiB, 2GB or 1000000.
type byteSize int64

func (b *byteSize) String() string {
	if *b == 0 {
		return ""
	}
	return run.Bytes(float64(*b))
}

func (b *byteSize) Type() string { return "size" }

func (b *byteSize) Set(text string) error {
	t := strings.TrimSpace(text)
	digits := strings.TrimRight(t, "kKmMgGtTiIbB ")
	unit := strings.ToLower(strings.TrimSpace(t[len(digits):]))
	factor, ok := map[string]float64{
		"": 1, "b": 1,
		"k": 1 << 10, "kib": 1 << 10, "kb": 1e3,
		"m": 1 << 20, "mib": 1 << 20, "mb": 1e6,
		"g": 1 << 30, "gib": 1 << 30, "gb": 1e9,
		"t": 1 << 40, "tib": 1 << 40, "tb": 1e12,
	}[unit]
	v, err := strconv.ParseFloat(digits, 64)
	if !ok || err != nil || !(v*factor >= 1) || v*factor > 1<<60 {
		return fmt.Errorf("%q is not a size such as 512MiB or 2GiB", text)
	}
	*b = byteSize(v * factor)
	return nil
}
