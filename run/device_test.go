package run_test

import (
	"testing"

	"github.com/kerf-ml/kerf/run"
)

func TestDevice(t *testing.T) {
	for d, want := range map[run.Device]string{run.Auto: "auto", run.CPU: "cpu"} {
		if got := d.String(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if s := run.Device(200).String(); s != "device(200)" {
		t.Error(s)
	}
}
