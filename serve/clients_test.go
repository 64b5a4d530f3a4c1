package serve_test

import (
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kerf-ml/kerf/serve"
)

// install is how long pip may take: CI gives it more.
var install = flag.Duration("install", 80*time.Second, "time for pip to install the clients of other servers")

// environment returns a Python that has packages, which are pinned, made once in the
// user's cache: the folder is named for them.
func environment(t *testing.T, packages ...string) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Skip("there is no folder for caches: ", err)
	}
	name := strings.NewReplacer("[", "-", "]", "", "=", "", ",", "-").Replace(strings.Join(packages, "_"))
	dir := filepath.Join(cache, "kerf-clients", name)
	python := filepath.Join(dir, "bin", "python")
	if _, err := os.Stat(filepath.Join(dir, "whole")); err == nil {
		return python
	}
	ctx, cancel := context.WithTimeout(t.Context(), *install)
	defer cancel()
	if out, err := exec.CommandContext(ctx, "python3", "-m", "venv", dir).CombinedOutput(); err != nil {
		t.Skipf("Python makes no environment: %v: %.300s", err, out)
	}
	args := append([]string{"-m", "pip", "install", "-q", "--disable-pip-version-check"}, packages...)
	if out, err := exec.CommandContext(ctx, python, args...).CombinedOutput(); err != nil {
		t.Skipf("pip installs no clients: %v: %.300s", err, out)
	}
	if err := os.WriteFile(filepath.Join(dir, "whole"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return python
}

// TestClients lets the clients of other servers ask: Triton's, and KServe's, which brings
// half a gigabyte along.
func TestClients(t *testing.T) {
	if testing.Short() {
		t.Skip("it may install Python packages")
	}
	for _, c := range []struct {
		name, script string
		packages     []string
	}{
		{"Triton", "clients.py", []string{"tritonclient[http,grpc]==2.73.0", "numpy==2.4.6"}},
		{"KServe", "others.py", []string{"kserve==0.21.0"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			python := environment(t, c.packages...)
			rest, grpc, _ := listenAt(t, serverOf(t, serve.NewOptions(), some(t, "table", "sparse")...))
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			out, err := exec.CommandContext(ctx, python, "testdata/"+c.script, rest, grpc).CombinedOutput()
			if err != nil || strings.TrimSpace(string(out)) != "fine" {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}

// TestCurl asks as the guide does.
func TestCurl(t *testing.T) {
	curl, err := exec.LookPath("curl")
	if err != nil {
		t.Skip("there is no curl")
	}
	rest, _, _ := listenAt(t, serverOf(t, serve.NewOptions(), some(t, "table")...))
	body := string(encode(t, some(t, "table")[0].rows()[0]))
	out, err := exec.CommandContext(t.Context(), curl, "-sS", "http://"+rest+"/predict/table", "-d", body).CombinedOutput()
	if err != nil || !strings.Contains(string(out), `"predictions":["class `) {
		t.Errorf("curl: %v: %s", err, out)
	}
}
