//go:build !(cuda && linux && (amd64 || arm64))

package gram

import (
	"github.com/kerf-ml/kerf/internal/compute"
	"github.com/kerf-ml/kerf/run"
)

// without says why there are no devices but the CPU.
const without = "this program was built without the tag cuda, which is for Linux"

func devices() map[run.Device]compute.Backend { return map[run.Device]compute.Backend{} }
