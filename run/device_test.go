package run_test

import (
	"testing"

	"github.com/kerf-ml/kerf/run"
)

func TestDevice(t *testing.T) {
	for d, want := range map[run.Device]string{
		run.Auto: "auto", run.CPU: "cpu", run.GPU: "gpu:0", run.GPU + 3: "gpu:3", run.GPU + run.MaxGPUs: "device(18)",
		200: "device(200)",
	} {
		if got := d.String(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
		if back, err := run.ParseDevice(want); (err == nil) != (d < run.GPU+run.MaxGPUs) || err == nil && back != d {
			t.Errorf("%s is read as %v, %v", want, back, err)
		}
	}
	for _, bad := range []string{"tpu", "gpu:", "gpu:-1", "gpu:16", "gpu:256", "GPU", "gpu:1 ", "cpu:0"} {
		if d, err := run.ParseDevice(bad); err == nil {
			t.Errorf("%q is %v", bad, d)
		}
	}
	for name, want := range map[string]run.Device{"": run.Auto, "gpu": run.GPU, "gpu:0": run.GPU} {
		if d, err := run.ParseDevice(name); d != want || err != nil {
			t.Errorf("%q is %v, %v", name, d, err)
		}
	}
}

func TestPlaces(t *testing.T) {
	var none *run.Places
	none.Add("a", 1)
	none.Fell("b")
	if name, why := none.Device(); name != "" || why != "" {
		t.Error(name, why)
	}
	var p run.Places
	if name, why := p.Device(); name != "" || why != "" {
		t.Error(name, why)
	}
	p.Add("small", 3)
	p.Add("large", 2)
	p.Add("large", 2)
	p.Fell("first")
	p.Fell("second")
	if name, why := p.Device(); name != "large" || why != "first" {
		t.Error(name, why)
	}
}
