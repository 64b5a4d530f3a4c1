//go:build unix

package torture

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// streams are trainings on rows that are read part by part, with a checkpoint.
var streams = []string{
	"train lots.csv --stream --kernel rbf(gamma=0.02) --map f2 --dim 300 --learner svm --C 1 --tolerance 1e-9 -q",
	"train - --stream --max-memory 64MiB --kernel rbf(gamma=0.02) --map f2 --dim 300 --learner svm --C 1 -q",
	"train lots.csv --stream --kernel rbf(gamma=0.02) --map f2 --dim 300 --learner ridge -q",
}

// streamKills is how often each of them is killed in make torture; among the tests, the first
// one is a few times.
const streamKills, fewKills = 20, 3

// TestKillStream kills a training at random moments, again and again, each time giving the
// same command anew, and compares the model with that of a run that was left alone.
func TestKillStream(t *testing.T) {
	lines, count := streams[:1], fewKills
	if *kills >= 100 {
		lines, count = streams, streamKills
	}
	dir, err := files{}.write()
	if err != nil {
		t.Fatal(err)
	}
	if r := run(dir, nil, strings.Fields("gen halfspace --n 60000 --dim 20 --noise 0.05 -o lots.csv")...); r.status != 0 {
		t.Fatalf("%s", r.stderr)
	}
	rng := rand.New(rand.NewPCG(*seed, 20))
	for _, line := range lines {
		s := streaming{dir: dir, args: strings.Fields(line)}
		begun := time.Now()
		want := s.finish(t)
		took := time.Since(begun)
		s.args = append(s.args, "--checkpoint", "out.state")
		resumed := 0
		for range count {
			if s.kill(t, time.Duration(rng.Float64()*float64(took))) {
				resumed++
			}
			if got := s.model(); got != nil && !bytes.Equal(got, want) {
				t.Fatalf("kerf %s: half a model, or another", line)
			}
			_ = os.Remove(filepath.Join(dir, "out.kerf"))
		}
		if got := s.finish(t); !bytes.Equal(got, want) {
			t.Errorf("kerf %s: another model after %d kills", line, count)
		}
		_ = os.Remove(filepath.Join(dir, "out.state"))
		t.Logf("kerf %s: %v, %d kills, %d with a state to go on from", line, took.Round(time.Millisecond), count, resumed)
	}
}

// streaming is a training that writes out.kerf.
type streaming struct {
	dir  string
	args []string
}

// model returns the bytes of the model, nil where there is none.
func (s *streaming) model() []byte {
	b, _ := os.ReadFile(filepath.Join(s.dir, "out.kerf")) // or there is none
	return b
}

// finish runs the training to its end, and removes the model that it returns.
func (s *streaming) finish(t *testing.T) []byte {
	t.Helper()
	end := s.start(context.Background(), t)
	if text, err := end(); err != nil {
		t.Fatalf("kerf %s: %v: %s", strings.Join(s.args, " "), err, text)
	}
	b := s.model()
	_ = os.Remove(filepath.Join(s.dir, "out.kerf"))
	return b
}

// kill starts the training and kills it after a while. It reports whether there is a state.
func (s *streaming) kill(t *testing.T, after time.Duration) bool {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), after)
	defer cancel()
	_, _ = s.start(ctx, t)() // killed or done
	_, err := os.Stat(filepath.Join(s.dir, "out.state"))
	return err == nil
}

// start starts the training, which the end of a context kills, with the rows as its standard
// input, and returns a function that waits for its end.
func (s *streaming) start(ctx context.Context, t *testing.T) func() (string, error) {
	t.Helper()
	cmd, _, text := command(ctx, s.dir, append(s.args, "-o", "out.kerf")...)
	in, err := os.Open(filepath.Join(s.dir, "lots.csv"))
	if err != nil {
		t.Fatal(err)
	}
	pipe, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		defer in.Close()
		defer pipe.Close()
		_, _ = in.WriteTo(pipe) // a training that is killed, or reads a file, takes no more
	}()
	return func() (string, error) {
		err := cmd.Wait()
		return text.String(), err
	}
}
