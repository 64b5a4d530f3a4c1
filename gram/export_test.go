package gram

import (
	"github.com/kerf-ml/kerf/internal/compute"
	"github.com/kerf-ml/kerf/run"
)

// Backends is the registry.
var Backends = backends

// SetBackend lists a back end for a device and returns what takes it off again.
func SetBackend(d run.Device, b compute.Backend) (restore func()) {
	backends[d] = b
	return func() { delete(backends, d) }
}
