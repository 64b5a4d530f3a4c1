// Command beam measures kerf-beam beside kerf: CPU seconds of all processes, the Java ones
// and their workers among them, the time on the clock, and where it goes, as rows double.
// It reads /proc, so it is for Linux. Run "make bench-beam".
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// run is one training, measured.
type run struct {
	rows                  int
	engine                string
	wall                  time.Duration
	client, java, workers float64 // CPU seconds
	parts                 string  // of the jobs, as kerf-beam says
}

func (r *run) total() float64 { return r.client + r.java + r.workers }

func main() {
	kerf, beam := flag.String("kerf", "./kerf", "program"), flag.String("kerf-beam", "./kerf-beam", "program")
	rows := flag.Int("rows", 50_000, "rows of the smallest data set; the others have 2, 4 and 8 times as many")
	dim := flag.Int("dim", 500, "landmarks")
	span := flag.Int("span", 1<<16, "rows of a unit")
	managers := flag.String("managers", "0,1,2", "numbers of task managers; 0 for a Flink in the job server")
	flag.Parse()
	if err := measure(*kerf, *beam, *rows, *dim, *span, strings.Split(*managers, ",")); err != nil {
		fmt.Fprintln(os.Stderr, "bench-beam: "+err.Error())
		os.Exit(1)
	}
}

func measure(kerf, beam string, rows, dim, span int, clusters []string) error {
	dir, err := os.MkdirTemp("", "bench-beam-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var sizes []int
	for k := range 4 {
		n := rows << k
		if err := exec.Command(kerf, "gen", "halfspace", "--dim", "50", "--n", strconv.Itoa(n), "-o", data(dir,
			n)).Run(); err != nil {
			return fmt.Errorf("kerf gen: %w", err)
		}
		sizes = append(sizes, n)
	}
	words := []string{"--kernel", "rbf(gamma=1)", "--map", "f2", "--dim", strconv.Itoa(dim), "--learner", "ridge", "-q",
		"-o", filepath.Join(dir, "m.kerf")}
	fmt.Println("rows | engine | seconds | CPU s: program + Java + workers | CPU µs a row | beside kerf")
	for _, text := range clusters {
		managers, err := strconv.Atoi(text)
		if err != nil {
			return err
		}
		if err := onFlink(kerf, beam, dir, managers, span, sizes, words); err != nil {
			return err
		}
	}
	return nil
}

// show prints a run beside one of kerf.
func show(r, plain *run) {
	fmt.Printf("%d | %s | %.1f | %.1f + %.1f + %.1f = %.1f | %.1f | %.2f\n", r.rows, r.engine, r.wall.Seconds(), r.client,
		r.java, r.workers, r.total(), 1e6*r.total()/float64(r.rows), r.total()/plain.total())
	fmt.Print(r.parts)
}

func data(dir string, rows int) string { return filepath.Join(dir, fmt.Sprintf("rows-%d.csv", rows)) }

// onFlink measures data of some sizes on a Flink of so many task managers, each after kerf.
func onFlink(kerf, beam, dir string, managers, span int, sizes []int, words []string) error {
	folder := filepath.Join(dir, fmt.Sprintf("cluster-%d", managers))
	began := time.Now()
	up := []string{"cluster", "up", "--dir", folder, "--slots", "2"}
	if managers > 0 {
		up = append(up, "--task-managers", strconv.Itoa(managers))
	}
	out, err := exec.Command(beam, up...).Output()
	if err != nil {
		return fmt.Errorf("kerf-beam cluster up: %w", err)
	}
	defer func() { _ = exec.Command(beam, "cluster", "down", "--dir", folder).Run() }()
	endpoint := regexp.MustCompile(`--endpoint (\S+)`).FindStringSubmatch(string(out))
	pids, err := processes(folder)
	if endpoint == nil || err != nil {
		return errors.Join(err, fmt.Errorf("kerf-beam cluster up said %q", out))
	}
	java, _ := spent(pids)
	name := "Flink in the job server"
	if managers > 0 {
		name = fmt.Sprintf("Flink, %d task managers", managers)
	}
	fmt.Printf("start of %d Java processes: %.1f s, %.1f CPU s\n", len(pids), time.Since(began).Seconds(), java)
	for _, n := range sizes {
		plain, err := timed(n, "kerf --stream", nil, kerf, append([]string{"train", data(dir, n), "--stream"}, words...)...)
		if err != nil {
			return err
		}
		show(plain, plain)
		args := append([]string{"train", data(dir, n), "--span", strconv.Itoa(span), "--runner", "flink", "--endpoint",
			endpoint[1], "--parallelism", "2", "--verbose"}, words...)
		r, err := timed(n, name, pids, beam, args...)
		if err != nil {
			return err
		}
		show(r, plain)
	}
	return nil
}

// processes returns the Java processes of a cluster.
func processes(folder string) (pids []int, err error) {
	b, err := os.ReadFile(filepath.Join(folder, "cluster.json"))
	if err != nil {
		return nil, err
	}
	var c struct{ Processes []struct{ PID int } }
	err = json.Unmarshal(b, &c)
	for _, p := range c.Processes {
		pids = append(pids, p.PID)
	}
	return pids, err
}

// timed runs a program, and measures it with what the Java processes, and workers that
// they started, do meanwhile.
func timed(rows int, engine string, pids []int, name string, args ...string) (*run, error) {
	java, workers := spent(pids)
	began := time.Now()
	c := exec.Command(name, args...)
	var said strings.Builder
	c.Stderr = &said
	if err := c.Run(); err != nil {
		return nil, fmt.Errorf("%s %v: %w: %s", name, args, err, said.String())
	}
	r := &run{rows: rows, engine: engine, wall: time.Since(began)}
	r.client = (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds()
	time.Sleep(2 * time.Second) // workers end, and are counted, when their parents wait for them
	a, b := spent(pids)
	r.java, r.workers = a-java, b-workers
	for line := range strings.Lines(said.String()) {
		if rest, ok := strings.CutPrefix(line, "kerf-beam: job "); ok {
			r.parts += "  " + rest
		}
	}
	return r, nil
}

// spent returns the CPU seconds of processes themselves, and of those that they started,
// alive or ended.
func spent(pids []int) (own, started float64) {
	const tick = 100 // of a second, as /proc has it on Linux
	for _, pid := range pids {
		f := stat(pid)
		own += (f[0] + f[1]) / tick
		started += (f[2] + f[3]) / tick
		entries, _ := filepath.Glob("/proc/[0-9]*/stat")
		for _, e := range entries {
			if child, err := strconv.Atoi(filepath.Base(filepath.Dir(e))); err == nil && stat(child)[4] == float64(pid) {
				c := stat(child)
				started += (c[0] + c[1] + c[2] + c[3]) / tick
			}
		}
	}
	return own, started
}

// stat returns user and system ticks of a process, those of its children that have ended,
// and its parent; zeros where there is none.
func stat(pid int) (f [5]float64) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return f
	}
	_, rest, _ := strings.Cut(string(b), ") ")
	fields := strings.Fields(rest)
	for i, at := range []int{11, 12, 13, 14, 1} {
		if at < len(fields) {
			f[i], _ = strconv.ParseFloat(fields[at], 64)
		}
	}
	return f
}
