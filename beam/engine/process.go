package engine

import (
	"context"
	"flag"
	"fmt"

	"github.com/apache/beam/sdks/v2/go/container/tools"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/harness"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
)

// Start readies Beam in a process that runs pipelines or works on them.
func Start() error {
	if err := flag.CommandLine.Parse(nil); err != nil { // options are the commands' own
		return err
	}
	if !beam.Initialized() {
		beam.Init()
	}
	return nil
}

// Process is the whole program of a worker that a cluster has started, with the arguments
// that it gave it.
func Process(ctx context.Context, args []string) error {
	f := flag.NewFlagSet("kerf-beam", flag.ContinueOnError)
	id := f.String("id", "", "name of the worker")
	endpoint := f.String("provision_endpoint", "", "who knows what the worker needs")
	for _, ignored := range []string{"logging_endpoint", "artifact_endpoint", "control_endpoint", "semi_persist_dir"} {
		f.String(ignored, "", "")
	}
	if err := f.Parse(args); err != nil {
		return err
	}
	ctx = grpcx.WriteWorkerID(ctx, *id)
	info, err := tools.ProvisionInfo(ctx, *endpoint)
	if err != nil {
		return err
	}
	if err := Start(); err != nil {
		return err
	}
	logging, control := info.GetLoggingEndpoint().GetUrl(), info.GetControlEndpoint().GetUrl()
	if control == "" {
		return fmt.Errorf("the cluster names no endpoint of control to the worker %s", *id)
	}
	return harness.MainWithOptions(ctx, logging, control, harness.Options{
		RunnerCapabilities: info.GetRunnerCapabilities(), StatusEndpoint: info.GetStatusEndpoint().GetUrl(),
	})
}
