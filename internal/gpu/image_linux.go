//go:build cuda && linux && (amd64 || arm64)

package gpu

import (
	"bytes"
	"compress/gzip"
	"embed"
	"io"
)

// code has the kernels of gen/cuda, compiled: `make generate-cuda` writes them.
//
//go:embed code/*.gz
var code embed.FS

// images returns a module as code of devices, which needs no compiling but has to be of
// the right device and not newer than the driver, and then as PTX.
func images(module string) (all [][]byte) {
	for _, kind := range []string{"sm_90", "sm_80", "ptx"} {
		packed, err := code.ReadFile("code/" + module + "." + kind + ".gz")
		if err != nil {
			continue
		}
		r, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			continue
		}
		if image, err := io.ReadAll(r); err == nil {
			all = append(all, append(image, 0)) // PTX is a text of C
		}
	}
	return all
}
