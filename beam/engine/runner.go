package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/container/tools"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/graphx"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/metricsx"
	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal/extworker"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal/runnerlib"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// Runner runs pipelines.
type Runner interface {
	// Run runs a pipeline to its end. Tell is called now and then with the number of units
	// that the engine's metrics count, 0 where they count none. When ctx ends the job is
	// cancelled.
	Run(ctx context.Context, p *beam.Pipeline, name string, parallelism int, tell func(units int)) error
}

// Prism runs pipelines in this process.
type Prism struct{ client jobpb.JobServiceClient }

// Run runs a pipeline in this process.
func (r *Prism) Run(ctx context.Context, p *beam.Pipeline, name string, parallelism int, tell func(int)) error {
	if r.client == nil {
		client, err := prism.CreateJobServer(context.WithoutCancel(ctx), prism.Options{})
		if err != nil {
			return err
		}
		r.client = client
	}
	worker, err := extworker.StartLoopback(context.WithoutCancel(ctx), 0)
	if err != nil {
		return err
	}
	defer worker.Stop(context.WithoutCancel(ctx))
	env, err := graphx.CreateEnvironment(ctx, graphx.URNEnvExternal, worker.EnvironmentConfig)
	if err != nil {
		return err
	}
	return submit(ctx, r.client, p, env, name, parallelism, tell)
}

// Portable runs pipelines on the job server at an endpoint, with workers that the cluster
// starts as processes: Program, which must be on each of its machines under that path.
type Portable struct {
	Endpoint string
	Program  string
}

// WorkerVariable is set in the environment of the processes that a cluster starts.
const WorkerVariable = "KERF_BEAM_WORKER"

// Run runs a pipeline on the cluster.
func (r *Portable) Run(ctx context.Context, p *beam.Pipeline, name string, parallelism int, tell func(int)) error {
	dial, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	cc, err := grpc.NewClient(r.Endpoint, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	defer cc.Close()
	client := jobpb.NewJobServiceClient(cc)
	if _, err := client.GetJobs(dial, &jobpb.GetJobsRequest{}, grpc.WaitForReady(true)); err != nil && ctx.Err() == nil {
		return fmt.Errorf("no job server answers at %s; start one with kerf-beam cluster up, or check --endpoint", r.Endpoint)
	}
	env, err := graphx.CreateEnvironment(ctx, graphx.URNEnvProcess, func(context.Context) string {
		b, _ := json.Marshal(map[string]any{"command": r.Program, "env": map[string]string{WorkerVariable: "1"}})
		return string(b)
	})
	if err != nil {
		return err
	}
	return submit(ctx, client, p, env, name, parallelism, tell)
}

// pollEvery is how often the state of a job is asked for.
const pollEvery = 300 * time.Millisecond

// submit runs a pipeline on a job server.
func submit(
	ctx context.Context, client jobpb.JobServiceClient, p *beam.Pipeline, env *pipepb.Environment, name string,
	parallelism int, tell func(int),
) error {
	edges, _, err := p.Build()
	if err != nil {
		return err
	}
	proto, err := graphx.Marshal(edges, &graphx.Options{Environment: env})
	if err != nil {
		return err
	}
	// Workers are programs that are there already: what is sent in their place is empty.
	empty, err := os.CreateTemp("", "kerf-beam-*")
	if err != nil {
		return err
	}
	defer os.Remove(empty.Name())
	if err := errors.Join(empty.Close(), runnerlib.UpdateGoEnvironmentWorker(empty.Name(), proto)); err != nil {
		return err
	}
	prepared, err := prepare(ctx, client, proto, name, parallelism)
	if err != nil {
		return ended(ctx, err)
	}
	id := prepared.GetPreparationId()
	retrieval, err := runnerlib.Stage(ctx, id, prepared.GetArtifactStagingEndpoint().GetUrl(), empty.Name(),
		prepared.GetStagingSessionToken())
	if err != nil {
		return ended(ctx, err)
	}
	// Who is interrupted here waits for the answer: a job whose name is not known goes on.
	submitting, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	jobID, err := runnerlib.Submit(submitting, client, id, retrieval)
	if err != nil {
		return ended(ctx, err)
	}
	return watch(ctx, client, jobID, proto, tell)
}

// prepare announces a job.
func prepare(
	ctx context.Context, client jobpb.JobServiceClient, p *pipepb.Pipeline, name string, parallelism int,
) (*jobpb.PrepareJobResponse, error) {
	if parallelism <= 0 {
		parallelism = -1 // what the engine has by default
	}
	all, err := tools.OptionsToProto(runtime.RawOptionsWrapper{Options: beam.PipelineOptions.Export(), AppName: name,
		Experiments: []string{"beam_fn_api"}, Parallelism: parallelism})
	if err != nil {
		return nil, err
	}
	return client.Prepare(ctx, &jobpb.PrepareJobRequest{Pipeline: p, PipelineOptions: all, JobName: name})
}

// ended prefers the error of a context that has ended.
func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// watch waits for the end of a job. When ctx ends it cancels it.
func watch(ctx context.Context, client jobpb.JobServiceClient, id string, p *pipepb.Pipeline, tell func(int)) error {
	asking := context.WithoutCancel(ctx)
	messages := make(chan error, 1)
	listen, stop := context.WithCancel(asking)
	defer stop()
	go func() { messages <- listenTo(listen, client, id) }()
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		select {
		case err := <-messages:
			return err
		case <-ctx.Done():
			cancel, done := context.WithTimeout(asking, 10*time.Second)
			_, err := client.Cancel(cancel, &jobpb.CancelJobRequest{JobId: id})
			done()
			if err != nil {
				return fmt.Errorf("%w; the job %s could not be cancelled: %w", ctx.Err(), id, err)
			}
			return ctx.Err()
		case <-tick.C:
			tell(counted(asking, client, id, p))
		}
	}
}

// counted asks the engine's metrics for the units that are done.
func counted(ctx context.Context, client jobpb.JobServiceClient, id string, p *pipepb.Pipeline) int {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	r, err := client.GetJobMetrics(ctx, &jobpb.GetJobMetricsRequest{JobId: id})
	if err != nil || r.GetMetrics() == nil {
		return 0
	}
	units := int64(0)
	all := metricsx.FromMonitoringInfos(p, r.GetMetrics().Attempted, r.GetMetrics().Committed)
	for _, c := range all.AllMetrics().Counters() {
		if c.Name() == "units" && c.Namespace() == "kerf" {
			units += max(c.Attempted, c.Committed)
		}
	}
	return int(units)
}

// listenTo follows the messages of a job to its end.
func listenTo(ctx context.Context, client jobpb.JobServiceClient, id string) error {
	stream, err := client.GetMessageStream(ctx, &jobpb.JobMessagesRequest{JobId: id})
	if err != nil {
		return err
	}
	reason, failed := "", false
	fail := func() error {
		if reason == "" {
			reason = "the engine does not say why; see its log"
		}
		return fmt.Errorf("the job %s failed: %s", id, reason)
	}
	for {
		m, err := stream.Recv()
		switch {
		case err == io.EOF && failed, err != nil && failed:
			return fail()
		case err == io.EOF:
			return nil
		case err != nil:
			return fmt.Errorf("the job server ended the connection: %w", err)
		}
		if t := m.GetMessageResponse(); t != nil && t.GetImportance() >= jobpb.JobMessage_JOB_MESSAGE_ERROR {
			if reason = brief(t.GetMessageText()); failed {
				return fail()
			}
		}
		switch m.GetStateResponse().GetState() {
		case jobpb.JobState_DONE:
			return nil
		case jobpb.JobState_CANCELLED:
			return fmt.Errorf("the job %s was cancelled", id)
		case jobpb.JobState_FAILED:
			if failed = true; reason != "" {
				return fail()
			}
		}
	}
}

// brief is the cause at the end of a trace of exceptions, or the first line of a text.
func brief(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	out := lines[0]
	for _, line := range lines {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "Caused by: "); ok {
			out = rest
		}
	}
	return strings.TrimSpace(out)
}
