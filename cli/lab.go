package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/kerf-ml/kerf/job"
	"github.com/kerf-ml/kerf/lab"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/run"
)

// labFlags are those of kerf lab.
type labFlags struct {
	inputFlags
	modelFlags
	test   string
	listen string
	noOpen bool
}

func (a *app) lab() *cobra.Command {
	var f labFlags
	c := &cobra.Command{
		Use:   "lab [DATA|MODEL]",
		Short: "See kernels, maps and learners at work in the browser",
		Long: `Open a page on which points are drawn, made or loaded, and kernel, map and
learner are chosen: the boundary, margins, landmarks, spectrum, certificate and the
perceptron's mistakes follow the sliders. With a table its rows are the points, along
their first two principal directions or by two columns. With a model there is its
report, and a form to try rows by hand. The page comes from this program and needs no
network; Ctrl-C ends it.`,
		Example: `  kerf lab
  kerf lab data.csv --target class
  kerf lab model.kerf --no-open`,
		Args: cobra.MaximumNArgs(1),
	}
	f.addKnown(c.Flags())
	f.modelFlags.add(c.Flags())
	c.Flags().StringSliceVar(&f.read.Drop, "drop", nil, "columns to ignore, by name or number")
	c.Flags().StringVar(&f.test, "test", "", "with a model, labelled rows for its report")
	c.Flags().StringVar(&f.listen, "listen", "127.0.0.1:8082", "address and port of the page; port 0 takes a free one")
	c.Flags().BoolVar(&f.noOpen, "no-open", false, "print the address and open no browser")
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := f.check(c.Flags()); err != nil {
			return err
		}
		if c.Flags().Changed("test") && f.test == "" {
			return usage("--test needs a file")
		}
		return flagged(a.runLab(c.Context(), args, &f))
	}
	return c
}

// runLab serves the page until the program is interrupted.
func (a *app) runLab(ctx context.Context, args []string, f *labFlags) error {
	o := lab.NewOptions()
	o.Run = a.control().Quiet()
	o.Log = slog.New(slog.NewTextHandler(a.stderr, nil))
	if a.quiet {
		o.Log = nil
	}
	if host, _, err := net.SplitHostPort(f.listen); err == nil && host != "" {
		o.Hosts = append(o.Hosts, host)
	}
	if len(args) == 0 && f.test != "" {
		return usage("--test goes with a model; use kerf lab MODEL --test %s", f.test)
	}
	if len(args) > 0 {
		if err := a.labInput(ctx, args[0], f, &o); err != nil {
			return err
		}
	}
	l, err := lab.New(o)
	if err != nil {
		return err
	}
	at, err := listen("listen", f.listen)
	if err != nil {
		return err
	}
	if tcp, ok := at.Addr().(*net.TCPAddr); ok && !tcp.IP.IsLoopback() {
		a.warn("%s can be reached from other machines, and anybody there may use the lab", at.Addr())
	}
	url := "http://" + at.Addr().String() + "/"
	err = a.result(map[string]string{"url": url}, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "the lab is at %s (Ctrl-C ends it)\n", url)
		return err
	})
	if err != nil {
		_ = at.Close()
		return err
	}
	if !f.noOpen && !a.json {
		a.openBrowser(url)
	}
	setPatience(ctx, 2*time.Second)
	err = l.Serve(ctx, at)
	var memory *run.MemoryError
	if err == nil && errors.As(context.Cause(ctx), &memory) {
		return memory
	}
	return err
}

// labInput reads what the lab is started with: a model, if the file is one, or data.
func (a *app) labInput(ctx context.Context, path string, f *labFlags, o *lab.Options) error {
	// What is no file, such as a pipe, can be read once.
	if at, err := os.Stat(path); err == nil && at.Mode().IsRegular() {
		if _, err := model.ReadFile(path); err == nil || errors.Is(err, model.ErrDamaged) || errors.Is(err, model.ErrNewer) {
			return a.labModel(ctx, path, f, o)
		}
	}
	if f.test != "" {
		return usage("--test goes with a model, and %s is none", path)
	}
	read := f.read
	read.Stdin, read.Run = a.stdin, a.control()
	t, err := lab.ReadTable(ctx, path, read)
	if err != nil {
		return err
	}
	for _, note := range t.Notes {
		a.note(note)
	}
	o.Table = t
	return nil
}

// labModel loads a model, and measures it on labelled rows where there are some.
func (a *app) labModel(ctx context.Context, path string, f *labFlags, o *lab.Options) error {
	m, err := f.load(path)
	if err != nil {
		return err
	}
	out := &lab.Model{Name: filepath.Base(path), Model: m}
	o.Model = out
	if f.test == "" {
		return nil
	}
	options := a.options(&f.inputFlags)
	out.On = filepath.Base(f.test)
	if out.Evaluated, err = job.Evaluate(ctx, m, f.test, options); err != nil || f.test == "-" {
		return err // what was read from standard input is gone
	}
	why := job.NewExplainOptions()
	why.Options, why.Repeats, why.Sample, why.Columns = options, 2, rankRows, rankColumns
	said, err := job.Explain(ctx, m, f.test, why)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		a.note("which columns matter is not in the report: " + err.Error())
	default:
		out.Ranking = said.Ranking
	}
	return nil
}

// Rows and columns that the importance of columns is measured on: the page is to open soon.
const (
	rankRows    = 1000
	rankColumns = 50
)

// openBrowser opens a page where a person sits at a terminal with a screen.
func (a *app) openBrowser(url string) {
	out, ok := a.stdout.(*os.File)
	if !ok || !term.IsTerminal(int(out.Fd())) {
		return
	}
	var c *exec.Cmd
	switch runtime.GOOS {
	case "darwin":
		c = exec.Command("open", url)
	case "windows":
		c = exec.Command("rundll32", "url.dll,FileProtocolHandler", url)
	default:
		if os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
			return
		}
		c = exec.Command("xdg-open", url)
	}
	if err := c.Start(); err != nil {
		a.note("no browser could be opened (" + strings.TrimPrefix(err.Error(), "exec: ") + "); open the address yourself")
		return
	}
	go func() { _ = c.Wait() }()
}
