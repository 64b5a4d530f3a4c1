// Command kerf turns kernels into explicit features, trains on them and
// predicts. Run "kerf --help".
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/kerf-ml/kerf/cli"
	"github.com/kerf-ml/kerf/internal/atomicfile"
)

func main() {
	// A reader that has gone is an error of writing, as a full disk is, and not the end
	// of the program by a signal.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	patience := new(atomic.Int64)
	patience.Store(int64(900 * time.Millisecond))
	go abandon(ctx, stop, patience)
	status := cli.Exec(cli.WithPatience(ctx, patience), os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

// abandon ends the program a moment after it was interrupted, where what it waits
// for cannot be: a kernel of the user's that does not answer. A command that takes
// longer to end is ended by a second interruption at once.
func abandon(ctx context.Context, stop func(), patience *atomic.Int64) {
	<-ctx.Done()
	wait := time.Duration(patience.Load())
	if wait > time.Second {
		stop()
	}
	time.Sleep(wait)
	atomicfile.Abandon()
	fmt.Fprintln(os.Stderr, "kerf: interrupted")
	os.Exit(130)
}
