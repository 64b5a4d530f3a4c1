package program_test

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/kerf-ml/kerf/beam/flink"
)

// An interrupt ends the program at once, the job in the job service, and what works on
// it on Flink, whether Flink is in the job server or in processes of its own.
func TestInterruptCancelsOnFlink(t *testing.T) {
	for name, managers := range map[string]int{"embedded": 0, "task manager": 1} {
		t.Run(name, func(t *testing.T) { interrupt(t, onFlink(t, managers, 2)) })
	}
}

func interrupt(t *testing.T, c *flink.Cluster) {
	data, out := writeData(t, 0, 60000), t.TempDir()
	staging, model := filepath.Join(out, "staging"), filepath.Join(out, "m.kerf")
	words := append([]string{"train", data, "-q", "--span", "200", "-o", model, "--staging", staging, "--runner", "flink",
		"--endpoint", c.Endpoint}, kinds[0].words...)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	done := func() int {
		names, _ := filepath.Glob(filepath.Join(staging, "survey-*", "unit-*.json"))
		return len(names)
	}
	var interrupted time.Time
	go func() {
		for done() < 3 {
			time.Sleep(5 * time.Millisecond)
		}
		interrupted = time.Now()
		cancel()
	}()
	status, _, faults := beam(ctx, words...)
	if status != 130 || faults != "kerf-beam: interrupted\n" {
		t.Fatalf("%d %q", status, faults)
	}
	if took := time.Since(interrupted); took > 5*time.Second {
		t.Errorf("the program ended after %v", took)
	}
	if _, err := os.Stat(model); err == nil {
		t.Error("a model was written")
	}
	state := jobpb.JobState_UNSPECIFIED
	for began := time.Now(); state != jobpb.JobState_CANCELLED && time.Since(began) < 20*time.Second; {
		state = stateOf(t, c.Endpoint, "survey")
		time.Sleep(100 * time.Millisecond)
	}
	if state != jobpb.JobState_CANCELLED {
		t.Errorf("the job is %v", state)
	}
	for began := time.Now(); running(t, c) > 0; time.Sleep(100 * time.Millisecond) {
		if time.Since(began) > 20*time.Second {
			t.Fatal("Flink still works on the job")
		}
	}
	before := done()
	if time.Sleep(time.Second); done() != before || before >= 300 {
		t.Errorf("%d of 300 units were done, and then %d", before, done())
	}
	if left, _ := filepath.Glob(filepath.Join(staging, "*", ".kerf-*")); len(left) > 0 {
		t.Errorf("half-written: %v", left)
	}
}

// stateOf returns the state of the job whose name has a word in it.
func stateOf(t *testing.T, endpoint, word string) jobpb.JobState_Enum {
	t.Helper()
	cc, err := grpc.NewClient(endpoint, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer cc.Close()
	r, err := jobpb.NewJobServiceClient(cc).GetJobs(context.Background(), &jobpb.GetJobsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range r.GetJobInfo() {
		if strings.Contains(j.GetJobName(), word) {
			return j.GetState()
		}
	}
	return jobpb.JobState_UNSPECIFIED
}

// running returns how many jobs the JobManager of a cluster has that have not ended; 0
// where there is none.
func running(t *testing.T, c *flink.Cluster) int {
	t.Helper()
	if c.TaskManagers == 0 {
		return 0
	}
	rest := regexp.MustCompile(`rest.port: (\d+)`).FindStringSubmatch(content(t, filepath.Join(c.Folder, "conf",
		"flink-conf.yaml")))
	answer, err := http.Get("http://localhost:" + rest[1] + "/jobs/overview")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var all struct {
		Jobs []struct{ State string }
	}
	if err := json.NewDecoder(answer.Body).Decode(&all); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, j := range all.Jobs {
		if j.State != "FINISHED" && j.State != "CANCELED" && j.State != "FAILED" {
			n++
		}
	}
	return n
}
