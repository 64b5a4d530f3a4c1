// Command batch measures what a row costs kerf serve in batches, in seconds of the
// service's own processor time, beside what it costs kerf predict on a file: F2 of 500
// landmarks on a9a, 1,000 rows a request, four connections, in turns.
//
//	go run ./bench/serve/batch -kerf ./kerf -data a9a.libsvm.gz
//
// It reads processor times where Linux has them, in /proc.
package main

import (
	"bytes"
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
	"time"

	"github.com/kerf-ml/kerf/bench/serve/service"
)

func main() {
	var m meter
	source := flag.String("data", "", "file a9a, in the LIBSVM format")
	flag.StringVar(&m.kerf, "kerf", "kerf", "program to measure")
	flag.IntVar(&m.rows, "rows", 1000, "rows a request")
	flag.IntVar(&m.connections, "connections", 4, "connections")
	flag.IntVar(&m.rounds, "rounds", 5, "rounds, of which the median counts")
	flag.IntVar(&m.requests, "requests", 200, "requests a round")
	flag.StringVar(&m.only, "only", "", "measure bodies whose title has this text")
	flag.Parse()
	if err := m.measure(*source); err != nil {
		fmt.Fprintln(os.Stderr, "bench/serve/batch:", err)
		os.Exit(1)
	}
}

// formats are those of the models that are measured.
var formats = []string{"sparse", "table", "dense"}

// meter measures.
type meter struct {
	kerf        string
	rows        int
	connections int
	rounds      int
	requests    int
	only        string
	dir         string
}

// body is a request, and the file that has the same rows for kerf predict.
type body struct {
	title  string
	model  string // of the file that it is measured beside
	path   string
	header map[string]string
	data   []byte
}

func (m *meter) measure(source string) error {
	var err error
	if m.dir, err = os.MkdirTemp("", "kerf-batch"); err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(m.dir) }()
	if m.kerf, err = exec.LookPath(m.kerf); err != nil {
		return err
	}
	if m.kerf, err = filepath.Abs(m.kerf); err != nil {
		return err
	}
	t, err := readTable(source)
	if err != nil {
		return err
	}
	if err := m.train(t); err != nil {
		return err
	}
	var models []string
	for _, name := range formats {
		models = append(models, filepath.Join(m.dir, name+".kerf"))
	}
	s, err := service.Start(m.kerf, models...)
	if err != nil {
		return err
	}
	defer func() { _ = s.Stop() }()
	bodies, err := t.bodies(m.rows)
	if err != nil {
		return err
	}
	bodies = slices.DeleteFunc(bodies, func(b body) bool { return !strings.Contains(b.title, m.only) })
	fmt.Printf("%-32s %9s %14s %14s %7s\n", "body", "KiB", "serve rows/s", "predict rows/s", "ratio")
	for _, b := range bodies {
		if err := m.compare(b, len(t.labels), s); err != nil {
			return fmt.Errorf("%s: %w", b.title, err)
		}
	}
	return nil
}

// train makes a model of each format.
func (m *meter) train(t *table) error {
	for _, name := range formats {
		file, err := t.write(m.dir, name)
		if err != nil {
			return err
		}
		args := []string{"train", file, "--kernel", "rbf(gamma=0.05)", "--map", "f2", "--dim", "500", "--C", "1", "-q",
			"-o", filepath.Join(m.dir, name+".kerf")}
		switch name {
		case "table":
			args = append(args, "--target", "label")
		case "dense":
			args = append(args, "--labels", filepath.Join(m.dir, "labels.npy"))
		}
		if out, err := exec.Command(m.kerf, args...).CombinedOutput(); err != nil {
			return fmt.Errorf("kerf train %s: %w: %s", file, err, out)
		}
	}
	return nil
}

// compare measures a body and its file in turns.
func (m *meter) compare(b body, rows int, s *service.Service) error {
	if err := m.load(b, s.Address, 20); err != nil {
		return err
	}
	var ratios, serves, predicts []float64
	for range m.rounds {
		before, err := s.Spent()
		if err != nil {
			return err
		}
		if err := m.load(b, s.Address, m.requests); err != nil {
			return err
		}
		after, err := s.Spent()
		if err != nil {
			return err
		}
		served := float64(m.requests*m.rows) / (after - before).Seconds()
		predicted, err := m.predict(b.model, rows)
		if err != nil {
			return err
		}
		serves, predicts, ratios = append(serves, served), append(predicts, predicted), append(ratios, served/predicted)
	}
	fmt.Printf("%-32s %9d %14.0f %14.0f %6.0f%%\n", b.title, len(b.data)>>10, median(serves), median(predicts),
		100*median(ratios))
	return nil
}

func median(all []float64) float64 {
	slices.Sort(all)
	return all[len(all)/2]
}

// load sends requests over all connections.
func (m *meter) load(b body, address string, requests int) error {
	var wait sync.WaitGroup
	failed := make(chan error, m.connections)
	for range m.connections {
		wait.Go(func() {
			for range requests / m.connections {
				if err := send(b, address); err != nil {
					failed <- err
					return
				}
			}
		})
	}
	wait.Wait()
	close(failed)
	return <-failed
}

func send(b body, address string) error {
	r, err := http.NewRequest(http.MethodPost, address+b.path, bytes.NewReader(b.data))
	if err != nil {
		return err
	}
	for name, value := range b.header {
		r.Header.Set(name, value)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	text, err := io.ReadAll(answer.Body)
	_ = answer.Body.Close()
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %.200s", answer.Status, text)
	}
	return err
}

// predict returns the rows that kerf predict does in a second of processor time.
func (m *meter) predict(name string, rows int) (float64, error) {
	var took time.Duration
	const times = 3
	for range times {
		file := map[string]string{"sparse": "sparse.libsvm", "table": "table.csv", "dense": "dense.npy"}[name]
		c := exec.Command(m.kerf, "predict", filepath.Join(m.dir, name+".kerf"), filepath.Join(m.dir, file), "-q", "-o",
			filepath.Join(m.dir, "said"))
		if out, err := c.CombinedOutput(); err != nil {
			return 0, fmt.Errorf("kerf predict: %w: %s", err, out)
		}
		took += c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	}
	return times * float64(rows) / took.Seconds(), nil
}
