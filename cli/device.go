package cli

import (
	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/run"
)

// checkNumbers checks how kernel values are to be computed, and that the GPU that was
// asked for is there.
func (a *app) checkNumbers() error {
	if _, err := run.ParsePrecision(a.precise); err != nil {
		return usage("--%w", err)
	}
	device, err := run.ParseDevice(a.device)
	if err != nil {
		return usage("--%w", err)
	}
	if device >= run.GPU {
		if _, err := gram.DeviceName(device); err != nil {
			return usage("--device is %s: %w", a.device, err)
		}
	}
	return nil
}

// noteDevice says which GPU computed, and what did not go there, where one computed or
// was asked for.
func (a *app) noteDevice() {
	device, _ := run.ParseDevice(a.device)
	name, why := a.places.Device()
	switch {
	case name != "" && why != "":
		a.note("kernel values were computed on " + name + "; some on the CPU: " + why)
	case name != "":
		a.note("kernel values were computed on " + name)
	case why != "":
		a.note("kernel values were computed on the CPU: " + why)
	case device >= run.GPU:
		a.note("nothing of this went to " + device.String() +
			": products with a kernel do, maps and single rows are computed on the CPU")
	}
}

// gpuText names the GPU that runs use where nobody chose a device, or says why there is
// none.
func gpuText() string {
	name, err := gram.DeviceName(run.Auto)
	if err != nil {
		return "none: " + err.Error()
	}
	return name
}
