package cuda_test

import (
	"runtime"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/kerf-ml/kerf/internal/cuda"
	"github.com/kerf-ml/kerf/internal/cuda/double"
)

// TestNew: each reason for which there is no device has a line of its own.
func TestNew(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(d *double.Driver)
		index int
		want  string
	}{
		{"fine", func(*double.Driver) {}, 0, ""},
		{"second", func(d *double.Driver) { d.Devices = 2 }, 1, ""},
		{"none", func(d *double.Driver) { d.Fail("Init", 1, 1, cuda.NoDevice) }, 0, "finds no GPU"},
		{"mixed", func(d *double.Driver) { d.Fail("Init", 1, 1, cuda.SystemMismatch) }, 0, "different versions"},
		{"broken", func(d *double.Driver) { d.Fail("Init", 1, 1, 999) }, 0, "NVIDIA driver: CUDA_ERROR_DOUBLE_999"},
		{"old driver", func(d *double.Driver) { d.CUDA = 11080 }, 0, "too old: it is for CUDA 11.8, and 12.0"},
		{"no version", func(d *double.Driver) { d.Fail("Version", 1, 1, 3) }, 0, "for its version"},
		{"no count", func(d *double.Driver) { d.Fail("Count", 1, 1, 3) }, 0, "count GPUs"},
		{"too few", func(*double.Driver) {}, 1, "there is no GPU 1: the NVIDIA driver finds 1"},
		{"old device", func(d *double.Driver) { d.Capability = 7 }, 0, "Double has compute capability 7.0, and 8.0"},
		{"mute", func(d *double.Driver) { d.Fail("Attribute", 1, 9, 3) }, 0, "what it is"},
		{"in use", func(d *double.Driver) { d.Fail("Retain", 1, 1, 101) }, 0, "take Double: CUDA_ERROR_DOUBLE_101 (101)"},
	} {
		driver := double.New(1 << 20)
		c.spoil(driver)
		d, err := cuda.New(driver, c.index)
		if c.want == "" {
			if err != nil || d.Name() != "Double" || d.Units() != 1 {
				t.Errorf("%s: %v, %v", c.name, d, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// TestOpen: whatever the machine, it answers.
func TestOpen(t *testing.T) {
	d, err := cuda.Open(0)
	if err != nil {
		t.Logf("no device: %v", err)
		if !cuda.Built && !strings.Contains(err.Error(), "tag cuda") {
			t.Error(err)
		}
		return
	}
	t.Logf("%s, %d multiprocessors", d.Name(), d.Units())
}

func device(t *testing.T, driver *double.Driver) *cuda.Device {
	t.Helper()
	d, err := cuda.New(driver, 0)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestBuffers(t *testing.T) {
	driver := double.New(1 << 10)
	d := device(t, driver)
	err := d.Do(func() error {
		s, err := d.Stream()
		if err != nil {
			return err
		}
		defer d.FreeStream(s)
		b, err := cuda.NewBuffer[float64](d, 12)
		if err != nil {
			return err
		}
		p, err := cuda.NewPinned[float64](d, 12)
		if err != nil {
			return err
		}
		for i := range p.Data {
			p.Data[i] = float64(i)
		}
		if err := b.Write(0, p.Data, s); err != nil {
			return err
		}
		got := make([]float64, 6)
		if err := b.ReadRows(got, 0, 4, 2, s); err != nil {
			return err
		}
		for i, want := range []float64{0, 1, 4, 5, 8, 9} {
			if got[i] != want {
				t.Errorf("row %v", got)
			}
		}
		if err := b.Read(got[:2], 10, s); err != nil || got[0] != 10 || got[1] != 11 {
			t.Errorf("%v, %v", got, err)
		}
		if b.Len() != 12 || b.At(3)-b.At(0) != 24 || (*cuda.Buffer[float32])(nil).At(3) != 0 {
			t.Error("addresses")
		}
		b.Release()
		b.Release()
		p.Release()
		_, err = cuda.NewBuffer[float32](d, 1<<10)
		if !cuda.IsOutOfMemory(err) || !strings.Contains(err.Error(), "take 4096 bytes of Double") {
			t.Errorf("more than there is: %v", err)
		}
		empty, err := cuda.NewBuffer[float32](d, 0)
		if err != nil || empty.Len() != 0 || empty.Write(0, nil, s) != nil || empty.Read(nil, 0, s) != nil {
			t.Errorf("nothing: %v", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if bytes, streams := driver.Taken(); bytes != 0 || streams != 0 {
		t.Errorf("%d bytes and %d streams are left", bytes, streams)
	}
}

// TestCollected: memory that nobody has any more comes back when there is none left.
func TestCollected(t *testing.T) {
	driver := double.New(1 << 10)
	d := device(t, driver)
	err := d.Do(func() error {
		for range 5 {
			if _, err := cuda.NewBuffer[float32](d, 150); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	for range 100 {
		runtime.GC()
		if bytes, _ := driver.Taken(); bytes == 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Error("memory did not come back")
}

func TestFunctions(t *testing.T) {
	driver := double.New(1 << 10)
	var seen [3]uint32
	driver.Kernels["add"] = func(d *double.Driver, grid [3]uint32, args unsafe.Pointer) {
		a := (*struct {
			at   cuda.Pointer
			n    int64
			what float64
		})(args)
		for i, v := range double.Slice[float64](d, a.at, int(a.n)) {
			double.Slice[float64](d, a.at, int(a.n))[i] = v + a.what
		}
		seen = grid
	}
	driver.Images = func(image []byte) cuda.Result {
		if string(image) == "good" {
			return cuda.OK
		}
		return cuda.NoBinary
	}
	d := device(t, driver)
	images := func(all ...string) func() [][]byte {
		return func() (out [][]byte) {
			for _, image := range all {
				out = append(out, []byte(image))
			}
			return out
		}
	}
	err := d.Do(func() error {
		_, err := d.Function("m", images("bad"), "add", 0)
		if err == nil || !strings.Contains(err.Error(), "load the kernels m") {
			t.Errorf("no image fits: %v", err)
		}
		f, err := d.Function("m", images("bad", "good"), "add", 100)
		if err != nil {
			return err
		}
		if again, err := d.Function("m", images(), "add", 100); again != f || err != nil {
			t.Error(err)
		}
		_, err = d.Function("m", images(), "sub", 0)
		if err == nil || !strings.Contains(err.Error(), "find the kernel sub") {
			t.Errorf("no such kernel: %v", err)
		}
		b, err := cuda.NewBuffer[float64](d, 2)
		if err != nil {
			return err
		}
		if err := b.Write(0, []float64{1, 2}, 0); err != nil {
			return err
		}
		err = cuda.Launch(d, f, [3]uint32{7, 1, 1}, [3]uint32{1, 1, 1}, 0, 0, struct {
			at   cuda.Pointer
			n    int64
			what float64
		}{b.At(0), 2, 5})
		if err != nil {
			return err
		}
		got := make([]float64, 2)
		if err := b.Read(got, 0, 0); err != nil || got[0] != 6 || got[1] != 7 || seen[0] != 7 {
			t.Errorf("%v, %v, %v", got, seen, err)
		}
		driver.Fail("Wait", 1, 1, cuda.LaunchFailed)
		if err := d.Wait(0); err == nil || !strings.Contains(err.Error(), "compute on Double") {
			t.Errorf("a kernel that fails: %v", err)
		}
		if err := b.Read(got, 0, 0); err == nil {
			t.Error("a lost device answers")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Do(func() error { return nil }); err == nil {
		t.Error("a lost device is used")
	}
}
