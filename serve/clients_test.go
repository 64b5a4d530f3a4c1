package serve_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kerf-ml/kerf/serve"
)

// clients are the packages that the script needs, pinned: the folder of the environment
// is named for them.
var clients = []string{"tritonclient[http,grpc]==2.73.0", "numpy==2.4.6"}

// environment returns a Python that has the clients, made once in the user's cache.
func environment(t *testing.T) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Skip("there is no folder for caches: ", err)
	}
	name := strings.NewReplacer("[", "-", "]", "", "=", "", ",", "-").Replace(strings.Join(clients, "_"))
	dir := filepath.Join(cache, "kerf-clients", name)
	python := filepath.Join(dir, "bin", "python")
	if _, err := os.Stat(filepath.Join(dir, "whole")); err == nil {
		return python
	}
	ctx, cancel := context.WithTimeout(t.Context(), 80*time.Second)
	defer cancel()
	if out, err := exec.CommandContext(ctx, "python3", "-m", "venv", dir).CombinedOutput(); err != nil {
		t.Skipf("Python makes no environment: %v: %.300s", err, out)
	}
	install := append([]string{"-m", "pip", "install", "-q", "--disable-pip-version-check"}, clients...)
	if out, err := exec.CommandContext(ctx, python, install...).CombinedOutput(); err != nil {
		t.Skipf("pip installs no clients: %v: %.300s", err, out)
	}
	if err := os.WriteFile(filepath.Join(dir, "whole"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return python
}

// TestClients lets the clients of another server ask.
func TestClients(t *testing.T) {
	if testing.Short() {
		t.Skip("it may install Python packages")
	}
	python := environment(t)
	rest, grpc, _ := listenAt(t, serverOf(t, serve.NewOptions(), some(t, "table", "sparse")...))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, python, "testdata/clients.py", rest, grpc).CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != "fine" {
		t.Errorf("%v: %s", err, out)
	}
	curl, err := exec.LookPath("curl")
	if err != nil {
		return
	}
	body := string(encode(t, some(t, "table")[0].rows()[0]))
	out, err = exec.CommandContext(ctx, curl, "-sS", "http://"+rest+"/predict/table", "-d", body).CombinedOutput()
	if err != nil || !strings.Contains(string(out), `"predictions":["class `) {
		t.Errorf("curl: %v: %s", err, out)
	}
}
