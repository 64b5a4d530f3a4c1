package gram

import (
	"maps"

	"github.com/kerf-ml/kerf/internal/compute"
	"github.com/kerf-ml/kerf/run"
)

// Backends are all back ends: the tiles of this package, and those of the registry.
var Backends = map[run.Device]compute.Backend{run.CPU: cpu{}}

func init() { maps.Copy(Backends, backends) }

// Opens says why a back end has no device; nil where it has one.
func Opens(b compute.Backend) error {
	if d, ok := b.(interface{ Open() error }); ok {
		return d.Open()
	}
	return nil
}

// SetBackend lists a back end for a device and returns what takes it off again.
func SetBackend(d run.Device, b compute.Backend) (restore func()) {
	before, ok := backends[d]
	backends[d] = b
	return func() {
		delete(backends, d)
		if ok {
			backends[d] = before
		}
	}
}
