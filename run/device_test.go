package run_test

import (
	"testing"

	"github.com/kerf-ml/kerf/run"
)

func TestDevice(t *testing.T) {
	if d, err := run.ParseDevice(""); err != nil || d != run.Auto {
		t.Errorf("nothing is %v, %v", d, err)
	}
	for _, d := range []run.Device{run.Auto, run.CPU} {
		if got, err := run.ParseDevice(d.String()); err != nil || got != d {
			t.Errorf("%v reads as %v, %v", d, got, err)
		}
	}
	if _, err := run.ParseDevice("abacus"); err == nil {
		t.Error("an unknown device passes")
	}
	if s := run.Device(200).String(); s != "device(200)" {
		t.Error(s)
	}
}
