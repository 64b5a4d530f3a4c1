package run

import (
	"fmt"
)

// Device is what computes blocks of kernel values and products with them.
type Device uint8

// The devices. A kernel that a device does not support is computed on the CPU.
const (
	Auto Device = iota // the fastest of this machine; the CPU so far
	CPU                // the cores of this machine
)

var devices = []string{Auto: "auto", CPU: "cpu"}

func (d Device) String() string {
	if int(d) < len(devices) {
		return devices[d]
	}
	return fmt.Sprintf("device(%d)", uint8(d))
}
