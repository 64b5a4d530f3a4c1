// Package cli is the command line of kerf. Exec is the whole program as a
// function, so that it can be tested as one.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/report/text"
	"github.com/kerf-ml/kerf/spec"
)

// Exit statuses.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitInput       = 3
	exitInterrupted = 130
)

// Exec runs kerf with the given arguments, without the program's name, and
// returns its exit status.
func Exec(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return ExecProgram(ctx, nil, args, stdin, stdout, stderr)
}

// versioned returns the arguments with the command version for the flag of that name where no command stands before it.
func versioned(args []string) []string {
	for i, arg := range args {
		if arg == "--version" {
			return slices.Concat(args[:i], []string{"version"}, args[i+1:])
		}
		if !strings.HasPrefix(arg, "-") {
			break
		}
	}
	return args
}

// ExecProgram runs a program with the words of kerf, kerf itself where it is nil.
func ExecProgram(
	ctx context.Context, p *Program, args []string, stdin io.Reader, stdout, stderr io.Writer,
) int {
	out := &noting{w: stdout}
	a := &app{stdin: stdin, stdout: out, stderr: stderr, unlimit: func() {}, hide: func() {}, name: "kerf", program: p}
	if p != nil {
		a.name = p.Name
	}
	root := a.root()
	args = versioned(args)
	root.SetArgs(args)
	limited, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	a.stop = stop
	err := a.execute(limited, root, args)
	if p != nil {
		if closed := p.Close(err); err == nil {
			err = closed
		}
	}
	a.unlimit()
	a.hide()
	if err == nil {
		err = out.err
	}
	if err == nil {
		return exitDone
	}
	status := statusOf(ctx, err)
	if memory := outOfMemory(limited, err); memory != nil && status != exitInterrupted {
		err, status = memory, exitFailed
	}
	if status == exitInterrupted {
		fmt.Fprintln(stderr, a.name+": interrupted")
		return status
	}
	fmt.Fprintln(stderr, a.name+": "+oneLine(err))
	return status
}

// noting is a writer that keeps its first error, for those who do not look at it,
// such as the writers of help: what was not written was not done.
type noting struct {
	w   io.Writer
	err error
}

func (n *noting) Write(p []byte) (int, error) {
	written, err := n.w.Write(p)
	if n.err == nil {
		n.err = err
	}
	return written, err
}

// execute runs the command that the arguments name. A panic, which is a bug of
// kerf's, comes back as an error.
func (a *app) execute(ctx context.Context, root *cobra.Command, args []string) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("internal error: %v; please report it with the command line", p)
		}
	}()
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	if c, rest, _ := root.Find(args); c == root && len(rest) > 0 && !strings.HasPrefix(rest[0], "-") &&
		!strings.HasPrefix(rest[0], "__complete") {
		return unknownCommand(root, rest[0])
	}
	if err := root.ExecuteContext(ctx); err != nil {
		return err
	}
	a.noteDevice()
	return nil
}

func unknownCommand(root *cobra.Command, name string) error {
	advice := "see kerf --help"
	if near := root.SuggestionsFor(name); len(near) > 0 {
		advice = "did you mean " + strings.Join(near, " or ") + "?"
	}
	return usage("unknown command %q; %s", name, advice)
}

// root returns the command tree.
func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "kerf",
		Short: "Kernel features: the power of kernels at the speed of linear models",
		Long: `kerf turns a kernel and a sample of data into a short vector of explicit
features in which a plain linear separator does what the kernel machine would
have done, and says how many features are enough.

Start with: kerf demo`,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return usage("%w; see %s --help", err, c.CommandPath())
	})
	a.globals(root.PersistentFlags())
	root.RunE = func(c *cobra.Command, args []string) error {
		if len(args) > 0 {
			return unknownCommand(root, args[0])
		}
		return c.Help()
	}
	root.Args = cobra.ArbitraryArgs
	root.PersistentPreRunE = func(c *cobra.Command, _ []string) error {
		if !a.quiet {
			a.shown = newDisplay(a.name, a.stderr, time.Now)
			a.hide = a.shown.start()
		}
		if a.workers < 0 {
			return usage("--workers is %d and must be at least 1", a.workers)
		}
		if err := a.checkNumbers(); err != nil {
			return err
		}
		if isPipe(c) {
			return nil
		}
		if err := a.limit(); err != nil {
			return err
		}
		return a.open(c)
	}
	root.SetHelpCommand(&cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about any command",
		Args:  cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error {
			c, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return unknownCommand(root, strings.Join(args, " "))
			}
			return c.Help()
		},
	})
	root.SuggestionsMinimumDistance = 2
	commands := []*cobra.Command{
		a.demo(), a.gen(), a.plan(), a.check(), a.margin(), a.train(), a.cv(), a.tune(), a.predict(), a.mapping(),
		a.eval(), a.explain(), a.inspect(), a.convert(), a.serve(), a.lab(), a.repro(), a.version(), a.pipe(),
	}
	if p := a.program; p != nil {
		root.Use, root.Short, root.Long = p.Name, p.Short, ""
		p.Flags(root.PersistentFlags())
		commands = append([]*cobra.Command{a.train(), a.predict(), a.mapping(), a.eval(), a.version()}, p.Commands...)
	}
	for _, c := range commands {
		c.Args = counted(c.Args)
		root.AddCommand(c)
	}
	return root
}

// counted makes a wrong number of arguments a usage error.
func counted(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if check == nil {
			check = cobra.NoArgs
		}
		if err := check(c, args); err != nil {
			return usage("%w; usage: %s", err, c.UseLine())
		}
		return nil
	}
}

// usageError is a wrong command line.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

func usage(format string, args ...any) error {
	return &usageError{fmt.Errorf(format, args...)}
}

// wrapf is an error that adds words to another.
func wrapf(format string, args ...any) error { return fmt.Errorf(format, args...) }

// badInput reports input that is wrong though no reader could tell.
func badInput(file, problem, advice string) error {
	return &data.InputError{File: file, Problem: problem, Advice: advice}
}

// statusOf returns the exit status that stands for an error.
func statusOf(ctx context.Context, err error) int {
	var (
		wrong     *usageError
		input     *data.InputError
		text      *spec.Error
		notKernel *feature.NotPSDError
		value     *gram.ValueError
		wide      *feature.RowError
		row       *learn.DataError
		sample    *model.SampleError
	)
	switch {
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return exitInterrupted
	case errors.As(err, &wrong):
		return exitUsage
	case errors.As(err, &input), errors.As(err, &text), errors.As(err, &notKernel), errors.As(err,
		&value), errors.As(err, &wide), errors.As(err, &row), errors.As(err, &sample):
		return exitInput
	case errors.Is(err, learn.ErrOneClass), errors.Is(err, learn.ErrNoRows), errors.Is(err, feature.ErrBlind):
		return exitInput
	case errors.Is(err, model.ErrNotModel), errors.Is(err, model.ErrDamaged), errors.Is(err,
		model.ErrNewer), errors.Is(err, model.ErrKind), errors.Is(err, model.ErrProgram), errors.Is(err, model.ErrPlain):
		return exitInput
	}
	return exitFailed
}

// longest is how many bytes a message has at most, some dots aside.
const longest = 480

// oneLine writes an error as a single line of no more than a few hundred bytes,
// without control characters.
func oneLine(err error) string {
	var parts []string
	for part := range strings.Lines(strings.TrimSpace(err.Error())) {
		if part = strings.TrimSpace(part); !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
	}
	return clipped(strings.Join(parts, "; "))
}

// clipped returns a text for people, of no more than a few hundred bytes.
func clipped(said string) string { return data.ClipMiddle(text.Printable(said), longest) }
