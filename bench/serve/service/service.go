// Package service starts kerf serve as a process of its own, and looks at what it costs,
// where Linux has that, in /proc.
package service

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// Service is a process that serves.
type Service struct {
	Address string // such as http://127.0.0.1:1234
	process *exec.Cmd
}

// Start starts the program kerf on models, or flags among them, and returns when it
// answers.
func Start(kerf string, args ...string) (*Service, error) {
	args = append([]string{"serve", "--listen", "127.0.0.1:0", "--grpc", "off", "--log", "off"}, args...)
	c := exec.Command(kerf, args...)
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	var said []byte
	buffer := make([]byte, 4096)
	for {
		n, err := out.Read(buffer)
		said = append(said, buffer[:n]...)
		if _, rest, ok := strings.Cut(string(said), "http://"); ok && strings.ContainsAny(rest, " /\n") {
			go func() { _, _ = io.Copy(io.Discard, out) }()
			return &Service{"http://" + rest[:strings.IndexAny(rest, " /\n")], c}, nil
		}
		if err != nil {
			return nil, fmt.Errorf("kerf serve said %q", said)
		}
	}
}

// Stop interrupts the service and waits for its end.
func (s *Service) Stop() error {
	if err := s.process.Process.Signal(os.Interrupt); err != nil {
		return err
	}
	return s.process.Wait()
}

// Spent returns the processor time of the service, to a hundredth of a second.
func (s *Service) Spent() (time.Duration, error) {
	name := fmt.Sprintf("/proc/%d/stat", s.process.Process.Pid)
	text, err := os.ReadFile(name)
	if err != nil {
		return 0, err
	}
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if len(fields) < 13 {
		return 0, fmt.Errorf("%s cannot be read", name)
	}
	sum := int64(0)
	for _, field := range fields[11:13] { // utime and stime
		ticks, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return 0, err
		}
		sum += ticks
	}
	return time.Duration(sum) * 10 * time.Millisecond, nil
}

// Resident returns the memory of the service, in KiB.
func (s *Service) Resident() (int, error) {
	name := fmt.Sprintf("/proc/%d/status", s.process.Process.Pid)
	text, err := os.ReadFile(name)
	if err != nil {
		return 0, err
	}
	_, rest, ok := strings.Cut(string(text), "VmRSS:")
	if fields := strings.Fields(rest); ok && len(fields) > 0 {
		return strconv.Atoi(fields[0])
	}
	return 0, fmt.Errorf("%s does not say VmRSS", name)
}
