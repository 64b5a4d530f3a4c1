package cli

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/kerf-ml/kerf/job"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/pipe"
	"github.com/kerf-ml/kerf/run"
)

// pipe is the command that packages of other languages start. It is no command for
// people: it has no help of its own and no limits, which each request has.
func (a *app) pipe() *cobra.Command {
	c := &cobra.Command{
		Use: pipeName, Hidden: true, Args: cobra.NoArgs,
		Short: "Answer the requests of a program on standard input and output, as kerf's Python package does",
	}
	c.RunE = func(c *cobra.Command, _ []string) error {
		return pipe.Serve(c.Context(), a.stdin, a.stdout, pipe.Door{Begin: beginRequest, Fault: faultOf})
	}
	return c
}

const pipeName = "pipe"

// beginRequest settles the flags of a request, as those of the command that does the same
// with files, and limits what it may use.
func beginRequest(ctx context.Context, do string, args []string, told pipe.Told) (
	context.Context, job.TrainOptions, func(), error,
) {
	one := &app{stdout: io.Discard, stderr: io.Discard, unlimit: func() {}, hide: func() {}}
	limited, stop := context.WithCancelCause(ctx)
	one.stop = stop
	end := func() {
		one.unlimit()
		stop(nil)
	}
	o, err := one.requested(do, args)
	if err != nil {
		end()
		return ctx, o, func() {}, err
	}
	o.Run.Progress, o.Read.Run.Progress = told.Progress, told.Progress
	o.Warn = func(text string) { told.Warn(clipped(text)) }
	o.Note = func(text string) { told.Note(clipped(text)) }
	return limited, o, end, nil
}

// requested returns the options of a request.
func (a *app) requested(do string, args []string) (o job.TrainOptions, err error) {
	f := &trainFlags{}
	c := &cobra.Command{Use: do}
	a.globals(c.Flags())
	if do == "map" {
		f.inputFlags.add(c.Flags())
		f.mapFlags.add(c.Flags())
	} else {
		f.add(c, "", "", "", "")
		f.addEffort(c)
	}
	if err := c.ParseFlags(args); err != nil {
		return o, usage("%w", err)
	}
	if c.Flags().NArg() > 0 {
		return o, usage("%q is no flag", c.Flags().Arg(0))
	}
	if a.workers < 0 {
		return o, usage("--workers is %d and must be at least 1", a.workers)
	}
	if err := a.checkNumbers(); err != nil {
		return o, err
	}
	if err := a.limit(); err != nil {
		return o, err
	}
	switch do {
	case "train":
		if err := f.checkEffort(c); err != nil {
			return o, err
		}
		err = f.settle(a, c, "")
	case "map":
		if err = f.inputFlags.check(c.Flags()); err != nil {
			return o, err
		}
		f.train.Options = a.options(&f.inputFlags)
		err = f.mapFlags.choose(c, model.Traits{}, false, &f.train.Choices)
	default:
		f.train.Options = a.options(&f.inputFlags)
	}
	return f.train, err
}

// faultOf returns the kind and the line of an error, by the statuses of the program.
func faultOf(ctx, limited context.Context, err error) (kind, line string) {
	err = flagged(err)
	status := statusOf(ctx, err)
	if memory := outOfMemory(limited, err); memory != nil && status != exitInterrupted {
		return "memory", oneLine(memory)
	}
	var lack *job.LackError
	var late *run.MemoryError
	switch {
	case status == exitInterrupted:
		return "interrupted", "interrupted"
	case errors.As(err, &late):
		return "memory", oneLine(err)
	case status == exitUsage:
		return "usage", oneLine(err)
	case status == exitInput, errors.As(err, &lack):
		return "input", oneLine(err)
	}
	return "failed", oneLine(err)
}

// isPipe reports the command that limits its requests, one by one.
func isPipe(c *cobra.Command) bool { return c.Name() == pipeName }
