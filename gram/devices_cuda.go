//go:build cuda && linux && (amd64 || arm64)

package gram

import (
	"github.com/kerf-ml/kerf/internal/compute"
	"github.com/kerf-ml/kerf/internal/gpu"
	"github.com/kerf-ml/kerf/run"
)

// without says why there are no devices but the CPU; nothing here.
const without = ""

func devices() map[run.Device]compute.Backend {
	all := map[run.Device]compute.Backend{}
	for k := range run.MaxGPUs {
		all[run.GPU+run.Device(k)] = gpu.New(k)
	}
	return all
}
