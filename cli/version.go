package cli

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/sys/cpu"

	"github.com/kerf-ml/kerf/internal/compute"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/run"
)

func (a *app) version() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Version, commit, back end, CPU features and GPU in use",
		RunE: func(*cobra.Command, []string) error {
			v := struct {
				Version string   `json:"version"`
				Commit  string   `json:"commit"`
				Go      string   `json:"go"`
				System  string   `json:"system"`
				Backend string   `json:"backend"`
				CPU     []string `json:"cpu"`
				GPU     string   `json:"gpu"`
			}{model.Version, commit(), runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH,
				compute.For(run.Float64).Name(), cpuFeatures(), gpuText()}
			return a.result(v, func(w io.Writer) error {
				_, err := fmt.Fprintf(w, "kerf %s (commit %s, %s, %s)\nback end: %s; CPU has %s\nGPU: %s\n",
					v.Version, v.Commit, v.Go, v.System, v.Backend, strings.Join(v.CPU, ", "), v.GPU)
				return err
			})
		},
	}
}

// commit returns the revision that the binary was built from, if it knows.
func commit() string {
	info, ok := debug.ReadBuildInfo()
	if ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				return s.Value
			}
		}
	}
	return "unknown"
}

// cpuFeatures lists what matters for speed.
func cpuFeatures() []string {
	out := []string{}
	for _, f := range []struct {
		name string
		has  bool
	}{
		{"avx2", cpu.X86.HasAVX2}, {"fma", cpu.X86.HasFMA}, {"avx512f", cpu.X86.HasAVX512F}, {"asimd", cpu.ARM64.HasASIMD},
	} {
		if f.has {
			out = append(out, f.name)
		}
	}
	return out
}
