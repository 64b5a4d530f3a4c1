package run

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// Device is what computes blocks of kernel values and products with them: GPU + k is
// the GPU of number k.
type Device uint8

// The devices. A kernel that a device does not support is computed on the CPU.
const (
	Auto Device = iota // a GPU for large work where the program has one, else the CPU
	CPU                // the cores of this machine
	GPU                // the first GPU
)

// MaxGPUs is how many GPUs have a name.
const MaxGPUs = 16

func (d Device) String() string {
	switch {
	case d == Auto:
		return "auto"
	case d == CPU:
		return "cpu"
	case d < GPU+MaxGPUs:
		return fmt.Sprintf("gpu:%d", d-GPU)
	}
	return fmt.Sprintf("device(%d)", uint8(d))
}

// ParseDevice reads "auto", or nothing for it, "cpu", "gpu" or "gpu:1".
func ParseDevice(name string) (Device, error) {
	switch name {
	case "", "auto":
		return Auto, nil
	case "cpu":
		return CPU, nil
	case "gpu":
		return GPU, nil
	}
	number, ok := strings.CutPrefix(name, "gpu:")
	if k, err := strconv.ParseUint(number, 10, 8); ok && err == nil && k < MaxGPUs {
		return GPU + Device(k), nil
	}
	return 0, fmt.Errorf("device is %q and must be auto, cpu, gpu or gpu:N with N below %d", name, MaxGPUs)
}

// Places gathers where kernel values were computed. It may be used from many
// goroutines; nil gathers nothing.
type Places struct {
	mu     sync.Mutex
	values map[string]int64
	why    string
}

// Add counts values that were computed on the device of that name.
func (p *Places) Add(name string, values int64) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.values == nil {
		p.values = map[string]int64{}
	}
	p.values[name] += values
}

// Fell notes why work that a device was there for was done on the CPU; the first reason
// is kept.
func (p *Places) Fell(why string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.why == "" {
		p.why = why
	}
}

// Device returns the device but the CPU that computed most values, "" for none, and why
// work was done on the CPU, "" where nothing is to be said.
func (p *Places) Device() (name, why string) {
	if p == nil {
		return "", ""
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for n, count := range p.values {
		if name == "" || count > p.values[name] || count == p.values[name] && n < name {
			name = n
		}
	}
	return name, p.why
}
