package program_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
)

// stores are object stores of this machine, doubles of those that names may be of.
var stores = []struct {
	scheme, program, pip string
	args                 func(port string) []string
	ready                func(t *testing.T, address string) // makes the bucket, and says where the store is
}{
	{"s3", "moto_server", "moto[server]",
		func(port string) []string { return []string{"-H", "127.0.0.1", "-p", port} },
		func(t *testing.T, address string) {
			for name, value := range map[string]string{"AWS_ENDPOINT_URL": "http://" + address, "AWS_ACCESS_KEY_ID": "kerf",
				"AWS_SECRET_ACCESS_KEY": "kerf", "AWS_REGION": "us-east-1"} {
				t.Setenv(name, value)
			}
			r, err := http.NewRequest(http.MethodPut, "http://"+address+"/bucket", nil)
			if err != nil {
				t.Fatal(err)
			}
			answer, err := http.DefaultClient.Do(r)
			if err != nil || answer.StatusCode != http.StatusOK {
				t.Fatal(answer, err)
			}
			answer.Body.Close()
		}},
	{"gs", "gcp-storage-emulator", "gcp-storage-emulator",
		func(port string) []string {
			return []string{"start", "--host=127.0.0.1", "--port=" + port, "--in-memory", "--default-bucket=bucket"}
		},
		func(t *testing.T, address string) { t.Setenv("STORAGE_EMULATOR_HOST", address) }},
}

// startStore starts a store for the time of a test; where it is not installed it skips it.
func startStore(t *testing.T, program, pip string, args func(port string) []string) (address string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skipf("there is no %s: its file system is not tested; pip install '%s' installs it", program, pip)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address = l.Addr().String()
	l.Close()
	_, port, _ := net.SplitHostPort(address)
	c := exec.Command(program, args(port)...)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	})
	for began := time.Now(); time.Since(began) < time.Minute; time.Sleep(100 * time.Millisecond) {
		if conn, err := net.Dial("tcp", address); err == nil {
			conn.Close()
			return address
		}
	}
	t.Fatalf("%s does not listen at %s", program, address)
	return ""
}

// store is a file system, whose faults end a test.
type store struct {
	t *testing.T
	filesystem.Interface
}

func (s store) put(name, text string) {
	s.t.Helper()
	w, err := s.OpenWrite(context.Background(), name)
	if err != nil {
		s.t.Fatal(err)
	}
	if _, err := io.WriteString(w, text); err != nil {
		s.t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		s.t.Fatal(err)
	}
}

// all returns the objects that match a pattern, one after the other, and their names.
func (s store) all(pattern string) (text string, names []string) {
	s.t.Helper()
	names, err := s.List(context.Background(), pattern)
	if err != nil {
		s.t.Fatal(err)
	}
	slices.Sort(names)
	for _, name := range names {
		r, err := s.OpenRead(context.Background(), name)
		if err != nil {
			s.t.Fatal(err)
		}
		b, err := io.ReadAll(r)
		if err != nil {
			s.t.Fatal(err)
		}
		r.Close()
		text += string(b)
	}
	return text, names
}

// Data, what is summed up and results may be in an object store, and are what they are in
// folders.
func TestStores(t *testing.T) {
	for _, c := range stores {
		t.Run(c.scheme, func(t *testing.T) {
			c.ready(t, startStore(t, c.program, c.pip, c.args))
			fs, err := filesystem.New(context.Background(), c.scheme+"://bucket/")
			if err != nil {
				t.Fatal(err)
			}
			defer fs.Close()
			inStore(t, store{t, fs}, c.scheme+"://bucket/")
		})
	}
}

func inStore(t *testing.T, s store, bucket string) {
	local, out := writeData(t, 1, 900, 40, 300), t.TempDir()
	for i := range 3 {
		name := fmt.Sprintf("part-%d.libsvm", i)
		s.put(bucket+"data/"+name, content(t, filepath.Join(local, name)))
	}
	at := func(name string) string { return filepath.Join(out, name) }
	words := append([]string{"-q", "--holdout", "0.2", "--span", "100"}, kinds[1].words...)
	// Objects are not divided: a local data set is of the same units where its files are not either.
	mustBeam(t, append([]string{"train", local, "-o", at("local.kerf")}, words...)...)
	staging := []string{"--staging", bucket + "staging"}
	mustBeam(t, append(append([]string{"train", bucket + "data/", "-o", at("store.kerf")}, staging...), words...)...)
	m := at("store.kerf")
	if a, b := kerf(t, "eval", m, local), mustBeam(t, append(staging, "eval", m, bucket+"data/part-*.libsvm")...); a != b {
		t.Errorf("eval:\n%s\nof the store:\n%s", a, b)
	}
	kerf(t, "predict", m, local, "--scores", "-o", at("labels.txt"))
	mustBeam(t, append(staging, "predict", m, bucket+"data/", "--scores", "-o", bucket+"labels")...)
	text, names := s.all(bucket + "labels/part-*")
	if text != content(t, at("labels.txt")) || len(names) != 3 {
		t.Errorf("predictions differ: %d bytes in %v", len(text), names)
	}
	kerf(t, "map", m, local, "-o", at("features.libsvm"))
	mustBeam(t, append(staging, "map", m, bucket+"data/", "-o", bucket+"features.libsvm")...)
	if text, _ := s.all(bucket + "features.libsvm/part-*"); text != content(t, at("features.libsvm")) {
		t.Errorf("features differ: %d bytes", len(text))
	}
	if _, left := s.all(bucket + "staging/*/*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	same(t, "the model", at("local.kerf"), m)

	s.put(bucket+"data/part-3.libsvm", "1 1:x\n")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"predict", m, bucket + "data/", "-o", bucket + "new"}, "part-3.libsvm:1"},
		{[]string{"predict", m, bucket + "data/", "-o", bucket + "labels"}, "there already"},
		{[]string{"predict", m, bucket + "none/", "-o", bucket + "new"}, "no file matches"},
		{[]string{"predict", m, bucket + "none.libsvm", "-o", bucket + "new"}, "none.libsvm"},
		{[]string{"train", bucket + "data/part-0.libsvm", "-o", bucket + "m.kerf"}, "m.kerf"},
	} {
		status, _, faults := beam(context.Background(), c.args...)
		if status == 0 || !strings.Contains(faults, c.want) || strings.Count(faults, "\n") != 1 {
			t.Errorf("%v: %d %q, want %q", c.args, status, faults, c.want)
		}
	}
	if _, left := s.all(bucket + "new/*"); len(left) > 0 {
		t.Errorf("something was written: %v", left)
	}
	if entries, err := os.ReadDir("."); err != nil || slices.ContainsFunc(entries, func(e os.DirEntry) bool {
		return strings.Contains(e.Name(), ":")
	}) {
		t.Error("names of the store were taken for folders", err)
	}
}
