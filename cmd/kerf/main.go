// Command kerf turns kernels into explicit features, trains on them and
// predicts. Run "kerf --help".
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/kerf-ml/kerf/cli"
)

func main() {
	// A reader that has gone is an error of writing, as a full disk is, and not the end
	// of the program by a signal.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	status := cli.Exec(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}
