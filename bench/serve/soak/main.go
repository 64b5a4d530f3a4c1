// Command soak asks a service without a pause, one row a request from many connections,
// while its model file changes every second, and fails if an answer is lost or wrong, or
// if the memory of the service grows: make soak.
//
//	go run ./bench/serve/soak -kerf ./kerf -data a9a.libsvm.gz -time 30m
package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kerf-ml/kerf/bench/serve/service"
)

func main() {
	var s soak
	source := flag.String("data", "", "file in the LIBSVM format to train on and ask about")
	flag.StringVar(&s.kerf, "kerf", "kerf", "program to measure")
	flag.DurationVar(&s.time, "time", 30*time.Minute, "how long")
	flag.DurationVar(&s.every, "reload", time.Second, "time between changes of the model file")
	flag.IntVar(&s.connections, "connections", 64, "connections")
	flag.Parse()
	if err := s.run(*source); err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

// soak is what is asked, and what came of it.
type soak struct {
	kerf        string
	time, every time.Duration
	connections int
	dir         string
	bodies      [][]byte
	scores      map[string][][]float64 // of the rows, by version

	asked, lost, wrong, renewed atomic.Int64
	fault                       atomic.Pointer[string] // the first
}

// asks is how many different rows are asked about.
const asks = 500

func (s *soak) run(source string) (err error) {
	if s.dir, err = os.MkdirTemp("", "kerf-soak"); err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(s.dir) }()
	if s.kerf, err = exec.LookPath(s.kerf); err != nil {
		return err
	}
	if err := s.prepare(source); err != nil {
		return err
	}
	service, err := service.Start(s.kerf, "--watch", s.path("served.kerf"))
	if err != nil {
		return err
	}
	err = s.soak(service)
	return errors.Join(err, service.Stop())
}

func (s *soak) path(name string) string { return filepath.Join(s.dir, name) }

// prepare trains two models that differ, and makes the requests.
func (s *soak) prepare(source string) error {
	for i, name := range []string{"one", "two"} {
		args := []string{"train", source, "--kernel", "rbf(gamma=0.05)", "--map", "f2", "--dim", "500", "-q", "-o",
			s.path(name + ".kerf"), "--C", []string{"1", "0.0001"}[i]}
		if out, err := exec.Command(s.kerf, args...).CombinedOutput(); err != nil {
			return fmt.Errorf("kerf train: %w: %s", err, out)
		}
	}
	if err := s.readRows(source); err != nil {
		return err
	}
	return s.offer("one")
}

// readRows makes a request of each of the first rows of a file.
func (s *soak) readRows(source string) error {
	f, err := os.Open(source)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	r := io.Reader(f)
	if strings.HasSuffix(source, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			return err
		}
	}
	lines := bufio.NewScanner(r)
	for len(s.bodies) < asks && lines.Scan() {
		s.bodies = append(s.bodies, append(slices.Clone(lines.Bytes()), '\n'))
	}
	if lines.Err() != nil || len(s.bodies) == 0 {
		return fmt.Errorf("%s has no rows, or cannot be read: %v", source, lines.Err())
	}
	return os.WriteFile(s.path("rows.libsvm"), slices.Concat(s.bodies...), 0o600)
}

// said is what the service says of one row, or kerf predict of all.
type said struct {
	Version string
	Scores  [][]float64
}

// expect returns the scores of a model, as kerf predict says them.
func (s *soak) expect(name string) ([][]float64, error) {
	out, err := exec.Command(s.kerf, "predict", s.path(name+".kerf"), s.path("rows.libsvm"), "--scores", "--json",
		"-q").Output()
	if err != nil {
		return nil, fmt.Errorf("kerf predict: %w", err)
	}
	var all said
	if err := json.Unmarshal(out, &all); err != nil || len(all.Scores) != len(s.bodies) {
		return nil, fmt.Errorf("kerf predict says scores of %d rows, %v", len(all.Scores), err)
	}
	return all.Scores, nil
}

// offer puts a model in the place of the one that is served.
func (s *soak) offer(name string) error {
	b, err := os.ReadFile(s.path(name + ".kerf"))
	if err != nil {
		return err
	}
	if err := os.WriteFile(s.path("next"), b, 0o600); err != nil {
		return err
	}
	return os.Rename(s.path("next"), s.path("served.kerf"))
}

// ask asks about a row.
func ask(c *http.Client, address string, body []byte) (*said, error) {
	r, err := c.Post(address+"/predict?outputs=label,scores", "text/plain", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(r.Body)
	_ = r.Body.Close()
	if err != nil {
		return nil, err
	}
	if r.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %.200s", r.Status, text)
	}
	var out said
	if err := json.Unmarshal(text, &out); err != nil || len(out.Scores) != 1 {
		return nil, fmt.Errorf("the answer is %.200s", text)
	}
	return &out, nil
}

// learn notes what each model says of the rows, under the version that it is served as.
func (s *soak) learn(c *http.Client, address string) error {
	s.scores = map[string][][]float64{}
	for _, name := range []string{"one", "two"} {
		want, err := s.expect(name)
		if err != nil {
			return err
		}
		if err := s.offer(name); err != nil {
			return err
		}
		for end := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
			now, err := ask(c, address, s.bodies[0])
			if err != nil {
				return err
			}
			if s.scores[now.Version] == nil {
				s.scores[now.Version] = want
				break
			}
			if time.Now().After(end) {
				return fmt.Errorf("the service does not take in %s", name)
			}
		}
	}
	return nil
}

// soak asks until the time is over, and judges.
func (s *soak) soak(to *service.Service) error {
	c := &http.Client{Timeout: time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: s.connections}}
	if err := s.learn(c, to.Address); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), s.time)
	defer cancel()
	var wait sync.WaitGroup
	for k := range s.connections {
		wait.Go(func() { s.asking(ctx, c, to.Address, k) })
	}
	wait.Go(func() { s.renewing(ctx) })
	resident, err := s.watch(ctx, to)
	wait.Wait()
	spent, spentErr := to.Spent()
	fmt.Printf("%d answers, %d lost, %d wrong, %d changes of the model, %.0f answers/s, %.0f s of the service's "+
		"processor\n",
		s.asked.Load(), s.lost.Load(), s.wrong.Load(), s.renewed.Load(), float64(s.asked.Load())/s.time.Seconds(),
		spent.Seconds())
	if err := tellReloads(c, to.Address); err != nil {
		return err
	}
	if fault := s.fault.Load(); fault != nil {
		return fmt.Errorf("%d answers lost and %d wrong; the first: %s", s.lost.Load(), s.wrong.Load(), *fault)
	}
	return errors.Join(err, spentErr, judge(resident))
}

// tellReloads prints how often the service has taken in a model.
func tellReloads(c *http.Client, address string) error {
	r, err := c.Get(address + "/metrics")
	if err != nil {
		return err
	}
	defer func() { _ = r.Body.Close() }()
	lines := bufio.NewScanner(r.Body)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "kerf_reloads_total") {
			fmt.Println(lines.Text())
		}
	}
	return lines.Err()
}

// asking asks, one row after the other.
func (s *soak) asking(ctx context.Context, c *http.Client, address string, k int) {
	note := func(of *atomic.Int64, text string) {
		of.Add(1)
		s.fault.CompareAndSwap(nil, &text)
	}
	for i := k; ctx.Err() == nil; i++ {
		i %= len(s.bodies)
		got, err := ask(c, address, s.bodies[i])
		s.asked.Add(1)
		if err != nil {
			note(&s.lost, err.Error())
			continue
		}
		want := s.scores[got.Version]
		if want == nil || !slices.Equal(got.Scores[0], want[i]) {
			note(&s.wrong, fmt.Sprintf("row %d has the scores %v by version %s", i+1, got.Scores[0], got.Version))
		}
	}
}

// renewing changes the model file.
func (s *soak) renewing(ctx context.Context) {
	tick := time.NewTicker(s.every)
	defer tick.Stop()
	for k := 0; ; k++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := s.offer([]string{"one", "two"}[k%2]); err != nil {
			text := err.Error()
			s.fault.CompareAndSwap(nil, &text)
			return
		}
		s.renewed.Add(1)
	}
}

// samples is how often memory is looked at.
const samples = 120

// watch returns the memory of the service over time, in KiB.
func (s *soak) watch(ctx context.Context, to *service.Service) ([]int, error) {
	var out []int
	tick := time.NewTicker(max(s.time/samples, time.Millisecond))
	defer tick.Stop()
	begun, said := time.Now(), time.Duration(-1)
	for {
		select {
		case <-ctx.Done():
			return out, nil
		case <-tick.C:
		}
		now, err := to.Resident()
		if err != nil {
			return out, err
		}
		out = append(out, now)
		if at := time.Since(begun).Truncate(time.Minute); at > said {
			fmt.Printf("%5s  %7d KiB resident, %9d answers, %d lost, %d wrong, %d changes\n", at, now, s.asked.Load(),
				s.lost.Load(), s.wrong.Load(), s.renewed.Load())
			said = at
		}
	}
}

// judge reports memory that grows: the largest of the last quarter is not to be more than
// a tenth above the largest of the second, when every size of batch and both models have
// been met.
func judge(resident []int) error {
	n := len(resident)
	if n < 8 {
		return nil
	}
	before, after := slices.Max(resident[n/4:n/2]), slices.Max(resident[3*n/4:])
	fmt.Printf("%d KiB at most in the second quarter, %d in the last\n", before, after)
	if after > before+before/10 {
		return fmt.Errorf("memory grows: from %d to %d KiB", before, after)
	}
	return nil
}
