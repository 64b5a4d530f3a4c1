// Package peer runs other systems beside kerf, so that both are measured in one
// run on one machine. A peer is a program that reads a line of JSON for each
// measurement from standard input, does the work once, and answers with a line
// of JSON that holds the seconds it took.
package peer

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"text/tabwriter"
	"time"
)

// Peer is a running program.
type Peer struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
}

// Start runs a Python script as a peer. The interpreter is $PYTHON, or Debian's
// python3, whose numpy uses OpenBLAS.
func Start(script string) (*Peer, error) {
	python := os.Getenv("PYTHON")
	if python == "" {
		python = "/usr/bin/python3"
	}
	p, err := StartProgram(python, "-W", "ignore", script)
	if err != nil {
		return nil, fmt.Errorf("%w (it needs Debian's python3-numpy, python3-sklearn, libopenblas0-pthread)", err)
	}
	return p, nil
}

// StartProgram runs a program as a peer. It has to answer to work named hello,
// which is none.
func StartProgram(name string, args ...string) (*Peer, error) {
	cmd := exec.Command(name, args...)
	cmd.Stderr = os.Stderr
	// Its idle threads would otherwise spin for a while and slow down whoever
	// runs next.
	cmd.Env = append(os.Environ(), "OPENBLAS_THREAD_TIMEOUT=4", "OMP_WAIT_POLICY=PASSIVE",
		"KMP_BLOCKTIME=0")
	apart(cmd)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &Peer{cmd: cmd, in: in, out: bufio.NewScanner(out)}
	if _, err := p.Run(map[string]any{"work": "hello"}); err != nil {
		return nil, fmt.Errorf("the peer does not answer: %w", errorsOf(err, p.Close()))
	}
	return p, nil
}

// Run asks the peer to do a piece of work once and returns the seconds it took.
func (p *Peer) Run(work map[string]any) (float64, error) {
	seconds, _, err := p.RunResult(work)
	return seconds, err
}

// RunResult is Run and returns beside the seconds what the work came to, nil
// where the peer says nothing of it.
func (p *Peer) RunResult(work map[string]any) (float64, map[string]any, error) {
	line, err := json.Marshal(work)
	if err != nil {
		return 0, nil, err
	}
	if _, err := p.in.Write(append(line, '\n')); err != nil {
		return 0, nil, err
	}
	if !p.out.Scan() {
		return 0, nil, fmt.Errorf("the peer ended while it did %v", work)
	}
	var answer struct {
		Seconds float64        `json:"seconds"`
		Result  map[string]any `json:"result"`
		Error   string         `json:"error"`
	}
	if err := json.Unmarshal(p.out.Bytes(), &answer); err != nil {
		return 0, nil, err
	}
	if answer.Error != "" {
		return 0, nil, fmt.Errorf("the peer failed: %s", answer.Error)
	}
	return answer.Seconds, answer.Result, nil
}

// Close ends the peer.
func (p *Peer) Close() error {
	return errorsOf(p.in.Close(), p.cmd.Wait())
}

// Kill ends a peer in the middle of its work, and what it started. Close has to follow.
func (p *Peer) Kill() { kill(p.cmd.Process) }

// Peak returns the most memory that a peer had that was closed, in bytes, 0 where
// the system does not say.
func (p *Peer) Peak() int64 { return peak(p.cmd.ProcessState) }

func errorsOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// Row is one comparison. Ours and Peer are rates in Unit, larger is better, or
// seconds where Unit is "s"; Ratio is how many times faster ours is.
type Row struct {
	Work      string  `json:"work"`
	Precision string  `json:"precision"`
	Workers   int     `json:"workers"`
	Ours      float64 `json:"ours"`
	Peer      float64 `json:"peer"`
	Ratio     float64 `json:"ratio"`
	Target    float64 `json:"target"`
	Fraction  float64 `json:"fraction_of_peak"`
	Unit      string  `json:"unit"`
	PeerName  string  `json:"peer_name"`
	Note      string  `json:"note,omitempty"`
}

// Interleave runs ours and theirs in turn, reps times after one warm-up each,
// and returns the median seconds of both.
func Interleave(reps int, ours func(), theirs func() (float64, error)) (float64, float64, error) {
	var a, b []float64
	for i := range reps + 1 {
		t := time.Now()
		ours()
		mine := time.Since(t).Seconds()
		peers, err := theirs()
		if err != nil {
			return 0, 0, err
		}
		if i > 0 {
			a, b = append(a, mine), append(b, peers)
		}
	}
	return Median(a), Median(b), nil
}

// Seconds fills a row of seconds with the medians of an interleaved run.
func Seconds(r Row, reps int, ours func(), theirs func() (float64, error)) (Row, error) {
	mine, others, err := Interleave(reps, ours, theirs)
	r.Ours, r.Peer, r.Unit, r.Ratio = mine, others, "s", others/mine
	return r, err
}

// Median returns the middle of the values.
func Median(v []float64) float64 {
	v = slices.Clone(v)
	slices.Sort(v)
	if n := len(v); n%2 == 0 {
		return (v[n/2-1] + v[n/2]) / 2
	}
	return v[len(v)/2]
}

// Print writes the rows as a table, or as one JSON object a line.
func Print(w io.Writer, rows []Row, asJSON bool) error {
	if asJSON {
		e := json.NewEncoder(w)
		for _, r := range rows {
			if err := e.Encode(r); err != nil {
				return err
			}
		}
		return nil
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "work\tprecision\tworkers\tours\tpeer\tratio\ttarget\tof peak\t\tnote")
	for _, r := range rows {
		mark := ""
		if r.Ratio < r.Target {
			mark = "below"
		}
		fmt.Fprintf(t, "%s\t%s\t%d\t%.4g %s\t%.4g %s (%s)\t%.2f\t%.2f\t%.0f%%\t%s\t%s\n", r.Work, r.Precision, r.Workers,
			r.Ours, r.Unit, r.Peer, r.Unit, r.PeerName, r.Ratio, r.Target, 100*r.Fraction, mark, r.Note)
	}
	return t.Flush()
}
