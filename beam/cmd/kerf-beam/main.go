// Command kerf-beam does what kerf train, predict, map and eval do on Apache Beam: on
// Flink, or any other engine with a job server, or, to try it out, in one process. Run
// "kerf-beam --help".
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/kerf-ml/kerf/beam/engine"
	"github.com/kerf-ml/kerf/beam/program"
	"github.com/kerf-ml/kerf/cli"
)

func main() {
	if os.Getenv(engine.WorkerVariable) != "" {
		if err := engine.Process(context.Background(), os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, "kerf-beam: "+err.Error())
			os.Exit(1)
		}
		return
	}
	signal.Ignore(syscall.SIGPIPE) // who reads no more of the output ends the command with an error, and not at once
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	go func() { // a job is cancelled first; who does not answer is not waited for
		<-ctx.Done()
		stop()
		time.Sleep(15 * time.Second)
		os.Exit(130)
	}()
	os.Exit(cli.ExecProgram(ctx, program.New(os.Stdout), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
